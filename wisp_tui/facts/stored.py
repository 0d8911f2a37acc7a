"""Facts and summaries as JSON: for a conversation's ``.store`` sidecar, and for ``facts.json``.

What is read back is what was written. Fields that this version does not know, and facts it cannot read, are kept as
they are and written again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast

from wisp_tui.facts.fact import Fact, FactState
from wisp_tui.facts.identity import FactId, Identity, Method, Scope, Source, SourceKind, Speaker, TemporalClass
from wisp_tui.facts.ledger import FactLedger, ledger_of
from wisp_tui.facts.summary import KEPT_VERSIONS, RunningSummary, Summaries
from wisp_tui.facts.values import one_line
from wisp_tui.text.ids import EntryId, EventId, ModelId, TurnNumber
from wisp_tui.text.json import Json, JsonObject

VERSION = 1


class BadStored(Exception):
    """Stored facts cannot be read at all; the message says why."""


# Facts --------------------------------------------------------------------------------------------------------------


def write_fact(fact: Fact) -> dict[str, Json]:
    """Write a fact. The names of its fields are those of the facts resources."""
    return {
        **fact.extra,
        "id": fact.id,
        "scope": fact.scope.value,
        "subject": fact.identity.subject,
        "name": fact.identity.name,
        "value": fact.value,
        "class": fact.temporal.value,
        **write_source(fact.source),
        "version": fact.version,
        "state": fact.state.value,
        "supersededBy": fact.superseded_by,
        "recorded": fact.recorded.isoformat(),
        "turn": fact.turn,
        "turns": list(fact.turns) if fact.turns is not None else None,
        "entries": list(fact.entries),
        "sources": list(fact.events),
        "approved": fact.approved,
    }


_FIELDS = frozenset(
    {"id", "scope", "subject", "name", "value", "class", "source", "tool", "method", "detail", "version", "state"}
    | {"supersededBy", "recorded", "turn", "turns", "entries", "sources", "approved"}
)


def read_fact(stored: JsonObject) -> Fact:
    """Read a fact. Its texts are made safe again: the file may have been edited. Raises ValueError."""
    scope = Scope(_text(stored, "scope"))
    ident = _text(stored, "id")
    if Scope.of(ident) is not scope:
        raise ValueError(f"{ident!r} is no id of the scope {scope}")
    turns = _numbers(stored, "turns")
    return Fact(
        id=FactId(ident),
        identity=Identity(scope, one_line(_text(stored, "subject")), one_line(_text(stored, "name", ""))),
        value=one_line(_text(stored, "value")),
        temporal=TemporalClass(_text(stored, "class", scope.temporal.value)),
        source=read_source(stored),
        version=_number(stored, "version") or 1,
        recorded=_time(stored),
        turn=_turn(_number(stored, "turn")),
        turns=(TurnNumber(turns[0]), TurnNumber(turns[1])) if len(turns) == 2 else None,
        entries=tuple(EntryId(entry) for entry in _numbers(stored, "entries")),
        events=tuple(EventId(event) for event in _texts(stored, "sources")),
        state=FactState(_text(stored, "state", FactState.CURRENT.value)),
        superseded_by=FactId(_text(stored, "supersededBy", "")) or None,
        approved=stored.get("approved") is True,
        extra={name: stored[name] for name in sorted(stored.keys() - _FIELDS)},
    )


def write_source(source: Source) -> dict[str, Json]:
    """Write a source: its kind, its tool, its method, and whose word it is said to be."""
    return {
        "source": source.kind.value,
        "tool": source.tool,
        "method": source.method.value if source.method is not None else None,
        "detail": source.speaker.value if source.speaker is not None else None,
    }


def read_source(stored: JsonObject) -> Source:
    """Read a source. Raises ValueError."""
    tool, method, detail = (_text(stored, name, "") for name in ("tool", "method", "detail"))
    return Source(
        SourceKind(_text(stored, "source")),
        tool=one_line(tool) or None,
        method=Method(method) if method else None,
        speaker=Speaker(detail) if detail else None,
    )


def write_ledger(ledger: FactLedger) -> dict[str, Json]:
    """Write a scope's facts, its history and what could not be read included."""
    facts: list[Json] = [write_fact(fact) for fact in ledger.facts.values()]
    return {"version": VERSION, "last": ledger.last, "facts": [*facts, *ledger.unread]}


def read_ledger(scope: Scope, stored: JsonObject) -> FactLedger:
    """Read a scope's facts. One that cannot be read is kept as it is. Raises BadStored where there is no list."""
    listed = stored.get("facts")
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise BadStored("it has no list of facts")
    facts: dict[FactId, Fact] = {}
    unread: list[JsonObject] = []
    for item in listed:
        if not isinstance(item, Mapping):
            raise BadStored(f"{item!r:.60} is no fact")
        fields = cast("JsonObject", item)
        try:
            fact = read_fact(fields)
        except ValueError:
            unread.append(fields)
            continue
        if fact.scope is scope and fact.id not in facts:
            facts[fact.id] = fact
        else:
            unread.append(fields)
    ordered = {fact.id: fact for fact in sorted(facts.values(), key=lambda fact: fact.number)}
    last = max((_number(stored, "last") or 0, *(fact.number for fact in ordered.values())))
    return ledger_of(scope, ordered, last, tuple(unread))


# Summaries ----------------------------------------------------------------------------------------------------------


def write_summary(summary: RunningSummary) -> dict[str, Json]:
    """Write one version of the running summary, under the field names of its resource."""
    return {
        "version": summary.version,
        "text": summary.text,
        "covered": summary.covered,
        "turns": list(summary.turns),
        "entries": list(summary.entries),
        "sources": list(summary.events),
        "through": summary.through,
        "recorded": summary.recorded.isoformat(),
        "turn": summary.turn,
        "model": summary.model,
    }


def read_summary(stored: JsonObject) -> RunningSummary:
    """Read one version of the running summary. Raises ValueError."""
    return RunningSummary(
        version=_number(stored, "version") or 1,
        text=one_line(_text(stored, "text")),
        covered=_number(stored, "covered") or 0,
        turns=tuple(TurnNumber(turn) for turn in _numbers(stored, "turns")),
        entries=tuple(EntryId(entry) for entry in _numbers(stored, "entries")),
        events=tuple(EventId(event) for event in _texts(stored, "sources")),
        through=EntryId(_number(stored, "through") or 0),
        recorded=_time(stored),
        turn=TurnNumber(_number(stored, "turn") or 0),
        model=ModelId(_text(stored, "model", "")),
    )


def write_summaries(summaries: Summaries) -> list[Json]:
    """Write the versions that are kept, oldest first."""
    return [write_summary(version) for version in summaries.versions]


def read_summaries(stored: Json) -> Summaries:
    """Read the versions that were kept. Raises BadStored."""
    if not isinstance(stored, Sequence) or isinstance(stored, str):
        raise BadStored("the summaries are no list")
    try:
        versions = tuple(read_summary(item) for item in stored if isinstance(item, Mapping))
    except ValueError as error:
        raise BadStored(f"a summary cannot be read: {error}") from error
    return Summaries(versions[-KEPT_VERSIONS:])


# Fields -------------------------------------------------------------------------------------------------------------


def _fault(name: str, wanted: str, value: Json) -> ValueError:
    return ValueError(f"{name} must be {wanted}, not {value!r:.60}")


def _text(stored: JsonObject, name: str, default: str | None = None) -> str:
    value = stored.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise _fault(name, "text", value)
    return value


def _number(stored: JsonObject, name: str) -> int | None:
    value = stored.get(name)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise _fault(name, "a whole number", value)


def _list(stored: JsonObject, name: str) -> Sequence[Json]:
    value = stored.get(name)
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise _fault(name, "a list", value)
    return value


def _numbers(stored: JsonObject, name: str) -> list[int]:
    return [item for item in _list(stored, name) if isinstance(item, int) and not isinstance(item, bool)]


def _texts(stored: JsonObject, name: str) -> list[str]:
    return [item for item in _list(stored, name) if isinstance(item, str)]


def _turn(number: int | None) -> TurnNumber | None:
    return TurnNumber(number) if number is not None else None


def _time(stored: JsonObject) -> datetime:
    """Read the time a thing was recorded, which carries its zone."""
    time = datetime.fromisoformat(_text(stored, "recorded"))
    if time.tzinfo is None:
        raise ValueError("recorded has no time zone")
    return time
