"""Writing an output to the store while it arrives: a part file a stream, made one file with its record at the end.

The file's layout: the bytes of stdout, then, when both streams printed something, a line ``stderr:`` and the bytes of
stderr. So the line numbers of stdout are those of the stream, and every number a note names is the stored file's.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path

from wisp_tui.outputs.record import MAX_BYTES, Section, StoredOutput
from wisp_tui.text.ids import CallId, SessionId
from wisp_tui.text.utf8 import character_edge

PART = ".part"
_BLOCK = 1024 * 1024
_EDGE = 64 * 1024
"""How far back a cut looks for a line's end."""
LEAST_SHARE = 5
"""A stream that must share gets at least a fifth."""


class Part:
    """One stream's bytes on their way to the store: at most ``limit`` are written, all are counted.

    A fault of the disk ends the writing, not the command: ``fault`` says it, and the output is then not kept.
    """

    def __init__(self, path: Path, name: str | None, limit: int = MAX_BYTES) -> None:
        self.path = path
        self.name = name
        self._limit = limit
        self.bytes = 0
        self.newlines = 0
        self.stored = 0
        self.fault: OSError | None = None
        self._file: int | None = None
        self._ended = True

    @property
    def lines(self) -> int:
        """How many lines there were; a last one without a newline counts."""
        return self.newlines + (not self._ended)

    def write(self, data: bytes, newlines: int | None = None) -> None:
        """Take the next bytes: all to the count, as many as the limit allows to the file.

        ``newlines`` is how many are in them, where the caller has counted them already.
        """
        if not data:
            return
        self.bytes += len(data)
        self.newlines += data.count(b"\n") if newlines is None else newlines
        self._ended = data.endswith(b"\n")
        if self.stored >= self._limit or self.fault is not None:
            return
        try:
            if self._file is None:
                for directory in (self.path.parent.parent, self.path.parent):
                    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._file = create(self.path)
            rest = memoryview(data)[: self._limit - self.stored]
            while rest:
                written = os.write(self._file, rest)
                self.stored += written
                rest = rest[written:]
        except OSError as error:
            self.fault = error

    def adopt(self) -> None:
        """Take what a process that died has left of this part. Raises OSError."""
        if self.path.is_file() and not self.path.is_symlink():
            self.bytes, lines, _ = _measured(self.path)
            self.stored, self.newlines = self.bytes, lines

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def remove(self) -> None:
        """Remove the file, where there is one under the part's name still."""
        self.close()
        if self.stored:
            with contextlib.suppress(OSError):  # on a disk that fails, the sweep has it
                self.path.unlink()


class Spill:
    """One call's output on its way to the store, where its file holds at most ``limit`` bytes."""

    def __init__(self, directory: Path, session: SessionId, call: CallId, limit: int = MAX_BYTES) -> None:
        self._limit = limit
        self._directory = directory
        self._session = session
        self._call = call
        self._parts: list[Part] = []

    def part(self, name: str | None) -> Part:
        """Open a part; parts stand in the file in the order in which they were opened."""
        part = Part(self._directory / f".{self._call}.{len(self._parts)}{PART}", name, self._limit)
        self._parts.append(part)
        return part

    def commit(self) -> StoredOutput | None:
        """Make the parts one file and write its record, last and at once; None when nothing was printed.

        Raises OSError when any of it could not be written; nothing is then left behind. Takes milliseconds at 16 MiB:
        call it off the event loop.
        """
        printed = [part for part in self._parts if part.bytes]
        try:
            for part in printed:
                part.close()
                if part.fault is not None:
                    raise part.fault
            return self._committed(printed) if printed else None
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove what is not committed."""
        for part in self._parts:
            part.remove()

    def _committed(self, parts: list[Part]) -> StoredOutput:
        sections = _joined(parts, self._limit)
        size, lines, sha256 = _measured(parts[0].path)
        path = self._directory / self._call
        of_bytes = sum(part.bytes for part in parts)
        stored = StoredOutput(
            session=self._session,
            call=self._call,
            path=path,
            bytes=size,
            lines=lines,
            sha256=sha256,
            cut=any(section.bytes < section.of_bytes for section in sections),
            of_bytes=size + of_bytes - sum(section.bytes for section in sections),
            of_lines=lines + sum(section.of_lines - section.lines for section in sections),
            sections=sections,
        )
        record = self._directory / f".{self._call}.json{PART}"
        try:
            with os.fdopen(create(record), "wb") as file:
                file.write(stored.line())
            parts[0].path.replace(path)
            record.replace(self._directory / f"{self._call}.json")
        finally:
            record.unlink(missing_ok=True)
        return stored


def salvage(directory: Path, session: SessionId, call: CallId) -> StoredOutput | None:
    """Store what a command had printed when the process that ran it died; None where nothing is left of it.

    ``directory`` is the session's. What it had printed and not written yet is lost. Raises OSError.
    """
    spill = Spill(directory, session, call)
    for name in ("stdout", "stderr"):
        spill.part(name).adopt()
    return spill.commit()


def create(path: Path) -> int:
    """Create a file that only its owner may read, from its first moment, in place of one of that name."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def shares(room: int, sizes: tuple[int, int]) -> tuple[int, int]:
    """Share room between two streams in proportion to their sizes, a fifth at least to each that has something.

    What one does not need goes to the other.
    """
    first, second = sizes
    if first + second <= room:
        return first, second
    least = room // LEAST_SHARE
    part = min(max(room * first // (first + second), least), room - least)
    if first <= part:
        return first, room - first
    if second <= room - part:
        return room - second, second
    return part, room - part


def _joined(parts: list[Part], limit: int) -> tuple[Section, ...]:
    """Append the second part to the first part's file under its heading, both within the limit together."""
    first = parts[0]
    if len(parts) == 1:
        return (_section(first, _cut_to(first, limit), first_line=1, first_byte=0),)
    second = parts[1]
    heading = f"{second.name}:\n".encode()
    room = shares(limit - len(heading) - 1, (first.bytes, second.bytes))
    upper = _section(first, _cut_to(first, room[0]), first_line=1, first_byte=0)
    size = _cut_to(second, room[1])
    with first.path.open("r+b") as target, second.path.open("rb") as source:
        target.seek(-1, os.SEEK_END)
        gap = b"" if target.read(1) == b"\n" else b"\n"
        target.write(gap + heading)
        shutil.copyfileobj(source, target, _BLOCK)
    lower = _section(second, size, first_line=upper.lines + 2, first_byte=upper.bytes + len(gap) + len(heading))
    return upper, lower


def _section(part: Part, size: tuple[int, int], *, first_line: int, first_byte: int) -> Section:
    return Section(
        name=part.name,
        first_line=first_line,
        first_byte=first_byte,
        bytes=size[0],
        lines=size[1],
        of_bytes=part.bytes,
        of_lines=part.lines,
    )


def _cut_to(part: Part, limit: int) -> tuple[int, int]:
    """Cut a part's file to at most ``limit`` bytes when the part is longer; return its bytes and lines then.

    The cut is at a line's end where there is one in the last 64 KiB, else at a character's edge.
    """
    if part.bytes <= limit:
        return part.bytes, part.lines
    with part.path.open("r+b") as file:
        start = max(limit - _EDGE, 0)
        file.seek(start)
        edge = file.read(limit - start)
        file.truncate(start + (edge.rfind(b"\n") + 1 or character_edge(edge)))
    size, lines, _ = _measured(part.path)
    return size, lines


def _measured(path: Path) -> tuple[int, int, str]:
    """Read a file once: its bytes, its lines, its SHA-256."""
    digest, size, newlines, last = hashlib.sha256(), 0, 0, b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
            newlines += block.count(b"\n")
            last = block[-1:]
    return size, newlines + (size > 0 and last != b"\n"), digest.hexdigest()
