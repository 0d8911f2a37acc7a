"""What a face shows of a conversation's facts, as values: kind by kind, with what disagrees and what came before."""

from __future__ import annotations

from dataclasses import dataclass

from wisp_tui.facts.book import FactBook
from wisp_tui.facts.fact import Fact
from wisp_tui.facts.identity import TemporalClass
from wisp_tui.facts.kinds import Kinds


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact, with the current facts under its topic that say something else, the strongest first."""

    fact: Fact
    disagreeing: tuple[Fact, ...] = ()

    @property
    def wins(self) -> bool:
        """Whether it is the fact that counts, whatever others say."""
        return all(self.fact.precedence > other.precedence for other in self.disagreeing)


@dataclass(frozen=True, slots=True)
class KindRows:
    """The facts of one kind, by name, each name's newest first. ``temporal`` is the kind's class."""

    subject: str
    temporal: TemporalClass
    rows: tuple[FactRow, ...]


def rows_by_kind(book: FactBook, kinds: Kinds, *, everything: bool = False) -> tuple[KindRows, ...]:
    """List the facts that hold, by kind in the kinds' order; ``everything`` adds those that hold no longer."""
    disputed = frozenset(book.conflicts())
    found: dict[str, list[Fact]] = {kind.subject: [] for kind in kinds}
    for ledger in book.ledgers:
        for fact in (ledger.facts if everything else ledger.current).values():
            found.setdefault(fact.identity.subject, []).append(fact)
    return tuple(
        KindRows(subject, _temporal(kinds, facts[0]), tuple(_row(book, fact, disputed) for fact in _sorted(facts)))
        for subject, facts in found.items()
        if facts
    )


def _row(book: FactBook, fact: Fact, disputed: frozenset[object]) -> FactRow:
    return FactRow(fact, book.disagreeing(fact) if fact.current and fact.topic in disputed else ())


def _sorted(facts: list[Fact]) -> list[Fact]:
    newest = sorted(facts, key=lambda fact: (fact.current, fact.recorded, fact.number), reverse=True)
    return sorted(newest, key=lambda fact: fact.identity.name)


def _temporal(kinds: Kinds, fact: Fact) -> TemporalClass:
    """Give the class of a fact's kind; of a kind this version does not know, the fact's own."""
    kind = kinds.find(fact.identity.subject)
    return kind.temporal if kind is not None else fact.temporal
