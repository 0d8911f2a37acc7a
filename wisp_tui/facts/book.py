"""The facts that one conversation sees: its own, the process's and the shared ones (spec "Facts")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from wisp_tui.facts.changes import Change, ConflictRaised, ConflictResolved
from wisp_tui.facts.fact import Fact, by_precedence, disagree
from wisp_tui.facts.identity import FactId, Scope, Topic
from wisp_tui.facts.ledger import FactLedger


class UnknownFact(Exception):
    """There is no fact of this id."""

    def __init__(self, ident: str) -> None:
        super().__init__(f"there is no fact {ident!r:.40}; /inspect facts lists them")
        self.ident = ident


class NotCurrent(Exception):
    """A fact that holds no longer cannot be moved or deleted; ``fact`` says what became of it."""

    def __init__(self, fact: Fact) -> None:
        became = f"superseded by {fact.superseded_by}" if fact.superseded_by else str(fact.state)
        super().__init__(f"{fact.id} holds no longer: it was {became}")
        self.fact = fact


@dataclass(frozen=True, slots=True)
class FactBook:
    """The three ledgers that one conversation sees together. Only ``thread`` is its own."""

    thread: FactLedger = field(default_factory=lambda: FactLedger(Scope.THREAD))
    session: FactLedger = field(default_factory=lambda: FactLedger(Scope.SESSION))
    permanent: FactLedger = field(default_factory=lambda: FactLedger(Scope.PERMANENT))

    @property
    def ledgers(self) -> tuple[FactLedger, FactLedger, FactLedger]:
        """The shared facts, the conversation's, the process's."""
        return (self.permanent, self.thread, self.session)

    def ledger(self, scope: Scope) -> FactLedger:
        """Return the ledger of a scope."""
        match scope:
            case Scope.THREAD:
                return self.thread
            case Scope.SESSION:
                return self.session
            case Scope.PERMANENT:
                return self.permanent

    def replaced(self, ledgers: Iterable[FactLedger]) -> FactBook:
        """Return the book with other ledgers in the place of those of their scopes."""
        return replace(self, **{ledger.scope.value: ledger for ledger in ledgers})

    def __iter__(self) -> Iterator[Fact]:
        """Every current fact: the shared ones, the conversation's, the process's, each oldest first."""
        for ledger in self.ledgers:
            yield from ledger.current.values()

    def __len__(self) -> int:
        return sum(len(ledger) for ledger in self.ledgers)

    def fact(self, ident: str) -> Fact:
        """Return a fact by its id, whatever became of it. Raises UnknownFact."""
        scope = Scope.of(ident)
        found = self.ledger(scope).facts.get(FactId(ident)) if scope is not None else None
        if found is None:
            raise UnknownFact(ident)
        return found

    def holding(self, ident: str) -> Fact:
        """Return a current fact by its id. Raises UnknownFact, NotCurrent."""
        found = self.fact(ident)
        if not found.current:
            raise NotCurrent(found)
        return found

    def heads(self, topic: Topic) -> tuple[Fact, ...]:
        """Return a topic's current facts in all scopes, the winner last."""
        found = [ledger.facts[ident] for ledger in self.ledgers for ident in ledger.by_topic.get(topic, ())]
        return by_precedence(found) if len(found) > 1 else tuple(found)

    def winner(self, topic: Topic) -> Fact | None:
        """Return the fact that counts of a topic; None when none holds."""
        heads = self.heads(topic)
        return heads[-1] if heads else None

    def disagreeing(self, fact: Fact) -> tuple[Fact, ...]:
        """Return the current facts of other values under a fact's topic, the strongest first."""
        return tuple(other for other in reversed(self.heads(fact.topic)) if other.says != fact.says)

    def shared(self) -> tuple[Topic, ...]:
        """Return the topics that have more than one current fact, in the order in which they appear."""
        several = [topic for ledger in self.ledgers for topic, heads in ledger.by_topic.items() if len(heads) > 1]
        permanent, thread, session = (ledger.by_topic for ledger in self.ledgers)
        several += [topic for topic in permanent if topic in thread or topic in session]
        several += [topic for topic in session if topic in thread]
        return tuple(dict.fromkeys(several))

    def conflicts(self) -> tuple[Topic, ...]:
        """Return the topics whose current facts disagree."""
        return tuple(topic for topic in self.shared() if disagree(self.heads(topic)))

    def history(self, topic: Topic) -> tuple[Fact, ...]:
        """Return every version of a topic in all scopes, in the order they were recorded."""
        found = [fact for ledger in self.ledgers for fact in ledger.history(topic)]
        return tuple(sorted(found, key=lambda fact: (fact.recorded, fact.number)))


@dataclass(frozen=True, slots=True)
class Changed:
    """A book after an act, and what the act did to it."""

    book: FactBook
    changes: tuple[Change, ...] = ()


def conflict_changes(before: FactBook, after: FactBook, topics: Iterable[Topic]) -> Iterator[Change]:
    """Say which of some topics came into conflict between two books, and which out of it."""
    for topic in topics:
        heads = after.heads(topic)
        was, now = disagree(before.heads(topic)), disagree(heads)
        if now and not was:
            yield ConflictRaised(topic, heads[-1], after.disagreeing(heads[-1]))
        elif was and not now:
            yield ConflictResolved(topic, heads[-1] if heads else None)
