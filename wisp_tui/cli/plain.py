"""``wisp chat --plain``: one conversation line by line (docs/plain.md).

The conversation takes the lines one after the other; beside it, what happens is printed as it comes. A line is wanted
only once all that the last one caused is printed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace

from wisp_tui import __version__
from wisp_tui.approval import Answer
from wisp_tui.audit import AuditUnavailable
from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import tell
from wisp_tui.cli.patience import Patience
from wisp_tui.cli.plain_asking import PlainAsking, on_rows
from wisp_tui.cli.plain_input import LineInput, ReadInput
from wisp_tui.cli.plain_lines import PlainLines
from wisp_tui.cli.plain_pending import PlainPending
from wisp_tui.cli.plain_welcome import PlainWelcome
from wisp_tui.cli.signals import stop_signals, was_cut_short
from wisp_tui.cli.streams import BrokenOutput, Writer
from wisp_tui.config import Home
from wisp_tui.context.typed import MARK
from wisp_tui.events import PendingChanged, Subscription
from wisp_tui.models import ModelError
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.commands import Answered, Effect, command_line, run_command_line
from wisp_tui.session.desk import StandingAnswer
from wisp_tui.session.history import PromptHistory
from wisp_tui.session.offering import offer, unsent_lines
from wisp_tui.session.outputs import whole_lines
from wisp_tui.session.saving import resumed_note
from wisp_tui.session.transcript import Transcript
from wisp_tui.session.typed import NO_COMMAND, typed_command

AGAIN_SECONDS = 2.0
"""Seconds within which Ctrl-C is pressed again to leave."""
AGAIN = "press ctrl-c again to leave"
NOBODY = "nobody is asked here; --yes runs what asks"

Interrupted = Callable[[], bool]
MakeInput = Callable[[Thread, Interrupted], LineInput]


async def hold(session: Session, opening: ThreadOptions, *, make_input: MakeInput, asks: bool, sink: int = 1) -> int:
    """Hold one conversation, close the session, and return the exit code.

    ``asks``: a person sits at the input, who is asked, and whose Ctrl-C stops the turn before it leaves.
    """
    if opening.asker is None and not asks:
        opening = replace(opening, asker=StandingAnswer(Answer.NO, NOBODY))
    ending = (signal.SIGTERM, signal.SIGHUP) if asks else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    with session.bus.subscribe() as events, stop_signals(ending) as stopped, closing(Writer(sink)) as out:
        try:
            thread = session.new_thread(opening)
            thread.questions.shown = asks
            if asks:
                session.waiting.watch()
            ctrl_c = CtrlC(thread)
            source = make_input(thread, ctrl_c.leaves)
            lines = PlainLines(Transcript(session.settings.display.shown_output_lines), out, source.above)
            ctrl_c.asking = PlainAsking(thread, lines, source)
            chat = PlainChat(session, thread, lines, source, ctrl_c.asking, events, PlainWelcome(thread, lines, asks))
            if asks:
                chat.patience = Patience(lambda line: lines.tell([line]))
            if asks:
                asyncio.get_running_loop().add_signal_handler(signal.SIGINT, ctrl_c.pressed)
            try:
                return await chat.run(stopped, ctrl_c.left)
            finally:
                source.close()
                if asks:
                    asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        finally:
            await session.close(cut_short=True)  # what ends as it should has closed it already


def terminal_input(environment: Mapping[str, str], home: Home) -> tuple[MakeInput, bool]:
    """Choose how lines are read here, and say whether a person types them.

    Line editing needs a terminal for input and errors, where the prompt is shown, that can move its cursor.
    """
    typed = os.isatty(0)
    if not (typed and os.isatty(2) and environment.get("TERM", "") not in ("", "dumb")):
        return lambda thread, leaves: ReadInput(0, marked=typed), typed

    def edited(thread: Thread, leaves: Interrupted) -> LineInput:
        from prompt_toolkit.input import create_input
        from prompt_toolkit.output import create_output

        from wisp_tui.cli.plain_editing import EditedInput

        history = PromptHistory.read(home)
        return EditedInput(thread, history, leaves, create_input(sys.stdin), create_output(sys.stderr))

    return edited, typed


@dataclass(slots=True)
class CtrlC:
    """What Ctrl-C does where no line is being typed: refuse, stop the turn, or, pressed twice, leave."""

    thread: Thread
    asking: PlainAsking | None = None
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the person leaves."""
    _at: float = float("-inf")

    def pressed(self) -> None:
        """Do what there is to do."""
        if (self.asking is not None and self.asking.refuse()) or self.thread.cancel():
            return
        if self.leaves():
            self.left.set()

    def leaves(self) -> bool:
        """Say whether this press leaves; the first one says how."""
        now = time.monotonic()
        if now - self._at <= AGAIN_SECONDS:
            return True
        self._at = now
        tell(AGAIN, dim=True)
        return False


@dataclass(slots=True)
class PlainChat:
    """The conversation of one person."""

    session: Session
    thread: Thread
    lines: PlainLines
    source: LineInput
    asking: PlainAsking
    events: Subscription
    welcome: PlainWelcome
    pending: PlainPending = field(default_factory=PlainPending)
    patience: Patience | None = None
    """What says what takes long; None where no person waits."""

    async def run(self, stopped: asyncio.Future[int], left: asyncio.Event) -> int:
        """Talk until ``/quit``, the end of the input, Ctrl-C, a broken output or a signal; return the exit code."""
        if (resumed := resumed_note(self.thread.conversation)) is not None:
            tell(f"{resumed}; /history lists what you said", dim=True)
        printing = asyncio.create_task(self._print())
        talking = asyncio.create_task(self._talk())
        leaving = asyncio.create_task(left.wait())
        try:
            await asyncio.wait({printing, talking, leaving, stopped}, return_when=asyncio.FIRST_COMPLETED)
            talking.cancel()
            await asyncio.wait({talking})
            await self.welcome.end()
            await self.session.close(cut_short=was_cut_short(stopped))
            self.events.close()
            await asyncio.wait({printing, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return stopped.result() if stopped.done() else _code(printing, talking)
        finally:
            if self.patience is not None:
                self.patience.stop()
            for task in (talking, printing, leaving):
                task.cancel()
            await asyncio.wait({talking, printing, leaving})

    async def _print(self) -> None:
        """Print what happens, as it comes. Raises BrokenOutput."""
        async for event in self.events:
            if isinstance(event, PendingChanged):
                if new := list(self.pending.lines(self.session.waiting.snapshot)):
                    await self.lines.tell(new, dim=False)
            elif getattr(event, "session", None) in {self.thread.conversation.session, None}:
                await self.lines.take(event)
                self.asking.take(event)
                if self.patience is not None:
                    self.patience.take(event)

    async def _talk(self) -> None:
        """Take up the lines one after the other, until one is ``/quit`` or no more come."""
        await self.lines.tell([f"wisp {__version__} · {self.thread.conversation.directory}", *self.session.repaired])
        fault = ""
        try:
            await self.thread.ready()
        except (ModelError, AuditUnavailable) as error:
            fault = str(error)
            await self.lines.tell([fault], dim=False)
        await self.events.drained()
        await self._offer()
        self.welcome.begin(fault)
        while (text := await self.source.message()) is not None:
            await self.welcome.end()
            if not await self._take_up(text):
                return
            await self.events.drained()

    async def _offer(self) -> None:
        """Say what was cut short and can be gone on with, or what had not been sent of what is gone on with."""
        held = self.thread.conversation
        if held.cut_off is not None:
            await self.lines.tell(unsent_lines(held.cut_off.unsent))
        elif not held.carried_from:
            found = await asyncio.to_thread(offer, self.session.home)
            await self.lines.tell(found.lines(held.clock.now()), dim=False)

    async def _take_up(self, text: str) -> bool:
        """Do what a line says; False when it ends the conversation."""
        if not text.strip():
            return True
        try:
            if command_line(text):
                return await self._command(text)
            if not text.startswith(MARK):
                await self.thread.submit(text.removeprefix("/") if text.startswith("//") else text)
            elif (line := typed_command(text)) is not None:
                await self.thread.run_typed(line)
            else:
                await self.lines.tell([NO_COMMAND], dim=False)
        except AuditUnavailable as error:
            await self.lines.tell([f"not done: {error}"], dim=False)
        return True

    async def _command(self, text: str) -> bool:
        """Run a slash command and say its answer after what it caused; False when it ends the conversation."""
        answer = await run_command_line(self.thread, text)
        await self.events.drained()
        if answer.effect in {Effect.CLEARED, Effect.RESUMED}:
            self.lines.transcript.clear()
        await self.lines.tell(list(_answer_lines(answer)), dim=False)
        if answer.output is not None:
            for line in whole_lines(self.thread.conversation, answer.output):
                await self.lines.tell([line], dim=False)
        return answer.effect is not Effect.QUIT


def _answer_lines(answer: Answered) -> Iterator[str]:
    """Write a command's answer; what waits for the person as nothing that poses as another line of it."""
    yield from answer.lines
    if answer.view is not None and answer.view.kind == "pending":
        yield from on_rows(answer.view.text.split("\n"))
    elif answer.view is not None:
        yield answer.view.text


def _code(printing: asyncio.Task[None], talking: asyncio.Task[None]) -> int:
    try:
        printing.result()
        if not talking.cancelled():
            talking.result()
    except BrokenOutput as error:
        if not error.quiet:
            tell(f"wisp: {error}")
        return Exit.DONE if error.quiet else Exit.FAILED
    return Exit.DONE
