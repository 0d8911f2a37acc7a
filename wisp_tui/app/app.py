"""The app: one thread on one screen, the bus's events brought to it, and the keys that work everywhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType
from textual.command import Provider
from textual.message import Message
from textual.screen import Screen

from wisp_tui.app.actions import Place, bindings
from wisp_tui.app.base import BaseApp
from wisp_tui.app.bridge import Events, bridge
from wisp_tui.app.keyboard import Keyboard
from wisp_tui.app.markdown import warm_up
from wisp_tui.app.screens.palette import PaletteProvider
from wisp_tui.app.screens.talk import TalkScreen
from wisp_tui.app.talk import Talk
from wisp_tui.app.themes import THEMES
from wisp_tui.app.widgets.conversation import Conversation
from wisp_tui.app.widgets.promptbox import PromptBox
from wisp_tui.approval import Answer
from wisp_tui.audit import AuditUnavailable
from wisp_tui.models import ModelError
from wisp_tui.session import Session, Thread
from wisp_tui.session.commands import Answered, Effect, command_line, run_command_line
from wisp_tui.session.history import PromptHistory
from wisp_tui.session.transcript import CallItem, ReplyItem, Tone

if TYPE_CHECKING:
    from wisp_tui.app.pager.paged import Paged

CLOSE_SECONDS = 1.5
"""Seconds the running turn, its commands and its model have to end when the app is left."""


class BusEvents(Message):
    """Events of the bus, to be drawn; ``drawn`` is set once they are on the screen."""

    def __init__(self, events: Events, drawn: asyncio.Event) -> None:
        super().__init__()
        self.events = events
        self.drawn = drawn


class WispApp(BaseApp):
    """The full-screen app of one conversation. It ends with the exit code."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.ANYWHERE)]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {PaletteProvider}

    def __init__(self, session: Session, thread: Thread, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(session.environment, session.settings.display.theme)
        self.session = session
        self.thread = thread
        self.keyboard = Keyboard(clock)
        self.talk = Talk(thread, self._queue_changed)
        self._main = TalkScreen(thread, self.talk, PromptHistory.read(session.home), self.keyboard)
        self._leaving = False
        self._interrupted_at = float("-inf")

    def get_default_screen(self) -> Screen[None]:
        """Begin with the conversation."""
        return self._main

    def on_mount(self) -> None:
        """Start what the first frame need not wait for."""
        self.run_worker(bridge(self.session.bus, self._draw), group="bridge")
        self.call_after_refresh(self._after_first_frame)

    def _after_first_frame(self) -> None:
        for sentence in self.session.repaired:
            self.say(sentence, Tone.WARNING)
        if self.unknown_theme is not None:
            self.say(f"there is no theme {self.unknown_theme}; there are {', '.join(THEMES)}", Tone.WARNING)
        self._main.look_at_git()
        self.run_worker(self._find_model(), group="model", exclusive=True)
        self.run_worker(asyncio.to_thread(warm_up), group="warming")

    async def _find_model(self) -> None:
        """Choose and resolve the model, so that the first message finds it ready."""
        try:
            await self.thread.ready()
        except (ModelError, AuditUnavailable) as error:
            self._main.offline = "no model: /model NAME chooses one; the next message tries again"
            self.say(str(error), Tone.ERROR)
        else:
            self._main.offline = None
        self._main.measure()
        self._main.show_activity()

    # The bus ------------------------------------------------------------------------------------------------------

    async def _draw(self, happened: Events) -> None:
        drawn = asyncio.Event()
        self.post_message(BusEvents(happened, drawn))
        await drawn.wait()

    def on_bus_events(self, message: BusEvents) -> None:
        """Draw what has happened in one go."""
        with self.batch_update():
            self._main.take(message.events)
        if self._main.offline is not None and self.thread.resolved is not None:
            self._main.offline = None
        self.screen.call_after_refresh(message.drawn.set)

    def say(self, text: str, tone: Tone = Tone.NOTE) -> None:
        """Show a line in the conversation."""
        self._main.show_changes([self._main.transcript.say(text, tone)])

    # Sending ------------------------------------------------------------------------------------------------------

    def on_prompt_box_sent(self, message: PromptBox.Sent) -> None:
        """Send a message, queue it, or run a command."""
        if not message.text:
            self._go_on()
            return
        try:
            self._main.prompt.sent.add(message.text)
        except OSError as error:
            self.say(f"the history cannot be kept: {error.strerror or error}", Tone.WARNING)
        if command_line(message.text):
            self.run_worker(self._run_command(message.text), group="commands")
        elif not self.talk.queue(message.text):
            self.run_worker(self.talk.send(message.text), group="turns")

    def _go_on(self) -> None:
        """Send what was held since a turn was stopped."""
        self.talk.outbox.release()
        if not self.talk.busy and (text := self.talk.outbox.next()) is not None:
            self.run_worker(self.talk.send(text), group="turns")

    def on_prompt_box_take_back(self) -> None:
        """Put the last queued message, else the last sent one, into the prompt."""
        text = self.talk.take_back()
        if text is None:
            self._main.prompt.go_back()
        else:
            self._main.prompt.write(text)

    async def _run_command(self, line: str) -> None:
        try:
            answer = await run_command_line(self.thread, line)
        except AuditUnavailable as error:
            answer = Answered((str(error),), failed=True)
        match answer.effect:
            case Effect.QUIT:
                self.leave()
                return
            case Effect.CLEARED:
                self._main.clear()
            case _:
                pass
        self._main.answered(line, answer)
        self._main.measure()

    def _queue_changed(self) -> None:
        self._main.show_queue()

    def on_conversation_moved(self, message: Conversation.Moved) -> None:
        """Show, or stop showing, that something came below."""
        del message
        self._main.show_activity()

    # Keys ---------------------------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Watch the keyboard for the approval dialog, and let what is typed reach the prompt."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self.keyboard.press()
            if self.screen is self._main:
                self._main.key_pressed(event)
        await super().on_event(event)

    def action_stop(self) -> None:
        """End the running turn."""
        self.thread.cancel()

    def action_interrupt(self) -> None:
        """Copy, refuse, clear, stop or leave: the first that there is something for."""
        if selected := self.selected_text():
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
        elif self._main.approval is not None:
            self.thread.desk.answer(self._main.approval.request.id, Answer.NO)
        elif self.screen is self._main and self._main.prompt.text:
            self._main.prompt.clear()
        elif not self.thread.cancel():
            self._leave_on_second_press()

    def _leave_on_second_press(self) -> None:
        now = self.keyboard.clock()
        if now - self._interrupted_at <= 2.0:
            self.leave()
            return
        self._interrupted_at = now
        self.notify("press ctrl-c again to leave", timeout=2)

    def selected_text(self) -> str:
        """Return what is selected, in the prompt or on the screen."""
        return (self._main.prompt.selected_text if self.screen is self._main else "") or (
            self.screen.get_selected_text() or ""
        )

    def action_scroll(self, where: str) -> None:
        """Scroll the conversation, whatever is focused."""
        match where:
            case "page_up":
                self._main.conversation.scroll_page_up(animate=False)
            case "page_down":
                self._main.conversation.scroll_page_down(animate=False)
            case "home":
                self._main.conversation.scroll_home(animate=False)
            case _:
                self._main.conversation.follow()

    def action_context(self) -> None:
        """Show or hide the context panel."""
        self._main.toggle_context()

    def action_thinking(self) -> None:
        """Unfold or fold the model's thinking."""
        self._main.conversation.unfold(not self._main.conversation.unfolded)

    def action_copy_reply(self) -> None:
        """Copy the last reply as the model wrote it."""
        replies = (item for item in reversed(self._main.transcript.items) if isinstance(item, ReplyItem))
        reply = next(replies, None)
        if reply is None:
            self.notify("there is no reply yet")
        else:
            self.copy_to_clipboard(reply.text)

    def action_leave(self) -> None:
        """End the conversation and the app."""
        self.leave()

    def action_help(self) -> None:
        """List the keys and commands."""
        from wisp_tui.app.screens.help import HelpScreen

        self.push_screen(HelpScreen())

    def action_pager(self) -> None:
        """Show the whole of the last tool's output."""
        from wisp_tui.app.screens.pager import PagerScreen

        item = self._main.transcript.last_call
        if isinstance(self.screen, PagerScreen):
            self.screen.dismiss()
        elif item is None:
            self.notify("no tool has run yet")
        else:
            self.show_call(item)

    def show_call(self, item: CallItem) -> None:
        """Show the whole output of a call."""
        from wisp_tui.app.pager.paged import Paged
        from wisp_tui.session.outputs import NothingToShow, find_output

        title = item.line.removeprefix("⚙ ")
        try:
            paged = Paged.of_output(find_output(self.thread.conversation, item.call), title)
        except NothingToShow:
            paged = Paged.of_text(title, item.output, remark="as the model was shown it")
        self.show_paged(paged)

    def show_paged(self, paged: Paged) -> None:
        """Show something in the pager."""
        from wisp_tui.app.screens.pager import PagerScreen

        self.push_screen(PagerScreen(paged, self.thread.conversation.directory))

    def action_slash(self, line: str) -> None:
        """Run a slash command that was chosen rather than written."""
        self.run_worker(self._run_command(line), group="commands")

    # Leaving ------------------------------------------------------------------------------------------------------

    def leave(self, code: int = 0) -> None:
        """End what runs, close the session, and end the app with a code. A second call does not wait."""
        if self._leaving:
            self.exit(code, return_code=code)
            return
        self._leaving = True
        self.run_worker(self._close(code), group="leaving")

    async def _close(self, code: int) -> None:
        closing = asyncio.create_task(self.session.close())
        await asyncio.wait({closing}, timeout=CLOSE_SECONDS)
        self.exit(code, return_code=code)
