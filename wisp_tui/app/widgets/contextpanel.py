"""The context panel: what the next request carries, or a turn's did, entry by entry; the turns to step through."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events, getters
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from wisp_tui.app.actions import Place, action_for, bindings
from wisp_tui.app.panel import saying
from wisp_tui.app.panel.context import EntryLine, Heading
from wisp_tui.app.panel.model import PanelModel, Showing
from wisp_tui.app.rows import Piece, Role, plain_rows
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.pieces import Ledger, Picture
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.session.condensations import Condensation, Condensations
from wisp_tui.session.steps import ContextSteps, ShownContext
from wisp_tui.text.ids import TurnNumber

LIVE_SECONDS = 0.2
"""Seconds between two looks at the next request while a turn changes it."""
TALL, LOW, LEAST = 17, 11, 5
"""Rows of the panel from which it has its legend; what changed and the words for a line; its gauge."""


class ContextPanel(Vertical):
    """Beside the conversation on a wide screen, over it on a narrow one."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.PANEL)]

    ledger = getters.child_by_id("panel-lines", Ledger)
    filter = getters.query_one("#panel-filter", Input)
    asking = getters.child_by_id("panel-asking", Horizontal)
    picture = getters.child_by_id("panel-gauge", Picture)

    class Left(Message):
        """The person goes back to the prompt."""

    class Changed(Message):
        """The panel shows something else now, in which other keys may work."""

    class Told(Message):
        """The story of a condensation is to be told."""

        def __init__(self, condensation: Condensation) -> None:
            super().__init__()
            self.condensation = condensation

    class Opened(Message):
        """An entry or a block is to be shown: ``whole``, or as it is sent."""

        def __init__(self, line: EntryLine, shown: ShownContext, *, whole: bool) -> None:
            super().__init__()
            self.line = line
            self.shown = shown
            self.whole = whole

    def __init__(self, steps: ContextSteps, condensations: Condensations, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.model = PanelModel(steps, condensations)
        self._looking: Timer | None = None

    def compose(self) -> ComposeResult:
        """Put the parts in place, from the title to the words for the line under the cursor."""
        yield Bar(id="panel-title")
        yield Bar(id="panel-remark")
        yield Picture(id="panel-gauge")
        yield RowView(id="panel-empty")
        yield Ledger(id="panel-lines")
        with Horizontal(id="panel-asking"):
            yield Static("/", markup=False)
            yield Input(id="panel-filter", placeholder="words that an entry contains", compact=True)
        yield Bar(id="panel-detail")

    def on_mount(self) -> None:
        """Begin without a filter."""
        self.asking.display = False

    def on_resize(self) -> None:
        """Leave out what there is no room for."""
        self.set_class(self.size.height < LOW, "-low")
        self.set_class(self.size.height < LEAST, "-least")
        self.draw()

    # Opening and stepping -----------------------------------------------------------------------------------------

    def open(self, turn: TurnNumber | None = None, showing: Showing = Showing.CONTEXT) -> None:
        """Show a turn's context, or the next request's, and take the keyboard. Raises NoSuchTurn."""
        self.look_at(turn, showing)
        self.ledger.focus()

    def look_at(self, turn: TurnNumber | None = None, showing: Showing = Showing.CONTEXT) -> None:
        """Show a turn's context, or the next request's, and leave the keyboard where it is. Raises NoSuchTurn."""
        self.model.open(turn, showing)
        self.display = True
        self._show(self.model.start)

    def restart(self) -> None:
        """Show the next request of another conversation."""
        self.model.restart()
        if self.display:
            self.model.open(None)
            self._show(0)

    def look_again(self) -> None:
        """Show the next request anew, soon: something of it has changed."""
        if self.display and self._looking is None:
            self._looking = self.set_timer(LIVE_SECONDS, self._look)

    def _look(self) -> None:
        self._looking = None
        before = self.model.at(self.ledger.cursor)
        if self.display and self.model.look_again():
            self._show(self.model.line_of(before))

    def action_step(self, where: str) -> None:
        """Go a turn back, or a turn on."""
        self._keeping(lambda: self.model.step(where))

    def _keeping(self, change: Callable[[], None]) -> None:
        """Change what is listed, and leave the cursor on the part it was on."""
        before = self.model.at(self.ledger.cursor)
        change()
        self._show(self.model.line_of(before) if before is not None else self.model.start)

    # Keys ---------------------------------------------------------------------------------------------------------

    def takes(self, event: events.Key | events.Paste) -> bool:
        """Whether what is typed is for the panel, which has the keyboard, rather than for the prompt."""
        if self.filter.has_focus:
            return True
        names = (event.key, event.character or "") if isinstance(event, events.Key) else ()
        return self.ledger.has_focus and any(action_for(Place.PANEL, name) is not None for name in names)

    def action_go(self, where: str) -> None:
        """Move the cursor."""
        self.ledger.move(where)

    def action_leave_panel(self) -> None:
        """End the filter, else the list, else go back to the prompt."""
        if self.asking.display:
            self._end_filter()
        elif self.model.showing is not Showing.CONTEXT:
            self._list(Showing.CONTEXT)
        else:
            self.post_message(self.Left())

    def action_open(self) -> None:
        """Show the entry under the cursor whole, go to the turn, tell of the condensation, or fold the layer."""
        cursor = self.ledger.cursor
        if (condensation := self.model.condensation_at(cursor)) is not None:
            self.post_message(self.Told(condensation))
            return
        if self.model.showing is Showing.TURNS:
            self.model.open(self.model.turn_at(cursor))
            self._show(0)
            return
        match self.model.at(cursor):
            case Heading():
                self.action_fold()
            case EntryLine() as line:
                self._open(line, whole=True)
            case None:
                pass

    def action_open_sent(self) -> None:
        """Show the entry under the cursor as it is sent."""
        if isinstance(line := self.model.at(self.ledger.cursor), EntryLine):
            self._open(line, whole=False)

    def _open(self, line: EntryLine, *, whole: bool) -> None:
        if self.model.shown is not None:
            self.post_message(self.Opened(line, self.model.shown, whole=whole))

    def action_fold(self) -> None:
        """Fold or unfold the layer under the cursor."""
        if (name := self.model.fold(self.ledger.cursor)) is not None:
            self._show(self.model.line_of(name))

    def action_list_turns(self) -> None:
        """List the turns, or go back to the context."""
        self._list(Showing.TURNS)

    def action_list_condensed(self) -> None:
        """List the condensations, or go back to the context."""
        self._list(Showing.CONDENSED)

    def _list(self, showing: Showing) -> None:
        """Show one of the lists; the context again where it is shown already."""
        self.model.showing = Showing.CONTEXT if self.model.showing is showing else showing
        self.model.gather()
        self._show(self.model.start)

    def action_sizes(self) -> None:
        """Show or hide the sizes in bytes."""
        self.model.sizes = not self.model.sizes
        self.draw()

    def action_filter(self) -> None:
        """Ask for the words that an entry must contain."""
        self.asking.display = True
        self.filter.focus()
        self.model.showing = Showing.CONTEXT
        self._keeping(self.model.gather)

    def _end_filter(self) -> None:
        self.asking.display = False
        self.filter.value = ""
        self.ledger.focus()
        self._narrow("")

    def _narrow(self, words: str) -> None:
        self.model.wanted = words
        self._keeping(self.model.gather)

    def on_input_changed(self, message: Input.Changed) -> None:
        """Show what the words leave."""
        message.stop()
        self._narrow(message.value)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Go among what is left."""
        message.stop()
        if message.value:
            self.ledger.focus()
        else:
            self._end_filter()

    def on_ledger_moved(self, message: Ledger.Moved) -> None:
        """Say what the cursor is on now."""
        message.stop()
        self._say_detail()

    def on_ledger_chosen(self, message: Ledger.Chosen) -> None:
        """Open what was clicked twice."""
        message.stop()
        self.action_open()

    # Drawing ------------------------------------------------------------------------------------------------------

    def _show(self, cursor: int | None) -> None:
        self.ledger.show(self.model.count, self.model.drawn, cursor=cursor)
        self.draw()

    def draw(self) -> None:
        """Draw what is shown, in the room there is."""
        if self.model.shown is None or not self.is_mounted:
            return
        tall = self.size.height >= TALL
        self._bar("title").show(*self.model.title())
        self._bar("remark").show(self.model.remark())
        self.picture.show(lambda cells: self.model.picture(cells, tall=tall))
        empty = self.query_one("#panel-empty", RowView)
        empty.replace(plain_rows(self.model.empty(), Role.MUTED))
        empty.display = not self.model.count
        self.ledger.refresh()
        self._say_detail()
        self.post_message(self.Changed())

    def _bar(self, name: str) -> Bar:
        return self.query_one(f"#panel-{name}", Bar)

    def _say_detail(self) -> None:
        self._bar("detail").show([Piece(self.model.detail(self.ledger.cursor), Role.MUTED)])

    def keys(self, width: int) -> list[Piece]:
        """Write the keys that work while the panel has the keyboard, as many as there is room for."""
        return saying.keys(saying.FILTER_KEYS if self.filter.has_focus else self.model.keys, width)
