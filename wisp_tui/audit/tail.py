"""The log as it grows: every event once, in order, whatever is rotated away meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from wisp_tui.audit.log import CURRENT
from wisp_tui.audit.reader import LogReading, opened_files, read_line
from wisp_tui.events import AuditEvent


@dataclass(slots=True)
class LogTail:
    """A reading of the log in ``directory`` that can go on: ``poll`` gives what has come since it was last called.

    The file that was read last stays open, so that what is written to it before it is rotated away is not missed. A
    line that has no end yet waits for it. Use it in a ``with`` block.
    """

    directory: Path
    reading: LogReading = field(default_factory=LogReading)
    _file: BinaryIO | None = None
    _open_line: bytes = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def poll(self) -> Iterator[AuditEvent]:
        """Give every event that is there and was not given yet. Raises OSError when the log cannot be read."""
        if self._file is not None:
            yield from self._read(self._file)
            if not self._is_rotated(self._file):
                return
        with ExitStack() as opened:
            files = self._newer(opened_files(self.directory, opened))
            if not files:
                return  # between the rotation and the first line after it
            if self._file is not None:
                yield from self._read(self._file)  # what was written between the reading and the rotation
            *older, newest = files
            for file in older:
                yield from self.end()
                yield from self._read(file)
            yield from self.end()
            self.close()
            self._file = os.fdopen(os.dup(newest.fileno()), "rb")
        yield from self._read(self._file)

    def end(self) -> Iterator[AuditEvent]:
        """Give the line that has no end: its writer died, or the file was rotated away."""
        line, self._open_line = self._open_line, b""
        if event := read_line(line, self.reading):
            yield event

    def _read(self, file: BinaryIO) -> Iterator[AuditEvent]:
        for line in file:
            if not line.endswith(b"\n"):
                self._open_line += line
                return
            whole, self._open_line = self._open_line + line, b""
            if event := read_line(whole, self.reading):
                yield event

    def _is_rotated(self, file: BinaryIO) -> bool:
        try:
            return not os.path.samestat(os.fstat(file.fileno()), (self.directory / CURRENT).stat())
        except FileNotFoundError:
            return True

    def _newer(self, files: list[BinaryIO]) -> list[BinaryIO]:
        """Leave out the file that was read, and those before it. Where it is gone, all others are newer."""
        if self._file is None:
            return files
        own = os.fstat(self._file.fileno())
        place = next((at for at, file in enumerate(files) if os.path.samestat(own, os.fstat(file.fileno()))), -1)
        return files[place + 1 :]
