"""A look at the end of a conversation: its last turns, read backwards from the end of its file or its live copy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.context.record import EntryKind
from wisp_tui.session.saved.entries import SavedEntry, copied_entries, pieces, read_piece
from wisp_tui.session.saved.files import files_of
from wisp_tui.session.saved.listing import SavedName

TURNS = 6
"""Turns that are looked at."""
FIRST_REACH = 64 * 1024
MOST_REACH = 4 * 1024 * 1024
"""Bytes of a file's end that are read at most, however long its last turns are."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """The last entries of a conversation, oldest first. ``whole``: there are none before them that are still sent."""

    entries: tuple[SavedEntry, ...] = ()
    whole: bool = True


def glimpse(home: Home, shown: SavedName, turns: int = TURNS) -> Glimpse:
    """Look at the last turns of a conversation: of its live copy where it was cut short. Raises BadName, OSError.

    What it costs depends on those turns alone: a conversation of ten thousand entries costs what one of ten does.
    """
    if shown.copy:
        return _end_of(home.live / f"{shown.copy}.jsonl", copied_entries, turns)
    return _end_of(files_of(home, shown.name).transcript, _entries, turns)


def _entries(data: bytes) -> list[SavedEntry]:
    found = (read_piece(data[first:end], number) for first, end, number in pieces(data))
    return [entry for entry in found if entry is not None]


def _end_of(path: Path, read: Callable[[bytes], list[SavedEntry]], turns: int) -> Glimpse:
    """Read more and more of a file's end, until it has enough turns or is read as far as it may be."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        reach = FIRST_REACH
        while True:
            start = max(size - reach, 0)
            file.seek(start)
            entries = read(file.read(size - start))
            prompts = [place for place, entry in enumerate(entries) if entry.kind is EntryKind.PROMPT]
            if len(prompts) > turns or not start or reach >= MOST_REACH:
                break
            reach *= 8
    first = prompts[-turns] if len(prompts) > turns else 0
    return Glimpse(tuple(entries[first:]), whole=not start and not first)
