"""A screen that puts approvals, questions and offers before the person.

One dialog for an approval at a time, which takes keys only after a pause; a question is answered in the prompt, and an
offer by enter in an empty one.
"""

from __future__ import annotations

from typing import ClassVar

from textual import events, getters
from textual.screen import Screen

from wisp_tui.app.actions import Place, action_for
from wisp_tui.app.base import BaseApp
from wisp_tui.app.keyboard import QUIET_SECONDS, Keyboard
from wisp_tui.app.notifying import AppNotifier
from wisp_tui.app.widgets.approval import ApprovalPanel
from wisp_tui.app.widgets.looks import ROLE_CLASSES
from wisp_tui.app.widgets.offer import OfferView
from wisp_tui.app.widgets.promptbox import PromptBox
from wisp_tui.app.widgets.question import QuestionView
from wisp_tui.approval import Answer
from wisp_tui.session import Thread
from wisp_tui.session.commands import command_line
from wisp_tui.session.offering import Offer
from wisp_tui.session.questions import chosen


class AskingScreen(Screen[None]):
    """Has a prompt, and above it the first approval and the first question that wait.

    ``approval`` and ``question`` are their widgets, ``offer`` that of a conversation that was cut short.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}

    app = getters.app(BaseApp)

    def __init__(self, thread: Thread, keyboard: Keyboard, prompt: PromptBox) -> None:
        super().__init__()
        self.thread = thread
        self.keyboard = keyboard
        self.prompt = prompt
        self.approval: ApprovalPanel | None = None
        self.question: QuestionView | None = None
        self.offer: OfferView | None = None
        self._begun = False
        """Whether what the prompt holds was begun before the question came, and is no answer to it."""
        thread.questions.shown = True
        self._shown_at = 0.0
        self._unarmed = False
        """Whether the dialog waits for the keyboard to be quiet."""

    async def on_mount(self) -> None:
        """Show what the model has to notify the person of."""
        held = self.thread.conversation
        held.notifier = AppNotifier(self.app, held.notifier)

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
            self.query_one("#below").mount(self.approval, before="#fault")
            self._disarm()
            self.call_after_refresh(self._drawn)
            self.set_timer(QUIET_SECONDS, self._arm_when_quiet)
        self.set_class(self.approval is not None, "-asking")

    def on_screen_resume(self) -> None:
        """Begin the dialog's pause anew when it comes into sight from below another screen."""
        if self.approval is not None:
            if self.approval.has_focus:
                self.prompt.focus()
            self._disarm()
            self.set_timer(QUIET_SECONDS, self._arm_when_quiet)

    def _disarm(self) -> None:
        self._shown_at, self._unarmed = self.keyboard.clock(), True

    def _drawn(self) -> None:
        """Count the dialog's pause from when it was drawn."""
        if self._unarmed:
            self._shown_at = self.keyboard.clock()

    def show_question(self) -> None:
        """Show the first question that waits, or take it away."""
        first = next(iter(self.thread.questions.waiting.values()), None)
        if self.question is not None:
            self.question.remove()
            self.question = None
        if first is not None:
            self.question = QuestionView(first)
            self._begun = bool(self.prompt.text)
            self.query_one("#below").mount(self.question, before="#fault")

    def take_answer(self, text: str) -> bool:
        """Take a text that was sent as the answer to the question that waits; False when it is none."""
        if self.question is None or self._begun or not text.strip() or command_line(text):
            self._begun = False
            return False
        question = self.question.question
        return self.thread.questions.answer(question.id, chosen(question, text))

    def decline(self) -> bool:
        """Decline the question that waits; False when none does."""
        return self.question is not None and self.thread.questions.answer(self.question.question.id, None)

    def show_offer(self, offer: Offer) -> None:
        """Offer a conversation that was cut short, while this one is empty and nothing else waits."""
        held = self.thread.conversation
        if offer.cut_short and not self.thread.running and len(held.record) == 1:
            self.put_off()
            self.offer = OfferView(offer, held.clock.now())
            self.query_one("#below").mount(self.offer, before="#fault")

    def put_off(self) -> str | None:
        """Take the offer away; return the id of what was offered, None where nothing was."""
        offer, self.offer = self.offer, None
        if offer is None:
            return None
        offer.remove()
        return offer.ident

    def arm_for(self, event: events.Key | events.Paste) -> None:
        """Give the dialog the keyboard for a key that answers, when it was quiet before that key."""
        self._begun = self._begun and bool(self.prompt.text)
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
