"""Which facts bear on a request: what the model is offered to choose from, and what word overlap adds (spec D7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wisp_tui.facts import Fact, FactBook, FactId, Scope
from wisp_tui.facts.kinds import TASK
from wisp_tui.facts.lines import line

REPEATED = 4
"""Facts that the now block repeats at most."""
OFFERED = 30
"""Facts that the model chooses from at most."""
_WORD = re.compile(r"[^\W_]{3,}")
_COMMON = frozenset(
    _WORD.findall("""
    about all and any are been before but can could did does done for from get had has have her him his how
    into its just let like make may more most not now off one only other our out over please say see should
    show tell than that the their them then there these they this those use was were what when where which who
    why will with would you your
    """)
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A conversation's facts but the task and the process's, those that share most words with a request first."""

    facts: tuple[Fact, ...]
    overlapping: int
    """How many of them share a word with it."""

    @property
    def offered(self) -> tuple[Fact, ...]:
        """Those that the model chooses from."""
        return self.facts[:OFFERED]

    def relevant(self, chosen: Sequence[FactId] = ()) -> tuple[FactId, ...]:
        """Return the facts to repeat: the model's choice first, then those that share words; at most four."""
        held = {fact.id for fact in self.facts}
        wanted = [*(ident for ident in chosen if ident in held), *(fact.id for fact in self.facts[: self.overlapping])]
        return tuple(dict.fromkeys(wanted))[:REPEATED]


def ranked(book: FactBook, request: str) -> Ranked:
    """Rank the facts that count, one of each topic: by the words they share with a request, then the newest first."""
    asked = words(request)
    scored = [(len(asked & words(f"{fact.topic.words} {fact.value}")), fact) for fact in _eligible(book)]
    scored.sort(key=lambda one: (one[0], one[1].recorded, one[1].number), reverse=True)
    return Ranked(tuple(fact for _, fact in scored), sum(1 for score, _ in scored if score))


def words(text: str) -> frozenset[str]:
    """Return the words of a text that say what it is about: of three letters or more, common ones left out."""
    return frozenset(_WORD.findall(text.casefold())) - _COMMON


def repeated(book: FactBook, facts: Iterable[FactId]) -> tuple[str, ...]:
    """Write the facts to repeat as lines, those left out that hold no longer; a disputed one says so."""
    found = (ledger.current[ident] for ident in facts for ledger in book.ledgers if ident in ledger.current)
    return tuple(line(fact, book.disagreeing(fact)) for fact in found)


def _eligible(book: FactBook) -> Iterable[Fact]:
    outdone = {head.id for topic in book.shared() for head in book.heads(topic)[:-1]}
    for ledger in (book.permanent, book.thread):
        for fact in ledger.current.values():
            if fact.identity.subject != TASK and fact.scope is not Scope.SESSION and fact.id not in outdone:
                yield fact
