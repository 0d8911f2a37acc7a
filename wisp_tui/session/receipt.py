"""What a turn came to, gathered from its events as they happen: its reply, its calls, what was refused, what it cost.

For faces that answer once a turn is over. Nothing here is taken from what the reply says of itself (MCP.md, "respond").
"""

from __future__ import annotations

from dataclasses import dataclass, field

from wisp_tui.events import AuditEvent, Kind, TurnEnded
from wisp_tui.events.bus import Event
from wisp_tui.session.condensations import Condensations
from wisp_tui.text.clean import clean_line
from wisp_tui.text.ids import CallId, EventId, SessionId, TurnNumber
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import shorten

REASON_CHARACTERS = 300
"""The most of a failure's words that a receipt repeats."""


@dataclass(slots=True)
class CallMade:
    """A call of the turn. ``bytes`` is the size of its whole output, of which ``output`` is what the model was shown.

    ``result`` is the event of its result, None while it has none.
    """

    id: CallId
    tool: str
    arguments: str
    result: EventId | None = None
    output: str = ""
    bytes: int = 0
    whole: bool = True
    """Whether ``output`` is all of it."""
    seconds: float = 0.0
    ok: bool = True
    command: str | None = None
    exit_status: int | None = None
    timed_out: bool = False

    @property
    def error(self) -> str | None:
        """Why it failed, in a line; None for one that did not, and for a command, whose exit status says it."""
        if self.ok or self.exit_status is not None:
            return None
        return shorten(clean_line(self.output.partition("\n")[0]), REASON_CHARACTERS)


@dataclass(frozen=True, slots=True)
class FileWritten:
    """A file that the turn wrote. ``mode`` is ``create`` or ``edit``; ``bytes`` its size afterwards."""

    path: str
    mode: str
    bytes: int

    @property
    def created(self) -> bool:
        """Whether there was no such file before."""
        return self.mode == "create"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command, or another act, that was not done, and why."""

    command: str
    reason: str


@dataclass(slots=True)
class Used:
    """Tokens of all the turn's requests together; None where the runtime never said."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None

    def add(self, reported: JsonObject) -> None:
        """Add what one request reported."""
        for name in ("input", "output", "cached", "reasoning"):
            value = reported.get(name)
            if isinstance(value, int):
                setattr(self, name, (getattr(self, name) or 0) + value)


@dataclass(slots=True)
class Receipt:
    """One turn of one conversation. ``see`` takes every event of the bus; those of others are passed over."""

    session: SessionId
    turn: TurnNumber | None = None
    replies: list[str] = field(default_factory=list[str])
    calls: dict[CallId, CallMade] = field(default_factory=dict[CallId, CallMade])
    files: list[FileWritten] = field(default_factory=list[FileWritten])
    refusals: list[Refusal] = field(default_factory=list[Refusal])
    approvals: int = 0
    """Answers of the person, given now or before, that let something run."""
    errors: list[str] = field(default_factory=list[str])
    notifications: list[JsonObject] = field(default_factory=list[JsonObject])
    used: Used = field(default_factory=Used)
    ended: TurnEnded | None = None
    _condensations: Condensations = field(default_factory=Condensations)

    @property
    def text(self) -> str:
        """The reply: what was said before a call and after it, in order."""
        return "\n".join(self.replies)

    @property
    def last_reply(self) -> str:
        """What the last request answered."""
        return self.replies[-1] if self.replies else ""

    @property
    def condensed(self) -> str | None:
        """What condensing the context did during the turn, with the figures; None when it was not condensed."""
        return "; ".join(each.line for each in self._condensations.all) or None

    @property
    def unknown_entries(self) -> tuple[int, ...]:
        """The entries that the reply cites and the record does not hold."""
        cited = self.ended.cited if self.ended is not None else ()
        return tuple(int(name.removeprefix("entry ")) for name in cited)

    def see(self, event: Event) -> None:
        """Take an event in."""
        if getattr(event, "session", self.session) != self.session:
            return
        self._condensations.take(event)
        match event:
            case AuditEvent():
                self._record(event)
            case TurnEnded():
                self.ended, self.turn = event, event.turn
            case _:
                pass

    def _record(self, event: AuditEvent) -> None:
        details = event.details
        match event.kind:
            case Kind.TOOL_CALL | Kind.TOOL_RESULT:
                self._called(event)
            case Kind.RESPONSE:
                self._replied(details)
            case Kind.FILE_WRITE:
                created = details.get("bytesBefore") is None
                size = details.get("bytesAfter")
                self.files.append(
                    FileWritten(_text(details, "path"), "create" if created else "edit", _whole(size) or 0)
                )
            case Kind.APPROVAL_DECIDED | Kind.POLICY_DECISION:
                self._decided(event.kind, details)
            case Kind.ERROR:
                self.errors.append(_text(details, "message"))
            case Kind.NOTIFICATION:
                self.notifications.append({**details, "time": event.time})
            case _:
                pass

    def _called(self, event: AuditEvent) -> None:
        details = event.details
        if event.call is None:
            return
        if event.kind == Kind.TOOL_CALL:
            self.calls[event.call] = CallMade(event.call, _text(details, "tool"), _text(details, "arguments"))
            return
        made = self.calls.get(event.call)
        if made is None:
            return
        seconds, command = details.get("seconds"), details.get("command")
        made.result, made.output = event.id, _text(details, "output")
        made.bytes, made.whole = _whole(details.get("bytes")) or 0, details.get("kept") is not True
        made.seconds = float(seconds) if isinstance(seconds, int | float) else 0.0
        made.ok, made.exit_status = details.get("ok") is not False, _whole(details.get("exitStatus"))
        made.command = command if isinstance(command, str) else None
        made.timed_out = details.get("timedOut") is True

    def _replied(self, details: JsonObject) -> None:
        if text := _text(details, "text"):
            self.replies.append(text)
        usage = details.get("usage")
        if isinstance(usage, dict):
            self.used.add(usage)

    def _decided(self, kind: str, details: JsonObject) -> None:
        decision, command = details.get("decision"), _text(details, "command")
        if kind == Kind.POLICY_DECISION:
            if decision == "deny":
                self.refusals.append(Refusal(command, f"commandPolicy denies {_text(details, 'pattern')}"))
        elif decision == "no":
            self.refusals.append(Refusal(command, _text(details, "by")))
        else:
            self.approvals += 1


def _text(details: JsonObject, name: str) -> str:
    value = details.get(name)
    return value if isinstance(value, str) else ""


def _whole(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
