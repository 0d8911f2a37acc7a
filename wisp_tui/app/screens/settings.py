"""The form of the settings: all of them by part, searched by typing, each changed where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Input

from wisp_tui.app.actions import Place, bindings
from wisp_tui.app.pager.ask import AskInput
from wisp_tui.app.panel.saying import keys
from wisp_tui.app.rows import Role, Row, plain_rows
from wisp_tui.app.settings import saying
from wisp_tui.app.settings.deeds import NotChanged, Wanted, following, written
from wisp_tui.app.settings.model import SettingsModel
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.looks import ROLE_CLASSES
from wisp_tui.app.widgets.pieces import Ledger
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.app.widgets.weakening import WeakeningQuestion
from wisp_tui.config import shipped
from wisp_tui.session import Thread
from wisp_tui.session.configuring import Weakens
from wisp_tui.session.settings import SettingState
from wisp_tui.text.clean import clean_line

LOW = 16
"""Rows of the screen below which a setting is not shown whole beside the list."""


class SettingsScreen(Screen[None]):
    """Shows the settings of one conversation's home. What the person changes is written at once."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}
    CSS_PATH = shipped("styles", "settings.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.SETTINGS)]

    def __init__(self, thread: Thread) -> None:
        super().__init__()
        self.thread = thread
        self.model = SettingsModel(thread, Path.home())
        self.ledger = Ledger(id="settings-lines")
        self.input = AskInput()
        self.question = WeakeningQuestion(id="settings-question")
        self._title = Bar(id="settings-title")
        self._remark = Bar(id="settings-remark")
        self._empty = RowView(id="settings-empty")
        self._rows = RowView()
        self._whole = VerticalScroll(self._rows, id="settings-whole", can_focus=False)
        self._told_view = RowView(id="settings-told")
        self._keys = Bar(id="settings-keys")
        self._told: list[Row] = []
        self._shown: str | None = None
        """The name of the setting under the cursor."""
        self._writing = False
        """Whether the value of the setting under the cursor is being written."""
        self._asked: tuple[Wanted, tuple[str, ...]] | None = None
        """The change that waits for an answer, and what it weakens."""

    @property
    def told(self) -> str:
        """What was said of the last change."""
        return "\n".join(row.text for row in self._told)

    def compose(self) -> ComposeResult:
        """Put the parts in place, from the title to the keys; the input is laid over the value it stands for."""
        yield self._title
        yield self._remark
        yield self._empty
        yield self.ledger
        yield self._whole
        yield self._told_view
        yield self.question
        yield self._keys
        yield self.input

    def on_mount(self) -> None:
        """Begin at the first setting."""
        self.question.display = self.input.display = False
        self.look_again()
        self.ledger.focus()

    def on_resize(self) -> None:
        """Leave out what there is no room for; a value that is being written moves with its line."""
        self.set_class(self.size.height < LOW, "-low")
        self.call_after_refresh(self._place_input)
        self._draw()

    # Looking ------------------------------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Show what the file holds now; the cursor stays on its setting."""
        self.model.gather()
        self._show(self.model.line_of(self._shown))

    @property
    def state(self) -> SettingState | None:
        """The setting under the cursor."""
        return self.model.at(self.ledger.cursor)

    def on_ledger_moved(self, message: Ledger.Moved) -> None:
        """Show the setting whole that the cursor is on now."""
        message.stop()
        self._draw()

    def on_descendant_focus(self) -> None:
        """Leave what was being written, or asked, when the keyboard has gone back to the list."""
        if self.focused is self.ledger and (self._writing or self._asked is not None):
            self._asked = None
            self.question.display = False
            self._stop_writing()
            self._draw()

    def on_ledger_chosen(self, message: Ledger.Chosen) -> None:
        """Change what was clicked twice."""
        message.stop()
        self.action_change()

    def on_key(self, event: events.Key) -> None:
        """Take a letter into the search."""
        if self.ledger.has_focus and event.is_printable and event.character is not None:
            event.stop()
            self._search(self.model.wanted + event.character)

    def on_paste(self, event: events.Paste) -> None:
        """Take what is pasted into the search."""
        if self.ledger.has_focus:
            event.stop()
            self._search(self.model.wanted + clean_line(event.text))

    def action_search_back(self) -> None:
        """Take the search's last letter back."""
        self._search(self.model.wanted[:-1])

    def _search(self, wanted: str) -> None:
        self._told = []
        self._show(self.model.narrow(wanted.lstrip(), self._shown))

    def action_go(self, where: str) -> None:
        """Move the cursor; a value that is being written is left."""
        self._stop_writing()
        self._told = []
        self.ledger.move(where)
        self._draw()

    # Changing -----------------------------------------------------------------------------------------------------

    def action_leave_settings(self) -> None:
        """Leave what is being written, else end the search, else go back."""
        if self._writing:
            self._told = []
            self._stop_writing()
            self._draw()
        elif self.model.wanted:
            self._search("")
        else:
            self.dismiss()

    def action_change(self) -> None:
        """Turn the setting on or off, take its next choice, or write its value."""
        state = self.state
        if state is None:
            return
        if (next_one := following(state, "after")) is not None:
            self._change(next_one)
        elif "\n" in (text := state.setting.written(state.value)):
            self._tell([saying.LINES.format(name=state.setting.name)], failed=True)
        else:
            self._write(state, text)

    def action_take(self, where: str) -> None:
        """Take the choice before or after."""
        if self.state is not None and (wanted := following(self.state, where)) is not None:
            self._change(wanted)

    def action_unset(self) -> None:
        """Take the setting out of the file."""
        if self.state is not None and not self._writing:
            self._change(Wanted(self.state, None))

    def _change(self, wanted: Wanted, agreed: tuple[str, ...] = ()) -> None:
        """Make a change, and say what came of it; ask first where it weakens something."""
        try:
            said = wanted.agreed(self.thread, agreed)
        except Weakens as weakens:
            self._ask(wanted, weakens.sentences)
        except NotChanged as reason:
            self._tell([str(reason)], failed=True)
        else:
            self._stop_writing()
            self._tell(said)

    def _tell(self, lines: list[str], *, failed: bool = False) -> None:
        self._told = plain_rows("\n".join(map(clean_line, lines)), Role.WARNING if failed else Role.GOOD)
        self.look_again()

    def _ask(self, wanted: Wanted, weakens: tuple[str, ...]) -> None:
        self._asked, self._told = (wanted, weakens), []
        self.question.ask(weakens)
        self._draw()

    def on_weakening_question_answered(self, message: WeakeningQuestion.Answered) -> None:
        """Make the change that was asked about, or leave the setting as it is."""
        asked, self._asked = self._asked, None
        self.question.display = False
        self._stop_writing()
        if asked is not None and message.yes:
            self._change(*asked)
        else:
            self._tell(["left as it is"])

    # Writing ------------------------------------------------------------------------------------------------------

    def _write(self, state: SettingState, text: str) -> None:
        self._writing, self._told = True, []
        self.input.password = state.setting.secret
        self.input.placeholder = state.setting.allowed
        self.input.value = text
        self.input.cursor_position = len(text)
        self.input.display = True
        self._place_input()
        self.input.focus()
        self._draw()

    def _place_input(self) -> None:
        """Lay the input over the value of the setting that is being written."""
        if not self._writing:
            return
        name, _ = saying.widths(self.ledger.scrollable_content_region.width - 2)
        left = 1 + saying.MARGIN + name
        top = self.ledger.region.y + self.ledger.cursor - self.ledger.scroll_offset.y
        self.input.styles.offset = (left, top)
        self.input.styles.width = max(self.size.width - left - 1, 1)

    def _stop_writing(self) -> None:
        self._writing = False
        self.input.display = False
        self.ledger.focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Set what was written."""
        message.stop()
        if not self._writing or self.state is None:
            return
        try:
            self._change(written(self.state, message.value))
        except NotChanged as reason:
            self._tell([str(reason)], failed=True)

    # Drawing ------------------------------------------------------------------------------------------------------

    def _show(self, cursor: int) -> None:
        self.ledger.show(len(self.model.lines), self.model.drawn, cursor=cursor)
        self._draw()

    def _draw(self) -> None:
        """Draw what stands around the list, in the room there is."""
        if not self.is_mounted:
            return
        line, room = self.ledger.cursor, max(self.size.width - 4, 1)
        self._shown = self.state.setting.name if self.state is not None else self._shown
        self._title.show(*self.model.title())
        self._remark.show(self.model.remark())
        empty = self.model.empty()
        self._empty.replace(plain_rows(empty, Role.MUTED))
        self._empty.display = bool(empty)
        rows = self.model.whole(line)
        if list(self._rows.rows) != rows:
            self._rows.replace(rows)
            self._whole.scroll_home(animate=False)
        self._whole.display = bool(rows)
        self._told_view.replace(self._told)
        self._told_view.display = bool(self._told)
        offered = self.model.keys(line)
        if self._asked is not None:
            self._keys.show(keys(saying.QUESTION_KEYS, room, Place.WEAKENING))
        else:
            self._keys.show(keys(saying.WRITING_KEYS if self._writing else offered, room, Place.SETTINGS))
