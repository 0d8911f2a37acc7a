"""One entry as JSON: its content, and its links (where it came from, what became of it). Field by field, no more."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from wisp_tui.context.record import CallPart, Cut, Entry, EntryKind, Origin, OutputPart, State
from wisp_tui.text.ids import CallId, EntryId, EventId, TurnNumber
from wisp_tui.text.json import Json, JsonObject

CONTENT = {"id", "kind", "text", "stopped", "call", "output"}
"""The fields of an entry's content."""
LINKS = {
    "id",
    "position",
    "kind",
    "origin",
    "turn",
    "active",
    "droppedBy",
    "droppedAt",
    "referencedAt",
    "sources",
    "cuts",
    "time",
    "entry",
}
"""The fields of an entry's links; ``entry`` is the content of a dropped one."""


def content_of(entry: Entry) -> JsonObject:
    """Write what an entry says; a field that does not apply is absent."""
    fields: dict[str, Json] = {"kind": entry.kind.value, "text": entry.text}
    if entry.stopped is not None:
        fields["stopped"] = entry.stopped
    if entry.call is not None:
        fields["call"] = {"id": entry.call.id, "tool": entry.call.tool}
    if (output := entry.output) is not None:
        fields["output"] = {
            "call": output.call,
            "tool": output.tool,
            "ok": output.ok,
            "lines": output.lines,
            "bytes": output.bytes,
            "readsOnly": output.reads_only,
            "exitStatus": output.exit_status,
            "kept": output.kept,
        }
    return fields


def links_of(entry: Entry, state: State) -> JsonObject:
    """Write where an entry came from and what became of it; what is unknown is absent."""
    fields: dict[str, Json] = {
        "position": entry.id,
        "kind": entry.kind.value,
        "origin": entry.origin.value,
        "turn": entry.turn,
        "active": state.active,
        "sources": list(entry.sources),
    }
    known: dict[str, Json] = {
        "droppedBy": state.dropped_by,
        "droppedAt": state.dropped_at,
        "referencedAt": state.referenced_at,
        "time": entry.time.isoformat() if entry.time is not None else None,
        "cuts": [_cut(cut) for cut in state.cuts] or None,
    }
    return fields | {name: value for name, value in known.items() if value is not None}


def _cut(cut: Cut) -> JsonObject:
    return {
        "segment": cut.segment,
        "start": cut.start,
        "end": cut.end,
        "output": cut.output,
        "tool": cut.tool,
        "words": cut.words,
    }


def entry_from(place: EntryId, links: JsonObject, content: JsonObject) -> Entry:
    """Read an entry as a resuming session has it. Raises ValueError, KeyError or TypeError when it is none."""
    origin = Origin(_text(links["origin"]))
    time = links.get("time")
    stopped = content.get("stopped")
    return Entry(
        id=place,
        kind=_kind(_text(links["kind"])),
        origin=Origin.CARRIED if origin is Origin.CARRIED else Origin.RESUMED,
        turn=TurnNumber(_whole(links["turn"])),
        text=_text(content["text"]),
        time=datetime.fromisoformat(_text(time)) if time is not None else None,
        sources=tuple(EventId(_text(source)) for source in _list(links["sources"])),
        call=_call(content.get("call")),
        output=_output(content.get("output")),
        stopped=_text(stopped) if stopped is not None else None,
    )


def state_from(links: JsonObject) -> State:
    """Read what became of an entry: all of it before the resuming session's first turn."""
    before = TurnNumber(0)
    dropped = links["active"] is not True
    by = links.get("droppedBy")
    return State(
        dropped_by=EventId(_text(by) if by is not None else "") if dropped else None,
        dropped_at=before if dropped else None,
        referenced_at=before if links.get("referencedAt") is not None else None,
        cuts=tuple(_read_cut(cut) for cut in _list(links.get("cuts", []))),
    )


def unknown_fields(fields: JsonObject, known: Collection[str]) -> JsonObject:
    """Return the fields that this version does not know."""
    return {name: value for name, value in fields.items() if name not in known}


def _kind(name: str) -> EntryKind:
    return next((kind for kind in EntryKind if kind.value == name), EntryKind.UNKNOWN)


def _call(value: Json) -> CallPart | None:
    if not isinstance(value, dict):
        return None
    return CallPart(CallId(_text(value["id"])), _text(value["tool"]))


def _output(value: Json) -> OutputPart | None:
    if not isinstance(value, dict):
        return None
    status = value.get("exitStatus")
    return OutputPart(
        call=CallId(_text(value["call"])),
        tool=_text(value["tool"]),
        ok=value["ok"] is True,
        lines=_whole(value["lines"]),
        bytes=_whole(value["bytes"]),
        reads_only=value["readsOnly"] is True,
        exit_status=_whole(status) if status is not None else None,
        kept=value.get("kept") is True,
    )


def _read_cut(value: Json) -> Cut:
    if not isinstance(value, dict):
        raise TypeError("not a cut")
    return Cut(
        start=_whole(value["start"]),
        end=_whole(value["end"]),
        output=EntryId(_whole(value["output"])),
        tool=_text(value["tool"]),
        words=_whole(value.get("words", 0)),
        segment=_whole(value.get("segment", 0)),
    )


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not text: {value!r:.40}")
    return value


def _whole(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"not a whole number: {value!r:.40}")
    return value


def _list(value: Json) -> Sequence[Json]:
    if not isinstance(value, list):
        raise TypeError(f"not a list: {value!r:.40}")
    return value
