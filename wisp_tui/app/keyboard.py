"""How long the keyboard has been quiet: an approval takes no key that was meant for something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

QUIET_SECONDS = 0.5


@dataclass(slots=True)
class Keyboard:
    """Knows when keys were pressed. ``clock`` gives seconds; ``since`` is when a dialog came.

    A key counts from when it was pressed, not from when it is handled: a screen that was busy in between, with a dialog
    among what it drew, has not shown that dialog to who pressed it.
    """

    clock: Callable[[], float]
    _pressed: float = float("-inf")
    _before: float = float("-inf")

    def press(self, ago: float = 0.0) -> None:
        """Note that a key was pressed, so many seconds before it is handled."""
        self._before, self._pressed = self._pressed, self.clock() - ago

    def after(self, since: float) -> float:
        """Say how many seconds after a moment the key was pressed that is being handled."""
        return self._pressed - since

    def rested(self, since: float) -> bool:
        """Whether the keyboard was quiet long enough before the key that is being handled."""
        return self._pressed - max(self._before, since) >= QUIET_SECONDS

    def quiet_in(self, since: float) -> float:
        """Say in how many seconds it will have been quiet long enough; 0 when it is."""
        return max(max(self._pressed, since) + QUIET_SECONDS - self.clock(), 0.0)
