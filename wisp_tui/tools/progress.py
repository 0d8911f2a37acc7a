"""What a running command shows of itself: its latest lines, at most ten times a second however much it prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from wisp_tui.outputs.captured import Capture, plain
from wisp_tui.text.sizes import shorten

SECONDS = 0.1
_BYTES = 2048
_LINES = 3
_WIDTH = 200


class Timer(Protocol):
    """Something that will be called, unless it is cancelled before."""

    def cancel(self) -> None:
        """Call it no more."""
        ...


class Scheduler(Protocol):
    """What of an event loop is needed here."""

    def time(self) -> float:
        """Return the loop's time, in seconds."""
        ...

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer:
        """Call a function after so many seconds."""
        ...


class Progress:
    """Reports the stream that printed last. What came within the tenth of a second is reported at its end."""

    def __init__(self, loop: Scheduler, report: Callable[[str, int], None]) -> None:
        self._loop = loop
        self._report = report
        self._next = loop.time()
        self._timer: Timer | None = None
        self._latest: Capture | None = None
        self._bytes = 0

    def printed(self, stream: Capture, size: int) -> None:
        """Note that a stream printed ``size`` bytes more."""
        self._latest = stream
        self._bytes += size
        if self._timer is None:
            wait = self._next - self._loop.time()
            if wait <= 0:
                self._now()
            else:
                self._timer = self._loop.call_later(wait, self._now)

    def close(self) -> None:
        """Report no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _now(self) -> None:
        self._timer = None
        self._next = self._loop.time() + SECONDS
        if self._latest is not None:
            self._report(latest_lines(self._latest.latest(_BYTES)), self._bytes)


def latest_lines(data: bytes) -> str:
    """Give the last lines of output that have something on them, clean and short."""
    lines = [line for line in plain(data).split("\n") if line.strip()]
    return "\n".join(shorten(line, _WIDTH) for line in lines[-_LINES:])
