"""The tool that shows wisp itself: its settings, its state, what is approved, what was recorded, what a turn called."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from wisp_tui.approval import ApprovalStore
from wisp_tui.approval.listing import NONE, approval_remarks, approval_row
from wisp_tui.audit.reader import LogReading, read_events
from wisp_tui.config import Home, Settings
from wisp_tui.events import AuditEvent, Kind
from wisp_tui.text.clean import clean_line
from wisp_tui.text.ids import CallId
from wisp_tui.text.json import JsonObject, dump
from wisp_tui.text.sizes import count, shorten
from wisp_tui.tools.base import Arguments, BadArguments, ToolContext, ToolOutput, ToolSpec
from wisp_tui.tools.keeping import bound

WHATS = ("config", "status", "approvals", "audit", "calls")
LAST = 20
"""How many events are shown when the call does not say."""
MOST = 500
DETAILS = 240
"""Characters of an event's details that its line holds."""
ARGUMENTS = 160
ALL_SESSIONS = "all"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which events are asked for. No session is every one; no turn is every one."""

    session: str | None
    turn: int | None
    kind: str
    last: int

    def wants(self, event: AuditEvent) -> bool:
        return (
            (self.session is None or event.session.startswith(self.session))
            and (self.turn is None or event.turn == self.turn)
            and event.kind.startswith(self.kind)
        )


@dataclass(frozen=True, slots=True)
class Inspect:
    """``inspect``, over one home and the settings in force."""

    settings: Settings
    home: Home

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        return ToolSpec(
            name="inspect",
            description="Show wisp's own config, status, approvals, audit events, or the calls of a turn.",
            parameters={
                "type": "object",
                "properties": {
                    "what": {"type": "string", "enum": list(WHATS)},
                    "last": {"type": "integer", "description": "audit: how many events"},
                    "kind": {"type": "string", "description": "audit: such as tool.result"},
                    "session": {"type": "string", "description": f"audit: another's id, or {ALL_SESSIONS}"},
                    "turn": {"type": "integer"},
                },
                "required": ["what"],
            },
            reads_only=True,
            clause="wisp's own config, status, approvals, and audit",
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Write what is asked for. Raises BadArguments, AuditUnavailable."""
        match arguments.choice("what", WHATS):
            case "config":
                from wisp_tui.config.shown import setting_lines

                return bound("\n".join(map(clean_line, setting_lines(self.settings))), context)
            case "status":
                return bound("\n".join(f"{name}: {said}" for name, said in context.status().items()), context)
            case "approvals":
                return bound("\n".join(await asyncio.to_thread(self._approvals, context)), context)
            case what:
                if not self.settings.audit.enabled:
                    return bound("error: the audit log is off: nothing is recorded", context, ok=False)
                wanted = _wanted(arguments, context, calls=what == "calls")
                read = self._calls if what == "calls" else self._audit
                return bound("\n".join(await asyncio.to_thread(read, wanted)), context)

    def _approvals(self, context: ToolContext) -> list[str]:
        listing = ApprovalStore(self.home).list()
        lines = [" · ".join(approval_row(standing)) for standing in listing.approvals] or [NONE]
        lines += approval_remarks(listing)
        lines += [f"for this session: {what}, in {where}" for what, where in context.gate.session_answers]
        lines.append(f"asked from level {context.gate.rules.threshold.value} on")
        return [clean_line(line) for line in lines]

    def _audit(self, wanted: _Wanted) -> list[str]:
        """Write the latest events that are wanted, a line each, the oldest first."""
        reading = LogReading()
        found: deque[AuditEvent] = deque(maxlen=wanted.last)
        number = 0
        for event in filter(wanted.wants, read_events(self.home.logs, reading)):
            found.append(event)
            number += 1
        lines = [f"the last {len(found):,} of {count(number, 'event')}" if number else "no event is like that"]
        lines += map(_event_line, found)
        if reading.torn:
            lines.append(f"{count(reading.torn, 'line')} of the log could not be read")
        return lines

    def _calls(self, wanted: _Wanted) -> list[str]:
        """Write one line for each call of a turn: the tool, its arguments, its outcome."""
        calls: dict[CallId, tuple[str, str]] = {}
        outcomes: dict[CallId, str] = {}
        for event in filter(wanted.wants, read_events(self.home.logs)):
            if event.call is None:
                continue
            if event.kind == Kind.TOOL_CALL:
                calls[event.call] = _text(event.details, "tool"), _text(event.details, "arguments")
            elif event.kind == Kind.TOOL_RESULT:
                outcomes[event.call] = _outcome(event.details)
        lines = [f"turn {wanted.turn}: {count(len(calls), 'call')}"]
        lines += (
            f"{number}. {tool} {shorten(arguments, ARGUMENTS)} → {outcomes.get(call, 'no result yet')}"
            for number, (call, (tool, arguments)) in enumerate(calls.items(), 1)
        )
        return lines


def _wanted(arguments: Arguments, context: ToolContext, *, calls: bool) -> _Wanted:
    turn = arguments.whole("turn", 0, least=0) or None
    session: str | None = arguments.text("session", "") or context.session
    if calls:
        return _Wanted(context.session, turn or context.turn, "tool.", MOST)
    if session == ALL_SESSIONS:
        session = None
    elif not session.isalnum():
        raise BadArguments(f"session must be an id, or {ALL_SESSIONS}, not {session!r:.80}")
    last = min(arguments.whole("last", LAST, least=0) or LAST, MOST)
    return _Wanted(session, turn, arguments.text("kind", "").strip(), last)


def _event_line(event: AuditEvent) -> str:
    where = [f"turn {event.turn}"] if event.turn is not None else []
    where += [f"call {event.call}"] if event.call is not None else []
    details = shorten(clean_line(dump(event.details).decode()), DETAILS)
    return clean_line(" ".join([event.time, event.kind, *where])) + f": {details}"


def _outcome(details: JsonObject) -> str:
    if details.get("denied"):
        return "not allowed, not run"
    status = details.get("exitStatus")
    ended = f"exit status {status}" if isinstance(status, int) else "ok" if details.get("ok") else "failed"
    sizes = [
        count(size, noun)
        for name, noun in (("lines", "line"), ("bytes", "byte"))
        if isinstance(size := details.get(name), int)
    ]
    return ", ".join([ended, *sizes])


def _text(details: JsonObject, name: str) -> str:
    value = details.get(name)
    return clean_line(value) if isinstance(value, str) else ""
