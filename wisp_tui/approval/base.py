"""The words of an approval: its levels, its answers, and who may give them (spec/TABLES.md, "Approval")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Level(StrEnum):
    """How much a command could do."""

    SAFE = "safe"
    MODERATE = "moderate"
    DANGEROUS = "dangerous"


class Answer(StrEnum):
    """A person's answer, and how far it reaches."""

    ONCE = "once"
    """The rest of this turn, in this directory."""
    SESSION = "session"
    PROJECT = "project"
    ALWAYS = "always"
    NO = "no"


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """What the person is asked about. ``line`` is the whole line that ``command`` is part of."""

    id: str
    command: str
    line: str
    directory: str
    level: Level
    reasons: tuple[str, ...]
    pattern: str | None = None
    """What an answer beyond this turn would cover; None when it covers this exact command alone, and the session."""
    answers: tuple[Answer, ...] = (Answer.ONCE, Answer.SESSION, Answer.NO)
    diff: str = ""
    """What an edit would change, as a unified diff; empty for what is no edit."""


@dataclass(frozen=True, slots=True)
class Permit:
    """Whether the act may go on, and the sentence that says why or why not.

    ``environment``: variables the command must be given in place of its own, so that it does what it was judged to do.
    ``level``: how it was judged, where it was; ``git``: a part that may change a repository's settings was let pass.
    """

    allowed: bool
    why: str
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    level: Level | None = None
    git: bool = False


class Asker(Protocol):
    """Whoever can put a request before the person: a face, or a rule that stands in for one (``--yes``)."""

    async def ask(self, request: ApprovalRequest) -> tuple[Answer, str]:
        """Wait for the answer; return it with who or what gave it. Silence is ``Answer.NO``."""
        ...
