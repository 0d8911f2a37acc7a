"""A page of what is recalled: as many numbered lines as the budget holds, and in which words to ask for the next."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from wisp_tui.outputs import Cost, StoredLine
from wisp_tui.outputs.budget import most
from wisp_tui.recall.asked import Recall
from wisp_tui.recall.documents import Document
from wisp_tui.text.sizes import count

CUT = "…"
"""Stands where a line that had no room of its own was parted."""
_RESERVE = 200
"""Bytes kept for the page's last line beside the words of the request it repeats."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A page as the model reads it. ``shown`` lines of it; ``next`` is where the next one starts, None for none."""

    text: str
    shown: int
    next: int | None


@dataclass(slots=True)
class _Page:
    """A page being filled: its lines, the room left, and what had no room: from which line, how many at least.

    ``character`` is where the line it goes on from begins there, from 1.
    """

    left: Cost
    lines: list[str] = field(default_factory=list[str])
    following: int | None = None
    rest: int = 0
    character: int = 1

    def take(self, line: StoredLine, character: int = 1) -> None:
        """Add a line from a character on, or count it where there is no room; one longer than a page is parted."""
        before, text = f"{line.number}\t{CUT if character > 1 else ''}", line.text[character - 1 :]
        if self.following is None and not Cost.of(f"{before}{text}\n").within(self.left):
            self.following = line.number
            if not self.lines:
                fits = max(_fitting(before, text, self.left), 1)
                self.lines.append(f"{before}{text[:fits]}{CUT}")
                self.character = character + fits
        if self.following is not None:
            self.rest += 1
            return
        self.lines.append(f"{before}{text}")
        self.left = self.left.less(Cost.of(f"{before}{text}\n"))


def recalled(found: Document, asked: Recall, room: Cost) -> Recalled:
    """Write a page of a document within the room. Raises NoSuchOutput when the output goes away meanwhile."""
    again = asked.request
    page = _Page(room.less(Cost.of(f"{found.heading}\n{again}")).less(Cost.for_bytes(_RESERVE)))
    for line in _chosen(found, asked):
        page.take(line, asked.lines.character if line.number == asked.lines.first else 1)
        if page.following is not None and asked.lines.pattern is None:
            break
    text = "\n".join([found.heading, *page.lines, _last(found, asked, page, again)])
    return Recalled(text, len(page.lines), page.following)


def _chosen(found: Document, asked: Recall) -> Iterator[StoredLine]:
    """Give the lines that are asked for, in order; the last of them are read through to the end first."""
    wanted = asked.lines
    if wanted.tail is not None:
        start = max(found.total - wanted.tail + 1, 1) if found.total is not None else 1
        last = deque(found.lines(start), maxlen=wanted.tail)
        yield from (line for line in last if line.number >= wanted.first)
        return
    for line in found.lines(wanted.first):
        if wanted.last is not None and line.number > wanted.last:
            return
        if wanted.pattern is None or wanted.pattern.matches(line.text):
            yield line


def _last(found: Document, asked: Recall, page: _Page, again: str) -> str:
    """Write the line under a page: where it goes on, or that there is no more."""
    of = f" of {found.total:,}" if found.total is not None else ""
    matching = " matching" if asked.lines.pattern is not None else ""
    if page.following is not None:
        more = f"{page.rest:,} more matching," if matching else "more"
        place = f" character {page.character}" if page.character > 1 else ""
        return f'[{more} from line {page.following}{of}: memory "{again} from line {page.following}{place}"]'
    if not page.lines:
        return f"[no{matching} line there{of}]"
    return f"[end: {count(len(page.lines), f'{matching} line'.strip())} shown{of}]"


def _fitting(before: str, text: str, room: Cost) -> int:
    """Return how many characters of a line fit the room, behind what stands before them and marked."""
    return most(min(len(text), room.bytes), lambda size: Cost.of(f"{before}{text[:size]}{CUT}\n"), room)
