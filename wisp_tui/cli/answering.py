"""One turn of ``wisp respond`` as it runs: printed as it comes, checked against a schema, ended by a signal."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import tell
from wisp_tui.cli.patience import Patience
from wisp_tui.cli.signals import stop_signals
from wisp_tui.cli.streams import BrokenOutput, Writer
from wisp_tui.events import Activity, AuditEvent, Kind, Note, ReplyDelta, ReplyEnded, Subscription, TurnEnded
from wisp_tui.models import Capability, ModelUnavailable, Options
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.lines import line_for
from wisp_tui.text.json import JsonObject, load


async def answer(session: Session, opening: ThreadOptions, prompt: str, schema: JsonObject | None) -> int:
    """Run one turn over a session, close it, and return the exit code. Raises ModelUnavailable before the turn."""
    with session.bus.subscribe() as events, stop_signals() as stopped:
        try:
            thread = session.new_thread(opening)
            work = asyncio.create_task(_deliver(thread, prompt, schema, events))
            await asyncio.wait({work, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                work.cancel()
                await asyncio.wait({work})
            return stopped.result() if stopped.done() else work.result()
        finally:
            await session.close()


async def _deliver(thread: Thread, prompt: str, schema: JsonObject | None, events: Subscription) -> int:
    """Run the turn and print it; return the exit code once everything is written."""
    out = Writer(1)
    patience = Patience(_told) if os.isatty(2) else None
    printer = _Printer(out, held=schema is not None, patience=patience)
    turn = asyncio.create_task(_turn(thread, prompt, schema))
    printing = asyncio.create_task(printer.run(events))
    try:
        await asyncio.wait({turn, printing}, return_when=asyncio.FIRST_COMPLETED)
        events.close()
        await printing  # before the turn's own end only when the output broke, which ends the turn
        return await printer.conclude(turn.result(), schema)
    except BrokenOutput as error:
        if not error.quiet:
            tell(f"wisp: {error}")
        return Exit.FAILED
    finally:
        if patience is not None:
            patience.stop()
        turn.cancel()
        printing.cancel()
        await asyncio.wait({turn, printing})
        out.close()


async def _told(line: str) -> None:
    tell(line, dim=True)


async def _turn(thread: Thread, prompt: str, schema: JsonObject | None) -> TurnEnded:
    await thread.ready()
    resolved = thread.resolved
    if schema is not None and resolved is not None and Capability.SCHEMA not in resolved.capabilities:
        raise ModelUnavailable(f"{resolved.id} cannot be held to a schema", "choose another model with -m")
    return await thread.submit(prompt, Options(schema=schema))


@dataclass(slots=True)
class _Printer:
    """Prints a turn: the reply on standard output, or held until it was checked; the rest on standard error."""

    out: Writer
    held: bool
    patience: Patience | None = None
    """What says what takes long; None where no person looks."""
    reply: str = ""
    _line_open: bool = False

    async def run(self, events: Subscription) -> None:
        """Print every event until the subscription is closed. Raises BrokenOutput."""
        async for event in events:
            match event:
                case ReplyDelta(text=text):
                    self.reply += text
                    if self.patience is not None and not self.held:
                        self.patience.stop()
                    if not self.held:
                        self._say(text)
                case ReplyEnded():
                    if self._line_open:
                        self._say("\n")
                case Note(text=text):
                    tell(text, dim=True)
                case Activity() if self.patience is not None:
                    self.patience.take(event)
                case AuditEvent() if event.kind != Kind.ERROR and (line := line_for(event)):
                    tell(line, dim=True)
                case _:
                    continue
            await self.out.written()

    async def conclude(self, ended: TurnEnded, schema: JsonObject | None) -> int:
        """Say how the turn ended, print a reply that was held, and return the exit code. Raises BrokenOutput."""
        if ended.outcome != "ok":
            tell(f"wisp: {ended.message or 'the turn was cancelled'}")
            return Exit.FAILED
        if schema is not None:
            if fault := schema_fault(self.reply, schema):
                tell(f"wisp: {fault}; it was:\n{self.reply.strip()}")
                return Exit.FAILED
            self._say(self.reply.strip() + "\n")
            await self.out.written()
        return Exit.DONE

    def _say(self, text: str) -> None:
        self._line_open = not text.endswith("\n")
        self.out.say(text.encode("utf-8", "replace"))


def schema_fault(reply: str, schema: JsonObject) -> str | None:
    """Say why a reply does not hold its schema: it is no JSON, or lacks a key that the schema's top requires."""
    try:
        value = load(reply)
    except ValueError:
        return "the reply is not JSON"
    required = schema.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    if not names:
        return None
    if not isinstance(value, Mapping):
        return "the reply is not a JSON object"
    missing = [name for name in names if name not in value]
    return f"the reply lacks {', '.join(missing)}, which the schema requires" if missing else None
