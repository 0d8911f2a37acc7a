"""How an assertion enters a book: versions, a value held once, conflicts (spec "Versions and precedence")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from wisp_tui.facts.book import Changed, FactBook, conflict_changes
from wisp_tui.facts.changes import Change, Deleted, NothingNew, Recorded, ScopeChanged, Superseded
from wisp_tui.facts.fact import Assertion, Fact, FactState, by_precedence, disagree, rank
from wisp_tui.facts.identity import FactId, Identity, Scope, SourceKind, TemporalClass, Topic
from wisp_tui.facts.ledger import LedgerEditor
from wisp_tui.facts.values import folded
from wisp_tui.text.ids import TurnNumber


@dataclass(frozen=True, slots=True)
class Moment:
    """When something happens: the time, and the turn, None between turns of no conversation."""

    time: datetime
    turn: TurnNumber | None = None


@dataclass(frozen=True, slots=True)
class Entering:
    """An assertion on its way into a scope. ``by_person`` only for what a ``PersonAct`` does.

    ``approved`` when the person keeps what another source asserted; ``resolves`` when it ends a conflict it meets.
    """

    assertion: Assertion
    scope: Scope
    temporal: TemporalClass
    by_person: bool = False
    approved: bool = False
    resolves: bool = False
    moving: Fact | None = None
    """The fact that this is a copy of, in another scope or class."""

    @property
    def standing(self) -> SourceKind:
        """The source it will stand under."""
        return SourceKind.PERSON if self.approved else self.assertion.source.kind


class BookEditor:
    """A book being changed. ``done`` gives the new book with everything that was done to it, conflicts last."""

    def __init__(self, book: FactBook, at: Moment) -> None:
        self._book = book
        self._at = at
        self._editors: dict[Scope, LedgerEditor] = {}
        self._changes: list[Change] = []
        self._topics: dict[Topic, None] = {}

    def heads(self, topic: Topic) -> tuple[Fact, ...]:
        """Return a topic's current facts as they stand now, the winner last."""
        found = [fact for ledger in self._book.ledgers for fact in self._heads(ledger.scope, topic)]
        return by_precedence(found)

    def enter(self, entering: Entering) -> Fact:
        """Let an assertion in. Returns the fact that holds its value afterwards, new or not."""
        said = entering.assertion
        moving = entering.moving
        heads = tuple(head for head in self.heads(said.topic) if moving is None or head.id != moving.id)
        own = [head for head in heads if _owns(entering, head)]
        others = [head for head in heads if head not in own]
        give_way = list(own)
        if entering.by_person and entering.resolves and disagree(heads):
            give_way += others
        fact = _holder(entering, own, others)
        if fact is None:
            fact = self._add(entering)
            give_way += [other for other in others if other.says == fact.says and other not in give_way]
        else:
            self._changes.append(NothingNew(fact))
        self._supersede((head for head in give_way if head.id != fact.id), fact)
        if moving is not None:
            self._touch(moving.topic)
            old = self._editor(moving.scope).settle(moving.id, FactState.SUPERSEDED, fact.id)
            self._changes.append(ScopeChanged(old, fact))
        return fact

    def delete(self, fact: Fact) -> None:
        """Mark a current fact as deleted; it stays as history."""
        self._touch(fact.topic)
        self._changes.append(Deleted(self._editor(fact.scope).settle(fact.id, FactState.DELETED)))

    def done(self) -> Changed:
        """Return the changed book and the changes."""
        after = self._book.replaced(editor.done() for editor in self._editors.values())
        return Changed(after, (*self._changes, *conflict_changes(self._book, after, self._topics)))

    def _add(self, entering: Entering) -> Fact:
        said = entering.assertion
        self._touch(said.topic)
        fact = self._editor(entering.scope).add(
            Fact(
                id=FactId(""),
                identity=Identity(entering.scope, said.topic.subject, said.topic.name),
                value=said.value,
                temporal=entering.temporal,
                source=said.source,
                version=0,
                recorded=self._at.time,
                turn=entering.moving.turn if entering.moving is not None else self._at.turn,
                turns=said.turns,
                entries=said.entries,
                events=said.events,
                approved=entering.approved,
            )
        )
        if entering.moving is None:
            self._changes.append(Recorded(fact))
        return fact

    def _supersede(self, facts: Iterable[Fact], by: Fact) -> None:
        for fact in facts:
            self._touch(fact.topic)
            self._changes.append(Superseded(self._editor(fact.scope).settle(fact.id, FactState.SUPERSEDED, by.id), by))

    def _touch(self, topic: Topic) -> None:
        self._topics[topic] = None

    def _editor(self, scope: Scope) -> LedgerEditor:
        editor = self._editors.get(scope)
        if editor is None:
            editor = self._editors[scope] = LedgerEditor(self._book.ledger(scope))
        return editor

    def _heads(self, scope: Scope, topic: Topic) -> tuple[Fact, ...]:
        editor = self._editors.get(scope)
        return editor.heads(topic) if editor is not None else self._book.ledger(scope).heads(topic)


def _owns(entering: Entering, head: Fact) -> bool:
    """Say whether a head is an older version of what enters: of the same source, and within its reach.

    The shared store holds one fact a topic, and what the person states replaces what they kept.
    """
    source = entering.assertion.source.kind
    if not entering.by_person:
        own = head.source.kind is source and head.approved is entering.approved
        return own and head.scope is not Scope.PERMANENT
    if Scope.PERMANENT is entering.scope is head.scope:
        return True
    return head.source.kind is source or (source is SourceKind.PERSON and head.approved)


def _holder(entering: Entering, own: list[Fact], others: list[Fact]) -> Fact | None:
    """Find the fact that says it already: that of a source no weaker, else the source's own, word for word."""
    said = entering.assertion
    needed = rank(entering.standing)
    for other in reversed(others):
        if other.says == folded(said.value) and rank(other.standing) >= needed and _stays(entering, other):
            return other
    return next((head for head in own if head.value == said.value and _stays(entering, head)), None)


def _stays(entering: Entering, held: Fact) -> bool:
    """Say whether a fact may go on holding a value: the person's word for the shared store is not held elsewhere."""
    return not entering.by_person or held.scope is entering.scope
