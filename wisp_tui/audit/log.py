"""The writer of the audit log: whole lines, several processes in one home, rotation by size (promise 11)."""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from wisp_tui.events import AuditEvent, AuditFault, Bus
from wisp_tui.text.ids import CallId, EventId, SessionId, TurnNumber
from wisp_tui.text.json import JsonObject

CURRENT = "audit.jsonl"


class AuditUnavailable(Exception):
    """The log cannot be written; the message says why. Nothing that must be audited may go on."""


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


class AuditLog:
    """One process's writer of the log in ``directory``. Every event is on disk before it is published on the bus.

    An append holds a lock on the log's lock file, so that lines of several processes never mix and only one rotates.
    What is written survives the death of this process at any instant; it is not forced to the device.
    """

    def __init__(
        self,
        directory: Path,
        bus: Bus,
        *,
        version: str,
        max_bytes: int = 10 * 1024 * 1024,
        keep: int = 5,
        enabled: bool = True,
        now: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self.directory = directory
        self.enabled = enabled
        self._bus = bus
        self._version = version
        self._max_bytes = max_bytes
        self._keep = keep
        self._now = now
        self._new_id = new_id
        self._guard = threading.Lock()
        self._lock_file: int | None = None
        self._file: int | None = None

    def write(
        self,
        session: SessionId,
        kind: str,
        details: JsonObject,
        *,
        turn: TurnNumber | None = None,
        call: CallId | None = None,
        ident: EventId | None = None,
    ) -> AuditEvent:
        """Record an event, then publish it. Raises AuditUnavailable, after publishing AuditFault, when it cannot.

        ``ident`` is an id from ``next_id``, for an event that what it reports must refer to.
        """
        moment = self._now().astimezone(UTC)
        event = AuditEvent(
            id=self.next_id() if ident is None else ident,
            time=f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z",
            version=self._version,
            pid=os.getpid(),
            session=session,
            turn=turn,
            call=call,
            kind=kind,
            details=details,
        )
        if self.enabled:
            try:
                self._append(event.line())
            except OSError as error:
                self.close()  # so that the next write opens everything anew: the log may have been moved away
                reason = f"the audit log {self.directory / CURRENT} cannot be written: {error.strerror or error}"
                self._bus.publish(AuditFault(reason))
                raise AuditUnavailable(reason) from error
        self._bus.publish(event)
        return event

    def next_id(self) -> EventId:
        """Return the id of an event that will be written."""
        return EventId(self._new_id())

    def close(self) -> None:
        """Close the files. A later write opens them again."""
        with self._guard:
            self._close()

    def _close(self) -> None:
        for handle in (self._file, self._lock_file):
            if handle is not None:
                os.close(handle)
        self._file = self._lock_file = None

    def _append(self, line: bytes) -> None:
        with self._guard, self._locked():
            file = self._opened()
            size = os.fstat(file).st_size
            if size and size + len(line) > self._max_bytes:
                self._rotate()
                file = self._opened()
                size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                line = b"\n" + line  # another writer died in mid-line: its torn line stays on its own
            _write_all(file, line)

    @contextmanager
    def _locked(self) -> Generator[None]:
        if self._lock_file is None:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock_file = os.open(self.directory / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock_file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._lock_file, fcntl.LOCK_UN)

    def _opened(self) -> int:
        """Return the current file, opened anew when another process rotated it away."""
        path = self.directory / CURRENT
        if self._file is not None:
            try:
                same = os.path.samestat(os.fstat(self._file), path.stat())
            except FileNotFoundError:
                same = False
            if same:
                return self._file
            os.close(self._file)
            self._file = None
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._file

    def _rotate(self) -> None:
        """Move ``audit.jsonl`` to ``audit.1.jsonl``, that to ``audit.2.jsonl``, and so on; the oldest goes."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        for number in range(self._keep - 1, 0, -1):
            older = self.directory / (f"audit.{number - 1}.jsonl" if number > 1 else CURRENT)
            if older.exists():
                older.replace(self.directory / f"audit.{number}.jsonl")
        if self._keep == 1:
            (self.directory / CURRENT).unlink(missing_ok=True)
        surplus = self._keep  # what a larger ``keep`` of before has left
        while (left := self.directory / f"audit.{surplus}.jsonl").exists():
            left.unlink()
            surplus += 1


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
