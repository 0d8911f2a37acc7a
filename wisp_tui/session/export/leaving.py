"""Which turns left a conversation's context together, read from its record."""

from __future__ import annotations

from dataclasses import dataclass

from wisp_tui.context.record import Entry, EntryKind, ThreadRecord
from wisp_tui.text.ids import EventId, TurnNumber
from wisp_tui.text.sizes import count


@dataclass(frozen=True, slots=True)
class Leaving:
    """One condensation's dropped entries. ``number`` counts from 1; ``turn`` is 0 for one of an earlier session."""

    number: int
    turn: TurnNumber
    entries: tuple[Entry, ...]

    @property
    def words(self) -> str:
        """What left when, in words."""
        turns = sum(1 for entry in self.entries if entry.kind is EntryKind.PROMPT)
        when = f"in turn {self.turn}" if self.turn else "before this session"
        first, last = self.entries[0].id, self.entries[-1].id
        return f"{when}, {count(turns, 'turn')} left the context: entries {first} to {last}"


def leavings(record: ThreadRecord) -> dict[EventId, Leaving]:
    """Group the entries that left by the condensation that dropped them, the first that left first."""
    dropped: dict[EventId, list[Entry]] = {}
    for entry in record:
        by = record.state(entry.id).dropped_by
        if by is not None:
            dropped.setdefault(by, []).append(entry)
    return {
        by: Leaving(number, record.state(entries[0].id).dropped_at or TurnNumber(0), tuple(entries))
        for number, (by, entries) in enumerate(dropped.items(), 1)
    }
