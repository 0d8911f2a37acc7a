"""The one screen that is always there: the conversation, what the turn does, the prompt, the status."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from wisp_tui.app.base import BaseApp
from wisp_tui.app.kept.saying import Listing
from wisp_tui.app.keyboard import Keyboard
from wisp_tui.app.panel.drawn import cells
from wisp_tui.app.panel.model import Showing
from wisp_tui.app.screens.kept import KeptScreen
from wisp_tui.app.talk import Talk
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.completions import CompletionList
from wisp_tui.app.widgets.condensation import CondensationStrip, CondensationView
from wisp_tui.app.widgets.contextpanel import ContextPanel
from wisp_tui.app.widgets.conversation import Conversation
from wisp_tui.app.widgets.factspanel import FactsPanel
from wisp_tui.app.widgets.findbar import FindBar
from wisp_tui.app.widgets.items import line_rows
from wisp_tui.app.widgets.promptbox import PromptBox
from wisp_tui.app.widgets.queue import QueueView
from wisp_tui.app.widgets.welcome import Welcome
from wisp_tui.app.words import SPIN_SECONDS, StatusFacts, activity_left, keys_hint, status_line
from wisp_tui.events import (
    Activity,
    ApprovalWaiting,
    ApprovalWithdrawn,
    AuditEvent,
    AuditFault,
    CondensationStep,
    ContextFill,
    Kind,
    QuestionWaiting,
    QuestionWithdrawn,
    Transient,
    TurnEnded,
    TurnStarted,
)
from wisp_tui.session import Thread
from wisp_tui.session.commands import Answered, View
from wisp_tui.session.completing import complete
from wisp_tui.session.condensations import Condensation
from wisp_tui.session.contexts import changes_context, fill_gauge, next_fill
from wisp_tui.session.history import PromptHistory
from wisp_tui.session.items import Added, Change, CondensationItem, LineItem
from wisp_tui.session.saving import resumed_note
from wisp_tui.session.status import GitState, status_of
from wisp_tui.session.steps import ContextSteps
from wisp_tui.session.transcript import Transcript
from wisp_tui.text.completion import NOTHING, Completion
from wisp_tui.text.ids import TurnNumber

WIDE = 100
"""Columns from which the context panel stands beside the conversation."""
ROOMY = 60
"""Columns from which how the last turn ended stands beside the keys of a panel."""
TALL = 16
"""Rows below which the lines around the prompt give way."""


class TalkScreen(KeptScreen):
    """Draws one thread. It takes the thread's events and hands what the person does to the app."""

    app = getters.app(BaseApp)

    def __init__(self, thread: Thread, talk: Talk, history: PromptHistory, keyboard: Keyboard) -> None:
        super().__init__(thread, keyboard, PromptBox(history, id="prompt"))
        self.prompt.completer = self._complete
        self.talk = talk
        settings = thread.conversation.settings
        self.transcript = Transcript(settings.display.shown_output_lines)
        self.conversation = Conversation(self.transcript.items, id="conversation")
        self.find = FindBar(self.conversation, self.transcript.items, id="find")
        self._welcome = Welcome()
        self._queue = QueueView(id="queue")
        self._activity_bar = Bar(id="activity")
        self._status_bar = Bar(id="status")
        self._fault_bar = Bar(id="fault")
        self._completions = CompletionList(id="completions")
        self.panel = ContextPanel(ContextSteps(thread.conversation), self.transcript.condensations, id="context")
        self.strip = CondensationStrip(self._now, id="condensing")
        self._activity: Activity | None = None
        self._activity_at = 0.0
        self.fill: ContextFill | None = None
        """The context as it was last composed, reported or looked at."""
        self._ended: TurnEnded | None = None
        self._git = GitState()
        self.offline: str | None = None
        """What is wrong with the model and what to do, while it cannot be used."""

    def compose(self) -> ComposeResult:
        """Put the parts in place."""
        with Horizontal(id="upper"):
            yield self.conversation
            yield self.panel
            yield self.facts_panel
        with Vertical(id="below"):
            yield self.strip
            yield self._queue
            yield self._fault_bar
            yield self.find
            yield self._activity_bar
            with Horizontal(id="entry"):
                yield Static("❯", id="mark", markup=False)
                yield self.prompt
            yield self._status_bar
        yield self._completions

    async def on_mount(self) -> None:
        """Show the empty conversation, and put the cursor into the prompt."""
        await self.conversation.mount(self._welcome)
        self.prompt.focus()
        self.set_interval(SPIN_SECONDS, self.show_activity)
        self.recall()

    def recall(self, *, told: bool = False) -> None:
        """Show what a resumed conversation held, and say that it is resumed unless that is ``told`` already."""
        resumed = resumed_note(self.thread.conversation)
        if resumed is not None:
            self.transcript.recall(self.thread.conversation.record)
            self.transcript.items += [] if told else [LineItem(resumed)]
            self.show_changes([Added(item) for item in self.transcript.items])

    def on_resize(self) -> None:
        """Put the parts where this size has room for them, and write the lines for the new width."""
        width, height = self.size
        self.set_class(width < WIDE, "-narrow")
        self.set_class(height < TALL, "-short")
        self.strip.short = height < TALL
        self.show_activity()
        self.show_status()

    # Events -------------------------------------------------------------------------------------------------------

    def take(self, events: Sequence[AuditEvent | Transient]) -> None:
        """Draw what has happened."""
        changes: list[Change] = []
        own = {self.thread.conversation.session, None}
        for event in events:
            if getattr(event, "session", None) not in own:
                continue
            changes += self.transcript.take(event)
            self._notice(event)
        self._show_condensing(changes)
        self.show_changes(changes)
        self.notice_kept(events)
        self.show_activity()
        self.show_status()

    def _show_condensing(self, changes: Sequence[Change]) -> None:
        """Show the condensation that runs, else the one that has just ended."""
        ended = [change.item for change in changes if isinstance(change.item, CondensationItem)]
        shown = self.transcript.condensations.running or (ended[-1].condensation if ended else None)
        if shown is not None:
            self.strip.take(shown)

    def show_changes(self, changes: Sequence[Change]) -> None:
        """Draw changes of the transcript. Lines about the model alone leave the empty conversation as it is."""
        lines = [item for item in self.transcript.items if isinstance(item, LineItem)]
        if len(lines) == len(self.transcript.items):
            self._welcome.tell([row for item in lines for row in line_rows(item)])
            return
        if self._welcome.leave():
            changes = [Added(item) for item in self.transcript.items]
        self.conversation.take(changes)
        self.find.take(changes)

    def _notice(self, event: AuditEvent | Transient) -> None:
        match event:
            case Activity():
                self._activity, self._activity_at = event, self._now()
            case ContextFill():
                self.fill = event
            case TurnStarted():
                self.conversation.follow()
                self.fill = next_fill(self.thread.conversation)
            case CondensationStep() | AuditEvent(kind=Kind.TOOL_RESULT):
                self.fill = next_fill(self.thread.conversation)
            case TurnEnded() | AuditEvent(kind=Kind.COMMAND_TYPED):
                self._ended = event if isinstance(event, TurnEnded) else self._ended
                self.fill = next_fill(self.thread.conversation)
                self.look_at_git()
            case ApprovalWaiting() | ApprovalWithdrawn():
                self.show_approval()
            case QuestionWaiting() | QuestionWithdrawn():
                self.show_question()
            case AuditFault():
                self.show_fault(event.reason)
            case _:
                pass
        if isinstance(event, ContextFill | TurnStarted | TurnEnded) or changes_context(event):
            self.panel.look_again()

    def _now(self) -> float:
        return self.thread.conversation.clock.elapsed()

    # Lines --------------------------------------------------------------------------------------------------------

    def show_activity(self) -> None:
        """Write the activity line."""
        activity = self._activity
        elapsed = activity.turn_seconds + self._now() - self._activity_at if activity is not None else 0.0
        running = activity is not None and activity.doing is not None and activity.in_turn
        asking = self.approval is not None or self.question is not None
        left = activity_left(activity, elapsed, asking=asking, offline=self.offline, ended=self._ended)
        panel = next((panel for panel in (self.panel, self.facts_panel, self.find) if panel.has_focus_within), None)
        if panel is not None:
            left = left if running or self.size.width >= ROOMY else []
            right = panel.keys(self.size.width - cells(left) - 8)
        else:
            right = keys_hint(
                running=running, asking=asking, new_below=self.conversation.new_below, width=self.size.width
            )
        self._activity_bar.show(left, right)
        self.set_class(self.judging, "-judging")
        self.strip.draw()

    @on(events.DescendantFocus)
    @on(ContextPanel.Changed)
    @on(FactsPanel.Changed)
    def name_keys(self) -> None:
        """Name the keys of the place that has the keyboard, as they are now."""
        self.show_activity()

    @property
    def idle(self) -> bool:
        """Whether nothing runs, as far as it is shown."""
        return self._activity is None or self._activity.doing is None

    def show_status(self) -> None:
        """Write the status line."""
        held = self.thread.conversation
        facts = StatusFacts(
            status=status_of(held, self._git, self.fill.used if self.fill else None),
            gauge=fill_gauge(held, self.fill) if self.fill else None,
            offline=self.offline is not None,
            waits=self.kept.waits,
        )
        self._status_bar.show(*status_line(facts, max(self.size.width - 4, 1)))

    def show_fault(self, reason: str) -> None:
        """Keep a fault of the audit log on the screen, whatever else happens."""
        from wisp_tui.app.gauge import Piece
        from wisp_tui.app.rows import Role
        from wisp_tui.text.clean import clean_line

        self._fault_bar.show([Piece(f"✕ {clean_line(reason)}", Role.ERROR)])
        self._fault_bar.display = True

    def show_queue(self) -> None:
        """Show what waits to be sent."""
        self._queue.show(self.talk.outbox.texts, held=self.talk.outbox.held)

    def show_git(self, git: GitState) -> None:
        """Show the directory's branch and changes."""
        self._git = git
        self.show_status()

    def look_at_git(self) -> None:
        """Ask git about the directory, beside everything else."""
        from wisp_tui.session.status import git_state

        held = self.thread.conversation

        async def look() -> None:
            self.show_git(await git_state(held.directory, held.environment))

        self.run_worker(look, group="git", exclusive=True)

    def measure(self) -> None:
        """Show what the next request would carry, unless a turn runs, which says what it sends."""
        if self.fill is None or self.idle:
            self.fill = next_fill(self.thread.conversation)
        self.show_status()

    def key_pressed(self, event: events.Key | events.Paste) -> None:
        """Give the keyboard to the dialog when it is its turn, else let what is typed reach the prompt."""
        self.arm_for(event)
        typed = isinstance(event, events.Paste) or event.is_printable
        if self.panel.takes(event) or self.kept_takes(event) or self.find.has_focus_within:
            return
        if typed and not self.prompt.has_focus and not (self.approval is not None and self.approval.has_focus):
            self.set_focus(self.prompt)

    # Completion, panels -------------------------------------------------------------------------------------------

    def on_prompt_box_completing(self, message: PromptBox.Completing) -> None:
        """Offer what completes the word at the cursor."""
        self.prompt.look()
        found = self.prompt.completion
        if message.asked and not found.candidates and self.approval is not None:
            self.set_focus(self.approval)
        if message.asked and len(found.candidates) == 1:
            self.prompt.take_completion(found.candidates[0])
            return
        self._completions.show(found.candidates, self.prompt.chosen, above=self.query_one("#below").size.height)

    def _complete(self, before: str) -> Completion:
        """Find what completes a text; nothing where it is there in full already."""
        found = complete(self.thread, before)
        return NOTHING if found.candidates in {(), (before[found.start :],)} else found

    def on_context_panel_told(self, message: ContextPanel.Told) -> None:
        """Tell the whole story of a condensation."""
        self.tell(message.condensation)

    def on_condensation_view_chosen(self, message: CondensationView.Chosen) -> None:
        """Tell the whole story of a condensation."""
        self.tell(message.condensation)

    def on_condensation_view_left(self) -> None:
        """Go back to the prompt."""
        self.prompt.focus()

    def tell(self, condensation: Condensation) -> None:
        """Tell the whole story of a condensation."""
        from wisp_tui.app.screens.condensation import CondensationScreen

        self.app.push_screen(CondensationScreen(self.transcript.condensations.all, condensation))

    def find_words(self) -> None:
        """Ask for words to find in the conversation, which is not to lie below a panel then."""
        if self.size.width < WIDE:
            self.panel.display = self.facts_panel.display = False
        self.find.open()

    def on_find_bar_left(self) -> None:
        """Go back to the prompt."""
        self.prompt.focus()

    def toggle_context(self) -> None:
        """Show the context panel and give it the keyboard, or hide it."""
        if self.panel.display:
            self.hide_context()
        else:
            self.facts_panel.display = False
            self.panel.open()

    def open_facts(self, listing: Listing, ident: str | None = None) -> None:
        """Show one of the facts panel's lists in the place of the context panel."""
        self.panel.display = False
        super().open_facts(listing, ident)

    def hide_context(self) -> None:
        """Hide the context panel."""
        held = self.panel.has_focus_within
        self.panel.display = False
        if held:
            self.prompt.focus()

    def on_context_panel_left(self) -> None:
        """Go back to the prompt, and to the conversation where the panel lies over it."""
        if self.size.width < WIDE:
            self.hide_context()
        else:
            self.prompt.focus()

    def remember(self, text: str) -> None:
        """Keep a message in the history. Raises OSError when it cannot be kept."""
        if self.prompt.sent is not None:
            self.prompt.sent.add(text)

    def answered(self, line: str, answer: Answered) -> None:
        """Show a command's answer; a context in the panel."""
        match answer.view:
            case View(kind="facts" | "summary" | "pending" as kind):
                self.facts_panel.model.everything = line.endswith(" all")
                self.open_facts(Listing(kind))
                return
            case View(kind="context", turn=turn):
                self.facts_panel.display = False
                self.panel.look_at(TurnNumber(turn) if turn is not None else None)
                return
            case View(kind="turns"):
                self.facts_panel.display = False
                self.panel.look_at(showing=Showing.TURNS)
                return
            case _:
                pass
        lines = answer.lines if answer.view is None else (*answer.lines, answer.view.text)
        if lines:
            self.show_changes([self.transcript.answered(line, lines, failed=answer.failed)])

    def clear(self) -> None:
        """Show a new conversation."""
        self.find.close()
        self.transcript.clear()
        self.conversation.clear()
        self.fill = self._ended = None
        self.measure()
        self.panel.restart()
        self.facts_panel.look_again()
