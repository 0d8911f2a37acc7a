"""The facts panel: the facts by kind, the summary's versions, what waits for the person; one whole below its list."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import ClassVar

from textual import events, getters
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Input, Static

from wisp_tui.app.actions import Place, action_for, bindings
from wisp_tui.app.kept import saying
from wisp_tui.app.kept.deeds import (
    AnswerCommand,
    AnswerQuestion,
    Deed,
    DeleteFact,
    DropRequest,
    KeepRequest,
    MoveFact,
    StateFact,
)
from wisp_tui.app.kept.facts import KindHeading
from wisp_tui.app.kept.model import KeptModel, name_of
from wisp_tui.app.kept.saying import Listing
from wisp_tui.app.keyboard import QUIET_SECONDS, Keyboard
from wisp_tui.app.panel.saying import keys
from wisp_tui.app.rows import Piece, Role, Row, plain_rows
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.pieces import Ledger
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.facts import FactRow, RunningSummary, Scope
from wisp_tui.pending import CommandRequest, Decision, FactRequest, QuestionRequest
from wisp_tui.session.kept import Kept

AGING_SECONDS = 30.0
"""Seconds between two looks at how long requests have waited."""
LOW = 11
"""Rows of the panel below which it has no remark."""


class Asking(Enum):
    """What is being written below the list: its sign, and what stands there while it is empty."""

    FILTER = ("/", "words that a fact contains")
    STATE = ("=", "KIND [NAME] = VALUE, as in: preference editor = vim")
    ANSWER = ("?", "your answer, or a choice's number")


class FactsPanel(Vertical):
    """Beside the conversation on a wide screen, over it on a narrow one."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.FACTS)]

    ledger = getters.child_by_id("facts-lines", Ledger)
    whole = getters.child_by_id("facts-whole", VerticalScroll)
    asking_line = getters.child_by_id("facts-asking", Horizontal)
    written = getters.query_one("#facts-input", Input)

    class Left(Message):
        """The person goes back to the prompt."""

    class Changed(Message):
        """The panel shows something else now, in which other keys may work."""

    class Wanted(Message):
        """The person wants something done."""

        def __init__(self, deed: Deed) -> None:
            super().__init__()
            self.deed = deed

    class Opened(Message):
        """What a line came from is to be shown."""

        def __init__(self, line: FactRow | RunningSummary) -> None:
            super().__init__()
            self.line = line

    def __init__(self, kept: Kept, home: Path, keyboard: Keyboard, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.model = KeptModel(kept, home)
        self.asking: Asking | None = None
        self._keyboard = keyboard
        self._shown: str | None = None
        """The name of the line that is shown whole."""
        self._came_at = float("-inf")
        """When a line came under the cursor that the person had not gone to."""
        self._seen = False
        """Whether it was shown to its end."""
        self._answering: QuestionRequest | None = None
        """The question whose answer is being written."""
        self._doomed: str | None = None
        """The fact that is deleted when asked for once more."""
        self._told: list[Row] = []

    def compose(self) -> ComposeResult:
        """Put the parts in place, from the titles to what is said of the last deed."""
        yield Bar(id="facts-title")
        yield Bar(id="facts-remark")
        yield RowView(id="facts-empty")
        yield Ledger(id="facts-lines")
        with Horizontal(id="facts-asking"):
            yield Static("/", markup=False)
            yield Input(id="facts-input", compact=True)
        with VerticalScroll(id="facts-whole", can_focus=False):
            yield RowView(id="facts-rows")
        yield RowView(id="facts-told")

    def on_mount(self) -> None:
        """Begin with nothing being written; notice how far a request was read, and how the time goes by."""
        self.asking_line.display = False
        self.watch(self.whole, "scroll_y", self._look_at_end)
        self.set_interval(AGING_SECONDS, self.look_again)

    def on_resize(self) -> None:
        """Leave out what there is no room for."""
        self.set_class(self.size.height < LOW, "-low")
        self.call_after_refresh(self._look_at_end)
        self._draw()

    # Opening ------------------------------------------------------------------------------------------------------

    def open(self, listing: Listing, ident: str | None = None) -> None:
        """Show one of the lists, the cursor on a line of a name, and take the keyboard."""
        self.model.open(listing)
        self.display = True
        self._told = []
        line = self.model.line_of(ident)
        self._show(self.model.start if line is None else line)
        self.ledger.focus()

    def look_again(self) -> None:
        """Show what has changed; the cursor stays on what it was on."""
        if not self.display:
            return
        before, cursor = self._shown, self.ledger.cursor
        self.model.gather()
        line = self.model.line_of(before)
        if line is None and before is not None and self.model.listing is Listing.PENDING:
            self._came_at = self._keyboard.clock()
        self._show(cursor if line is None else line)

    def tell(self, text: str, *, failed: bool = False) -> None:
        """Say what came of a deed."""
        self._told = plain_rows(text, Role.WARNING if failed else Role.GOOD)
        if not failed and self.asking in {Asking.STATE, Asking.ANSWER}:
            self._stop_asking()
        self.look_again()

    # Keys ---------------------------------------------------------------------------------------------------------

    def takes(self, event: events.Key | events.Paste) -> bool:
        """Whether what is typed is for the panel, which has the keyboard, rather than for the prompt."""
        if self.written.has_focus:
            return True
        names = (event.key, event.character or "") if isinstance(event, events.Key) else ()
        return self.ledger.has_focus and any(action_for(Place.FACTS, name) is not None for name in names)

    def action_go(self, where: str) -> None:
        """Move the cursor."""
        self._told = []
        self.ledger.move(where)

    def action_look(self, where: str) -> None:
        """Scroll what is shown whole."""
        if where == "on":
            self.whole.scroll_page_down(animate=False)
        else:
            self.whole.scroll_page_up(animate=False)

    def action_other(self, where: str) -> None:
        """Show the list before, or after."""
        self.open(self.model.other(where))

    def action_leave_facts(self) -> None:
        """End what is being written, else the filter, else go back to the prompt."""
        if self.asking is not None or self.model.wanted:
            self._stop_asking()
            self._narrow("")
        else:
            self.post_message(self.Left())

    def action_open(self) -> None:
        """Show what a line came from, fold a kind, or write the answer to a question that was shown to its end."""
        match self.model.at(self.ledger.cursor):
            case KindHeading():
                self.action_fold()
            case FactRow() | RunningSummary() as line:
                self.post_message(self.Opened(line))
            case QuestionRequest() as question if self._read():
                self._answering = question
                self._ask(Asking.ANSWER, "")
            case _:
                pass

    def action_fold(self) -> None:
        """Fold or unfold the kind under the cursor."""
        if (name := self.model.fold(self.ledger.cursor)) is not None:
            self._show(self.model.line_of(name))

    def action_everything(self) -> None:
        """List what holds no longer too, or not."""
        self.model.everything = not self.model.everything
        self.look_again()

    def action_keep(self) -> None:
        """Keep the fact, or run the command, under the cursor, once it was shown to its end."""
        match self.model.at(self.ledger.cursor):
            case FactRow(fact=fact):
                self.post_message(self.Wanted(MoveFact(fact, Scope.PERMANENT)))
            case FactRequest() as request if self._read():
                self.post_message(self.Wanted(KeepRequest(request)))
            case CommandRequest() as request if self._read():
                self.post_message(self.Wanted(AnswerCommand(request, Decision.ONCE)))
            case _:
                pass

    def action_drop(self) -> None:
        """Drop the request, refuse the command, or delete the fact under the cursor; a fact when asked twice."""
        match self.model.at(self.ledger.cursor):
            case FactRow(fact=fact) if self._doomed == fact.id:
                self.post_message(self.Wanted(DeleteFact(fact)))
                self._doomed = None
            case FactRow(fact=fact) if fact.current:
                self._doomed = fact.id
                self._told = plain_rows(f"d once more deletes {fact.id}; its history stays", Role.WARNING)
                self._draw()
            case FactRequest() as request if self._rested():
                self.post_message(self.Wanted(DropRequest(request)))
            case CommandRequest() as request if self._rested():
                self.post_message(self.Wanted(AnswerCommand(request, Decision.NO)))
            case QuestionRequest() as question if self._rested():
                self.post_message(self.Wanted(AnswerQuestion(question, None)))
            case _:
                pass

    def action_move(self, scope: str) -> None:
        """Move the fact under the cursor."""
        if isinstance(row := self.model.at(self.ledger.cursor), FactRow):
            self.post_message(self.Wanted(MoveFact(row.fact, Scope(scope))))

    def _rested(self) -> bool:
        """Whether the line under the cursor was there long enough for a key to be meant for it."""
        return self._keyboard.after(self._came_at) >= QUIET_SECONDS

    def _read(self) -> bool:
        """Whether the request was shown to its end; shows more of it where not."""
        if not self._rested():
            return False
        if not self._seen:
            self.action_look("on")
        return self._seen

    # Writing ------------------------------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Ask for the words that a fact must contain."""
        if self.model.listing is not Listing.FACTS:
            self.open(Listing.FACTS)
        self._ask(Asking.FILTER, self.model.wanted)

    def action_state(self, what: str) -> None:
        """Ask for a fact to state: a new one, or the one under the cursor anew."""
        row = self.model.at(self.ledger.cursor)
        text = f"{row.fact.topic.words} = {row.fact.value}" if what == "again" and isinstance(row, FactRow) else ""
        if self.model.listing is not Listing.FACTS:
            self.open(Listing.FACTS)
        self._ask(Asking.STATE, text)

    def _ask(self, asking: Asking, text: str) -> None:
        self.asking = asking
        sign, hint = asking.value
        self.asking_line.query_one(Static).update(sign)
        self.asking_line.display = True
        self.written.placeholder, self.written.value = hint, text
        self.written.cursor_position = len(text)
        self.written.focus()

    def _stop_asking(self) -> None:
        self.asking = None
        self.asking_line.display = False
        self.ledger.focus()

    def _narrow(self, words: str) -> None:
        self.model.wanted = words
        self.look_again()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Show what the words leave."""
        message.stop()
        if self.asking is Asking.FILTER:
            self._narrow(message.value)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Go among what is left, or state what was written."""
        message.stop()
        if self.asking is Asking.STATE and message.value.strip():
            self.post_message(self.Wanted(StateFact(message.value)))
        elif self.asking is Asking.ANSWER and self._answering is not None and message.value.strip():
            self.post_message(self.Wanted(AnswerQuestion(self._answering, message.value)))
        else:
            self._stop_asking()

    def on_ledger_moved(self, message: Ledger.Moved) -> None:
        """Show the line whole that the cursor is on now."""
        message.stop()
        self._doomed = None
        self._draw()

    def on_ledger_chosen(self, message: Ledger.Chosen) -> None:
        """Open what was clicked twice."""
        message.stop()
        self.action_open()

    # Drawing ------------------------------------------------------------------------------------------------------

    def _show(self, cursor: int | None) -> None:
        self.ledger.show(len(self.model.lines), self.model.drawn, cursor=cursor)
        self._draw()

    def _draw(self) -> None:
        """Draw what is shown, in the room there is."""
        if not self.is_mounted or not self.display:
            return
        self._bar("title").show(self.model.title())
        self._bar("remark").show(self.model.remark())
        told = self.query_one("#facts-told", RowView)
        if list(told.rows) != self._told:
            told.replace(self._told)
        told.display = bool(self._told)
        empty = self.query_one("#facts-empty", RowView)
        empty.replace(plain_rows(self.model.empty(), Role.MUTED))
        empty.display = not self.model.lines
        self._draw_whole()
        self.post_message(self.Changed())

    def _draw_whole(self) -> None:
        name = name_of(self.model.at(self.ledger.cursor))
        rows = self.model.whole(self.ledger.cursor)
        view = self.query_one("#facts-rows", RowView)
        if name != self._shown:
            self._shown, self._seen = name, False
            self.whole.scroll_home(animate=False)
        if list(view.rows) != rows:
            view.replace(rows)
        self.whole.display = bool(rows)
        self.call_after_refresh(self._look_at_end)

    def _look_at_end(self) -> None:
        laid_out = self.whole.size.height > 0 and self.query_one("#facts-rows", RowView).size.height > 0
        self._seen = self._seen or (laid_out and self.whole.max_scroll_y - self.whole.scroll_offset.y < 1)

    def _bar(self, name: str) -> Bar:
        return self.query_one(f"#facts-{name}", Bar)

    def keys(self, width: int) -> list[Piece]:
        """Write the keys that work while the panel has the keyboard, as many as there is room for."""
        match self.asking:
            case Asking.FILTER:
                offered = saying.FILTER_KEYS
            case Asking.STATE:
                offered = saying.STATE_KEYS
            case Asking.ANSWER:
                offered = saying.ANSWER_KEYS
            case None:
                offered = self.model.keys(self.ledger.cursor)
        return keys(offered, width, Place.FACTS)
