"""How long the keyboard has been quiet: an approval takes no key that was meant for something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

QUIET_SECONDS = 0.5


@dataclass(slots=True)
class Keyboard:
    """Knows when a key was last pressed. ``clock`` gives seconds."""

    clock: Callable[[], float]
    _pressed: float = float("-inf")

    def press(self) -> None:
        """Note that a key was pressed."""
        self._pressed = self.clock()

    def quiet_in(self, since: float = float("-inf")) -> float:
        """Say in how many seconds it will have been quiet long enough, counted from ``since`` at the earliest."""
        return max(max(self._pressed, since) + QUIET_SECONDS - self.clock(), 0.0)
