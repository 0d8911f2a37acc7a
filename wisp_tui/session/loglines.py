"""Events of the audit log in a line each, for whoever looks through it: when, where, what, and the gist of it."""

from __future__ import annotations

from collections.abc import Mapping

from wisp_tui.events import AuditEvent, Kind
from wisp_tui.session.lines import line_for
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import Json, JsonObject, dump
from wisp_tui.text.moments import local

SESSION = 8
"""Digits of a session's id that a line shows."""
_FIRST: Mapping[str, tuple[str, ...]] = {
    Kind.SESSION_START: ("directory", "resumed"),
    Kind.MODEL_RESOLVED: ("model", "why"),
    Kind.POLICY_DECISION: ("decision", "rule", "command"),
    Kind.APPROVAL_REQUESTED: ("level", "command"),
    Kind.APPROVAL_DECIDED: ("decision", "by"),
    Kind.APPROVAL_ANSWERED: ("decision", "by"),
    Kind.CONTEXT_CONDENSATION: ("reason", "fillBefore", "fillAfter", "steps"),
    Kind.CONTEXT_REFERENCE: ("entry", "tool", "tokens"),
    Kind.CONTEXT_CUT: ("reply", "output", "tokens"),
    Kind.CONTEXT_ASSESSMENT: ("method", "intent", "tools", "task", "facts", "missing", "failure"),
    Kind.REPLAY_START: ("replayed", "model"),
    Kind.REPLAY_TURN: ("alike", "prompt"),
    Kind.REPLAY_END: ("turns", "model"),
    Kind.CONFIG_CHANGE: ("setting", "before", "after", "weakens"),
    Kind.SESSION_END: ("turns",),
}
"""The details that tell the gist of an event, for the kinds that have more of them."""


def log_row(event: AuditEvent) -> tuple[str, str, str, str, str]:
    """Write an event as cells, each one line and clean: its time here, session, turn, kind, gist."""
    turn = f"t{event.turn}" if event.turn is not None else ""
    cells = (local(event.time), event.session[:SESSION], turn, event.kind, gist(event))
    time, session, turn, kind, said = map(clean_line, cells)
    return time, session, turn, kind, said


def gist(event: AuditEvent) -> str:
    """Say in one line what an event records; all its details, as JSON, for a kind that has no words of its own."""
    details = event.details
    text = details.get("text")
    if isinstance(text, str):
        return clean_line(text)
    if (line := line_for(event)) is not None:
        return line
    if event.kind == Kind.CONTEXT_COMPOSED:
        return f"request {_value(details.get('request'))} · about {_sum(details.get('tokens')):,} tokens"
    fact = details.get("fact")
    if isinstance(fact, Mapping):
        return _fact(fact)
    names = [name for name in _FIRST.get(event.kind, ()) if details.get(name) not in (None, "", [])]
    if names:
        return clean_line(" · ".join(f"{name} {_value(details[name])}" for name in names))
    return clean_line(dump(details).decode())


def _fact(fact: JsonObject) -> str:
    named = " ".join(str(fact.get(name)) for name in ("id", "subject", "name") if fact.get(name))
    return clean_line(f"{named} = {fact.get('value')}")


def _sum(sizes: Json) -> int:
    return sum(size for size in sizes.values() if isinstance(size, int)) if isinstance(sizes, Mapping) else 0


def _value(value: Json) -> str:
    return value if isinstance(value, str) else dump(value).decode()
