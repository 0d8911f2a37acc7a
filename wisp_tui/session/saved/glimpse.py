"""A look at the end of a saved conversation: its last turns, read backwards from the end of its file."""

from __future__ import annotations

from dataclasses import dataclass

from wisp_tui.config import Home
from wisp_tui.context.record import EntryKind
from wisp_tui.session.saved.entries import SavedEntry, pieces, read_piece
from wisp_tui.session.saved.files import files_of

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


def glimpse(home: Home, name: str, turns: int = TURNS) -> Glimpse:
    """Look at the last turns of a conversation. Raises BadName, OSError.

    What it costs depends on those turns alone: a conversation of ten thousand entries costs what one of ten does.
    """
    with files_of(home, name).transcript.open("rb") as file:
        size = file.seek(0, 2)
        reach = FIRST_REACH
        while True:
            start = max(size - reach, 0)
            file.seek(start)
            data = file.read(size - start)
            found = [read_piece(data[first:end], number) for first, end, number in pieces(data)]
            entries = [entry for entry in found if entry is not None]
            prompts = [place for place, entry in enumerate(entries) if entry.kind is EntryKind.PROMPT]
            if len(prompts) > turns or not start or reach >= MOST_REACH:
                break
            reach *= 8
    first = prompts[-turns] if len(prompts) > turns else 0
    return Glimpse(tuple(entries[first:]), whole=not start and not first)
