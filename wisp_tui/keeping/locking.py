"""A lock between processes, on a file of its own beside what it guards."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

WAIT_SECONDS = 5.0
_RETRY_SECONDS = 0.01


class Busy(Exception):
    """Another process holds a lock for longer than anybody should; the message names the file."""


@contextmanager
def locked(path: Path, *, wait: float = WAIT_SECONDS) -> Generator[None]:
    """Hold the lock on a file, created 0600 if need be. Blocks for at most ``wait`` seconds; raises Busy, OSError.

    The lock ends with the process, however it ends.
    """
    with Hold.on(path, wait=wait):
        yield


class Hold:
    """A lock that is held until ``release``, or until the process ends, however it ends."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self._handle: int | None = handle

    @classmethod
    def on(cls, path: Path, *, wait: float = WAIT_SECONDS) -> Hold:
        """Take the lock on a file, created 0600 if need be. Blocks for at most ``wait`` seconds; raises Busy, OSError.

        The file is the one at the path when the lock is had: one that was removed meanwhile locks nothing.
        """
        deadline = time.monotonic() + wait
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                if _taken(handle, fcntl.LOCK_EX) and _is_at(handle, path):
                    return cls(path, handle)
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)
            if time.monotonic() >= deadline:
                raise Busy(f"another process has held {path} for {wait:.0f} s; try again")
            time.sleep(_RETRY_SECONDS)

    def __enter__(self) -> Hold:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def release(self, *, remove: bool = False) -> None:
        """Let go of the lock, and with ``remove`` of its file. A second call does nothing. Raises OSError."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        try:
            if remove:
                self.path.unlink(missing_ok=True)
        finally:
            os.close(handle)


def is_held(path: Path) -> bool:
    """Say whether a process holds the lock on a file; nobody does on one that is not there. Raises OSError.

    Looking never keeps anybody else who looks from seeing the same.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _taken(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def _taken(handle: int, how: int) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
