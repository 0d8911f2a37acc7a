"""What ``wisp chat --json`` writes for each event of its conversation (docs/chat-json.md, "Out")."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.events import (
    Activity,
    ApprovalWaiting,
    ApprovalWithdrawn,
    AuditEvent,
    AuditFault,
    Kind,
    Note,
    QuestionWaiting,
    QuestionWithdrawn,
    ReplyDelta,
    ReplyEnded,
    TurnEnded,
    TurnStarted,
)
from wisp_tui.events.bus import Event
from wisp_tui.session.commands import Answered, Offer, View
from wisp_tui.session.lines import fold, line_for
from wisp_tui.session.status import Status
from wisp_tui.text.ids import SessionId
from wisp_tui.text.json import JsonObject
from wisp_tui.text.sizes import cut_bytes

OUTPUT_BYTES = 16 * 1024
"""How much of an output an event carries."""
VIEWS = frozenset({"context", "turns", "facts", "summary", "thinking"})
"""The kinds of view that the protocol names (spec/CHAT-JSON.md, "view")."""


def line_of(event: Event, session: SessionId, shown_lines: int) -> JsonObject | None:
    """Write an event of a conversation as the object that goes out; None for one of another, or of no use to it.

    ``shown_lines`` is the setting after which an output folds.
    """
    if isinstance(event, AuditFault):
        return note(event.reason)
    if getattr(event, "session", session) != session:
        return None
    match event:
        case AuditEvent():
            fields = _audited(event, shown_lines)
        case TurnStarted() | ReplyDelta() | ReplyEnded() | TurnEnded():
            fields = _of_turn(event)
        case Activity():
            fields = _activity(event)
        case Note(text=text):
            fields = note(text)
        case ApprovalWaiting(id=ident, request=request):
            fields = {"type": "approval", **request, "id": ident}
        case ApprovalWithdrawn(id=ident) | QuestionWithdrawn(id=ident):
            fields = {"type": "withdrawn", "id": ident}
        case QuestionWaiting():
            fields = choice(event.id, event.text, event.choices)
        case _:
            fields = None
    return fields


def note(text: str) -> JsonObject:
    """Write a line for the person."""
    return {"type": "note", "text": text}


def output(text: str) -> JsonObject:
    """Write a whole line that a command prints."""
    return {"type": "output", "text": text}


def answered(answer: Answered) -> list[JsonObject]:
    """Write what a slash command answered: its lines, then its view; one that the protocol does not name as lines."""
    view = answer.view if answer.view is not None and answer.view.kind in VIEWS else None
    texts = answer.lines if view is not None or answer.view is None else (*answer.lines, answer.view.text)
    lines = [output(line) for text in texts for line in text.split("\n")]
    return [*lines, _view(view)] if view is not None else lines


def status(now: Status) -> JsonObject:
    """Write the status that says input is wanted."""
    return {
        "type": "status",
        "model": now.model,
        "directory": now.directory,
        "branch": now.git.branch,
        "added": now.git.added,
        "removed": now.git.removed,
        "approval": now.approval,
        "contextUsed": now.used,
        "window": now.window,
    }


def _view(view: View) -> JsonObject:
    turns = None if view.turns is None else [dict(turn) for turn in view.turns]
    return {"type": "view", "kind": view.kind, "turn": view.turn, "turns": turns, "text": view.text}


def _of_turn(event: TurnStarted | ReplyDelta | ReplyEnded | TurnEnded) -> JsonObject:
    match event:
        case TurnStarted(turn=turn):
            return {"type": "turn", "phase": "start", "turn": turn}
        case ReplyDelta(text=text):
            return {"type": "delta", "text": text}
        case ReplyEnded():
            return output("")
        case TurnEnded():
            return _ended(event)


def offered(ident: str, offer: Offer) -> JsonObject:
    """Write what may be chosen after a command's answer."""
    current = list(offer.current) if offer.toggles else next(iter(offer.current), None)
    asked = choice(ident, offer.title, offer.options)
    return {**asked, "current": current, "acceptsText": not offer.toggles, "toggles": offer.toggles}


def choice(ident: str, title: str, options: Sequence[str]) -> JsonObject:
    """Write a question that is answered with one of some options, or in words."""
    return {
        "type": "choice",
        "id": ident,
        "title": title,
        "options": list(options),
        "current": None,
        "acceptsText": True,
        "toggles": False,
    }


def _activity(event: Activity) -> JsonObject:
    return {
        "type": "activity",
        "doing": event.doing,
        "asking": event.asking,
        "turnSeconds": round(event.turn_seconds, 3),
        "thinking": event.thinking,
    }


def _ended(event: TurnEnded) -> JsonObject:
    return {
        "type": "turn",
        "phase": "end",
        "turn": event.turn,
        "seconds": round(event.seconds, 3),
        "outcome": event.outcome,
        "inputTokens": event.input_tokens,
        "outputTokens": event.output_tokens,
        "facts": list(event.facts),
        "ran": event.ran,
        "cited": list(event.cited),
    }


def _audited(event: AuditEvent, shown_lines: int) -> JsonObject:
    return {
        "type": "event",
        "kind": event.kind,
        "call": event.call,
        "turn": event.turn,
        "details": event.details,
        "text": line_for(event),
        "output": _output(event, shown_lines),
    }


def _output(event: AuditEvent, shown_lines: int) -> JsonObject | None:
    """Write the output that an event carries, cut to 16 KiB; None for an event that has none."""
    match event.kind:
        case Kind.TOOL_RESULT | Kind.COMMAND_TYPED:
            text, ident = event.details.get("output"), event.call or event.id
        case Kind.MODEL_REASONING:
            text, ident = event.details.get("text"), event.id
        case _:
            return None
    if not isinstance(text, str):
        return None
    shown = cut_bytes(text, OUTPUT_BYTES)
    folded = fold(shown, shown_lines)
    size = len(text.encode("utf-8", "replace"))
    lines, whole = _number(event, "lines", text.count("\n") + 1), _number(event, "bytes", size)
    return {
        "id": ident,
        "text": shown,
        "lines": lines,
        "bytes": whole,
        "truncated": len(shown) < len(text) or whole > size or event.details.get("kept") is True,
        "shownLines": folded.lines - folded.hidden_lines,
    }


def _number(event: AuditEvent, name: str, otherwise: int) -> int:
    value = event.details.get(name)
    return value if isinstance(value, int) else otherwise
