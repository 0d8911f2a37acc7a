"""An output as it is captured: its first and last bytes in memory, all of it counted, the rest passed on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from wisp_tui.text.clean import clean, last_frames


def plain(data: bytes) -> str:
    """Read raw output as the model is shown it: UTF-8 with replacements, the last frame of each line, no controls.

    Lines stay one to one: line N of the text is line N of the bytes, split at newlines only.
    """
    return clean(last_frames(data.decode("utf-8", "replace")))


@dataclass(frozen=True, slots=True)
class Captured:
    """One stream's output: ``head`` and ``tail`` are its first and last raw bytes, the counts are of all of it."""

    head: bytes
    tail: bytes
    bytes: int
    newlines: int

    @classmethod
    def of(cls, data: bytes) -> Captured:
        """Capture bytes that are all there."""
        return cls(data, b"", len(data), data.count(b"\n"))

    @property
    def whole(self) -> bool:
        """Whether head and tail together are all of it."""
        return self.bytes == len(self.head) + len(self.tail)

    @property
    def ended(self) -> bool:
        """Whether its last line ends with a newline."""
        return (self.tail or self.head).endswith(b"\n")

    @property
    def lines(self) -> int:
        """How many lines there are; a last one without a newline counts."""
        return self.newlines + (self.bytes > 0 and not self.ended)


class Capture:
    """Takes an output as it arrives, at a memory of about twice ``keep`` bytes however long it gets.

    While it fits in ``keep`` bytes nothing is passed on; from then on every byte, from the first, goes to ``spill``
    with the newlines counted in it, since counting is most of what a flood of output costs.
    """

    def __init__(self, keep: int, spill: Callable[[bytes, int], None] | None = None) -> None:
        self._keep = keep
        self._spill = spill
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._newlines = 0
        self.bytes = 0
        self.spilled = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        before, newlines = self._newlines, data.count(b"\n")
        self.bytes += len(data)
        self._newlines += newlines
        if not self.spilled:
            if len(self._head) + len(data) <= self._keep:
                self._head += data
                return
            self.spilled = True
            self._pass_on(bytes(self._head), before)
        self._pass_on(data, newlines)
        free = self._keep - len(self._head)
        if free > 0:
            self._head += data[:free]
            data = data[free:]
        self._push(data)

    def captured(self) -> Captured:
        """Give what was captured so far."""
        tail = b"".join(self._tail)[-self._keep :]
        return Captured(bytes(self._head), tail, self.bytes, self._newlines)

    def latest(self, size: int) -> bytes:
        """Give the last bytes that arrived, at most ``size``."""
        last = self._tail[-1] if self._tail else b""
        if len(last) < size:
            last = b"".join(self._tail) if self._tail else bytes(self._head[-size:])
        return last[-size:]

    def _push(self, data: bytes) -> None:
        if not data:
            return
        self._tail.append(data)
        self._tail_bytes += len(data)
        while self._tail_bytes - len(self._tail[0]) >= self._keep:
            self._tail_bytes -= len(self._tail.popleft())

    def _pass_on(self, data: bytes, newlines: int) -> None:
        if self._spill is not None:
            self._spill(data, newlines)
