"""What may happen to facts: what any source may do, and what only the person may (promise 9).

Each act returns the changed book and the changes, as values. None writes anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from wisp_tui.facts.book import Changed, FactBook, conflict_changes
from wisp_tui.facts.changes import Change, Superseded
from wisp_tui.facts.editing import BookEditor, Entering, Moment
from wisp_tui.facts.fact import Assertion, Fact, FactState, Statement
from wisp_tui.facts.identity import PERSON, Scope, SourceKind, TemporalClass, Topic, home_of
from wisp_tui.facts.ledger import FactLedger, LedgerEditor
from wisp_tui.facts.person import PersonAct
from wisp_tui.facts.values import stored_value


class PersonOnly(Exception):
    """Only the person may do this; the message says what."""


class AlreadyThere(Exception):
    """A fact is in the scope it was to be moved to."""

    def __init__(self, fact: Fact) -> None:
        super().__init__(f"{fact.id} is {fact.scope} already")
        self.fact = fact


class EmptyValue(Exception):
    """A fact needs a value."""

    def __init__(self) -> None:
        super().__init__("a fact needs a value: /fact SUBJECT [NAME] = VALUE")


# Any source ---------------------------------------------------------------------------------------------------------


def record(book: FactBook, assertions: Iterable[Assertion], at: Moment) -> Changed:
    """Record what sources assert, in order. A permanent kind's is a proposal, held by the conversation.

    A newer version stays where its source's older one was moved to. An assertion without a value is passed over.
    """
    editor = BookEditor(book, at)
    for assertion in assertions:
        if assertion.value:
            editor.enter(_entering(editor, assertion))
    return editor.done()


def move(book: FactBook, ident: str, scope: Scope, at: Moment) -> Changed:
    """Move a fact between its conversation and the process, as a caller may.

    Raises PersonOnly for a permanent fact or scope, UnknownFact, NotCurrent, AlreadyThere.
    """
    fact = book.holding(ident)
    if Scope.PERMANENT in {fact.scope, scope}:
        raise PersonOnly(f"only the person moves {fact.id} {_WAYS[scope is Scope.PERMANENT]} the permanent facts")
    if fact.scope is scope:
        raise AlreadyThere(fact)
    return _moved(book, fact, scope, at)


_WAYS = {True: "into", False: "out of"}


def _moved(book: FactBook, fact: Fact, scope: Scope, at: Moment) -> Changed:
    approved = fact.standing is SourceKind.PERSON and fact.source.kind is not SourceKind.PERSON
    editor = BookEditor(book, at)
    editor.enter(Entering(_said(fact), scope, scope.temporal, approved=approved, moving=fact))
    return editor.done()


def _said(fact: Fact) -> Assertion:
    return Assertion(fact.topic, fact.value, fact.temporal, fact.source, fact.entries, fact.events, fact.turns)


def _entering(editor: BookEditor, assertion: Assertion) -> Entering:
    """Decide where an assertion goes: where its source's older version is, else where its kind's facts are."""
    earlier = [
        head
        for head in editor.heads(assertion.topic)
        if head.source.kind is assertion.source.kind and not head.approved and head.scope is not Scope.PERMANENT
    ]
    if earlier:
        return Entering(assertion, earlier[-1].scope, earlier[-1].temporal)
    scope = home_of(assertion.temporal)
    return Entering(assertion, Scope.THREAD if scope is Scope.PERMANENT else scope, assertion.temporal)


def adopted(book: FactBook, *ledgers: FactLedger) -> Changed:
    """Take over ledgers that somebody else changed, and say which conflicts that raised or resolved.

    What the conversation holds and the shared store now says too gives way to it: a value is held once.
    """
    after = book.replaced(ledgers)
    thread, changes = LedgerEditor(after.thread), list[Change]()
    for topic in after.shared():
        held = {fact.says: fact for fact in after.permanent.heads(topic)}
        for fact in after.thread.heads(topic):
            by = held.get(fact.says)
            if by is not None:
                changes.append(Superseded(thread.settle(fact.id, FactState.SUPERSEDED, by.id), by))
    if changes:
        after = after.replaced([thread.done()])
    topics = dict.fromkeys((*book.conflicts(), *after.conflicts()))
    return Changed(after, (*changes, *conflict_changes(book, after, topics)))


# The person ---------------------------------------------------------------------------------------------------------


def state(act: PersonAct, book: FactBook, said: Statement, at: Moment) -> Changed:
    """Record what the person states, in the scope of its kind's class; a conflict they state the value of is resolved.

    Raises EmptyValue.
    """
    del act
    written = stored_value(said.value)
    if not written:
        raise EmptyValue
    editor = BookEditor(book, at)
    assertion = Assertion(said.topic, written, said.temporal, PERSON)
    editor.enter(Entering(assertion, home_of(said.temporal), said.temporal, by_person=True, resolves=True))
    return editor.done()


def move_by_person(act: PersonAct, book: FactBook, ident: str, scope: Scope, at: Moment) -> Changed:
    """Move a fact to any scope. A proposed one moved to ``thread`` is the conversation's own and proposed no longer.

    What the person makes permanent is approved and ranks with them. Raises UnknownFact, NotCurrent, AlreadyThere.
    """
    fact = book.holding(ident)
    if fact.scope is scope and not fact.proposed:
        raise AlreadyThere(fact)
    if scope is not Scope.PERMANENT:
        return _moved(book, fact, scope, at)
    del act
    editor = BookEditor(book, at)
    editor.enter(_keeping(_said(fact), moving=fact))
    return editor.done()


def admit(act: PersonAct, permanent: FactLedger, assertion: Assertion, at: Moment) -> Changed:
    """Admit what a request asked to keep to the shared store alone: the conversation it came from may be gone."""
    del act
    editor = BookEditor(FactBook(permanent=permanent), at)
    editor.enter(_keeping(assertion))
    return editor.done()


def delete(act: PersonAct, book: FactBook, ident: str, at: Moment) -> Changed:
    """Delete a fact; it stays as history. Raises UnknownFact, NotCurrent."""
    del act
    fact = book.holding(ident)
    editor = BookEditor(book, at)
    editor.delete(fact)
    return editor.done()


def would_supersede(book: FactBook, topic: Topic) -> tuple[Fact, ...]:
    """Return the permanent facts that one of this topic would supersede if the person kept it."""
    return book.permanent.heads(topic)


def _keeping(assertion: Assertion, moving: Fact | None = None) -> Entering:
    return Entering(
        assertion,
        Scope.PERMANENT,
        TemporalClass.PERMANENT,
        by_person=True,
        approved=assertion.source.kind is not SourceKind.PERSON,
        moving=moving,
    )
