"""Walls that keep nothing out, for tests that are not about them: they cost no process and are there on any machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.sandbox import Found, NoSandbox, Reach, Sandbox, SharedSandbox, Walls, Wrapped


@dataclass(frozen=True, slots=True)
class PaperWalls:
    """A sandbox by its word alone: it says that it contains commands, and leaves them as they are."""

    @property
    def name(self) -> str:
        return "paper"

    @property
    def contains(self) -> bool:
        return True

    @property
    def has_scratch(self) -> bool:
        return False

    def wrap(self, argv: Sequence[str], directory: Path, environment: Mapping[str, str], reach: Reach) -> Wrapped:
        del directory, reach
        return Wrapped(tuple(argv), environment)


async def paper() -> Found:
    """Find a sandbox that is none."""
    return Found(PaperWalls(), "commands run in paper")


async def nothing() -> Found:
    """Find no sandbox."""
    return Found(NoSandbox(), "a test says so")


def walls(sandbox: Sandbox | None = None, reach: Reach | None = None) -> Walls:
    """The walls of a sandbox, of none unless one is given, with a reach that does not change."""
    found = Found(sandbox or NoSandbox(), "a test says so")

    async def find() -> Found:
        return found

    return Walls(SharedSandbox(find), lambda: reach or Reach(()))
