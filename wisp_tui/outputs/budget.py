"""How much of a tool's result the model is shown (spec "The tool-output budget, and the output store")."""

from __future__ import annotations

FLOOR = 4 * 1024
CEILING = 64 * 1024
SHARE = 8
BYTES_A_TOKEN = 4


class ToolBudget:
    """One conversation's budget, shared by its tools and its agent, which writes the model's window to it."""

    def __init__(self, window: int | None = None) -> None:
        self.window = window

    @property
    def tokens(self) -> int:
        """An eighth of the window, in tokens; that of the floor while no window is known."""
        return self.bytes // BYTES_A_TOKEN

    @property
    def bytes(self) -> int:
        """An eighth of the window at four bytes a token, never below 4 KiB and never above 64 KiB."""
        if self.window is None:
            return FLOOR
        return min(max(self.window * BYTES_A_TOKEN // SHARE, FLOOR), CEILING)
