"""One output stream of a running command: read on the event loop, a chunk at a time, until nobody holds it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Self

CHUNK = 256 * 1024
_LAST = 4 * 1024 * 1024
"""The most a last look reads at once: more than a pipe holds anywhere, so that a flood cannot keep it."""


def _enlarge(end: int) -> None:
    """Let a pipe hold more, where the system can: a flood of output then wakes the reader less often."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # past what one user's pipes may hold together, it stays as it is
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, CHUNK)


class Pipe:
    """A pipe whose ``write_end`` a command is given. ``ended`` is set once every process has let go of it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, sink: Callable[[bytes], None]) -> None:
        self._loop = loop
        self._sink: Callable[[bytes], None] | None = sink
        self.ended = asyncio.Event()
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        _enlarge(self.write_end)
        self.inode = os.fstat(self._read_end).st_ino
        self._open = {self._read_end, self.write_end}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Begin to read; the write end is the command's alone from here on."""
        self._close(self.write_end)
        self._loop.add_reader(self._read_end, self._read)

    def let_go(self) -> None:
        """Take what is there now, then read on only so that what was left running is not killed by a broken pipe."""
        taken = 0
        while not self.ended.is_set() and taken < _LAST and (size := self._read()):
            taken += size
        self._sink = None

    def close(self) -> None:
        """Stop reading and close both ends."""
        if self._read_end in self._open:
            self._loop.remove_reader(self._read_end)
        self._close(self._read_end)
        self._close(self.write_end)

    def _read(self) -> int:
        try:
            data = os.read(self._read_end, CHUNK)
        except BlockingIOError:
            return 0
        if self._sink is not None and data:
            self._sink(data)
        if not data:
            self.close()
            self.ended.set()
        return len(data)

    def _close(self, end: int) -> None:
        if end in self._open:
            self._open.discard(end)
            os.close(end)
