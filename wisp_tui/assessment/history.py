"""What the record says of the tools that were used: by the turn before, and since the task changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from wisp_tui.context.record import Entry, EntryKind, ThreadRecord
from wisp_tui.text.ids import EntryId


def previous_tools(record: ThreadRecord, prompt: EntryId) -> tuple[str, ...]:
    """Return the tools that the turn before a prompt called, each once, in order; none for the first."""
    called: list[str] = []
    for entry in _backwards(record, prompt - 1):
        if entry.kind is EntryKind.PROMPT:
            break
        if entry.call is not None:
            called.append(entry.call.tool)
    return tuple(dict.fromkeys(reversed(called)))


def tools_since(record: ThreadRecord, moment: datetime) -> frozenset[str]:
    """Return the tools called since a moment, in earlier sessions of a resumed conversation too."""
    called: set[str] = set()
    for entry in _backwards(record, len(record)):
        if entry.time is not None and entry.time < moment:
            break
        if entry.call is not None and entry.time is not None:
            called.add(entry.call.tool)
    return frozenset(called)


def _backwards(record: ThreadRecord, last: int) -> Iterator[Entry]:
    for number in range(last, 0, -1):
        yield record.entry(EntryId(number))
