"""A fact: a short versioned assertion, who made it, where it came from, what became of it (spec "Facts")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from operator import attrgetter

from wisp_tui.facts.identity import FactId, Identity, Scope, Source, SourceKind, TemporalClass, Topic
from wisp_tui.facts.values import folded
from wisp_tui.text.ids import EntryId, EventId, TurnNumber
from wisp_tui.text.json import Json


class FactState(StrEnum):
    """Whether a fact holds."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a source says, before it is a fact. ``value`` is one safe line.

    ``temporal`` is its kind's class. ``turns`` are the first and last turn it came from, None for none.
    """

    topic: Topic
    value: str
    temporal: TemporalClass
    source: Source
    entries: tuple[EntryId, ...] = ()
    events: tuple[EventId, ...] = ()
    turns: tuple[TurnNumber, TurnNumber] | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """What the person states, before it is a fact: by itself it has no standing, a ``PersonAct`` gives it theirs."""

    topic: Topic
    value: str
    temporal: TemporalClass


@dataclass(frozen=True)
class Fact:
    """One version of a fact. It changes only in its state; ``version`` counts its source's versions of its identity.

    ``entries`` and ``turns`` are of the conversation it came from. ``turn`` is the turn it was recorded in. What many
    facts are asked for again and again is worked out once.
    """

    id: FactId
    identity: Identity
    value: str
    temporal: TemporalClass
    source: Source
    version: int
    recorded: datetime
    turn: TurnNumber | None = None
    turns: tuple[TurnNumber, TurnNumber] | None = None
    entries: tuple[EntryId, ...] = ()
    events: tuple[EventId, ...] = ()
    state: FactState = FactState.CURRENT
    superseded_by: FactId | None = None
    approved: bool = False
    """Whether the person kept it: it then ranks with what they said."""
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Fields of a stored fact that this version does not know, kept as they were read."""

    @cached_property
    def topic(self) -> Topic:
        """What it is about, in whatever scope."""
        return self.identity.topic

    @property
    def scope(self) -> Scope:
        """Where it lives."""
        return self.identity.scope

    @property
    def current(self) -> bool:
        """Whether it holds."""
        return self.state is FactState.CURRENT

    @property
    def proposed(self) -> bool:
        """Whether it is of a permanent kind and waits in its conversation for the person to keep it."""
        return self.temporal is TemporalClass.PERMANENT and self.scope is not Scope.PERMANENT

    @cached_property
    def standing(self) -> SourceKind:
        """The source it stands under: the person for what they kept, else the one that asserted it.

        Only the person admits a fact to the shared store, so whatever is there stands as theirs.
        """
        return SourceKind.PERSON if self.approved or self.scope is Scope.PERMANENT else self.source.kind

    @property
    def number(self) -> int:
        """The number in its id."""
        return int(self.id[1:])

    @cached_property
    def says(self) -> str:
        """Its value as values are compared between sources."""
        return folded(self.value)

    @cached_property
    def precedence(self) -> tuple[int, datetime, int, str]:
        """What orders facts of one topic, the winner last: by rank, the newer on a tie. Never equal for two."""
        return (rank(self.standing), self.recorded, self.number, self.scope.value)


_RANKS = {SourceKind.PERSON: 2, SourceKind.CALLER: 2, SourceKind.TOOL: 1, SourceKind.MODEL: 0}


def rank(standing: SourceKind) -> int:
    """Return a standing's rank: the person and a caller, then a tool, then the model."""
    return _RANKS[standing]


def by_precedence(heads: Iterable[Fact]) -> tuple[Fact, ...]:
    """Order one topic's current facts, the winner last."""
    return tuple(sorted(heads, key=attrgetter("precedence")))


def disagree(heads: Sequence[Fact]) -> bool:
    """Say whether one topic's current facts are in conflict: their values differ in more than case and white space."""
    return len(heads) > 1 and len({fact.says for fact in heads}) > 1
