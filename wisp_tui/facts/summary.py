"""The running summary: versions, when the next one is due, how it is fitted to its cap (spec "The running summary")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from wisp_tui.context.record import Entry, EntryKind, ThreadRecord, turns_of
from wisp_tui.facts.values import folded, one_line
from wisp_tui.text.ids import EntryId, EventId, ModelId, TurnNumber
from wisp_tui.text.sizes import cut_bytes

BATCH_TURNS = 3
"""Dropped turns not yet summarised that make a new version due."""
KEPT_VERSIONS = 20
BYTES_A_WORD = 7
"""Bytes of the cap for each word the call is allowed."""


@dataclass(frozen=True, slots=True)
class RunningSummary:
    """One version. ``covered`` counts all turns it stands for; ``turns``, ``entries`` and ``events`` what it added.

    ``through`` is the highest entry it covers; ``turn`` the turn it was written in.
    """

    version: int
    text: str
    covered: int
    turns: tuple[TurnNumber, ...]
    entries: tuple[EntryId, ...]
    events: tuple[EventId, ...]
    through: EntryId
    recorded: datetime
    turn: TurnNumber
    model: ModelId


@dataclass(frozen=True, slots=True)
class Summaries:
    """A conversation's summary in its last versions, oldest first."""

    versions: tuple[RunningSummary, ...] = ()

    @property
    def current(self) -> RunningSummary | None:
        """The version that holds, None before the first."""
        return self.versions[-1] if self.versions else None

    @property
    def through(self) -> EntryId:
        """The highest entry covered, 0 before the first version."""
        return self.versions[-1].through if self.versions else EntryId(0)

    def waiting(self, record: ThreadRecord) -> list[list[Entry]]:
        """Return the turns dropped and not yet summarised, oldest first: all of them wait for the next version."""
        return turns_of(entry for entry in record if entry.id > self.through and not record.state(entry.id).active)

    def updated(
        self, text: str, turns: Sequence[Sequence[Entry]], *, recorded: datetime, turn: TurnNumber, model: ModelId
    ) -> Summaries:
        """Add the version that covers these turns too. Raises ValueError for an empty text or no turns."""
        if not text or not turns:
            raise ValueError("a summary needs a text and the turns it adds")
        entries = [entry for entries in turns for entry in entries]
        before = self.current
        version = RunningSummary(
            version=before.version + 1 if before is not None else 1,
            text=text,
            covered=(before.covered if before is not None else 0) + len(turns),
            turns=tuple(entry.turn for entry in entries if entry.kind is EntryKind.PROMPT),
            entries=tuple(entry.id for entry in entries),
            events=tuple(event for entry in entries for event in entry.sources),
            through=max(self.through, *(entry.id for entry in entries)),
            recorded=recorded,
            turn=turn,
            model=model,
        )
        return Summaries((*self.versions, version)[-KEPT_VERSIONS:])


@dataclass(frozen=True, slots=True)
class Calls:
    """The model calls a condensation makes: the facts' (of the turns leaving), the summary's (of the batch), or one."""

    facts: bool
    summary: bool
    together: bool = False


def calls_for(leaving: int, waiting: int, *, distil: bool, summarise: bool, together: bool) -> Calls:
    """Decide which calls a condensation that drops ``leaving`` turns makes while ``waiting`` are not yet summarised.

    One call does both only when the batch is the turns leaving now: older ones were distilled as they went, and must
    not be distilled again over newer facts.
    """
    due = summarise and leaving > 0 and leaving + waiting >= BATCH_TURNS
    facts = distil and leaving > 0
    return Calls(facts, due, together=together and facts and due and waiting == 0)


def word_limit(cap: int) -> int:
    """Return how many words the summary's call is allowed for a cap in bytes."""
    return max(cap // BYTES_A_WORD, 1)


_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])\s*(?=\S)")
_LEADING = re.compile(r"^(?:[-*#>`~=+|•–—\s]|\d+[.)]\s|(?:updated )?summary(?: so far)?\s*:)+", re.IGNORECASE)
GAP = "…"
"""Stands for the sentences left out after the first."""


def plain_summary(text: str) -> str:
    """Make a model's summary one line of prose: nothing at its start poses as a heading or as a fact's line."""
    line = one_line(text).strip("\"“”'` ")
    return _LEADING.sub("", line).strip()


def fitted(text: str, cap: int) -> str:
    """Fit a summary to a cap in bytes, on one line: the sentences after its first go, oldest first, behind a ``…``.

    So how the work began and the newest turns survive. Where not even those fit, the first sentence is cut. A sentence
    said again is left out before anything else: a small model that loops would push out what is worth keeping.
    """
    line = plain_summary(text)
    sentences = _SENTENCE.split(line)
    once = list({folded(sentence): sentence for sentence in sentences}.values())
    if len(once) < len(sentences):
        line = " ".join(once)
    if len(line.encode()) <= cap:
        return line
    first, *rest = once
    while rest:
        rest.pop(0)
        short = " ".join([first, GAP, *rest])
        if len(short.encode()) <= cap:
            return short
    short = f"{first} {GAP}"
    if len(short.encode()) <= cap:
        return short
    return (cut_bytes(first, cap - len(GAP.encode())).rstrip() + GAP) if cap >= len(GAP.encode()) else ""
