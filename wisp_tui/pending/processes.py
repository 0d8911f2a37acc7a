"""Which process asks, told apart from a later one of the same number."""

from __future__ import annotations

import os
from dataclasses import dataclass

import psutil

from wisp_tui.text.ids import SessionId, ThreadId

_SAME_START = 2.0
"""Seconds by which two readings of one process's start may differ."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks: a conversation, its audit session, the client it serves, and the process, with when it started."""

    session: SessionId
    thread: ThreadId | None
    client: str | None
    pid: int
    started: float

    @property
    def words(self) -> str:
        """The asker as the person reads it: ``git (editor)``, ``process 4711``."""
        named = self.thread or f"process {self.pid}"
        return f"{named} ({self.client})" if self.client else str(named)


def this_process(session: SessionId, thread: ThreadId | None = None, client: str | None = None) -> Asker:
    """Describe a conversation of this process as the one that asks."""
    pid = os.getpid()
    return Asker(session, thread, client, pid, psutil.Process(pid).create_time())


def is_alive(asker: Asker) -> bool:
    """Say whether the process that asked still runs. One that may not be looked at is taken to."""
    try:
        started = psutil.Process(asker.pid).create_time()
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True
    return abs(started - asker.started) <= _SAME_START
