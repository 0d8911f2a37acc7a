"""The proof that the person acts: without it nothing becomes permanent and nothing is deleted (promise 9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Via(StrEnum):
    """The face the person acted through."""

    CHAT = "chat"
    CLI = "cli"
    TUI = "tui"


@dataclass(frozen=True, slots=True)
class PersonAct:
    """What the person did at a face: a key pressed, a command typed. Only faces and the slash commands make one.

    The functions that delete a fact, make one permanent or write the shared store take it; a test reads the program's
    source to hold who makes one.
    """

    via: Via
