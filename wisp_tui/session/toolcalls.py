"""One tool call of a turn: audited, run, its result audited and recorded. Every call gets a result (promise 6)."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from wisp_tui.context.record import CallPart, EntryKind, OutputPart
from wisp_tui.events import AuditEvent, Kind, ToolProgress
from wisp_tui.models import ToolCall
from wisp_tui.outputs import NoSuchOutput
from wisp_tui.session.activity import ActivityBoard
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.ran import Ran
from wisp_tui.session.remembering import ask_apart, past_of
from wisp_tui.session.status import told
from wisp_tui.text.clean import clean, clean_line, encodable
from wisp_tui.text.frames import REPEATED
from wisp_tui.text.ids import CallId, TurnNumber
from wisp_tui.text.json import Json, load_object
from wisp_tui.text.sizes import shorten
from wisp_tui.tools import Arguments, BadArguments, ToolContext, ToolOutput

CANCELLED = "error: cancelled: the person stopped the turn before this call was done"


@dataclass(slots=True)
class ToolCalls:
    """The calls of one turn, in order."""

    conversation: Conversation
    turn: TurnNumber
    activity: ActivityBoard
    ran: Ran = field(default_factory=Ran)
    new_id: Callable[[], str] = lambda: secrets.token_hex(4)
    _open: list[tuple[CallId, ToolCall, AuditEvent]] = field(default_factory=list[tuple[CallId, ToolCall, AuditEvent]])
    _seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    _begun: CallId | None = None
    """The call that was begun last."""

    def open(self, calls: list[ToolCall]) -> None:
        """Audit and record the calls of one reply, before any of them runs."""
        for call in calls:
            ident = CallId(self.new_id())
            arguments = encodable(call.arguments)
            event = self.conversation.write(
                Kind.TOOL_CALL,
                {"tool": clean_line(call.name), "arguments": arguments, "fault": call.fault},
                turn=self.turn,
                call=ident,
            )
            self.conversation.record.add(
                EntryKind.CALL,
                _sendable(arguments),
                turn=self.turn,
                time=self.conversation.clock.now(),
                sources=(event.id,),
                call=CallPart(ident, clean_line(call.name)),
            )
            self._open.append((ident, call, event))

    async def run(self) -> None:
        """Run the open calls, one after the other."""
        while self._open:
            ident, call, _ = self._open[0]
            self.activity.doing(f"{clean_line(call.name)} {summary(call.arguments)}".strip())
            started = self.conversation.clock.elapsed()
            self._begun = ident
            output = await self._output(ident, call)
            self._settle(output, self.conversation.clock.elapsed() - started)

    def cancel(self) -> None:
        """Give each call that has no result one that says it was cancelled."""
        while self._open:
            ident = self._open[0][0]
            begun = ident == self._begun
            self._settle(cancelled(self.conversation, ident, CANCELLED) if begun else not_run(CANCELLED), 0.0)

    def _settle(self, output: ToolOutput, seconds: float) -> None:
        """Audit and record the first open call's result; it is open no more."""
        ident, call, _ = self._open[0]
        name = clean_line(call.name)
        repeat = (name, call.arguments) in self._seen
        self._seen.add((name, call.arguments))
        text = f"{REPEATED}\n{output.text}" if repeat else output.text
        event = self.conversation.write(
            Kind.TOOL_RESULT,
            {
                "tool": name,
                "output": text,
                "ok": output.ok,
                "exitStatus": output.exit_status,
                "lines": output.lines,
                "bytes": output.bytes,
                "kept": output.kept,
                "repeat": repeat,
                "seconds": round(seconds, 3),
                **(output.details or {}),
            },
            turn=self.turn,
            call=ident,
        )
        tool = self.conversation.tools.get(name)
        self.conversation.record.add(
            EntryKind.OUTPUT,
            text,
            turn=self.turn,
            time=self.conversation.clock.now(),
            sources=(event.id,),
            output=OutputPart(
                call=ident,
                tool=name,
                ok=output.ok,
                lines=output.lines,
                bytes=output.bytes,
                reads_only=tool is not None and tool.spec.reads_only,
                exit_status=output.exit_status,
                kept=output.kept,
            ),
        )
        self._open.pop(0)
        details = output.details or {}
        denied, unrun = bool(details.get("denied")), bool(details.get("notRun"))
        self.ran.count(name, failed=not output.ok, denied=denied, not_run=unrun)

    async def _output(self, ident: CallId, call: ToolCall) -> ToolOutput:
        if call.fault is not None:
            return not_run(f"error: the call was not run: {call.fault}; make it again, whole")
        tool = self.conversation.tools.get(call.name)
        if tool is None:
            known = ", ".join(self.conversation.tools) or "none"
            return not_run(f"error: there is no tool {clean_line(call.name)!r:.80}; the tools are: {known}")
        try:
            arguments = Arguments(load_object(call.arguments or "{}"))
        except ValueError:
            return not_run("error: the call was not run: its arguments are not a JSON object; make it again")
        try:
            return await tool.run(arguments, self._context(ident))
        except BadArguments as error:
            return not_run(f"error: {clean(str(error))}")

    def _context(self, ident: CallId) -> ToolContext:
        held = self.conversation
        return ToolContext(
            session=held.session,
            turn=self.turn,
            call=ident,
            directory=held.directory,
            environment=held.environment,
            budget=held.budget,
            store=held.store,
            gate=held.gate,
            walls=held.walls,
            record=held.write,
            progress=lambda text, size: held.bus.publish(ToolProgress(held.session, ident, text, size)),
            memory=held.memory,
            person=held.person,
            notifier=held.notifier,
            status=partial(told, held),
            past=past_of(held),
            ask=partial(ask_apart, held),
        )


def cancelled(conversation: Conversation, call: CallId, text: str) -> ToolOutput:
    """Make the result of a cancelled call: what it printed until then is kept, and the person is told so."""
    store = conversation.store
    try:
        stored = store.find(call) if store is not None else None
    except NoSuchOutput:
        stored = None
    if stored is None:
        return failure(text)
    return replace(failure(f"{text}; what it printed until then is kept"), kept=True)


def not_run(text: str) -> ToolOutput:
    """Make the result of a call that never began to run; its audit event says so."""
    return replace(failure(text), details={"notRun": True})


def failure(text: str) -> ToolOutput:
    """Make the result of a call that could not be run to its end."""
    return ToolOutput(text, ok=False, lines=text.count("\n") + 1, bytes=len(text.encode("utf-8", "replace")))


def summary(arguments: str, limit: int = 100) -> str:
    """Write a call's arguments for one line: its values, the shortest form a person recognises it by."""
    try:
        values = load_object(arguments or "{}").values()
    except ValueError:
        return shorten(clean_line(arguments), limit)
    return shorten(clean_line(" ".join(_said(value) for value in values if value is not None)), limit)


def _said(value: Json) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _sendable(arguments: str) -> str:
    """Return arguments a later request can carry: servers refuse a past call whose arguments are no JSON object."""
    try:
        load_object(arguments)
    except ValueError:
        return "{}"
    return arguments
