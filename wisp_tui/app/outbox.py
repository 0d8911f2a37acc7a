"""The messages that wait for the running turn to end, in the order in which they will be sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Outbox:
    """The queued messages. ``held``: the turn before was stopped or failed, so they wait for the person."""

    held: bool = False
    _texts: list[str] = field(default_factory=list[str])

    @property
    def texts(self) -> Sequence[str]:
        """What waits, the next to be sent first."""
        return tuple(self._texts)

    def add(self, text: str) -> None:
        """Queue a message."""
        self._texts.append(text)

    def next(self) -> str | None:
        """Take the message to send now; None when none waits or they are held."""
        return self._texts.pop(0) if self._texts and not self.held else None

    def take_back(self) -> str | None:
        """Take the last message back to be edited; None when none waits."""
        return self._texts.pop() if self._texts else None

    def hold(self) -> None:
        """Keep what waits until the person goes on."""
        self.held = bool(self._texts)

    def release(self) -> None:
        """Let what waits be sent."""
        self.held = False
