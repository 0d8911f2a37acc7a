"""Which process asks, told apart from a later one of the same number."""

from __future__ import annotations

import os
from dataclasses import dataclass

import psutil

from wisp_tui.facts.values import one_line
from wisp_tui.text.ids import SessionId, ThreadId
from wisp_tui.text.sizes import shorten

_NAME = 80
"""Characters of a name that is shown."""
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
        """The asker as the person reads it, on one line: ``git (editor)``, ``process 4711``. They name themselves."""
        named = shorten(one_line(self.thread or ""), _NAME) or f"process {self.pid}"
        client = shorten(one_line(self.client or ""), _NAME)
        return f"{named} ({client})" if client else named


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
