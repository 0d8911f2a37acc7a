"""Which rows are on the screen: from a place in the output, its lines cut at the edge or wrapped, and how far it moves.

Rows are counted only near the screen, so wrapping costs the same in a large output as in a small one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from rich.cells import cell_len, get_character_cell_size

from wisp_tui.app.pager.parts import LinePart, Parts
from wisp_tui.app.rows import Wrap, wrapped


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The top of the screen: a line, from 0, and how many of its rows are above."""

    line: int
    row: int = 0


class RowKind(Enum):
    """What a row of the screen shows."""

    TEXT = auto()
    BEFORE = auto()
    """That a long line has a part before the one that is drawn."""
    AFTER = auto()
    """That a long line goes on after the part that is drawn."""
    CLOSING = auto()
    """What is said after the last line."""


@dataclass(frozen=True, slots=True)
class ScreenRow:
    """A row: characters ``start`` to ``end`` of a line's part; ``pad`` is half of a wide character at its left edge."""

    kind: RowKind
    line: int
    part: LinePart | None = None
    start: int = 0
    end: int = 0
    first: bool = True
    """Whether the line's number stands before it."""
    pad: int = 0
    clipped: bool = False
    """Whether the line goes on to the right."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How lines are laid out: cells for their text, wrapped or not, and which part and column of long ones.

    ``closing``: a row follows the last line.
    """

    width: int = 80
    height: int = 24
    wrap: bool = False
    part: int = 0
    column: int = 0
    closing: bool = False


class Flow:
    """Lays lines out for a frame."""

    def __init__(self, parts: Parts, frame: Frame) -> None:
        self._parts = parts
        self.frame = frame
        self._last: tuple[int, Place] | None = None

    @property
    def lines(self) -> int:
        """How many lines there are to lay out, with the closing row."""
        count = self._parts.index.count if self._parts.source.size else 0
        return count + self.frame.closing

    def rows(self, line: int) -> list[ScreenRow]:
        """Lay a line out; a line that cannot be read is one empty row."""
        frame = self.frame
        if line >= self._parts.index.count or not self._parts.source.size:
            return [ScreenRow(RowKind.CLOSING, line)]
        part = self._parts.read(line, frame.part)
        if part is None:
            return [ScreenRow(RowKind.TEXT, line)]
        if not frame.wrap:
            return [self._row(line, part)]
        pieces = wrapped(part.styled.text, frame.width, Wrap.WORDS)
        rows = [ScreenRow(RowKind.TEXT, line, part, start, end, first=not start) for start, end in pieces]
        if part.before:
            rows.insert(0, ScreenRow(RowKind.BEFORE, line, part))
            rows[1] = ScreenRow(RowKind.TEXT, line, part, rows[1].start, rows[1].end, first=False)
        if part.after:
            rows.append(ScreenRow(RowKind.AFTER, line, part, first=False))
        return rows

    def _row(self, line: int, part: LinePart) -> ScreenRow:
        """Cut a line at the edges of the screen; one that has not as many parts shows nothing of itself."""
        frame, text = self.frame, part.styled.text
        if part.part < frame.part:
            return ScreenRow(RowKind.TEXT, line, part, len(text), len(text))
        start, pad = character_at(text, 0, frame.column)
        end, _ = character_at(text, start, frame.width - pad)
        while end > start and cell_len(text[start:end]) + pad > frame.width:
            end -= 1
        return ScreenRow(RowKind.TEXT, line, part, start, end, pad=pad, clipped=end < len(text) or part.after > 0)

    def screen(self, top: Place) -> list[ScreenRow]:
        """Lay out the rows on the screen."""
        rows: list[ScreenRow] = []
        line = top.line
        while len(rows) < self.frame.height and line < self.lines:
            rows += self.rows(line)[top.row if line == top.line else 0 :]
            line += 1
        return rows[: self.frame.height]

    def moved(self, top: Place, rows: int) -> Place:
        """Move by so many rows, up where they are negative, and no further than there is something to see."""
        if not self.frame.wrap:
            return self.within(Place(top.line + rows))
        line, row = top.line, top.row + rows
        while row < 0 and line > 0:
            line -= 1
            row += self._height(line)
        while line < self.lines - 1 and row >= (height := self._height(line)):
            row -= height
            line += 1
        return self.within(Place(line, max(row, 0)))

    def within(self, top: Place) -> Place:
        """Give the nearest place at which the screen is full."""
        return max(Place(0), min(top, self.last()))

    def last(self) -> Place:
        """Give the place at which the end stands at the bottom of the screen."""
        lines = self.lines
        if not self.frame.wrap:
            return Place(max(lines - self.frame.height, 0))
        if self._last is None or self._last[0] != lines:
            room, line = self.frame.height, lines
            while room > 0 and line > 0:
                line -= 1
                room -= self._height(line)
            self._last = lines, Place(line, max(-room, 0))
        return self._last[1]

    def row_of(self, line: int, character: int) -> int:
        """Say on which row of its line a character is."""
        rows = self.rows(line)
        return next(
            (n for n, row in enumerate(rows) if row.kind is RowKind.TEXT and character < row.end), len(rows) - 1
        )

    def _height(self, line: int) -> int:
        return len(self.rows(line))


def character_at(text: str, start: int, cells: int) -> tuple[int, int]:
    """Say which character, from ``start``, begins after so many cells, and how many cells of the one before reach past.

    Past the end of the text it is the end.
    """
    if text.isascii():
        return min(start + cells, len(text)), 0
    room = cells
    for place in range(start, len(text)):
        if room <= 0:
            if get_character_cell_size(text[place]):  # a mark belongs to the character before it
                return place, -room
        else:
            room -= get_character_cell_size(text[place])
    return len(text), max(-room, 0)
