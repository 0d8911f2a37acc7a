"""The pager: the whole of an output or of any text, however large, with search, copying and saving."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import events, getters
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Static

from wisp_tui.app.actions import Place, bindings
from wisp_tui.app.base import BaseApp
from wisp_tui.app.gauge import Piece
from wisp_tui.app.pager.ask import AskBar, Asking
from wisp_tui.app.pager.finding import Finder, Outcome
from wisp_tui.app.pager.marked import Marked
from wisp_tui.app.pager.outside import NoPager, interrupts_are_not_ours, pager_command, show
from wisp_tui.app.pager.paged import Paged, size_of
from wisp_tui.app.pager.saving import WouldReplace, path_of, save
from wisp_tui.app.pager.saying import keys, line_wanted, status
from wisp_tui.app.pager.search import Needle
from wisp_tui.app.pager.view import PageView
from wisp_tui.app.rows import Role
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.looks import ROLE_CLASSES
from wisp_tui.config import shipped
from wisp_tui.text.clean import clean_line
from wisp_tui.text.reasons import reason
from wisp_tui.text.sizes import count, human_bytes

SHORT = 12
"""Rows of the screen below which the keys are not named."""

_READING = (
    ("/", "search"),
    ("space", "page"),
    (":", "line"),
    ("w", "wrap"),
    ("y", "copy"),
    ("s", "save"),
    ("o", "open in $PAGER"),
    ("g G", "start, end"),
)
_ASKING: dict[Asking, tuple[tuple[str, str], ...]] = {
    Asking.FORWARD: (("enter", "stays there"), ("esc", "goes back")),
    Asking.BACKWARD: (("enter", "stays there"), ("esc", "goes back")),
    Asking.LINE: (("enter", "goes there"), ("esc", "goes back")),
    Asking.SAVE: (("enter", "saves"), ("esc", "does not")),
    Asking.REPLACE: (("y", "replaces it"), ("n", "keeps it")),
}


class PagerScreen(Screen[None]):
    """Shows one source. ``directory`` is where a relative path to save to begins; without, where the process is."""

    app = getters.app(BaseApp)
    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}
    CSS_PATH = shipped("styles", "pager.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.PAGER)]

    def __init__(self, paged: Paged, directory: Path | None = None) -> None:
        super().__init__()
        self.paged = paged
        self._directory = directory or Path.cwd()
        self.view = PageView(paged)
        self.finder = Finder(paged.source, self._hit, self._say)
        self.ask = AskBar()
        self._title = Bar(id="pager-title")
        self._section = Bar(id="pager-section")
        self._status = Bar(id="pager-status")
        self._keys = Bar(id="pager-keys")
        self._forward = True
        self._origin = self.view.place
        self._target = ""
        """The path that waits to be replaced."""
        self._last = ""
        """What was looked for before."""

    def compose(self) -> ComposeResult:
        """Draw the title, what is missing, the lines, where they are, what is asked, the keys."""
        yield self._title
        yield Static(f"▲ {self.paged.notice}", id="pager-notice", markup=False)
        yield self._section
        yield self.view
        yield self._status
        yield self.ask
        yield self._keys

    def on_mount(self) -> None:
        """Say what is shown, and begin."""
        name, _, rest = self.paged.title.partition(" ")
        self._title.show(
            [Piece(name, Role.TOOL), Piece(f" {rest}", Role.MUTED)], [Piece(self.paged.remark, Role.FAINT)]
        )
        self.query_one("#pager-notice").display = bool(self.paged.notice)
        self.set_class(len(self.paged.sections) > 1, "-sections")
        self.ask.close()
        self.view.focus()
        self.run_worker(self.finder.run(), group="search")

    def on_resize(self) -> None:
        """Leave out what there is no room for."""
        self.set_class(self.size.height < SHORT, "-short")
        self._say()

    # What is said -------------------------------------------------------------------------------------------------

    def on_page_view_moved(self) -> None:
        """Say where the screen is now."""
        self._say()

    def _say(self) -> None:
        if not self.is_mounted:
            return
        width = max(self.size.width - 4, 1)
        position, found = self.view.position, self.finder.found
        if self.paged.source.fault is not None:
            self._status.show([Piece(f"▲ {self.paged.source.fault}", Role.WARNING)])
        else:
            self._status.show(*status(position, found, width))
        section = self.paged.section_at(position.first - 1)
        if section is not None:
            key = "[ ↑" if section is self.paged.sections[-1] else "] ↓"
            pieces = [Piece(section.name or "", Role.SUBHEADING), Piece(f"  {size_of(section)}", Role.MUTED)]
            self._section.show(pieces, [Piece(key, Role.KEY), Piece(" the other section", Role.FAINT)])
        more = [Piece("F1", Role.KEY), Piece(" keys", Role.FAINT)]
        self._keys.show(keys(self._offered(found.outcome), width - len("F1 keys") - 2), more)

    def _offered(self, outcome: Outcome) -> list[tuple[str, str]]:
        if self.ask.asking is not None:
            return list(_ASKING[self.ask.asking])
        if outcome is Outcome.NONE:
            return [("esc", "closes"), *_READING]
        return [("esc", "ends the search"), ("n", "next"), ("N", "before"), *_READING]

    # Moving -------------------------------------------------------------------------------------------------------

    def action_move(self, where: str) -> None:
        """Move by a line, half a page, a page, to an end, or across."""
        view = self.view
        page = max(view.size.height - 1, 1)
        half = max(view.size.height // 2, 1)
        rows = {"line": 1, "half": half, "page": page}
        unit, _, way = where.partition("_")
        match where:
            case "start":
                view.move_to_start()
            case "end":
                view.move_to_end()
            case "left" | "right":
                step = max(view.room // 2, 1)
                view.move_across(step if where == "right" else -step)
            case "left_edge":
                view.move_to_left_edge()
            case _:
                view.move(rows[unit] if way == "down" else -rows[unit])

    def action_section(self, which: str) -> None:
        """Go to the next section, or the one before."""
        firsts = self.paged.section_lines
        at = self.view.place.line
        beyond = [first for first in firsts if (first > at if which == "next" else first < at)]
        if len(firsts) < 2:
            self.notify("it has no sections")
        elif beyond:
            self.view.move_to_line(beyond[0] if which == "next" else beyond[-1])

    def action_wrap(self) -> None:
        """Wrap lines, or cut them at the edge."""
        self.view.toggle_wrap()

    def action_go_to_line(self) -> None:
        """Ask for a line."""
        self._ask(Asking.LINE)

    def on_key(self, event: events.Key) -> None:
        """Begin to ask for a line with its first digit."""
        if self.ask.asking is None and event.character is not None and event.character in "123456789":
            event.stop()
            event.prevent_default()
            self._ask(Asking.LINE, event.character)

    # Searching ----------------------------------------------------------------------------------------------------

    def action_find(self, way: str) -> None:
        """Ask what to look for."""
        self._forward = way == "forward"
        self._ask(Asking.FORWARD if self._forward else Asking.BACKWARD)

    def action_again(self, way: str) -> None:
        """Look for the next match, or for the last needle again."""
        forward = self._forward if way == "on" else not self._forward
        if self.finder.needle is not None:
            self.finder.again(forward=forward)
        elif self._last:
            self._look_for(self._last, forward=forward)
        else:
            self.notify("/ looks for something first")

    def _look_for(self, text: str, *, forward: bool) -> None:
        """Look for a text from the top of the screen, in place of what was looked for."""
        if text:
            needle = Needle.of(text)
            self.view.look_for(needle)
            self.finder.start(needle, self.view.offset_at_top, forward=forward)
        else:
            self._end_search()
        self._say()

    def _end_search(self) -> None:
        self.finder.clear()
        self.view.look_for(None)
        self._say()

    def _hit(self, offset: int) -> None:
        self.view.point_at_match(offset)

    # Asking -------------------------------------------------------------------------------------------------------

    def _ask(self, asking: Asking, text: str = "", label: str = "") -> None:
        self._origin = self.view.place
        self.ask.ask(asking, text, label)
        self._say()

    def _stop_asking(self) -> None:
        self.ask.close()
        self.view.focus()
        self._say()

    def on_ask_bar_typed(self, message: AskBar.Typed) -> None:
        """Search while it is typed, each time from where the search began."""
        if message.asking in {Asking.FORWARD, Asking.BACKWARD}:
            self.view.go_to(self._origin)
            self._look_for(message.text, forward=self._forward)
        elif message.asking is Asking.LINE and message.text[-1:] in {"g", "G"}:
            self.post_message(AskBar.Answered(Asking.LINE, message.text[:-1]))

    async def on_ask_bar_answered(self, message: AskBar.Answered) -> None:
        """Do what was asked for."""
        match message.asking:
            case Asking.FORWARD | Asking.BACKWARD:
                if message.text:
                    self._last = message.text
                elif self._last:
                    self._look_for(self._last, forward=self._forward)
                self._stop_asking()
            case Asking.LINE:
                self._go_to_line(message.text)
            case Asking.SAVE:
                await self._save(message.text)
            case Asking.REPLACE:
                if message.text.lower() == "y":
                    await self._save(self._target, replace=True)
                else:
                    self._stop_asking()

    def _go_to_line(self, text: str) -> None:
        position = self.view.position
        try:
            line = line_wanted(text, position.lines)
        except ValueError as error:
            self.notify(str(error), severity="warning")
            return
        self._stop_asking()
        self.view.point_at(line)

    # Copying, saving, opening -------------------------------------------------------------------------------------

    def action_copy(self, what: str) -> None:
        """Copy what is marked, a line, or the screen."""
        marked = self.view.marked_lines(screen=what == "screen")
        if marked is None:
            self.notify("there is nothing to copy")
            return
        self._copy(marked)

    def action_copy_text(self) -> None:
        """Copy what is marked (ctrl-c)."""
        if self.view.marked is None:
            super().action_copy_text()
        else:
            self._copy(self.view.marked)

    def _copy(self, marked: Marked) -> None:
        text, whole = self.view.marked_text(marked)
        self.app.copy_to_clipboard(text)
        if not whole:
            self.notify(f"only the first {human_bytes(len(text))}; s saves all of it", severity="warning")

    def action_save(self) -> None:
        """Ask where to save."""
        self._ask(Asking.SAVE, self.paged.name)

    async def _save(self, text: str, *, replace: bool = False) -> None:
        try:
            path = path_of(text, self._directory)
            size = await asyncio.to_thread(save, self.paged.source, path, replace=replace)
        except WouldReplace as error:
            self._target = text
            self._ask(Asking.REPLACE, label=f"there is a file {clean_line(str(error))}: {Asking.REPLACE.value}")
        except (OSError, ValueError) as error:
            self.notify(f"not saved: {clean_line(reason(error))}", severity="error")
        else:
            self._stop_asking()
            self.notify(f"saved {count(size, 'byte')} to {clean_line(str(path))}")

    def action_open_outside(self) -> None:
        """Open it in the person's own pager."""
        self.run_worker(self._open(), group="outside", exclusive=True)

    async def _open(self) -> None:
        app = self.app
        try:
            command = pager_command(app.environment)
            with app.batch_update(), app.suspend(), interrupts_are_not_ours(app):
                await show(command, self.paged.source, app.environment)
        except (NoPager, SuspendNotSupported, OSError) as error:
            self.notify(clean_line(str(error)), severity="warning")

    def action_behind(self) -> None:
        """Show the audit event that recorded what is shown."""
        if self.paged.behind is None:
            self.notify("no audit event is behind this")
        else:
            self.app.push_screen(PagerScreen(self.paged.behind(), self._directory))

    # Leaving ------------------------------------------------------------------------------------------------------

    def action_leave_pager(self) -> None:
        """Stop asking, else end the search, else go back."""
        if self.ask.asking is not None:
            if self.ask.asking in {Asking.FORWARD, Asking.BACKWARD}:
                self._end_search()
                self.view.go_to(self._origin)
            self._stop_asking()
        elif self.finder.needle is not None:
            self._end_search()
        else:
            self.dismiss()
