"""The app: one thread on one screen, and the bus's events brought to it.

Its first frame needs nothing but Textual: what talks to models is loaded and opened behind it (docs/app.md).
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Self, TypeAlias

from textual import events
from textual.message import Message
from textual.screen import Screen

from wisp_tui.app.acting import ActingApp
from wisp_tui.app.bridge import Events, bridge
from wisp_tui.app.screens.door import DoorScreen
from wisp_tui.app.talk import Talk
from wisp_tui.app.terminal import terminal_is_gone
from wisp_tui.app.themes import THEMES
from wisp_tui.app.unsent import EVERY_SECONDS, Drafts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisp_tui.app.widgets.conversation import Conversation
    from wisp_tui.app.widgets.promptbox import PromptBox
    from wisp_tui.session import Session, Thread
    from wisp_tui.session.items import Tone

SIGNALLED, INTERRUPTED = 128, 130
"""Exit codes above the first are of signals, the second of the one that the person sends."""
CLOSE_SECONDS = 1.5
"""Seconds the running turn, its commands and its model have to end when the app is left."""

Open: TypeAlias = "Callable[[], tuple[Session, Thread]]"
"""Opens the session and its conversation. Called in a thread, once the first frame is there."""


class BusEvents(Message):
    """Events of the bus, to be drawn; ``drawn`` is set once they are on the screen."""

    def __init__(self, events: Events, drawn: asyncio.Event) -> None:
        super().__init__()
        self.events = events
        self.drawn = drawn


def _greeter() -> Callable[[Screen[None], Thread, str], Awaitable[None]]:
    """Load what a first start says; in a thread, so that no key waits for it."""
    from wisp_tui.app.welcoming import greet

    return greet


class WispApp(ActingApp):
    """The full-screen app of one conversation. It ends with the exit code; ``failure`` says why it could not open."""

    session: Session
    thread: Thread
    talk: Talk
    drafts: Drafts

    def __init__(
        self, open_: Open, environment: Mapping[str, str], theme: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(environment, theme, clock)
        self._open = open_
        self._door = DoorScreen()
        self.failure: Exception | None = None
        self.parting: tuple[str, ...] = ()
        """What became of the conversation, to be said once the screen is given back."""
        self._leaving = False
        self._ahead: list[events.Key | events.Paste] | None = None
        """Keys that wait while one screen takes the other's place; None while they go where they should."""
        self._loop_of_app: asyncio.AbstractEventLoop | None = None

    @classmethod
    def over(cls, session: Session, thread: Thread, *, clock: Callable[[], float] = time.monotonic) -> Self:
        """Make the app over a session that is open already."""
        app = cls(lambda: (session, thread), session.environment, session.settings.display.theme, clock=clock)
        app.hold(session, thread)
        return app

    def get_default_screen(self) -> Screen[None]:
        """Begin with the conversation, or with what stands in for it until it is open."""
        return self._door if self.opened is None else self.opened

    def hold(self, session: Session, thread: Thread) -> None:
        """Take a session and its conversation."""
        from wisp_tui.app.screens.talk import TalkScreen
        from wisp_tui.session.history import PromptHistory

        self.session, self.thread = session, thread
        self.talk = Talk(thread, self._show_queue)
        self.opened = TalkScreen(thread, self.talk, PromptHistory.read(session.home), self.keyboard)
        self.drafts = Drafts(self.talk, self.opened.prompt)

    def on_mount(self) -> None:
        """Open the session once the first frame is there."""
        if self.opened is None:
            self.call_after_refresh(lambda: self.run_worker(self._open_session, group="opening"))
        else:
            self._begin()

    def read_so_far(self, done: int, total: int) -> None:
        """Show how much of a long conversation was read. Called in the thread that opens it."""
        if self._loop_of_app is not None:
            with suppress(RuntimeError):  # the app was left meanwhile
                self._loop_of_app.call_soon_threadsafe(self._door.read_so_far, done, total)

    async def _open_session(self) -> None:
        """Load and open everything, and go on where the door was left."""
        self._loop_of_app = asyncio.get_running_loop()
        try:
            session, thread = await asyncio.to_thread(self._open)
        except Exception as error:  # whatever it is, it is told by whoever started the app
            self.failure = error
            self.exit(return_code=1)
            return
        self.hold(session, thread)
        await self._go_over()
        self._begin()
        for text in self._door.sent:
            self.send(text)
        await self._type_ahead()

    async def _go_over(self) -> None:
        """Show the conversation in the door's place, with what is written there; keys wait until it can take them."""
        self._ahead = []
        await self._door.settled()
        await self.push_screen(self.main)
        self.main.prompt.take_over(self._door.prompt)
        self.main.set_focus(self.main.prompt)

    async def _type_ahead(self) -> None:
        """Hand on the keys that waited, in order, and those that come meanwhile after them."""
        while self._ahead:
            await self._hand_on(self._ahead.pop(0))
        self._ahead = None

    def _begin(self) -> None:
        self.run_worker(partial(bridge, self.session.bus.subscribe(), self._draw), group="bridge")
        self.session.facts.watch()
        self.session.waiting.watch()
        self.call_after_refresh(self._after_first_frame)

    def _after_first_frame(self) -> None:
        from wisp_tui.app.markdown import warm_up
        from wisp_tui.session.items import Tone

        for sentence in self.session.repaired:
            self.say(sentence, Tone.WARNING)
        if self.unknown_theme is not None:
            self.say(f"there is no theme {self.unknown_theme}; there are {', '.join(THEMES)}", Tone.WARNING)
        self.main.look_at_git()
        self.drafts.give_back()
        self.set_interval(EVERY_SECONDS, self.drafts.keep)
        self.run_worker(self._offer, group="offering")
        self.run_worker(self._find_model, group="model", exclusive=True)
        self.run_worker(warm_up, group="warming", thread=True)

    async def _offer(self) -> None:
        """Offer what was cut short, unless something is gone on with already."""
        from wisp_tui.session.items import Tone
        from wisp_tui.session.offering import offer

        if not self.thread.conversation.carried_from:
            found = await asyncio.to_thread(offer, self.session.home)
            self.main.show_offer(found)
            for sentence in found.faults:
                self.say(sentence, Tone.WARNING)

    async def _find_model(self) -> None:
        """Choose and resolve the model, so that the first message finds it ready."""
        from wisp_tui.audit import AuditUnavailable
        from wisp_tui.models import ModelError
        from wisp_tui.session.items import Tone

        try:
            await self.thread.ready()
        except (ModelError, AuditUnavailable) as error:
            fault = str(error)
            self.main.offline = "no model: /model NAME chooses one; the next message tries again"
            self.say(fault, Tone.ERROR)
        else:
            fault = ""
            self.main.offline = None
        self.main.measure()
        self.main.show_activity()
        if not self.session.home.welcomed.exists():
            greet = await asyncio.to_thread(_greeter)
            await greet(self.main, self.thread, fault)

    # The bus ------------------------------------------------------------------------------------------------------

    async def _draw(self, happened: Events) -> None:
        drawn = asyncio.Event()
        self.post_message(BusEvents(happened, drawn))
        await drawn.wait()

    def on_bus_events(self, message: BusEvents) -> None:
        """Draw what has happened in one go."""
        if not self.screen_stack:
            message.drawn.set()  # the app is closing: nothing is drawn any more
            return
        with self.batch_update():
            self._take_up(message.events)
            self.main.take(message.events)
        if self.main.offline is not None and self.thread.resolved is not None:
            self.main.offline = None
        self.screen.call_after_refresh(message.drawn.set)

    def _take_up(self, happened: Events) -> None:
        """Look as the settings say now."""
        from wisp_tui.events import SettingChanged

        for event in happened:
            if isinstance(event, SettingChanged) and event.name == "display.theme":
                self.use_theme(str(event.value))

    def say(self, text: str, tone: Tone) -> None:
        """Show a line in the conversation."""
        self.main.show_changes([self.main.transcript.say(text, tone)])

    # Sending ------------------------------------------------------------------------------------------------------

    def on_prompt_box_sent(self, message: PromptBox.Sent) -> None:
        """Send a message, or answer with it.

        An empty one goes on with what is offered, else sends what was held since a turn was stopped.
        """
        from wisp_tui.session.offering import RESUME

        if self.main.take_answer(message.text):
            self.drafts.keep()
            return
        offered = self.main.put_off()
        if message.text:
            self.send(message.text)
        elif offered is not None:
            self.action_slash(f"{RESUME} {offered}")
        else:
            self._run_turn(self.talk.go_on())

    def send(self, text: str) -> None:
        """Send a message, queue it, or run a command."""
        from wisp_tui.context.typed import MARK
        from wisp_tui.session.commands import command_line
        from wisp_tui.session.items import Tone
        from wisp_tui.session.typed import NO_COMMAND, typed_command

        try:
            self.main.remember(text)
        except OSError as error:
            self.say(f"the history cannot be kept: {error.strerror or error}", Tone.WARNING)
        if command_line(text):
            self.action_slash(text)
            self.drafts.keep()  # unlike a message's, no entry says that it was sent
        elif text.startswith(MARK) and typed_command(text) is None:
            self.say(NO_COMMAND, Tone.WARNING)
        else:
            self._run_turn(self.talk.take(text))

    def _run_turn(self, text: str | None) -> None:
        if text is not None:
            self.run_worker(partial(self.talk.send, text), group="turns")

    def on_prompt_box_take_back(self) -> None:
        """Put the last queued message, else the last sent one, into the prompt."""
        if self.opened is None:
            return
        text = self.talk.take_back()
        if text is None:
            self.main.prompt.go_back()
        else:
            self.main.prompt.write(text)

    def action_slash(self, line: str) -> None:
        """Run a slash command."""
        self.run_worker(partial(self._run_command, line), group="commands")

    async def _run_command(self, line: str) -> None:
        from wisp_tui.audit import AuditUnavailable
        from wisp_tui.session.commands import Answered, Effect, run_command_line

        try:
            answer = await run_command_line(self.thread, line)
        except AuditUnavailable as error:
            answer = Answered((str(error),), failed=True)
        match answer.effect:
            case Effect.QUIT:
                self.leave()
                return
            case Effect.SETTINGS:
                self.action_settings()
                return
            case Effect.CLEARED:
                self.main.clear()
            case Effect.RESUMED:
                self.main.clear()
                self.main.recall(told=True)
                self.drafts.give_back()
            case _:
                pass
        if answer.output is not None:
            self.show_output(answer.output)
            return
        if answer.view is not None and answer.view.kind == "sessions":
            self.action_sessions()
            return
        self.main.answered(line, answer)
        self.main.measure()

    def _show_queue(self) -> None:
        self.main.show_queue()

    def on_conversation_moved(self, message: Conversation.Moved) -> None:
        """Show, or stop showing, that something came below."""
        del message
        self.main.show_activity()

    async def on_event(self, event: events.Event) -> None:
        """Watch the keyboard for the approval dialog, and let what is typed reach the prompt."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            if self._ahead is not None:
                self._ahead.append(event)
                return
            await self._hand_on(event)
        else:
            await super().on_event(event)

    async def _hand_on(self, event: events.Key | events.Paste) -> None:
        self.keyboard.press(ago=max(time.monotonic() - event.time, 0.0))
        if self.screen is self.opened:
            self.main.key_pressed(event)
        await super().on_event(event)

    # Leaving ------------------------------------------------------------------------------------------------------

    def leave(self, code: int = 0) -> None:
        """End what runs, close the session, and end the app with a code. A second call does not wait."""
        if self._leaving or self.opened is None:
            self._end(code)
            return
        self._leaving = True
        self.run_worker(partial(self._close, code), group="leaving")

    async def _close(self, code: int) -> None:
        self.drafts.keep()
        closing = asyncio.create_task(self.session.close(cut_short=code > SIGNALLED and code != INTERRUPTED))
        done, _ = await asyncio.wait({closing}, timeout=CLOSE_SECONDS)
        try:
            self.parting = closing.result() if done else ()
        finally:
            self._end(code)

    def _end(self, code: int) -> None:
        """End the app. Where the terminal has gone away, its own ending would wait for ever to write to it."""
        if terminal_is_gone():
            os._exit(code)
        self.exit(code, return_code=code)
