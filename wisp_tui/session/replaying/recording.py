"""What was recorded of a saved conversation: its turns, and what the audit log still knows of how they went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from wisp_tui.audit.reader import read_events
from wisp_tui.context.record import Entry, EntryKind, ThreadRecord, turns_of
from wisp_tui.context.sidecar import Saved
from wisp_tui.events import AuditEvent, Kind
from wisp_tui.facts import BadStored, Summaries, read_summaries
from wisp_tui.session.replaying.comparing import Call, Context, Side
from wisp_tui.text.clean import clean, clean_line
from wisp_tui.text.ids import EventId, SessionId, TurnNumber
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import shorten

_Turn = tuple[SessionId, TurnNumber | None]


class NothingToReplay(Exception):
    """The conversation has no turn that was asked for; the message says which it has."""


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One turn by its place from 1. ``entries``: the commands typed before it, its prompt, and all up to the next."""

    number: int
    prompt: Entry
    entries: tuple[Entry, ...]
    side: Side


@dataclass(frozen=True, slots=True)
class Recording:
    """A saved conversation as it is replayed."""

    name: str
    instructions: tuple[Entry, ...]
    turns: tuple[RecordedTurn, ...]
    tools: tuple[str, ...] | None
    """The tools it had, by name; None where the audit log no longer says."""
    model: str | None
    """The model that answered last, None where the audit log no longer says."""
    summaries: Summaries = Summaries()


@dataclass(slots=True)
class _Heard:
    """What the audit log says of one turn."""

    began: str = ""
    ended: str = ""
    composed: tuple[int, JsonObject] | None = None
    """The first request that was not refused, and its place among all events."""
    requests: int = 0
    condensed: list[str] = field(default_factory=list[str])
    input: int | None = None
    output: int | None = None

    @property
    def seconds(self) -> float | None:
        try:
            return (datetime.fromisoformat(self.ended) - datetime.fromisoformat(self.began)).total_seconds()
        except ValueError:
            return None


@dataclass(slots=True)
class _Log:
    """The audit events of one conversation's sessions, gathered by turn."""

    turns: dict[_Turn, _Heard] = field(default_factory=dict[_Turn, _Heard])
    prompts: dict[EventId, _Turn] = field(default_factory=dict[EventId, _Turn])
    places: dict[EventId, int] = field(default_factory=dict[EventId, int])
    """Where each condensation stands among all events."""
    tools: tuple[str, ...] | None = None
    model: str | None = None

    def hear(self, place: int, event: AuditEvent) -> None:
        turn = (event.session, event.turn)
        heard = self.turns.setdefault(turn, _Heard())
        details = event.details
        match event.kind:
            case Kind.SESSION_START:
                named = details.get("tools")
                self.tools = _texts(named) if isinstance(named, list) else self.tools
            case Kind.MODEL_RESOLVED:
                self.model = str(details.get("model"))
            case Kind.PROMPT:
                self.prompts[event.id], heard.began = turn, event.time
            case Kind.RESPONSE:
                heard.ended = event.time
                usage = details.get("usage")
                if isinstance(usage, dict):
                    heard.input = _whole(usage.get("input"), heard.input)
                    heard.output = _added(heard.output, usage.get("output"))
            case Kind.CONTEXT_CONDENSATION:
                self.places[event.id] = place
                heard.condensed.append(condensed_words(details))
                if details.get("reason") == "overflow" and heard.requests == 1:
                    heard.composed = None  # it was refused
            case Kind.CONTEXT_COMPOSED:
                heard.composed = heard.composed or (place, details)
                heard.requests += 1
            case _:
                return


def read_recording(name: str, saved: Saved, logs: Path) -> Recording:
    """Read what is to be replayed. Raises NothingToReplay for a conversation without a turn."""
    log, sessions = _Log(), frozenset(saved.sessions)
    for place, event in enumerate(read_events(logs)):
        if event.session in sessions:
            log.hear(place, event)
    groups = turns_of(saved.record)
    if not groups:
        raise NothingToReplay(f"{name} has no turn to replay")
    prompts = [next(entry for entry in group if entry.kind is EntryKind.PROMPT) for group in groups]
    turns = tuple(
        RecordedTurn(number, prompt, tuple(group), _side(group, prompts[: number - 1], saved.record, log))
        for number, (prompt, group) in enumerate(zip(prompts, groups, strict=True), 1)
    )
    instructions = tuple(entry for entry in saved.record if entry.kind is EntryKind.INSTRUCTIONS)
    return Recording(name, instructions, turns, log.tools, log.model, _summaries(saved))


def _side(group: Sequence[Entry], earlier: Sequence[Entry], record: ThreadRecord, log: _Log) -> Side:
    """Read how a turn went; ``earlier`` are the prompts before its own."""
    prompt = next(entry for entry in group if entry.kind is EntryKind.PROMPT)
    turn = log.prompts.get(prompt.sources[0]) if prompt.sources else None
    heard = log.turns.get(turn, _Heard()) if turn is not None else _Heard()
    context = None
    if heard.composed is not None:
        place, details = heard.composed
        left = tuple(
            number
            for number, entry in enumerate(earlier, 1)
            if (by := record.state(entry.id).dropped_by) is not None and log.places.get(by, place) < place
        )
        context = Context(_counts(details.get("tokens")), left, "; ".join(heard.condensed))
    reply, calls = said(group)
    return Side(reply, calls, context, heard.seconds, heard.input, heard.output)


def said(entries: Sequence[Entry]) -> tuple[str, tuple[Call, ...]]:
    """Take the reply, clean, and the calls of a turn's entries."""
    reply = "\n".join(clean(entry.text) for entry in entries if entry.kind is EntryKind.REPLY).strip()
    calls = tuple(Call(clean_line(entry.call.tool), clean(entry.text)) for entry in entries if entry.call is not None)
    return reply, calls


def _summaries(saved: Saved) -> Summaries:
    try:
        return read_summaries(saved.more.get("summaries") or [])
    except BadStored:
        return Summaries()


def condensed_words(details: JsonObject) -> str:
    """Say of a ``context.condensation`` what was done: its steps, the fill before and after."""
    steps = ", ".join(_texts(details.get("steps")))
    before, after = details.get("fillBefore"), details.get("fillAfter")
    sizes = f": {before:,} → {after:,}" if isinstance(before, int) and isinstance(after, int) else ""
    return shorten(clean_line(f"{steps or 'condensed'}{sizes}"), 200)


def _counts(value: Json) -> Mapping[str, int]:
    found = value if isinstance(value, dict) else {}
    return {clean_line(name): size for name, size in found.items() if isinstance(size, int)}


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _whole(value: Json, else_: int | None) -> int | None:
    return value if isinstance(value, int) else else_


def _added(before: int | None, value: Json) -> int | None:
    return (before or 0) + value if isinstance(value, int) else before
