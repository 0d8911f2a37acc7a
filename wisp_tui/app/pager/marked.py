"""What is marked on the screen of an output, and the text that copying it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from textual.geometry import Offset
from textual.selection import Selection

from wisp_tui.app.pager.parts import Parts
from wisp_tui.outputs.captured import plain

MOST_COPIED = 1024 * 1024
"""Bytes that are copied at most: no clipboard that goes through the terminal takes more."""

Point: TypeAlias = "tuple[int, int]"
"""A line, from 0, and a character of the part of it that is drawn."""


@dataclass(frozen=True, slots=True)
class Marked:
    """What is marked: from a point to before another one."""

    start: Point
    end: Point

    @classmethod
    def of(cls, selection: Selection, first: Point, last: Point) -> Marked:
        """Take a selection; where it has no end of its own, what is on the screen, ``first`` to ``last``, bounds it."""
        return cls(_point(selection.start, first), _point(selection.end, last))

    def on(self, line: int, length: int) -> tuple[int, int]:
        """Say which characters of a line are marked; the same twice when none is."""
        if not self.start[0] <= line <= self.end[0]:
            return 0, 0
        start = self.start[1] if line == self.start[0] else 0
        end = self.end[1] if line == self.end[0] else length
        return min(start, length), min(max(end, start), length)


def _point(offset: Offset | None, otherwise: Point) -> Point:
    return otherwise if offset is None else (offset.y, max(offset.x, 0))


def marked_text(parts: Parts, marked: Marked, part: int) -> tuple[str, bool]:
    """Give what is marked, and whether it is all: ``MOST_COPIED`` bytes at most. ``part`` is the one long lines show.

    Lines between the first and the last are copied whole, as text: without colours and what was redrawn.
    """
    first, last = marked.start[0], marked.end[0]
    if first == last:
        return _piece(parts, marked, first, part), True
    texts = [_piece(parts, marked, first, part)]
    whole = True
    if last - first > 1:
        start, end = parts.index.span(first + 1), parts.index.span(last - 1)
        if start is not None and end is not None:
            whole = end[1] - start[0] <= MOST_COPIED
            texts.append(plain(parts.source.read(start[0], min(end[1], start[0] + MOST_COPIED), keep=False)))
    if whole:
        texts.append(_piece(parts, marked, last, part))
    return "\n".join(texts), whole


def _piece(parts: Parts, marked: Marked, line: int, part: int) -> str:
    read = parts.read(line, part)
    return "" if read is None else read.styled.copied(*marked.on(line, len(read.styled.text)))


def word_at(text: str, place: int) -> tuple[int, int]:
    """Find the word around a character: letters, digits, and what paths and names are made of."""
    start = end = min(place, len(text))
    while start > 0 and _of_word(text[start - 1]):
        start -= 1
    while end < len(text) and _of_word(text[end]):
        end += 1
    return start, end


def _of_word(character: str) -> bool:
    return character.isalnum() or character in "_-./~@+:"
