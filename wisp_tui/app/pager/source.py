"""The bytes that the pager shows, read a page at a time: a file of any size costs four pages of memory."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from pathlib import Path

PAGE = 64 * 1024
"""Bytes of a page."""
HELD = 4
"""Pages that are kept, the latest used."""


class Source(ABC):
    """Bytes by their offset. ``fault`` says why some of them could not be read, once that has happened."""

    path: Path | None = None
    """The file, where there is one."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.fault: str | None = None
        self._pages: OrderedDict[int, bytes] = OrderedDict()

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return -(-self.size // PAGE)

    @property
    def held(self) -> int:
        """How many pages are in memory."""
        return len(self._pages)

    def page(self, number: int, *, keep: bool = True) -> bytes:
        """Give a page, of which the last is short. A reader that passes over all of them keeps none."""
        page = self._pages.get(number)
        if page is not None:
            if keep:
                self._pages.move_to_end(number)
            return page
        page = self._read(number * PAGE, min(PAGE, self.size - number * PAGE))
        if keep:
            self._pages[number] = page
            if len(self._pages) > HELD:
                self._pages.popitem(last=False)
        return page

    def read(self, start: int, end: int, *, keep: bool = True) -> bytes:
        """Give the bytes from ``start`` to ``end``; fewer where the source ends or cannot be read."""
        start, end = max(start, 0), min(end, self.size)
        if start >= end:
            return b""
        first, last = start // PAGE, (end - 1) // PAGE
        if first == last:
            return self.page(first, keep=keep)[start - first * PAGE : end - first * PAGE]
        whole = b"".join(self.page(number, keep=keep) for number in range(first, last + 1))
        return whole[start - first * PAGE : end - first * PAGE]

    def find(self, byte: bytes, start: int, end: int) -> int:
        """Find the first such byte from ``start`` to ``end``; -1 when there is none."""
        for number in range(start // PAGE, -(-end // PAGE)):
            base = number * PAGE
            place = self.page(number, keep=False).find(byte, max(start - base, 0), end - base)
            if place >= 0:
                return base + place
        return -1

    def rfind(self, byte: bytes, start: int, end: int) -> int:
        """Find the last such byte from ``start`` to ``end``; -1 when there is none."""
        for number in reversed(range(start // PAGE, -(-end // PAGE))):
            base = number * PAGE
            place = self.page(number, keep=False).rfind(byte, max(start - base, 0), end - base)
            if place >= 0:
                return base + place
        return -1

    @abstractmethod
    def _read(self, offset: int, size: int) -> bytes:
        """Read bytes that are known to be there."""

    def close(self) -> None:
        """Let go of what is held open; what is asked for afterwards is empty."""
        self._pages.clear()


class TextSource(Source):
    """A text that is in memory already."""

    def __init__(self, text: str) -> None:
        self._data = text.encode("utf-8", "replace")
        super().__init__(len(self._data))

    def _read(self, offset: int, size: int) -> bytes:
        return self._data[offset : offset + size]


class FileSource(Source):
    """A file, read where it is looked at and never mapped: one that is cut short meanwhile is a fault, not a crash.

    Raises OSError when it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._file: int | None = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._using = threading.Lock()
        """Saving reads in a thread of its own: the file is not closed under it."""
        self.path = path
        super().__init__(os.fstat(self._file).st_size)

    def _read(self, offset: int, size: int) -> bytes:
        with self._using:
            if self._file is None:
                self.fault = "it is closed"
                return b""
            try:
                data = os.pread(self._file, size, offset)
            except OSError as error:
                self.fault = f"it cannot be read: {error.strerror or error}"
                return b""
        if len(data) < size:
            self.fault = "it has become shorter since it was opened"
        return data

    def close(self) -> None:
        """Close the file."""
        super().close()
        with self._using:
            if self._file is not None:
                os.close(self._file)
                self._file = None
