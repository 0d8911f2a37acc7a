"""Lines of pieces on the screen: a picture of a few, and a list of any number of which only those seen are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from wisp_tui.app.panel.drawn import Drawn, laid_out
from wisp_tui.app.widgets.looks import Looks


def strip_of(looks: Looks, drawn: Drawn, width: int, below: Style | None = None) -> Strip:
    """Draw a line in the roles' looks on a widget; ``below`` lies between the widget's own style and each."""
    segments = [Segment(piece.text, looks.of(below, piece.role)) for piece in laid_out(drawn, width) if piece.text]
    return Strip(segments).adjust_cell_length(width, looks.of(below))


class Picture(Widget):
    """A few lines made for the width there is."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._looks = Looks(self)
        self._make: Callable[[int], Sequence[Drawn]] = lambda _: ()
        self._lines: Sequence[Drawn] = ()
        self._width = 0

    @property
    def text(self) -> str:
        """What is drawn, a line a row."""
        return "\n".join(line.text for line in self._lines)

    def show(self, make: Callable[[int], Sequence[Drawn]]) -> None:
        """Draw what ``make`` gives for a width in cells."""
        self._make = make
        before = len(self._lines)
        self._lines = make(self._width) if self._width else ()
        self.refresh(layout=len(self._lines) != before or not self._width)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Take the width there is."""
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Make the lines for this width, and say how many they are."""
        if width != self._width:
            self._width = width
            self._lines = self._make(width)
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width = self.size.width
        if y >= len(self._lines):
            return Strip.blank(width, self._looks.of())
        return strip_of(self._looks, self._lines[y], width)

    def notify_style_update(self) -> None:
        """Forget styles: the theme or a class has changed."""
        self._looks.forget()
        super().notify_style_update()


class Ledger(ScrollView, inherit_bindings=False):
    """A list of lines with a cursor. It asks for the lines on the screen, and for no others."""

    can_focus = True
    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"ledger--cursor", "ledger--bar"}

    class Moved(Message):
        """The cursor stands on another line."""

    class Chosen(Message):
        """The line under the cursor was chosen with the mouse."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._looks = Looks(self)
        self._own: dict[str, Style] = {}
        self._draw: Callable[[int, int], Drawn] = lambda _line, _width: Drawn()
        self.count = 0
        """How many lines there are."""
        self.cursor = 0
        """The line the cursor is on."""

    def show(self, count: int, draw: Callable[[int, int], Drawn], *, cursor: int | None = None) -> None:
        """Show ``count`` lines; ``draw`` makes one for a width. The cursor stays where it is unless it is given."""
        self._draw, self.count = draw, count
        self.virtual_size = Size(0, count)
        self.move_to(self.cursor if cursor is None else cursor)
        self.refresh()

    def drawn(self, line: int) -> Drawn:
        """Return a line as it is drawn now."""
        return self._draw(line, self.room)

    @property
    def room(self) -> int:
        """The cells that a line is made for: all but the cursor's bar, the space after it and the scroll bar."""
        return max(self.scrollable_content_region.width - 2, 1)

    def move_to(self, line: int) -> None:
        """Put the cursor on a line, and the line on the screen."""
        before, self.cursor = self.cursor, max(min(line, self.count - 1), 0)
        self._keep_in_view()
        if before != self.cursor:
            self.refresh()
            self.post_message(self.Moved())

    def move(self, where: str) -> None:
        """Move the cursor: ``up``, ``down``, ``page_up``, ``page_down``, ``start`` or ``end``."""
        page = max(self.size.height - 1, 1)
        steps = {"up": -1, "down": 1, "page_up": -page, "page_down": page, "start": -self.count, "end": self.count}
        self.move_to(self.cursor + steps[where])

    def _keep_in_view(self) -> None:
        height = self.size.height
        if height and not self.scroll_offset.y <= self.cursor < self.scroll_offset.y + height:
            top = self.cursor if self.cursor < self.scroll_offset.y else self.cursor - height + 1
            self.scroll_to(y=top, animate=False, immediate=True, force=True)

    def on_resize(self) -> None:
        """Keep the cursor on the screen."""
        self._keep_in_view()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where it was clicked; a second click chooses."""
        line = event.y + self.scroll_offset.y
        if line < self.count:
            again = event.chain > 1 and line == self.cursor
            self.move_to(line)
            if again:
                self.post_message(self.Chosen())

    def render_line(self, y: int) -> Strip:
        """Draw one line: the cursor's mark, the line, and a blank before the scrollbar."""
        line = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if line >= self.count:
            return Strip.blank(width, self._looks.of())
        below = self._style("ledger--cursor") if line == self.cursor else None
        mark = "▌" if line == self.cursor and self.has_focus else " "
        room = self.room
        drawn = strip_of(self._looks, self._draw(line, room), room, below)
        return Strip(
            [
                Segment(mark, self._looks.of(below, self._style("ledger--bar"))),
                *drawn,
                Segment(" ", self._looks.of(below)),
            ]
        )

    def _style(self, name: str) -> Style:
        found = self._own.get(name)
        if found is None:
            found = self._own[name] = self.get_component_rich_style(name, partial=True)
        return found

    def notify_style_update(self) -> None:
        """Forget styles: the theme or a class has changed."""
        self._looks.forget()
        self._own.clear()
        super().notify_style_update()
