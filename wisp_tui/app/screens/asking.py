"""A screen that puts approvals before the person: one dialog at a time, which takes keys only after a pause."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.screen import Screen

from wisp_tui.app.actions import Place, action_for
from wisp_tui.app.keyboard import QUIET_SECONDS, Keyboard
from wisp_tui.app.widgets.approval import ApprovalPanel
from wisp_tui.app.widgets.looks import ROLE_CLASSES
from wisp_tui.app.widgets.promptbox import PromptBox
from wisp_tui.approval import Answer
from wisp_tui.session import Thread


class AskingScreen(Screen[None]):
    """Has a prompt, and above it the first approval that waits. ``approval`` is its dialog."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}

    def __init__(self, thread: Thread, keyboard: Keyboard, prompt: PromptBox) -> None:
        super().__init__()
        self.thread = thread
        self.keyboard = keyboard
        self.prompt = prompt
        self.approval: ApprovalPanel | None = None
        self._shown_at = 0.0
        self._unarmed = False
        """Whether the dialog waits for the keyboard to be quiet."""

    def show_approval(self) -> None:
        """Show the first request that waits, or take the dialog away."""
        waiting = self.thread.desk.waiting
        first = next(iter(waiting.values()), None)
        if self.approval is not None:
            if first is not None and first.id == self.approval.request.id:
                self.approval.recount(len(waiting))
                return
            self.approval.remove()
            self.approval, self._unarmed = None, False
            self.prompt.focus()
        if first is not None:
            self.approval = ApprovalPanel(first, len(waiting))
            self._shown_at = self.keyboard.clock()
            self.query_one("#below").mount(self.approval, before="#fault")
            self._unarmed = True
            self.set_timer(QUIET_SECONDS, self._arm_when_quiet)
        self.set_class(self.approval is not None, "-asking")

    def arm_for(self, event: events.Key | events.Paste) -> None:
        """Give the dialog the keyboard for a key that answers, when it was quiet before that key."""
        answers = isinstance(event, events.Key) and action_for(Place.APPROVAL, event.key) is not None
        if self._unarmed and answers and self.keyboard.rested(self._shown_at):
            self._arm()

    def _arm(self) -> None:
        self._unarmed = False
        self.set_focus(self.approval)

    def _arm_when_quiet(self) -> None:
        if self._unarmed:
            wait = self.keyboard.quiet_in(self._shown_at)
            if wait:
                self.set_timer(wait, self._arm_when_quiet)
            else:
                self._arm()

    def on_approval_panel_answered(self, message: ApprovalPanel.Answered) -> None:
        """Hand on an answer that was meant: one for which the keyboard was quiet before."""
        if self.keyboard.rested(self._shown_at):
            self.thread.desk.answer(message.request, message.answer)

    def refuse(self) -> None:
        """Refuse what the dialog asks, at once."""
        if self.approval is not None:
            self.thread.desk.answer(self.approval.request.id, Answer.NO)
