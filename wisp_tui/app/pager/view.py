"""The widget that draws what is on the screen of an output, and no more of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.cells import cell_len
from textual import events, getters
from textual.geometry import Offset, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from wisp_tui.app.base import BaseApp
from wisp_tui.app.pager import inks, painter
from wisp_tui.app.pager.flow import Flow, Frame, Place, ScreenRow
from wisp_tui.app.pager.index import LineIndex
from wisp_tui.app.pager.inks import Inks
from wisp_tui.app.pager.marked import Marked, marked_text, word_at
from wisp_tui.app.pager.paged import Paged
from wisp_tui.app.pager.painter import Here, Painter, Painting
from wisp_tui.app.pager.parts import Parts
from wisp_tui.app.pager.position import Position, position_of
from wisp_tui.app.pager.search import Needle

WHEEL = 3
"""Rows that a turn of the wheel moves."""
MANY = 1 << 30
"""More characters than any line has."""
NUMBERED = 30
"""Cells of width from which lines have their numbers, and a margin before them."""
MARGIN = 2


@dataclass(frozen=True, slots=True)
class _Screen:
    """The rows on the screen and what is drawn with them, kept until anything changes."""

    rows: list[ScreenRow]
    painting: Painting


class PageView(ScrollView, inherit_bindings=False):
    """Draws an output from a place on. It moves by rows; the scroll bar moves it by lines."""

    app = getters.app(BaseApp)
    can_focus = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {*painter.CLASSES, *inks.CLASSES}

    class Moved(Message):
        """Something else is on the screen, or more is known about where it is."""

    def __init__(self, paged: Paged) -> None:
        super().__init__(id="page")
        self.paged = paged
        self.index = LineIndex(paged.source, paged.lines)
        self.parts = Parts(paged.source, self.index)
        self.here: Here | None = None
        """The line that was gone to, or that has the match."""
        self._top = Place(0)
        self._flow = Flow(self.parts, Frame(closing=bool(paged.closing)))
        self._needle: Needle | None = None
        self._marked: Marked | None = None
        self._painter: Painter | None = None
        self._headings = paged.headings
        self._screen: _Screen | None = None

    # What is on the screen ----------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Count the first lines, and begin to count the others beside everything else."""
        self.index.step()
        self.run_worker(self._count_lines(), group="lines")

    async def _count_lines(self) -> None:
        known = self.index.count
        while self.index.step():
            if not self.index.sure:
                self._lay_out()
            await asyncio.sleep(0)
        if self.index.count != known:
            self.parts.forget()
        self._lay_out()

    def on_unmount(self) -> None:
        """Let go of the file."""
        self.paged.source.close()

    def on_resize(self) -> None:
        """Lay out for the new size, the same line at the top."""
        self._lay_out()

    def _lay_out(self, frame: Frame | None = None) -> None:
        """Lay out for the size there is now, in a new frame or the one before."""
        painting = self._painting()
        wanted = replace(frame or self._flow.frame, width=painting.room, height=max(self.size.height, 1))
        self._flow = Flow(self.parts, wanted)
        last = self._flow.last()
        self.virtual_size = Size(painting.width, last.line + wanted.height + (last.row > 0))
        self._go(Place(self._top.line, self._top.row if wanted.wrap else 0))

    def _painting(self) -> Painting:
        width = self.scrollable_content_region.width
        wide = width >= NUMBERED
        digits = len(str(self.index.count)) if wide else 0
        closing = self.paged.closing
        return Painting(
            width, MARGIN if wide else 0, digits, self._needle, self.here, self._marked, self._headings, closing
        )

    def _redraw(self) -> None:
        self._screen = None
        self.refresh()

    @property
    def _drawn(self) -> _Screen:
        if self._screen is None:
            self._screen = _Screen(self._flow.screen(self._top), self._painting())
        return self._screen

    def _go(self, top: Place) -> None:
        """Show from a place on, or from the nearest at which the screen is full."""
        self._top = self._flow.within(top)
        self.scroll_target_y = self.scroll_y = self._top.line
        self._redraw()
        self.post_message(self.Moved())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the scroll bar, and the pointer that marks text past the edge.

        The bar is moved by what can be seen of it, eighths of a cell: drawing it for less costs as much as the text.
        """
        seen = max(self.virtual_size.height // max(self.size.height * 8, 1), 1)
        if self.show_vertical_scrollbar:
            at_end = new_value >= self.max_scroll_y
            self.vertical_scrollbar.position = new_value if at_end else new_value // seen * seen
        if round(old_value) != round(new_value):
            self._redraw()
        if round(new_value) != self._top.line:
            self._top = self._flow.within(Place(round(new_value)))
            self._redraw()
            self.post_message(self.Moved())

    def rows(self) -> list[ScreenRow]:
        """Lay out the rows on the screen."""
        return self._drawn.rows

    @property
    def position(self) -> Position:
        """Say what is on the screen."""
        return position_of(self.rows(), self._flow, self._top, self.parts)

    @property
    def offset_at_top(self) -> int:
        """Where in the source the first line on the screen begins."""
        span = self.index.span(self._top.line)
        return span[0] if span is not None else 0

    # Moving -------------------------------------------------------------------------------------------------------

    @property
    def room(self) -> int:
        """Cells that there are for text."""
        return self._flow.frame.width

    @property
    def place(self) -> Place:
        """The place at the top of the screen."""
        return self._top

    def move(self, rows: int) -> None:
        """Move by so many rows."""
        self._go(self._flow.moved(self._top, rows))

    def go_to(self, place: Place) -> None:
        """Go to a place."""
        self._go(place)

    def move_to_start(self) -> None:
        """Go to the start."""
        self._go(Place(0))

    def move_to_end(self) -> None:
        """Go to the end, also while lines are counted."""
        if not self.index.sure:
            self.index.finish()
            self._lay_out()
        self._go(self._flow.last())

    def move_to_line(self, line: int) -> None:
        """Put a line, from 0, at the top."""
        self._go(Place(line))

    def point_at(self, line: int) -> None:
        """Go to a line, from 0, and point at it."""
        line = max(min(line, self.index.count - 1), 0)
        self.here = Here(line)
        self._bring(line, 0)

    def point_at_match(self, offset: int) -> None:
        """Go to where a match starts, and point at it. One that was redrawn since is pointed at by its line alone."""
        line = self.index.line_at(offset)
        part = self.parts.part_of(line, offset)
        read = None if part is None else self.parts.read(line, part)
        if part is None or read is None:
            self.here = Here(line, offset)
            self._bring(line, 0)
            return
        start = self.parts.column_of(read, offset)
        self.here = Here(line, offset, part, start)
        frame = self._flow.frame
        width = len(self._needle.text) if self._needle else 1
        cell = cell_len(read.styled.text[:start])
        column = frame.column
        if frame.wrap:
            column = 0
        elif part != frame.part or not column <= cell <= column + frame.width - width:
            column = 0 if cell + width <= frame.width else max(cell - frame.width // 3, 0)
        if (part, column) != (frame.part, frame.column):
            self._lay_out(replace(frame, part=part, column=column))
        self._bring(line, start)

    def _bring(self, line: int, start: int) -> None:
        """Bring a row onto the screen that shows a character, a quarter from the top when it was not there."""
        row = self._flow.row_of(line, start)
        wanted = self._flow.rows(line)[row]
        if not any((one.line, one.kind, one.start) == (line, wanted.kind, wanted.start) for one in self.rows()):
            height = self._flow.frame.height
            self._go(self._flow.moved(Place(line, row), -(height // 4)))
        self._redraw()
        self.post_message(self.Moved())

    def move_across(self, cells: int) -> None:
        """Move to the right, or to the left; past the end of a part, to the next part of long lines."""
        frame = self._flow.frame
        parts = [row.part for row in self.rows() if row.part is not None]
        widest = max((cell_len(part.styled.text) for part in parts), default=0)
        column, part = frame.column, frame.part
        if cells > 0:
            if not frame.wrap and column + frame.width < widest:
                column += cells
            elif any(one.after for one in parts):
                column, part = 0, part + 1
        elif column:
            column = max(column + cells, 0)
        elif part:
            part -= 1
            column = 0 if frame.wrap else max(self._widest(part) - frame.width, 0)
        if (column, part) != (frame.column, frame.part):
            self._lay_out(replace(frame, column=column, part=part))

    def _widest(self, part: int) -> int:
        read = (self.parts.read(row.line, part) for row in self.rows())
        return max((cell_len(one.styled.text) for one in read if one is not None), default=0)

    def move_to_left_edge(self) -> None:
        """Move to the start of the lines."""
        self._lay_out(replace(self._flow.frame, column=0, part=0))

    def toggle_wrap(self) -> None:
        """Wrap lines, or cut them at the edge; the same line stays at the top, or what is pointed at on the screen."""
        frame, here = self._flow.frame, self.here
        pointed = here is not None and any(row.line == here.line for row in self.rows())
        self._lay_out(replace(frame, wrap=not frame.wrap, column=0))
        if here is not None and pointed:
            self._point_again(here)

    def _point_again(self, here: Here) -> None:
        if here.offset is None:
            self._bring(here.line, 0)
        else:
            self.point_at_match(here.offset)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move down, or to the right."""
        self._wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move up, or to the left."""
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseScrollDown | events.MouseScrollUp, way: int) -> None:
        event.stop()
        event.prevent_default()
        if event.ctrl or event.shift:
            self.move_across(way * self._flow.frame.width // 4)
        else:
            self.move(way * WHEEL)

    # Drawing ------------------------------------------------------------------------------------------------------

    def look_for(self, needle: Needle | None) -> None:
        """Mark the matches of a needle."""
        self._needle = needle
        if needle is None:
            self.here = None
        self._redraw()

    def render_line(self, y: int) -> Strip:
        """Draw a row."""
        rows, painting = self._drawn.rows, self._drawn.painting
        if y < len(rows):
            return self._paint.row(rows[y], painting)
        if not self.paged.source.size and y == self.size.height // 3:
            return self._paint.said(self.paged.empty, painting)
        last = rows[-1] if rows else None
        return self._paint.blank(painting, None if last is None else (last.end, last.line))

    @property
    def _paint(self) -> Painter:
        if self._painter is None:
            _, _, ground, text = self.colors
            made = Inks(
                lambda name: self.get_component_styles(name).color,
                text,
                ground,
                plain="NO_COLOR" in self.app.environment,
            )
            self._painter = Painter(
                self.rich_style,
                self.screen.get_component_rich_style("screen--selection"),
                lambda name: self.get_component_rich_style(name, partial=True),
                made,
            )
        return self._painter

    def notify_style_update(self) -> None:
        """Forget styles: the theme has changed."""
        self._painter = None
        super().notify_style_update()

    # Marking and copying ------------------------------------------------------------------------------------------

    def selection_updated(self, selection: Selection | None) -> None:
        """Mark what is selected."""
        self._marked = None if selection is None else self._resolved(selection)
        self._redraw()

    def _resolved(self, selection: Selection) -> Marked:
        rows = self.rows()
        if not rows:
            return Marked((0, 0), (0, 0))
        return Marked.of(selection, (rows[0].line, rows[0].start), (rows[-1].line, rows[-1].end))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Give what a selection copies: text as it came, with its tabs, without numbers, signs and colours."""
        return self.marked_text(self._marked or self._resolved(selection))[0], "\n"

    @property
    def marked(self) -> Marked | None:
        """What is marked."""
        return self._marked

    def marked_lines(self, *, screen: bool) -> Marked | None:
        """Give what there is to copy: the lines on the screen; else what is marked, the line pointed at, the first one.

        None when there is nothing.
        """
        rows = [row for row in self.rows() if row.part is not None]
        if not rows:
            return None
        if self._marked is not None and not screen:
            return self._marked
        here = self.here.line if self.here is not None else rows[0].line
        first, last = (rows[0].line, rows[-1].line) if screen else (here, here)
        return Marked((first, 0), (last, MANY))

    def marked_text(self, marked: Marked) -> tuple[str, bool]:
        """Give the text that is marked, and whether it is all of it."""
        return marked_text(self.parts, marked, self._flow.frame.part)

    def on_click(self, event: events.Click) -> None:
        """Mark the word at a second click, the line at a third."""
        if event.chain < 2:
            return
        event.prevent_default()
        _, at = self.screen.get_widget_and_offset_at(event.screen_x, event.screen_y)
        read = None if at is None else self.parts.read(at.y, self._flow.frame.part)
        if at is None or read is None:
            return
        text = read.styled.text
        start, end = word_at(text, max(at.x, 0)) if event.chain == 2 else (0, len(text))
        self.screen.selections = {self: Selection(Offset(start, at.y), Offset(end, at.y))}
