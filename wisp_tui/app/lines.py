"""The lines of an output that may be large: found in the file as they are needed, never all in memory."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from wisp_tui.text.clean import clean, last_frames

INDEXED = 256 * 1024
"""Bytes searched for line ends at a time."""
LONGEST = 4096
"""Bytes of a line that are shown: longer ones are clipped in the view."""


class Lines(Protocol):
    """Lines by number, from 0. ``count`` grows until ``whole``."""

    @property
    def count(self) -> int:
        """How many lines are known."""
        ...

    @property
    def whole(self) -> bool:
        """Whether all lines are known."""
        ...

    def line(self, number: int) -> str:
        """Give a line, clean; empty beyond the last."""
        ...

    def index(self) -> bool:
        """Look for more lines; False when all are known."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class TextLines:
    """The lines of a text that is in memory."""

    def __init__(self, text: str) -> None:
        self._lines = clean(text).removesuffix("\n").split("\n")

    @property
    def count(self) -> int:
        """All lines."""
        return len(self._lines)

    @property
    def whole(self) -> bool:
        """Always."""
        return True

    def line(self, number: int) -> str:
        """Give a line."""
        return self._lines[number] if 0 <= number < len(self._lines) else ""

    def index(self) -> bool:
        """Nothing is left to find."""
        return False

    def close(self) -> None:
        """Nothing is held open."""


class FileLines:
    """The lines of a file, mapped into memory and indexed piece by piece. Raises OSError when it cannot be read."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        size = path.stat().st_size
        self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ) if size else None
        self._size = size
        self._starts = [0] if size else []
        self._searched = 0
        self.index()

    @property
    def count(self) -> int:
        """How many lines are known."""
        return len(self._starts)

    @property
    def whole(self) -> bool:
        """Whether all lines are known."""
        return self._searched >= self._size

    def index(self) -> bool:
        """Look for line ends in the next piece."""
        if self._map is None or self.whole:
            return False
        end = min(self._searched + INDEXED, self._size)
        self._starts.extend(_starts(self._map[self._searched : end], self._searched))
        if end == self._size and self._starts[-1] == self._size:
            self._starts.pop()  # the file ends with a newline: no line follows it
        self._searched = end
        return True

    def line(self, number: int) -> str:
        """Give a line, clipped where it is very long."""
        if self._map is None or not 0 <= number < len(self._starts):
            return ""
        start = self._starts[number]
        end = self._starts[number + 1] - 1 if number + 1 < len(self._starts) else self._size
        data = self._map[start : min(end, start + LONGEST)]
        text = clean(last_frames(data.decode("utf-8", "replace").rstrip("\r\n")))
        return f"{text}…" if end > start + LONGEST else text

    def close(self) -> None:
        """Let go of the file."""
        if self._map is not None:
            self._map.close()
            self._map = None
        self._file.close()


def _starts(data: bytes, offset: int) -> Iterator[int]:
    place = data.find(b"\n")
    while place >= 0:
        yield offset + place + 1
        place = data.find(b"\n", place + 1)
