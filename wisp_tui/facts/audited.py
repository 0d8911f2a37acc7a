"""What the audit records of a change, as values: the kind of event and its details."""

from __future__ import annotations

from typing import TypeAlias

from wisp_tui.events import Kind
from wisp_tui.facts.changes import (
    Change,
    ConflictRaised,
    ConflictResolved,
    Deleted,
    NothingNew,
    Recorded,
    ScopeChanged,
    Superseded,
)
from wisp_tui.facts.fact import Fact
from wisp_tui.facts.identity import Topic
from wisp_tui.facts.stored import write_fact
from wisp_tui.text.json import Json, JsonObject

Audited: TypeAlias = tuple[Kind, JsonObject]


def audited(change: Change) -> Audited | None:
    """Return the event that records a change; None for what changed nothing."""
    match change:
        case Recorded(fact):
            return Kind.FACT_RECORDED, {"fact": write_fact(fact)}
        case Superseded(fact, by):
            return Kind.FACT_SUPERSEDED, {"fact": write_fact(fact), "by": by.id, "value": by.value}
        case Deleted(fact):
            return Kind.FACT_DELETED, {"fact": write_fact(fact)}
        case ScopeChanged(old, fact):
            return Kind.FACT_SCOPE_CHANGED, {"from": old.id, "fromScope": old.scope.value, "fact": write_fact(fact)}
        case ConflictRaised(topic, winner, others):
            return Kind.FACT_CONFLICT_RAISED, _conflict(topic, winner, others)
        case ConflictResolved() | NothingNew():
            return _settled(change)


def _settled(change: ConflictResolved | NothingNew) -> Audited | None:
    if isinstance(change, NothingNew):
        return None
    return Kind.FACT_CONFLICT_RESOLVED, _conflict(change.topic, change.winner, ())


def _conflict(topic: Topic, winner: Fact | None, others: tuple[Fact, ...]) -> JsonObject:
    return {
        "subject": topic.subject,
        "name": topic.name,
        "winner": _side(winner) if winner is not None else None,
        "others": [_side(other) for other in others],
    }


def _side(fact: Fact) -> dict[str, Json]:
    return {"id": fact.id, "source": fact.source.kind.value, "value": fact.value}
