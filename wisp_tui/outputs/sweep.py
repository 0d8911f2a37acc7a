"""Removing old outputs, a little at each start, and saying how much there is (spec, the same section)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.outputs.record import StoredOutput
from wisp_tui.outputs.store import is_call, is_session
from wisp_tui.text.ids import CallId, SessionId
from wisp_tui.text.json import JsonObject

MAX_SESSIONS = 16
MAX_SECONDS = 0.1
_DAY = 86_400
_PART = re.compile(r"\.[0-9a-f]{8}\.(?:\d+|json)\.part")


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep removed: sessions, files, bytes. ``more``: it stopped at its bound, the next one goes on."""

    sessions: int = 0
    files: int = 0
    bytes: int = 0
    more: bool = False
    faults: tuple[str, ...] = ()
    """A sentence for each session that could not be removed."""

    def plus(
        self, *, sessions: int = 0, files: int = 0, size: int = 0, more: bool = False, fault: str | None = None
    ) -> Swept:
        """Add to what was removed."""
        return Swept(
            self.sessions + sessions,
            self.files + files,
            self.bytes + size,
            self.more or more,
            (*self.faults, fault) if fault else self.faults,
        )

    @property
    def details(self) -> JsonObject:
        """The sweep as ``session.start`` carries it under ``outputSweep``."""
        return {
            "sessions": self.sessions,
            "files": self.files,
            "bytes": self.bytes,
            "more": self.more,
            "faults": list(self.faults),
        }


@dataclass(frozen=True, slots=True)
class StoreSize:
    """How much the store holds, and how much of it is due to be removed."""

    sessions: int = 0
    files: int = 0
    bytes: int = 0
    due_sessions: int = 0
    due_bytes: int = 0


def sweep(directory: Path, *, days: int, current: SessionId, now: float, elapsed: Callable[[], float]) -> Swept:
    """Remove the outputs of sessions last used over ``days`` days before ``now`` (seconds since the epoch).

    0 days remove none. At most 16 sessions and 100 ms by ``elapsed`` (seconds, monotonic), the longest unused first.
    The current session, and whatever there wisp did not write, is never touched. Raises nothing: what cannot be
    removed is among the faults.
    """
    swept = Swept()
    until = elapsed() + MAX_SECONDS
    oldest = now - days * _DAY
    try:
        found = sorted(_directories(directory), key=lambda one: one[1]) if days else []
    except OSError as error:
        return swept.plus(fault=f"{directory} cannot be read: {error.strerror or error}")
    for path, changed in found:
        if changed >= oldest:
            break  # a session was used no earlier than its directory was changed, so neither are those after it
        if path.name == current:
            continue
        if swept.sessions >= MAX_SESSIONS or elapsed() >= until:
            return swept.plus(more=True)
        try:
            swept = _swept(swept, path, oldest, lambda: elapsed() >= until)
        except OSError as error:
            swept = swept.plus(fault=f"{path} cannot be removed: {error.strerror or error}")
    return swept


def measure(directory: Path, *, days: int, now: float) -> StoreSize:
    """Add up what the store holds, and what was last used over ``days`` days ago (0: nothing is due).

    Raises OSError when it cannot be read.
    """
    size = StoreSize()
    for path, changed in _directories(directory):
        files = [status for entry, status in _files(path) if _has_our_name(entry.name)]
        used = max((changed, *(status.st_mtime for _, status in _files(path))))
        due = bool(days) and used < now - days * _DAY
        held = sum(status.st_size for status in files)
        if files:
            size = StoreSize(
                size.sessions + 1,
                size.files + len(files),
                size.bytes + held,
                size.due_sessions + due,
                size.due_bytes + held * due,
            )
    return size


def _swept(swept: Swept, path: Path, oldest: float, stop: Callable[[], bool]) -> Swept:
    """Remove a session last used before ``oldest``: wisp's files, and the directory when nothing else is in it.

    An output goes before the record that shows it is ours. Where it has to stop, the directory keeps the time of its
    last use, so that the next sweep goes on with it.
    """
    found = sorted(_files(path), key=lambda one: one[0].name)
    used = max((path.stat().st_mtime, *(status.st_mtime for _, status in found)))
    ours = [(Path(entry.path), status.st_size) for entry, status in found if _is_ours(path, entry)]
    if used >= oldest or not ours:
        return swept
    for file, size in ours:
        if stop():
            os.utime(path, (used, used))
            return swept.plus(more=True)
        file.unlink(missing_ok=True)
        swept = swept.plus(files=1, size=size)
    if not any(path.iterdir()):
        path.rmdir()
    return swept.plus(sessions=1)


def _directories(directory: Path) -> list[tuple[Path, float]]:
    """List the directories that can be a session's, and when each was last changed (seconds since the epoch)."""
    if not directory.exists():
        return []
    with os.scandir(directory) as entries:
        return [
            (Path(entry.path), entry.stat(follow_symlinks=False).st_mtime)
            for entry in entries
            if entry.is_dir(follow_symlinks=False) and is_session(entry.name)
        ]


def _files(path: Path) -> list[tuple[os.DirEntry[str], os.stat_result]]:
    with os.scandir(path) as entries:
        return [(entry, entry.stat(follow_symlinks=False)) for entry in entries]


def _has_our_name(name: str) -> bool:
    return is_call(name.removesuffix(".json")) or _PART.fullmatch(name) is not None


def _is_ours(directory: Path, entry: os.DirEntry[str]) -> bool:
    """Tell whether wisp wrote a file: part of an output, or an output or its record, by what the record says."""
    if not entry.is_file(follow_symlinks=False) or not _has_our_name(entry.name):
        return False
    if _PART.fullmatch(entry.name):
        return True
    call = CallId(entry.name.removesuffix(".json"))
    record = directory / f"{call}.json"
    try:
        StoredOutput.read(record.read_bytes(), directory / call, SessionId(directory.name), call)
    except (FileNotFoundError, ValueError):
        return False
    return True
