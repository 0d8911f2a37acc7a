"""What an act did to the facts, as values: each is audited and shown by whoever performed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from wisp_tui.facts.fact import Fact
from wisp_tui.facts.identity import Topic


@dataclass(frozen=True, slots=True)
class Recorded:
    """A fact was recorded."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class Superseded:
    """A fact gave way to another; it stays as history."""

    fact: Fact
    by: Fact


@dataclass(frozen=True, slots=True)
class NothingNew:
    """What was said is already held, by this fact."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class ScopeChanged:
    """A fact was moved: ``old`` stays as history, ``fact`` is its copy in the new scope."""

    old: Fact
    fact: Fact


@dataclass(frozen=True, slots=True)
class Deleted:
    """The person deleted a fact; it stays as history."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class ConflictRaised:
    """Current facts of one topic disagree from here on. ``winner`` counts; ``others`` disagree with it."""

    topic: Topic
    winner: Fact
    others: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class ConflictResolved:
    """One topic's current facts agree again. ``winner`` is what is left, None when nothing is."""

    topic: Topic
    winner: Fact | None


Change: TypeAlias = Recorded | Superseded | NothingNew | ScopeChanged | Deleted | ConflictRaised | ConflictResolved
