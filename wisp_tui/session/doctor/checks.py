"""What a check says."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from wisp_tui.text.json import Json, JsonObject


class State(StrEnum):
    """How serious what was found is."""

    OK = "ok"
    NOTE = "note"
    """Good to know; nothing is wrong."""
    WARNING = "warning"
    """It works, and not as well or as safely as it could."""
    FAULT = "fault"
    """Something cannot work."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: ``said`` in a sentence, ``remedy`` what to do, ``lines`` what else was seen."""

    name: str
    state: State
    said: str
    remedy: str = ""
    lines: tuple[str, ...] = ()
    details: JsonObject = field(default_factory=dict[str, Json])
    """The same for programs: sizes in bytes, windows in tokens."""

    @property
    def fields(self) -> JsonObject:
        """The check as ``wisp doctor --json`` writes it."""
        return {
            "name": self.name,
            "state": self.state.value,
            "said": self.said,
            "remedy": self.remedy or None,
            "details": self.details,
        }
