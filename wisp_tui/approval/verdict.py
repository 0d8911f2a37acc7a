"""What judging a line comes to: its parts, each with its level and reasons. Values only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wisp_tui.approval.base import Level
from wisp_tui.approval.patterns import Pattern

_ORDER = {Level.SAFE: 0, Level.MODERATE: 1, Level.DANGEROUS: 2}


def at_least(level: Level, threshold: Level) -> bool:
    """Whether a level is a threshold or above it."""
    return _ORDER[level] >= _ORDER[threshold]


def worst(levels: Iterable[Level]) -> Level:
    """The highest of some levels; safe when there are none."""
    return max(levels, key=_ORDER.__getitem__, default=Level.SAFE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a command does, and how bad that is."""

    level: Level
    reason: str


@dataclass(frozen=True, slots=True)
class Part:
    """A simple command of a line, with its assignments and redirections, judged on its own.

    ``directory`` is where it would run. ``forms`` are the commands it comes to, wrapper by wrapper, as words: what deny
    patterns are held against; the first is the command itself.
    """

    command: str
    level: Level
    reasons: tuple[str, ...]
    directory: str
    pattern: Pattern | None = None
    """What a standing approval of it would cover; None when it is more than its words, and none can be kept."""
    words: tuple[str, ...] = ()
    """The command's words, when it has a pattern."""
    context: str = ""
    """What else decides what it does, so that an approval of it holds only there: the line, or nothing."""
    local: bool = False
    """It runs what is in its directory, so an approval of it means nothing anywhere else."""
    forms: tuple[tuple[str, ...], ...] = ()
    session: str = ""
    """What an answer for the session covers, in words, where that is more than exactly this."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A line, judged. Its level is the worst of its parts'."""

    line: str
    parts: tuple[Part, ...]

    @property
    def level(self) -> Level:
        """The worst level of its parts."""
        return worst(part.level for part in self.parts)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons of the parts that have the line's level, each once."""
        level = self.level
        return tuple(dict.fromkeys(reason for part in self.parts if part.level is level for reason in part.reasons))


def summed(findings: Iterable[Finding]) -> tuple[Level, tuple[str, ...]]:
    """The worst level of some findings, and the reasons, those of the worst first, each once."""
    ordered = sorted(findings, key=lambda finding: -_ORDER[finding.level])
    level = ordered[0].level if ordered else Level.SAFE
    return level, tuple(dict.fromkeys(found.reason for found in ordered if found.level is not Level.SAFE))
