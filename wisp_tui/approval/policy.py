"""The person's own policy on commands (``commandPolicy``): what is never run, and what runs unasked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wisp_tui.approval.base import Level
from wisp_tui.approval.patterns import Pattern
from wisp_tui.approval.verdict import Part, Verdict


@dataclass(frozen=True, slots=True)
class CommandPolicy:
    """Patterns of commands. A denial also reaches what wrappers and shells within a command would run.

    An allowance covers a command as an approval would: its words and no more, and never a dangerous one.
    """

    deny: tuple[Pattern, ...] = ()
    allow: tuple[Pattern, ...] = ()

    @classmethod
    def read(cls, deny: Iterable[str], allow: Iterable[str]) -> CommandPolicy:
        """Read a policy as it is written. Raises BadPattern."""
        return cls(tuple(map(Pattern.read, deny)), tuple(map(Pattern.read, allow)))

    def denied(self, verdict: Verdict) -> tuple[Part, Pattern] | None:
        """Find a part of a line that is denied, and the pattern that does."""
        for part in verdict.parts:
            for pattern in self.deny:
                if any(pattern.touches(form) for form in part.forms):
                    return part, pattern
        return None

    def allows(self, part: Part) -> Pattern | None:
        """Find the pattern that lets a part run unasked."""
        if part.pattern is None or part.level is Level.DANGEROUS:
            return None
        return next((pattern for pattern in self.allow if pattern.covers(part.words)), None)
