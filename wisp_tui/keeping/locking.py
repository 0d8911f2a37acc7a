"""A lock between processes, on a file of its own beside what it guards."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

WAIT_SECONDS = 5.0
_RETRY_SECONDS = 0.01


class Busy(Exception):
    """Another process holds a lock for longer than anybody should; the message names the file."""


@contextmanager
def locked(path: Path, *, wait: float = WAIT_SECONDS) -> Generator[None]:
    """Hold the lock on a file, created 0600 if need be. Blocks for at most ``wait`` seconds; raises Busy, OSError.

    The lock ends with the process, however it ends.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + wait
        while not _taken(handle):
            if time.monotonic() >= deadline:
                raise Busy(f"another process has held {path} for {wait:.0f} s; try again")
            time.sleep(_RETRY_SECONDS)
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
