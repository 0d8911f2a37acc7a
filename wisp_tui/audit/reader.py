"""How the audit log is read: every event in order, or one by its id without decoding the rest."""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wisp_tui.events import AuditEvent
from wisp_tui.text.ids import EventId

_ID = re.compile(rb"[0-9a-f]{16}")


@dataclass(slots=True)
class LogReading:
    """What a reading passed over: lines that are not whole JSON objects (a process killed in mid-line leaves one)."""

    torn: int = 0


def log_files(directory: Path) -> list[Path]:
    """List the log's files, oldest first: ``audit.N.jsonl`` … ``audit.1.jsonl``, ``audit.jsonl``."""
    numbered = [
        (int(path.name.split(".")[1]), path)
        for path in directory.glob("audit.*.jsonl")
        if path.name.split(".")[1].isdigit()
    ]
    files = [path for _, path in sorted(numbered, reverse=True)]
    current = directory / "audit.jsonl"
    return [*files, current] if current.exists() else files


def read_events(directory: Path, reading: LogReading | None = None) -> Iterator[AuditEvent]:
    """Read every event, oldest first, counting torn lines in ``reading``. A line ends at a newline byte only.

    Every file is opened before the first is read, so that another process may rotate the log meanwhile.
    """
    with ExitStack() as opened:
        for file in opened_files(directory, opened):
            for line in file:
                if event := read_line(line, reading):
                    yield event


def opened_files(directory: Path, opened: ExitStack) -> list[BinaryIO]:
    """Open the log's files, oldest first, each closed with ``opened``.

    Newest first they are opened: a rotation then shows one twice, never none.
    """
    files: dict[int, BinaryIO] = {}
    paths = log_files(directory)
    for path in (*reversed(paths), directory / f"audit.{len(paths)}.jsonl"):  # the last is where a rotation moves to
        try:
            file = opened.enter_context(path.open("rb"))
        except FileNotFoundError:
            continue
        files.setdefault(os.fstat(file.fileno()).st_ino, file)
    return list(reversed(files.values()))


def find_event(directory: Path, wanted: EventId) -> AuditEvent | None:
    """Find an event by its id, newest file first, decoding only lines that hold the id.

    Returns None when no event has it: it was rotated out, or never was.
    """
    ident = wanted.encode("utf-8", "replace")
    if not _ID.fullmatch(ident):
        return None
    needle = b'"id":"%b"' % ident  # as every writer of ours writes it; text that quotes it has its quotes escaped
    with ExitStack() as opened:
        for file in reversed(opened_files(directory, opened)):
            if not os.fstat(file.fileno()).st_size:
                continue
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                if event := _find(data, needle, wanted):
                    return event
    return None


def _find(data: mmap.mmap, needle: bytes, wanted: EventId) -> AuditEvent | None:
    hit = data.find(needle)
    while hit >= 0:
        start, stop = data.rfind(b"\n", 0, hit) + 1, data.find(b"\n", hit)
        stop = stop if stop >= 0 else len(data)
        event = read_line(data[start:stop], None)
        if event is not None and event.id == wanted:
            return event
        hit = data.find(needle, stop)  # the line only mentions it
    return None


def read_line(line: bytes, reading: LogReading | None) -> AuditEvent | None:
    """Read a line; None for an empty one, and for one that is torn, which is counted."""
    if not line.strip():
        return None
    try:
        return AuditEvent.read(line)
    except ValueError:
        if reading is not None:
            reading.torn += 1
        return None
