"""Standard input and output of a process that must not block: each is served by a thread of its own.

Writing straight to a pipe that nobody reads would stop the event loop, and with it the model; setting the descriptor
non-blocking would set it so for every process that shares it, the person's shell among them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import AsyncIterator

_CHUNK = 65_536


class BrokenOutput(Exception):
    """Standard output cannot be written. ``quiet`` when whoever read it has gone: that needs no words."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"the output cannot be written: {error.strerror or error}")
        self.quiet = isinstance(error, BrokenPipeError | ConnectionResetError)


class Writer:
    """Writes bytes to a descriptor from a thread, in order. Made and used on one event loop.

    It writes to a duplicate until it is closed, so that a write that comes late never goes to another file.
    """

    def __init__(self, file: int) -> None:
        self._file = os.dup(file)
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[bytes | None] = deque()
        self._said = threading.Semaphore(0)
        self._unwritten = 0
        self._settled = asyncio.Event()
        self._settled.set()
        self._error: OSError | None = None
        threading.Thread(target=self._write, name="output", daemon=True).start()

    def say(self, data: bytes) -> None:
        """Have bytes written, without waiting for it."""
        self._unwritten += 1
        self._settled.clear()
        self._waiting.append(data)
        self._said.release()

    def close(self) -> None:
        """Let go of the descriptor once what was said is written. Nothing can be said after it."""
        self._waiting.append(None)
        self._said.release()

    async def written(self) -> None:
        """Wait until everything said so far is written. Raises BrokenOutput."""
        await self._settled.wait()
        if self._error is not None:
            raise BrokenOutput(self._error)

    def _write(self) -> None:
        while True:
            self._said.acquire()
            data = self._waiting.popleft()
            if data is None:
                os.close(self._file)
                return
            error: OSError | None = None
            if self._error is None:
                try:
                    _write_all(self._file, data)
                except OSError as fault:
                    error = fault
            with contextlib.suppress(RuntimeError):  # the loop has ended: the process is on its way out
                self._loop.call_soon_threadsafe(self._note, error)

    def _note(self, error: OSError | None) -> None:
        self._error = self._error or error
        self._unwritten -= 1
        if not self._unwritten:
            self._settled.set()


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


async def read_lines(file: int) -> AsyncIterator[bytes]:
    """Read lines from a descriptor as they come, without their ends; the last one needs none. Ends with the input.

    What is read is a duplicate: the thread may outlive the reading, and must never read another file of that number.
    """
    loop = asyncio.get_running_loop()
    source = os.dup(file)
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()

    def put(line: bytes | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits for the line
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        pieces: list[bytes] = []
        while chunk := _read(source):
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                put(b"".join((*pieces, end)))
                pieces.clear()
            pieces.append(rest)
        os.close(source)
        if any(pieces):
            put(b"".join(pieces))
        put(None)

    threading.Thread(target=read, name="input", daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line.removesuffix(b"\r")


def _read(file: int) -> bytes:
    try:
        return os.read(file, _CHUNK)
    except OSError:
        return b""  # a terminal that hung up: the input has ended
