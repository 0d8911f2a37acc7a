"""What was found in one command so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from wisp_tui.approval.verdict import Finding


@dataclass(slots=True)
class Seen:
    """What was found in one command. ``places``: where it may run; none when that is not known."""

    places: tuple[Path, ...]
    findings: list[Finding] = field(default_factory=list[Finding])
    forms: list[tuple[str, ...]] = field(default_factory=list["tuple[str, ...]"])
    """The commands it comes to, wrapper by wrapper, as words."""
    nested: int = 0
    """How many times it gives code to a shell."""
    local: bool = False
    """It runs what is in its directory."""
    reads_input: bool = False
    """What it does depends on its input."""

    def add(self, finding: Finding) -> None:
        """Add a finding."""
        self.findings.append(finding)
