"""A page of a text file: numbered lines from one on, read lazily, bounded in bytes and tokens. Knows no tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedReader

from wisp_tui.outputs import Cost
from wisp_tui.outputs.budget import most
from wisp_tui.text import frames
from wisp_tui.text.clean import clean
from wisp_tui.text.utf8 import character_edge

LOOK_AHEAD = 32 * 1024 * 1024
"""Bytes past a page that are still read, to say how many lines there are in all or how long a line is."""
_BLOCK = 1024 * 1024
_SEQUENCE = 64
"""Bytes within which a control sequence that a cut falls in is looked for."""
_CARRIAGE_RETURN = "\u240d"
"""Stands for a carriage return within a line."""
_WIDEST = frames.clipped(10**10, 10**10, 1023 * 1024, known=False)


class Stopped(Exception):
    """The reader was told to stop."""


class PastTheEnd(Exception):
    """The file ends before the line that was asked for; ``lines`` is how many it has."""

    def __init__(self, lines: int) -> None:
        self.lines = lines
        super().__init__(lines)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to read: ``limit`` lines at most (None: as many as fit) from ``line`` on, that one from ``byte`` on."""

    line: int = 1
    byte: int = 1
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class FilePage:
    """Numbered lines, the last one's number, and where to read on: None at the end of the file.

    ``total`` is the file's number of lines where it is known; ``replaced`` counts places that are no UTF-8.
    """

    lines: tuple[str, ...]
    last: int
    total: int | None
    more: frames.Paging | None
    replaced: int


def read_page(file: BufferedReader, wanted: Wanted, room: Cost, stop: Callable[[], bool]) -> FilePage:
    """Read a page from a file that stands at its start. Memory holds a block, however long the file or a line.

    A line that would not fit a page of its own is clipped at half the room (when it is read from a byte within it, at
    all of the room) and says where it goes on. Raises PastTheEnd, and Stopped once ``stop`` says so.
    """
    reader = _Reader(file, stop)
    reader.skip_to(wanted.line)
    reader.skip_bytes(wanted.byte - 1)
    page = room
    lines: list[str] = []
    replaced, number, byte = 0, wanted.line, wanted.byte
    more: frames.Paging | None = None
    while wanted.limit is None or len(lines) < wanted.limit:
        begins = reader.tell()
        line = reader.line(number, byte, page, page if byte > 1 else page.share(1, 2))
        if line is None:
            break
        cost = Cost.of(line.text + "\n")
        if lines and not cost.within(room):
            reader.seek(begins)
            break
        room = room.less(cost)
        lines.append(line.text)
        replaced += line.replaced
        more = frames.Paging(number, line.goes_on) if line.goes_on is not None else None
        number, byte = number + 1, 1
        if not line.end_found:
            return FilePage(tuple(lines), number - 1, None, more, replaced)
    total = reader.total(number)
    if more is None and total != number - 1:
        more = frames.Paging(number)
    return FilePage(tuple(lines), number - 1, total, more, replaced)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line as it is shown. ``goes_on``: the byte of it (from 1) at which the part that is not shown starts."""

    text: str
    goes_on: int | None
    end_found: bool
    replaced: int


class _Reader:
    def __init__(self, file: BufferedReader, stop: Callable[[], bool]) -> None:
        self._file = file
        self._stop = stop

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int) -> None:
        self._file.seek(offset)

    def skip_to(self, line: int) -> None:
        """Move to the start of a line, counting newlines a block at a time."""
        number, offset, last = 1, 0, b"\n"
        while number < line:
            block = self._block()
            if not block:
                raise PastTheEnd(number - (last == b"\n"))
            found = block.count(b"\n")
            if number + found < line:
                number, offset, last = number + found, offset + len(block), block[-1:]
                continue
            at = 0
            for _ in range(line - number):
                at = block.index(b"\n", at) + 1
            number = line
            self.seek(offset + at)
        if line > 1 and not self._file.peek(1)[:1]:
            raise PastTheEnd(line - 1)

    def skip_bytes(self, size: int) -> None:
        """Move on within a line, never past its end."""
        while size > 0:
            piece = self._file.readline(min(size, _BLOCK))
            if not piece or piece.endswith(b"\n"):
                self.seek(self.tell() - (1 if piece else 0))
                return
            size -= len(piece)

    def line(self, number: int, byte: int, room: Cost, clip: Cost) -> _Line | None:
        """Read a line from where the file stands, ``byte`` of it; one that costs over ``room`` is cut to ``clip``."""
        raw = self._file.readline(room.bytes + 1)
        if not raw:
            return None
        ended = raw.endswith(b"\n") or len(raw) <= room.bytes
        whole = raw.removesuffix(b"\n")
        starts = number == 1 and byte == 1
        shown = _shown(whole.removesuffix(b"\r"), file_start=starts)
        text = f"{number}\t{shown}"
        if ended and Cost.of(text + "\n").within(room):
            return _Line(text, None, end_found=True, replaced=_replaced(whole))
        left = clip.less(Cost.of(f"{number}\t{_WIDEST}\n"))
        size = most(len(whole), lambda size: Cost.of(_shown(whole[:size])), left)
        size = max(_clean_cut(whole, size), min(len(whole), 1))
        rest, found = (0, True) if ended else self._rest()
        part = _shown(whole[:size], file_start=starts)
        note = frames.clipped(number, byte + size, len(whole) - size + rest, known=found)
        return _Line(f"{number}\t{part}{note}", byte + size, end_found=found, replaced=_replaced(whole[:size]))

    def total(self, number: int) -> int | None:
        """Count the file's lines, where line ``number`` would start here; None where the rest is too long to read."""
        newlines, last, taken = 0, b"\n", 0
        while block := self._block():
            newlines += block.count(b"\n")
            last = block[-1:]
            taken += len(block)
            if taken > LOOK_AHEAD:
                return None
        return number - 1 + newlines + (last != b"\n")

    def _rest(self) -> tuple[int, bool]:
        """Read to the end of a line; return the bytes passed over, its newline left out, and whether it was found."""
        taken = 0
        while piece := self._file.readline(_BLOCK):
            self._check()
            taken += len(piece)
            if piece.endswith(b"\n"):
                return taken - 1, True
            if taken > LOOK_AHEAD:
                return taken, False
        return taken, True

    def _block(self) -> bytes:
        self._check()
        return self._file.read(_BLOCK)

    def _check(self) -> None:
        if self._stop():
            raise Stopped


def _shown(raw: bytes, *, file_start: bool = False) -> str:
    """Read bytes within a line as text without controls; a byte order mark at the file's start is no text."""
    text = raw.decode("utf-8", "replace")
    if file_start:
        text = text.removeprefix("\ufeff")
    return clean(text.replace("\r", _CARRIAGE_RETURN))


def _replaced(raw: bytes) -> int:
    return raw.decode("utf-8", "replace").count("\ufffd") - raw.count("\ufffd".encode())


def _clean_cut(raw: bytes, size: int) -> int:
    """Move a cut back to the start of the character or the control sequence it falls in."""
    escape = raw.rfind(b"\x1b", max(size - _SEQUENCE, 0), size)
    if escape > 0 and not _shown(raw[escape:size]):
        return escape
    return character_edge(raw[:size])
