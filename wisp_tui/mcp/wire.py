"""The standard streams as the protocol's wire: kept for it alone, and ended when the process is to end.

Whatever else the process or its children write to standard output goes to standard error, and whatever reads standard
input reads nothing, so the protocol stays clean. The SDK's own transport does that too, but its reading cannot be ended
while the client's end is open; this one can, and every end is then the same to the server: the input has ended.
"""

from __future__ import annotations

import io
import os
import re
import select
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
from anyio import AsyncFile

from wisp_tui.text.json import dump, load

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
LAST_WORDS_SECONDS = 1.0
"""How long what is written after the end may take."""


class Wire:
    """Whether the connection has ended: set once, seen by the threads that read and write."""

    def __init__(self) -> None:
        self._ended, self._end = os.pipe()

    @property
    def ended(self) -> int:
        """A descriptor that can be read once the connection has ended."""
        return self._ended

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return bool(_ready(self._ended, select.POLLIN, 0))

    def end(self) -> None:
        """End it: nothing more is read, and what is still written is written in a moment or not at all."""
        os.write(self._end, b".")

    def close(self) -> None:
        """Let go of the descriptors."""
        os.close(self._ended)
        os.close(self._end)


class _Source(io.RawIOBase):
    """Standard input, which ends when its writer is done or the wire has ended."""

    def __init__(self, file: int, wire: Wire) -> None:
        self._file, self._wire = file, wire

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        poll = select.poll()
        for file in (self._file, self._wire.ended):
            poll.register(file, select.POLLIN)
        ready = {file for file, _ in poll.poll()}
        if self._wire.ended in ready:
            return 0
        try:
            size = os.readv(self._file, [buffer])
        except OSError:
            size = 0  # a terminal that hung up
        if not size:
            self._wire.end()
        return size


class _Sink(io.RawIOBase):
    """Standard output. When nobody reads it any more the wire ends, and what is written is gone, as its reader is."""

    def __init__(self, file: int, wire: Wire) -> None:
        self._file, self._wire = file, wire
        self._unread = False

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        size = memoryview(data).nbytes
        while not self._unread and not _ready(self._file, select.POLLOUT, LAST_WORDS_SECONDS):
            self._unread = self._wire.over
        if self._unread:
            return size
        try:
            return os.write(self._file, memoryview(data)[: select.PIPE_BUF])
        except OSError:
            self._unread = True
            self._wire.end()
            return size


class _Messages(io.TextIOWrapper):
    """Messages line by line. Half of a character's escape, which some clients write, becomes U+FFFD.

    The SDK would pass over such a message, and its client wait for ever.
    """

    def readline(self, size: int = -1, /) -> str:
        line = super().readline(size)
        if _HALF.search(line) is None:
            return line
        try:
            return dump(load(line)).decode() + "\n"
        except ValueError:
            return line


def _ready(file: int, event: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(file, event)
    return bool(poll.poll(seconds * 1000))


@dataclass(frozen=True, slots=True)
class Streams:
    """The wire's two directions, as the SDK's transport takes them."""

    wire: Wire
    source: AsyncFile[str]
    sink: AsyncFile[str]


@contextmanager
def standard_streams() -> Generator[Streams]:
    """Take standard input and output for the protocol while the block runs."""
    wire = Wire()
    source, sink = os.dup(0), os.dup(1)  # not inherited by children
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        sys.stdout.flush()
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield Streams(
            wire,
            anyio.wrap_file(_Messages(io.BufferedReader(_Source(source, wire)), "utf-8", "replace")),
            anyio.wrap_file(io.TextIOWrapper(io.BufferedWriter(_Sink(sink, wire)), "utf-8")),
        )
    finally:
        sys.stdout.flush()  # what was printed meanwhile is not the protocol's
        os.dup2(source, 0)
        os.dup2(sink, 1)
        for file in (nothing, source, sink):
            os.close(file)
        wire.close()
