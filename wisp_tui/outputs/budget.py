"""How much of a tool's result the model is shown (spec "The tool-output budget, and the output store")."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wisp_tui.text.tokens import token_hundredths

FLOOR = 4 * 1024
CEILING = 64 * 1024
SHARE = 8
BYTES_A_TOKEN = 4
LINE_ABOVE = 128
"""Bytes kept free of a result for the one line that the turn may put above it (a call that repeats another)."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What text takes of a window: bytes of UTF-8 and hundredths of an estimated token. Costs of lines add up."""

    bytes: int
    hundredths: int

    @classmethod
    def of(cls, text: str) -> Cost:
        """Measure a text."""
        data = text.encode("utf-8", "replace")
        return cls(len(data), token_hundredths(data))

    @classmethod
    def for_bytes(cls, size: int) -> Cost:
        """Give the room of so many bytes at four bytes a token, to be used as a limit."""
        return cls(size, size // BYTES_A_TOKEN * 100)

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.bytes + other.bytes, self.hundredths + other.hundredths)

    def less(self, other: Cost) -> Cost:
        """Give the room that is left after ``other``, never below none."""
        return Cost(max(self.bytes - other.bytes, 0), max(self.hundredths - other.hundredths, 0))

    def share(self, part: int, whole: int) -> Cost:
        """Give the room's share of ``part`` in ``whole``, rounded down."""
        return Cost(self.bytes * part // whole, self.hundredths * part // whole)

    def within(self, room: Cost) -> bool:
        """Tell whether a text of this cost fits, by its bytes and by its tokens."""
        return self.bytes <= room.bytes and self.hundredths <= room.hundredths


def most(limit: int, cost: Callable[[int], Cost], room: Cost) -> int:
    """Find the largest number, at most ``limit``, whose cost is within the room; costs must grow with the number."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if cost(middle).within(room):
            low = middle
        else:
            high = middle - 1
    return low


def room_in(size: int) -> Cost:
    """Give what a tool may fill of so many bytes: the line that the turn may put above a result has its own room."""
    return Cost.for_bytes(max(size - LINE_ABOVE, 0))


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

    @property
    def whole(self) -> Cost:
        """The most a result may cost, every line around it included."""
        return Cost.for_bytes(self.bytes)

    @property
    def room(self) -> Cost:
        """What a tool may fill: the budget less the line that the turn may put above a result."""
        return room_in(self.bytes)

    def fits(self, text: str) -> bool:
        """Tell whether a result is within the budget, by its bytes and by its estimated tokens."""
        return Cost.of(text).within(self.whole)
