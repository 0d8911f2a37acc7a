"""``wisp chat --json``: one conversation over JSON Lines (docs/chat-json.md).

Three things run side by side. The reader takes lines as they come, also during a turn; the conversation takes its
messages one after the other; the writer writes the bus's events in order. Only the conversation waits for the writer,
between turns: a front end that reads slowly costs the model nothing, and memory only what the bus keeps.
"""

from __future__ import annotations

import asyncio
import secrets
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial

from wisp_tui import __version__
from wisp_tui.approval import Answer
from wisp_tui.audit import AuditUnavailable
from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import tell
from wisp_tui.cli.front_end import FrontEnd, FrontEndNotifier
from wisp_tui.cli.front_end_pending import FrontEndPending
from wisp_tui.cli.json_events import answered, line_of, note, offered, output, status
from wisp_tui.cli.json_wire import Cancel, Choose, Complete, GivenAnswer, Hello, Message, read_line, write_line
from wisp_tui.cli.signals import stop_signals, was_cut_short
from wisp_tui.cli.streams import BrokenOutput, Writer, read_lines
from wisp_tui.context.typed import MARK
from wisp_tui.events import ContextFill, Kind, PendingChanged, Subscription
from wisp_tui.models import ModelError
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.commands import Answered, Effect, Offer, command_line, completions, run_command_line
from wisp_tui.session.offering import offer, unsent_lines
from wisp_tui.session.outputs import ShownOutput, whole_lines
from wisp_tui.session.questions import chosen
from wisp_tui.session.status import git_state, status_of
from wisp_tui.session.typed import NO_COMMAND, typed_command
from wisp_tui.text.json import JsonObject

ENDING_SECONDS = 2.0
"""How long the last lines may take to be read once a signal has ended the conversation."""

LINES_AT_ONCE = 256
"""How many lines of a whole output are written before they must have been read."""


async def hold(session: Session, opening: ThreadOptions, *, source: int = 0, sink: int = 1) -> int:
    """Hold one conversation over two descriptors, close the session, and return the exit code."""
    front_end = FrontEnd()
    if opening.asker is None:
        opening = replace(opening, asker=front_end)
    with session.bus.subscribe() as events, stop_signals() as stopped, closing(Writer(sink)) as out:
        try:
            thread = session.new_thread(opening)
            front_end.desk = thread.desk
            thread.questions.shown = True
            chat = JsonChat(session, thread, front_end, events, source, out)
            return await chat.run(stopped)
        finally:
            await session.close(cut_short=True)  # what ends as it should has closed it already


@dataclass(slots=True)
class JsonChat:
    """The conversation of one front end."""

    session: Session
    thread: Thread
    front_end: FrontEnd
    events: Subscription
    source: int
    """The descriptor the front end writes to."""
    out: Writer
    _messages: asyncio.Queue[str | Hello | None] = field(default_factory=asyncio.Queue[str | Hello | None])
    """What was said and is not yet taken up, a hello to be recorded in its place; None once no more can come."""
    _used: int | None = None
    _met: bool = False
    """Whether a front end has said that it is there: one that may let the person pick."""
    _offers: dict[str, Offer] = field(default_factory=dict[str, Offer])
    _pending: FrontEndPending = field(init=False)

    def __post_init__(self) -> None:
        self._pending = FrontEndPending(
            self.session.waiting, self.thread.conversation, self._say, lambda text: self._say(note(text))
        )

    async def run(self, stopped: asyncio.Future[int]) -> int:
        """Talk until ``/quit``, the end of the input, a broken output, or a signal; return the exit code."""
        self._greet()
        writing = asyncio.create_task(self._write())
        reading = asyncio.create_task(self._read())
        talking = asyncio.create_task(self._talk())
        try:
            await asyncio.wait({writing, talking, stopped}, return_when=asyncio.FIRST_COMPLETED)
            talking.cancel()
            await asyncio.wait({talking})
            await self.session.close(cut_short=was_cut_short(stopped))
            self.events.close()
            await asyncio.wait({writing, stopped}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({writing}, timeout=ENDING_SECONDS)
            return self._code(talking, writing, stopped)
        finally:
            for task in (talking, reading, writing):
                task.cancel()
            await asyncio.wait({talking, reading, writing})

    def _code(self, talking: asyncio.Task[None], writing: asyncio.Task[None], stopped: asyncio.Future[int]) -> int:
        if stopped.done():
            return stopped.result()
        try:
            writing.result()
            talking.result()
        except BrokenOutput as error:
            if error.quiet:
                return Exit.DONE  # the front end has gone, as at the end of its input
            tell(f"wisp: {error}")
            return Exit.FAILED
        return Exit.DONE

    def _greet(self) -> None:
        self._say(note(f"wisp {__version__} · {self.thread.conversation.directory}"))
        for sentence in self.session.repaired:
            self._say(note(sentence))

    async def _write(self) -> None:
        """Write the events as they come, and ``exit`` after the last. Raises BrokenOutput."""
        line = partial(
            line_of,
            session=self.thread.conversation.session,
            shown_lines=self.session.settings.display.shown_output_lines,
        )
        async for event in self.events:
            if isinstance(event, ContextFill):
                self._used = event.used
            elif isinstance(event, PendingChanged):
                self._pending.changed()
            elif (fields := line(event)) is not None:
                self._say(fields)
                await self.out.written()
        self._say({"type": "exit"})
        await self.out.written()

    async def _read(self) -> None:
        """Take every line from the front end as it comes; what ends a turn or answers one cannot wait for it."""
        async for line in read_lines(self.source):
            match read_line(line):
                case Message(text):
                    self._messages.put_nowait(text)
                case Cancel():
                    self.thread.cancel()
                case GivenAnswer(ident, decision):
                    await self._answer(ident, decision)
                case Choose() as choose:
                    await self._choose(choose)
                case Complete(ident, text, cursor):
                    start, candidates = completions(self.thread, text[: max(cursor, 0)])
                    self._say({"type": "completions", "id": ident, "from": start, "candidates": list(candidates)})
                case Hello() as hello:
                    await self._meet(hello)
                case None:
                    continue
        self.front_end.leave()
        self.thread.questions.leave()
        self._messages.put_nowait(None)

    async def _meet(self, hello: Hello) -> None:
        """Take what the front end says it carries, for all that is asked and shown from now on."""
        self._messages.put_nowait(hello)
        self._met = True
        self.front_end.answers = self.thread.questions.shown = "approve" in hello.effects
        if "notify" in hello.effects:
            self.thread.conversation.notifier = FrontEndNotifier(self._say)
        await self._pending.carry(hello.effects)

    async def _answer(self, ident: str, decision: str) -> None:
        if self._pending.shows(ident):
            await self._pending.answer(ident, decision)
            return
        waiting = self.thread.desk.waiting.get(ident)
        if waiting is None:
            return  # it was withdrawn meanwhile, and the front end was told
        offered = [answer.value for answer in waiting.answers]
        if decision not in offered or not self.thread.desk.answer(ident, Answer(decision)):
            self._say(note(f"{decision!r} is no answer to this approval; {', '.join(offered)} are"))

    async def _choose(self, choose: Choose) -> None:
        ident, value = choose.id, choose.value
        if self._pending.shows(ident):
            await self._pending.choose(ident, value)
        elif (question := self.thread.questions.waiting.get(ident)) is not None:
            self.thread.questions.answer(ident, None if value is None else chosen(question, value))
        elif (offer := self._offers.pop(ident, None)) is not None:
            values = choose.values if choose.values is not None else (value,) if value is not None else None
            if values is not None and (line := offer.line(values)) is not None:
                self._messages.put_nowait(line)

    async def _talk(self) -> None:
        """Take up the messages one after the other, until one is ``/quit`` or no more can come."""
        try:
            await self.thread.ready()
        except ModelError as error:
            self._say(note(str(error)))
        await self._offer()
        await self._want_input()
        while (said := await self._messages.get()) is not None:
            if isinstance(said, Hello):
                self._record(said)
                continue
            if not await self._take_up(said):
                return
            await self._want_input()

    async def _offer(self) -> None:
        """Say what was cut short and can be gone on with, or what had not been sent of what is gone on with."""
        held = self.thread.conversation
        lines: tuple[str, ...] = ()
        if held.cut_off is not None:
            lines = unsent_lines(held.cut_off.unsent)
        elif not held.carried_from:
            lines = (await asyncio.to_thread(offer, self.session.home)).lines(held.clock.now())
        for line in lines:
            self._say(note(line))

    def _record(self, hello: Hello) -> None:
        said: JsonObject = {"client": hello.client, "version": hello.version, "effects": sorted(hello.effects)}
        with suppress(AuditUnavailable):  # the bus says that the log cannot be written
            self.thread.conversation.write(Kind.HOST_HELLO, said)

    async def _take_up(self, text: str) -> bool:
        """Do what a message says; False when it ends the conversation."""
        if not text.strip():
            return True
        if command_line(text):
            return await self._command(text)
        if text.startswith(MARK):
            await self._typed(text)
            return True
        await self.thread.submit(text.removeprefix("/") if text.startswith("//") else text)
        return True

    async def _typed(self, text: str) -> None:
        """Run a command that the person typed."""
        line = typed_command(text)
        if line is None:
            self._say(output(NO_COMMAND))
            return
        try:
            await self.thread.run_typed(line)
        except AuditUnavailable as error:
            self._say(output(f"the command is not recorded: {error}"))

    async def _command(self, text: str) -> bool:
        """Run a slash command and write its answer after what it caused; False when it ends the conversation."""
        try:
            answer = await run_command_line(self.thread, text)
        except AuditUnavailable as error:
            answer = Answered((f"not done: {error}",), failed=True)
        await self.events.drained()
        for fields in answered(answer):
            self._say(fields)
        if answer.offer is not None and self._met:
            ident = secrets.token_hex(4)
            self._offers[ident] = answer.offer
            self._say(offered(ident, answer.offer))
        if answer.output is not None:
            await self._whole(answer.output)
        return answer.effect is not Effect.QUIT

    async def _whole(self, shown: ShownOutput) -> None:
        """Write a whole output, however long it is, at the front end's pace."""
        for place, line in enumerate(whole_lines(self.thread.conversation, shown)):
            self._say(output(line))
            if place % LINES_AT_ONCE == 0:
                await self.out.written()

    async def _want_input(self) -> None:
        """Say how things stand once all that happened is written: input is wanted."""
        held = self.thread.conversation
        git = await git_state(held.directory, held.environment)
        await self.events.drained()
        used = self._used if self._used is not None else held.next_context().tokens
        self._say(status(status_of(held, git, used)))

    def _say(self, fields: JsonObject) -> None:
        self.out.say(write_line(fields))
