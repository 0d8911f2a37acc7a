"""The widget that draws rows: wrapped once a width, drawn a line at a time, copied as the text it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from wisp_tui.app.rows import Line, Role, Row, lines_of
from wisp_tui.app.widgets.looks import Looks

if TYPE_CHECKING:
    from wisp_tui.app.pager.search import Needle

MEASURE = 110
"""Cells a line of text is at most long, however wide the screen: longer lines are hard to read."""


class RowView(Widget):
    """Draws rows. Only the lines on the screen are ever drawn, and only rows that change are wrapped again.

    Rows are replaced from some row on: a reply that streams replaces what grows and leaves what has settled.
    """

    DEFAULT_CSS = "RowView { width: 1fr; height: auto; }"

    def __init__(self, rows: Sequence[Row] = (), *, classes: str | None = None, id: str | None = None) -> None:
        super().__init__(classes=classes, id=id)
        self._rows: list[Row] = list(rows)
        self._lines: list[Line] = []
        self._first_line: list[int] = []
        """For each row, where its lines begin in ``_lines``."""
        self._width = 0
        self._needle: Needle | None = None
        self._match: tuple[int, int] | None = None
        self._looks = Looks(self)

    @property
    def rows(self) -> Sequence[Row]:
        """What is drawn."""
        return self._rows

    def look_for(self, needle: Needle | None, match: tuple[int, int] | None = None) -> None:
        """Mark what a search finds; ``match``, a row and a character of it, is where the search stands."""
        if (needle, match) != (self._needle, self._match):
            self._needle, self._match = needle, match
            self.refresh()

    def line_at(self, row: int, start: int) -> int:
        """Say on which line a character of a row is drawn."""
        first = self._first_line[row] if row < len(self._first_line) else max(len(self._lines) - 1, 0)
        following = (place for place in range(first, len(self._lines)) if self._lines[place].row == row)
        return next((place for place in following if start < self._lines[place].end), first)

    def row_at(self, line: int) -> int:
        """Say which row is drawn on a line; the last one below the last line."""
        return self._lines[min(line, len(self._lines) - 1)].row if self._lines else 0

    def replace(self, rows: Sequence[Row], first: int = 0) -> None:
        """Draw these rows from row ``first`` on, in place of those that were there."""
        before = len(self._lines)
        self._rows[first:] = rows
        self._wrap(first)
        if len(self._lines) != before or not self._width:
            # Textual counts one wish for a layout until it is idle: a size that a layout took in between would stay.
            self._layout_updates += 1
            self.refresh(layout=True)
        else:
            top = self._first_line[first] if first < len(self._first_line) else before
            self.refresh(Region(0, top, self.size.width, max(before - top, 1)))

    def _wrap(self, first: int) -> None:
        """Wrap the rows from ``first`` on again."""
        if not self._width:
            return
        start = self._first_line[first] if first < len(self._first_line) else len(self._lines)
        del self._first_line[first:]
        del self._lines[start:]
        for line in lines_of(self._rows[first:], min(self._width, MEASURE), first):
            if line.row == len(self._first_line):
                self._first_line.append(len(self._lines))
            self._lines.append(line)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Take the width there is."""
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Wrap for this width, and say how many lines that gives."""
        self._fit(width)
        return len(self._lines)

    def _fit(self, width: int) -> None:
        if width != self._width and width > 0:
            self._width = width
            self.rewrapped()
            self._first_line.clear()
            self._lines.clear()
            self._wrap(0)

    def rewrapped(self) -> None:
        """Make rows again that were made for a width; called when it has changed."""

    @property
    def wrapped_for(self) -> int:
        """The width that rows are made for, in cells; 0 before it is known."""
        return min(self._width, MEASURE)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width = self.size.width
        base = self._looks.of()
        if not 0 <= y < len(self._lines):
            return Strip.blank(width, base)
        line = self._lines[y]
        row = self._rows[line.row]
        role = self._looks.of(row.role)
        segments: list[Segment] = []
        if prefix := row.hang_in(self._width) if line.start else row.prefix:
            segments.append(Segment(prefix, self._looks.of(row.role, row.prefix_role)))
        segments += self._pieces(row, line)
        if line.clipped:
            segments.append(Segment("…", self._looks.of(row.role, Role.FAINT)))
        used = sum(cell_len(segment.text) for segment in segments)
        band = min(max(self.wrapped_for, used), width) if row.role is Role.BLOCK else used
        if band > used:
            segments.append(Segment(" " * (band - used), role))
        if width > band:
            segments.append(Segment(" " * (width - band), base))
        return Strip(segments).crop(0, width)

    def _pieces(self, row: Row, line: Line) -> list[Segment]:
        """Cut a line where its roles or the selection change."""
        selected = self._selected(line)
        edges = {line.start, line.end}
        for span in row.spans:
            edges.update(edge for edge in (span.start, span.end) if line.start < edge < line.end)
        edges.update(edge for edge in selected if line.start < edge < line.end)
        found = self._needle.in_text(row.text) if self._needle is not None else []
        edges.update(edge for match in found for edge in match if line.start < edge < line.end)
        places = sorted(edges)
        pieces: list[Segment] = []
        for start, end in pairwise(places):
            roles = [row.role, *(span.role for span in row.spans if span.start <= start and span.end >= end)]
            if (match := next((first for first, last in found if first <= start and end <= last), None)) is not None:
                roles.append(Role.MATCH_HERE if (line.row, match) == self._match else Role.MATCH)
            style = self._looks.of(*roles)
            if selected[0] <= start < selected[1]:
                style += self.screen.get_component_rich_style("screen--selection")
            pieces.append(Segment(row.text[start:end], style + Style.from_meta({"offset": (start, line.row)})))
        if not pieces:
            pieces.append(Segment("", Style.from_meta({"offset": (line.start, line.row)})))
        return pieces

    def _selected(self, line: Line) -> tuple[int, int]:
        selection = self.text_selection
        span = None if selection is None else selection.get_span(line.row)
        if span is None:
            return 0, 0
        start, end = span
        return start, line.end if end < 0 else end

    def notify_style_update(self) -> None:
        """Forget styles: the theme or a class has changed."""
        self._looks.forget()
        super().notify_style_update()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Give what a selection copies: the text as it came, without wrapping, markers or indentation of ours."""
        copied: list[str] = []
        for number, row in enumerate(self._rows):
            span = selection.get_span(number)
            if span is None:
                continue
            start, end = span
            whole = start <= 0 and (end < 0 or end >= len(row.text))
            copied.append(row.copied if whole else row.text[start : None if end < 0 else end])
        return ("\n".join(copied), "\n") if copied else None

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw again what is marked."""
        del selection
        self.refresh()
