"""Where the whole of an output is kept when the model is shown only part of it (spec, the same section)."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wisp_tui.outputs.captured import plain
from wisp_tui.outputs.record import StoredOutput
from wisp_tui.outputs.spill import Spill, salvage
from wisp_tui.text.ids import CallId, SessionId

PAGE = 64 * 1024
"""Bytes of a page, unless a reader asks for another size."""
_BLOCK = 256 * 1024
_CALL = re.compile(r"[0-9a-f]{8}")
_SESSION = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}")


class NoSuchOutput(Exception):
    """The store has no output of this id; the message says so, and why where the id cannot be one."""


@dataclass(frozen=True, slots=True)
class Page:
    """Raw bytes of a stored output. Whoever shows them cleans them first."""

    offset: int
    data: bytes
    of_bytes: int

    @property
    def next(self) -> int | None:
        """Where the next page starts; None after the last."""
        end = self.offset + len(self.data)
        return end if end < self.of_bytes else None


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A line of a stored output, clean, under its number from 1."""

    number: int
    text: str


class OutputStore:
    """One session's outputs: ``SESSION/CALL`` under ``directory`` (the home's ``output``), each with its record."""

    def __init__(self, directory: Path, session: SessionId) -> None:
        if not is_session(session):
            raise ValueError(f"{session!r:.80} is no session id")
        self.directory = directory
        self.session = session

    def spill(self, call: CallId) -> Spill:
        """Begin an output; nothing is written until it has bytes. Raises NoSuchOutput when the id is none."""
        return Spill(self._directory_of(self.session), self.session, _checked(call))

    def keep(self, call: CallId, data: bytes) -> StoredOutput | None:
        """Store an output that is all there; None when it is empty. Raises OSError when it cannot be written."""
        spill = self.spill(call)
        spill.part(None).write(data)
        return spill.commit()

    def salvage(self, call: CallId, session: SessionId) -> StoredOutput | None:
        """Store what is left of an output whose session died; None where nothing is. Raises OSError, NoSuchOutput."""
        return salvage(self._directory_of(session), session, _checked(call))

    def find(self, call: str, session: SessionId | None = None) -> StoredOutput:
        """Find an output by its id, in this session or another one.

        Raises NoSuchOutput when there is none with a record: nothing was held back, it was never finished, or it was
        swept away.
        """
        at, id_ = session or self.session, _checked(call)
        path = self._directory_of(at) / id_
        try:
            stored = StoredOutput.read(path.with_name(f"{id_}.json").read_bytes(), path, at, id_)
            size = path.stat().st_size
        except (OSError, ValueError) as error:
            raise NoSuchOutput(f"there is no stored output {id_}") from error
        if size != stored.bytes:
            raise NoSuchOutput(f"the stored output {id_} is not what its record says: {size:,} bytes")
        return stored

    def remove(self, output: StoredOutput) -> None:
        """Remove an output, then its record, and the session's directory with the last of them. Raises OSError."""
        for path in (output.path, output.path.with_name(f"{output.call}.json")):
            path.unlink(missing_ok=True)
        if not any(output.path.parent.iterdir()):
            output.path.parent.rmdir()

    def page(self, output: StoredOutput, offset: int, size: int = PAGE) -> Page:
        """Read ``size`` bytes from ``offset``; raises NoSuchOutput when the file went away in between."""
        with _opened(output) as file:
            file.seek(max(offset, 0))
            return Page(max(offset, 0), file.read(size), output.bytes)

    def ends_a_line(self, output: StoredOutput) -> bool:
        """Tell whether its last line has an end. Raises NoSuchOutput as ``page`` does."""
        return self.page(output, output.bytes - 1).data == b"\n"

    def lines(self, output: StoredOutput, first: int, last: int | None = None) -> Generator[StoredLine]:
        """Read lines ``first`` to ``last`` (from 1, both included), one at a time, clean.

        Memory holds a block and a line. Raises NoSuchOutput when the file went away in between.
        """
        with _opened(output) as file:
            number = _skip_to(file, max(first, 1))
            for raw in file:
                if last is not None and number > last:
                    return
                yield StoredLine(number, plain(raw.removesuffix(b"\n")))
                number += 1

    def _directory_of(self, session: SessionId) -> Path:
        if not is_session(session):
            raise NoSuchOutput(f"{session!r:.80} is no session id")
        return self.directory / session


def is_call(name: str) -> bool:
    """Tell whether a name is an output's id: eight hexadecimal digits."""
    return _CALL.fullmatch(name) is not None


def is_session(name: str) -> bool:
    """Tell whether a name can be a session's id, and so a directory's name and no path."""
    return _SESSION.fullmatch(name) is not None


def _checked(call: str) -> CallId:
    if not is_call(call):
        raise NoSuchOutput(f"{call!r:.80} is no output's id: it has eight hexadecimal digits")
    return CallId(call)


def _opened(output: StoredOutput) -> BinaryIO:
    try:
        return output.path.open("rb")
    except OSError as error:
        raise NoSuchOutput(f"the stored output {output.call} is gone: {error.strerror or error}") from error


def _skip_to(file: BinaryIO, line: int) -> int:
    """Move to the start of a line, or to the end where there are fewer; return the number of the line there."""
    number, offset = 1, 0
    while number < line:
        block = file.read(_BLOCK)
        if not block:
            return line
        found = block.count(b"\n")
        if number + found < line:
            number += found
            offset += len(block)
            continue
        at = 0
        for _ in range(line - number):
            at = block.index(b"\n", at) + 1
        offset += at
        number = line
        file.seek(offset)
    return number
