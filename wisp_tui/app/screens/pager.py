"""The pager: the whole of an output, a screen of lines drawn at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Size
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from wisp_tui.app.actions import Place, bindings
from wisp_tui.app.gauge import Piece
from wisp_tui.app.lines import LONGEST, FileLines, Lines, TextLines
from wisp_tui.app.rows import TAB, Role
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.config import shipped
from wisp_tui.outputs import NoSuchOutput, OutputStore
from wisp_tui.session.transcript import CallItem
from wisp_tui.text.clean import clean_line

STEP = 8
"""Columns that left and right move."""


@dataclass(frozen=True, slots=True)
class Paged:
    """What the pager shows: a title, the lines, and a remark on what is not among them."""

    title: str
    lines: Lines
    remark: str = ""


class PageView(ScrollView):
    """Draws the lines that are on the screen, and no others."""

    can_focus = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {"page--number"}

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self._source = lines

    def on_mount(self) -> None:
        """Begin to look for the lines that are not known yet."""
        self._measure()
        if not self._source.whole:
            self.set_timer(0.01, self._index)

    def _index(self) -> None:
        for _ in range(4):
            self._source.index()
        self._measure()
        if not self._source.whole:
            self.set_timer(0.005, self._index)

    def _measure(self) -> None:
        self.virtual_size = Size(LONGEST + self.size.width, max(self._source.count, 1))

    def render_line(self, y: int) -> Strip:
        """Draw one line: its number, then its text."""
        scroll_x, scroll_y = self.scroll_offset
        number = scroll_y + y
        width = self.size.width
        base = self.rich_style
        if number >= self._source.count:
            return Strip.blank(width, base)
        gutter = f"{number + 1:>{len(str(self._source.count))}}  "
        text = self._source.line(number).expandtabs(TAB)
        strip = Strip(self._pieces(text, number, base), cell_len(text))
        strip = strip.crop_extend(scroll_x, scroll_x + max(width - len(gutter), 0), base)
        shade = base + self.get_component_rich_style("page--number", partial=True)
        return Strip([Segment(gutter, shade), *strip], width)

    def _pieces(self, text: str, number: int, base: Style) -> list[Segment]:
        selection = self.text_selection
        span = None if selection is None else selection.get_span(number)
        start, end = span or (0, 0)
        end = len(text) if end < 0 else min(end, len(text))
        marked = base + self.screen.get_component_rich_style("screen--selection")
        pieces = [(0, start, base), (start, end, marked), (end, len(text), base)]
        return [
            Segment(text[first:last], style + Style.from_meta({"offset": (first, number)}))
            for first, last, style in pieces
            if last > first
        ] or [Segment("", Style.from_meta({"offset": (0, number)}))]

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Give the text that is marked."""
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self._source.count - 1
        copied: list[str] = []
        for number in range(max(first, 0), min(last, self._source.count - 1) + 1):
            start, end = selection.get_span(number) or (0, 0)
            text = self._source.line(number).expandtabs(TAB)
            copied.append(text[start : None if end < 0 else end])
        return "\n".join(copied), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw again what is marked."""
        del selection
        self.refresh()


class PagerScreen(Screen[None]):
    """Shows one output whole."""

    CSS_PATH = shipped("styles", "pager.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.PAGER)]

    def __init__(self, paged: Paged) -> None:
        super().__init__()
        self._paged = paged
        self._view = PageView(paged.lines)
        self._title = Bar(id="pager-title")
        self._keys = Bar(id="pager-keys")

    def compose(self) -> ComposeResult:
        """Draw the title, the lines, the keys."""
        yield self._title
        yield self._view
        yield self._keys

    def on_mount(self) -> None:
        """Say what is shown."""
        self._title.show([Piece(self._paged.title, Role.TOOL)], [Piece(self._paged.remark, Role.MUTED)])
        self._view.focus()
        self.call_after_refresh(self._say_place)
        self.watch(self._view, "scroll_y", self._say_place)
        self.watch(self._view, "virtual_size", self._say_place)

    def on_unmount(self) -> None:
        """Let go of the file."""
        self._paged.lines.close()

    def _say_place(self) -> None:
        lines = self._paged.lines
        last = min(self._view.scroll_offset.y + self._view.size.height, lines.count)
        more = "" if lines.whole else "+"
        keys = [("esc", " closes   "), ("space b", " page   "), ("g G", " start, end")]
        pieces = [piece for key, what in keys for piece in (Piece(key, Role.KEY), Piece(what, Role.FAINT))]
        self._keys.show(pieces, [Piece(f"{last:,} of {lines.count:,}{more} lines", Role.MUTED)])

    def action_leave_pager(self) -> None:
        """Go back."""
        self.dismiss()

    def action_move(self, where: str) -> None:
        """Scroll."""
        view = self._view
        match where:
            case "line_up":
                view.scroll_relative(y=-1, animate=False)
            case "line_down":
                view.scroll_relative(y=1, animate=False)
            case "page_up":
                view.scroll_page_up(animate=False)
            case "page_down":
                view.scroll_page_down(animate=False)
            case "left" | "right":
                view.scroll_relative(x=STEP if where == "right" else -STEP, animate=False, force=True)
            case "start":
                view.scroll_home(animate=False)
            case _:
                view.scroll_end(animate=False)


def paged(item: CallItem, store: OutputStore | None) -> Paged:
    """Choose what there is to show of a call: its stored output, else what the tool returned."""
    title = item.line.removeprefix("⚙ ")
    if item.kept and store is not None:
        try:
            stored = store.find(item.call)
            remark = "its first 16 MiB: the rest was not kept" if stored.cut else "the whole output, as it was kept"
            return Paged(title, FileLines(stored.path), remark)
        except (NoSuchOutput, OSError) as error:
            return Paged(title, TextLines(item.output), f"what the model was shown: {clean_line(str(error))}")
    return Paged(title, TextLines(item.output), "the whole output")
