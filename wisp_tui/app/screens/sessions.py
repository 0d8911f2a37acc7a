"""The saved conversations: listed, looked into, searched, gone on with, renamed, deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import getters
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Input, Static

from wisp_tui.app.actions import Place, bindings
from wisp_tui.app.base import BaseApp
from wisp_tui.app.pager.ask import AskInput
from wisp_tui.app.panel.drawn import Drawn
from wisp_tui.app.panel.saying import keys
from wisp_tui.app.rows import Role, plain_rows
from wisp_tui.app.screens.sessionasked import Asked, SessionAskedScreen
from wisp_tui.app.sessions import drawing, saying
from wisp_tui.app.sessions.model import BrowserModel
from wisp_tui.app.sessions.searching import batches
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.glimpseview import GlimpseView
from wisp_tui.app.widgets.looks import ROLE_CLASSES
from wisp_tui.app.widgets.pieces import Ledger
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.config import shipped
from wisp_tui.facts import PersonAct, Via
from wisp_tui.session import Thread
from wisp_tui.session.saved.indexing import IndexedFinder
from wisp_tui.session.saved.listing import OLDER, SavedName
from wisp_tui.session.saved.saying import going
from wisp_tui.session.saved.searching import Finder
from wisp_tui.session.shelving import RUNNING, delete, go_on_with, outputs_going, rename, unsaved
from wisp_tui.session.stating import NotDone
from wisp_tui.text.sizes import count

SHORT = 16
"""Rows of the screen below which it shows the list alone."""
SHARE = 0.4
"""Share of the screen's rows that the list takes at most."""


class SessionsScreen(Screen[tuple[str, ...] | None]):
    """Lists what is saved. It ends with what is to be said of the conversation gone on with, None without one."""

    app = getters.app(BaseApp)
    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}
    CSS_PATH = shipped("styles", "sessions.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.SESSIONS)]

    def __init__(self, thread: Thread, finder: Finder | None = None, *, words: str = "") -> None:
        super().__init__()
        self.thread = thread
        self.model = BrowserModel()
        self.ledger = Ledger(id="sessions-list")
        self.glimpse = GlimpseView(thread.shelf.home, Path.home(), id="sessions-glimpse")
        self.words = AskInput()
        self.name_box = AskInput()
        self._finder = finder or IndexedFinder(thread.shelf.home)
        self._begin_with = words
        """The words to look for once the list is read."""
        self._renaming: str | None = None
        """The conversation whose new name is being written."""
        self._on: str | None = None
        """The conversation that the cursor is on, however the list changes."""

    def compose(self) -> ComposeResult:
        """Put the parts in place, from the title to the keys."""
        yield Bar(id="sessions-title")
        with Horizontal(id="sessions-search"):
            yield Static("/", markup=False)
            yield self.words
            yield Bar(id="sessions-count")
        yield Bar(id="sessions-columns")
        yield RowView(id="sessions-empty")
        yield self.ledger
        yield self.glimpse
        yield RowView(id="sessions-told")
        with Horizontal(id="sessions-naming"):
            yield Static("", id="sessions-label", markup=False)
            yield self.name_box
        yield Bar(id="sessions-keys")

    def on_mount(self) -> None:
        """Begin in the list, and read it."""
        self.words.placeholder = saying.HINT
        self.query_one("#sessions-naming").display = False
        self._tell("")
        self.ledger.focus()
        self.read()

    def on_resize(self) -> None:
        """Leave out what there is no room for."""
        self.set_class(self.size.height < SHORT, "-short")
        self._share()
        self.call_after_refresh(self._draw)

    def _share(self) -> None:
        """Give the list the rows it needs while all are listed; it keeps them while a search lists fewer."""
        most = int(self.size.height * SHARE)
        self.ledger.styles.height = "1fr" if self.size.height < SHORT else max(min(self.model.total, most), 3)

    # Reading and searching ----------------------------------------------------------------------------------------

    def read(self, name: str | None = None) -> None:
        """Read the list anew, the cursor on a name or where it was."""
        self.run_worker(partial(self._read, name), group="sessions-list", exclusive=True)

    async def _read(self, name: str | None) -> None:
        name = name or (self.chosen.name if self.chosen is not None else self.thread.conversation.name)
        self.model.take(await asyncio.to_thread(self.thread.shelf.offered))
        self._share()
        self._show(name)
        if self._begin_with:
            self.words.value, self._begin_with = self._begin_with, ""

    async def _search(self) -> None:
        if not self.model.words:
            return
        async with aclosing(batches(self._finder, self.model.words, self.model.names)) as found:
            async for lines in found:
                self.model.found(lines)
                self._show()
        self.model.ended()
        self._show()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Look for what is written now."""
        message.stop()
        if message.input is not self.words or not self.model.look_for(message.value):
            return
        self.run_worker(self._search, group="sessions-search", exclusive=True)
        self._show()

    @property
    def chosen(self) -> SavedName | None:
        """The conversation under the cursor."""
        return self.model.at(self.ledger.cursor)

    # Moving -------------------------------------------------------------------------------------------------------

    def action_go(self, where: str) -> None:
        """Move the cursor, unless a name is being written for the conversation it is on."""
        if self._renaming is None:
            self._tell("")
            self.ledger.move(where)

    def action_look(self, where: str) -> None:
        """Scroll what is shown of the conversation."""
        self.glimpse.look(where)

    def action_sort(self) -> None:
        """Sort by the next order."""
        chosen = self.chosen
        self.model.sort()
        self._show(chosen.name if chosen is not None else None)

    def action_search(self) -> None:
        """Go to the words, or back to the list."""
        if self.words.has_focus:
            self.ledger.focus()
        elif self._renaming is None:
            self.words.focus()

    def action_leave_sessions(self) -> None:
        """End what is written, else the search, else go back."""
        if self._renaming is not None:
            self._stop_naming()
        elif self.words.value or self.words.has_focus:
            self.words.value = ""
            self.ledger.focus()
        else:
            self.dismiss(None)

    def on_ledger_moved(self, message: Ledger.Moved) -> None:
        """Look into the conversation that the cursor is on now."""
        message.stop()
        self._draw()

    def on_ledger_chosen(self, message: Ledger.Chosen) -> None:
        """Go on with what was clicked twice."""
        message.stop()
        self.action_open()

    # Deeds --------------------------------------------------------------------------------------------------------

    def action_open(self) -> None:
        """Go on with the conversation under the cursor."""
        if self.chosen is not None:
            self.run_worker(self._resume(self.chosen), group="sessions-deed")

    async def _resume(self, item: SavedName) -> None:
        held, answer = self.thread.conversation, Asked.YES
        if item.name == held.name:
            self.dismiss(None)
            return
        if not item.resumable or self.thread.running:
            self._tell(RUNNING if item.resumable else OLDER.strip("()"), failed=True)
            return
        if said := unsaved(held):
            told = (
                f"The one you are in is not saved: {count(said, 'message')} of yours would be in the audit log alone."
            )
            answer = await self._ask(f"go on with {item.name}?", (told,), saves=True)
        if answer is Asked.NO:
            return
        try:
            resumed = await go_on_with(self.thread, item.name, save_first=answer is Asked.SAVE)
        except NotDone as error:
            self._tell(str(error), failed=True)
            self.read()
        else:
            self.dismiss(resumed.lines)

    def action_delete(self) -> None:
        """Delete the conversation under the cursor, once asked."""
        if self.chosen is not None:
            self.run_worker(self._delete(self.chosen), group="sessions-deed")

    async def _delete(self, item: SavedName) -> None:
        try:
            outputs = await outputs_going(self.thread, item)
        except NotDone as error:
            self._tell(str(error), failed=True)
            return
        if await self._ask(f"delete {item.name}?", going(item, outputs)) is Asked.YES:
            await self._do(delete(self.thread, PersonAct(Via.TUI), item, outputs))

    def action_rename(self) -> None:
        """Ask for another name for the conversation under the cursor."""
        item = self.chosen
        if item is not None and self._renaming is None:
            self._renaming = item.name
            self.query_one("#sessions-label", Static).update("new name ")
            self.query_one("#sessions-naming").display = True
            self.name_box.value = item.name
            self.name_box.focus()
            self.name_box.select_all()

    def _stop_naming(self) -> None:
        self._renaming = None
        self.query_one("#sessions-naming").display = False
        self.ledger.focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Go among what was found, or rename."""
        message.stop()
        if self._renaming is None:
            self.ledger.focus()
        else:
            self.run_worker(self._rename(self._renaming, message.value.strip()), group="sessions-deed")

    async def _rename(self, old: str, new: str) -> None:
        if old == new or await self._do(rename(self.thread, PersonAct(Via.TUI), old, new), name=new):
            self._stop_naming()

    async def _ask(self, title: str, told: tuple[str, ...], *, saves: bool = False) -> Asked:
        return await self.app.push_screen_wait(SessionAskedScreen(title, told, saves=saves))

    async def _do(self, deed: Awaitable[str], *, name: str | None = None) -> bool:
        """Do something, say what came of it, and read the list anew; tell whether it was done."""
        try:
            said = await deed
        except NotDone as error:
            self._tell(str(error), failed=True)
            self.read()
            return False
        self._tell(said)
        self.read(name)
        return True

    # Drawing ------------------------------------------------------------------------------------------------------

    def _show(self, name: str | None = None) -> None:
        """List what is there now, the cursor on a name, else on what it was on."""
        line = self.model.line_of(name or self._on)
        self.ledger.show(len(self.model.lines), self._line, cursor=0 if line is None else line)
        self._draw()

    def _line(self, line: int, width: int) -> Drawn:
        held = self.thread.conversation
        item = self.model.lines[line]
        return drawing.draw_line(item, width, held.name, held.clock.now(), Path.home())

    def on_descendant_focus(self) -> None:
        """Name the keys of the place that has the keyboard."""
        self._draw()

    def _draw(self) -> None:
        """Draw what is shown, in the room there is; nothing once the screen is left, whatever is still being read."""
        if not self.is_mounted or self not in self.app.screen_stack:
            return
        item = self.chosen
        self._on = item.name if item is not None else None
        self._bar("title").show(*saying.title(self.model))
        self._bar("count").show([], saying.counted(self.model))
        self._bar("columns").show(drawing.columns(self.ledger.room) if self.model.lines else [])
        empty = self.query_one("#sessions-empty", RowView)
        empty.replace(plain_rows(saying.empty(self.model), Role.MUTED))
        empty.display = not self.model.lines
        self.glimpse.show(item, self.model.found_in(item.name) if item is not None else (), self.model.words)
        offered = saying.LIST_KEYS if item is not None else saying.EMPTY_KEYS
        offered = saying.SEARCH_KEYS if self.words.has_focus else offered
        offered = saying.RENAME_KEYS if self._renaming is not None else offered
        self._bar("keys").show(keys(offered, self.size.width - 4, Place.SESSIONS))

    def _tell(self, text: str, *, failed: bool = False) -> None:
        """Say what came of a deed; nothing for none."""
        told = self.query_one("#sessions-told", RowView)
        told.replace(plain_rows(text, Role.WARNING if failed else Role.GOOD))
        told.display = bool(text)

    def _bar(self, name: str) -> Bar:
        return self.query_one(f"#sessions-{name}", Bar)
