"""What an edit does to a file's bytes: pure, and every byte outside the edited range stays as it is.

Lines end at a newline byte and are counted from 1, as read_file numbers them. New text takes the line ending of the
place it goes to, so an edit of a CRLF file leaves a CRLF file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wisp_tui.text.sizes import count

_BOM = b"\xef\xbb\xbf"
_NAMED = 8
"""How many of the lines where a text occurs are named."""
_NUMBERED = re.compile(r"\d+\t")


class CannotEdit(Exception):
    """The edit cannot be made as it was asked for; the message says why, and what would do."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes ``start`` to ``end`` of a file are replaced by ``new``. ``did`` says so, with ``{}`` for the path."""

    start: int
    end: int
    new: bytes
    did: str

    def applied(self, old: bytes) -> bytes:
        """The file's bytes after the edit."""
        return old[: self.start] + self.new + old[self.end :]

    def changes(self, old: bytes) -> bool:
        """Whether the file would be another one after it."""
        return old[self.start : self.end] != self.new

    def lines(self, old: bytes) -> tuple[int, tuple[bytes, ...]]:
        """The whole lines it leaves where it edited, without their endings, and the number of the first."""
        data = self.applied(old)
        begin = data.rfind(b"\n", 0, self.start) + 1
        edited = self.start + len(self.new)
        if self.new.endswith(b"\n") or (not self.new and edited == begin):
            end = edited
        else:
            newline = data.find(b"\n", edited)
            end = len(data) if newline < 0 else newline
        return data.count(b"\n", 0, begin) + 1, _split(data[begin:end])


def write(old: bytes, text: str) -> Edit:
    """Put a text in the place of everything, byte for byte."""
    new = text.encode()
    return Edit(0, len(old), new, f"wrote {count(len(_split(new)), 'line')} to {{}}")


def append(old: bytes, text: str) -> Edit:
    """Add a text after the last line; a newline goes before it where the last line has none. Raises CannotEdit."""
    if not text:
        raise CannotEdit("text is empty: there is nothing to append")
    _check_encoding(old, text)
    ending = _ending(old, len(old))
    new = _with(ending, text)
    added = f"appended {count(len(_split(new)), 'line')} to {{}}"
    if old and not old.endswith(b"\n"):
        return Edit(len(old), len(old), ending + new, f"{added}, after the newline that its last line did not have")
    return Edit(len(old), len(old), new, added)


def replace_lines(old: bytes, first: int, last: int, text: str) -> Edit:
    """Put a text in the place of lines ``first`` to ``last``, whose last ending stays; empty text removes them.

    Raises CannotEdit.
    """
    start, end = _range(old, first, last)
    what = f"line {first:,}" if first == last else f"lines {first:,} to {last:,}"
    if not text:
        return Edit(start, end, b"", f"removed {what} of {{}}")
    _check_encoding(old, text)
    if "\ufffd" in text and not _is_utf8(old[start:end]):
        raise CannotEdit(f"{what} holds bytes that are not UTF-8, shown as \ufffd: replace a part of it by its text")
    new = _with(_ending(old, start), text.removesuffix("\n").removesuffix("\r"))
    lines = new.count(b"\n") + 1
    by = "" if lines == last - first + 1 else f" by {count(lines, 'line')}"
    return Edit(start, end - len(_ending_of(old[start:end])), new, f"replaced {what} of {{}}{by}")


def replace_text(old: bytes, find: str, text: str, first: int | None = None, last: int | None = None) -> Edit:
    """Put a text in the place of another that occurs exactly once, in the file or in lines ``first`` to ``last``.

    Raises CannotEdit, which says how often it occurs, and where.
    """
    if not find:
        raise CannotEdit("find is empty: give the exact text to replace, or the line")
    _check_encoding(old, text)
    start, end = (0, len(old)) if first is None else _range(old, first, last or first)
    wanted = find.encode()
    places = _places(old, wanted, start, end)
    if not places and "\n" in find:
        wanted = _with(b"\r\n", find)
        places = _places(old, wanted, start, end)
    if not places:
        raise CannotEdit(_not_found(old, find, within=first is not None))
    if len(places) > 1:
        raise CannotEdit(_ambiguous(old, places))
    at = places[0]
    number = old.count(b"\n", 0, at) + 1
    new = _with(_ending(old, at), text) if "\n" in text else text.encode()
    return Edit(at, at + len(wanted), new, f"replaced the text in line {number:,} of {{}}")


# Lines and their endings --------------------------------------------------------------------------------------------


def _split(data: bytes) -> tuple[bytes, ...]:
    """Split into lines without their endings; a newline at the end begins no line."""
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    return tuple(line.removesuffix(b"\r") for line in lines)


def _range(old: bytes, first: int, last: int) -> tuple[int, int]:
    """Find where lines begin and end, the last one's ending included; a byte order mark belongs to no line."""
    if last < first:
        raise CannotEdit(f"end_line {last} is before line {first}")
    lines = old.count(b"\n") + (bool(old) and not old.endswith(b"\n"))
    if last > lines:
        raise CannotEdit(f"line {last:,} is past the end: the file has {count(lines, 'line')}; append adds to it")
    start = 0
    for _ in range(first - 1):
        start = old.index(b"\n", start) + 1
    end = start
    for _ in range(last - first + 1):
        newline = old.find(b"\n", end)
        end = len(old) if newline < 0 else newline + 1
    return (len(_BOM) if start == 0 and old.startswith(_BOM) else start), end


def _ending_of(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""


def _ending(data: bytes, at: int) -> bytes:
    """The line ending at a place: of the line there, else of the one above."""
    newline = data.find(b"\n", at)
    if newline < 0:
        newline = data.rfind(b"\n", 0, at)
    return b"\r\n" if newline > 0 and data[newline - 1 : newline] == b"\r" else b"\n"


def _with(ending: bytes, text: str) -> bytes:
    """Write a text's lines with one ending."""
    return text.replace("\r\n", "\n").encode().replace(b"\n", ending)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check_encoding(old: bytes, text: str) -> None:
    if not text.isascii() and not _is_utf8(old):
        raise CannotEdit("the file is not UTF-8, so only ASCII text can be put into it: convert it first")


# Finding ------------------------------------------------------------------------------------------------------------


def _places(data: bytes, wanted: bytes, start: int, end: int) -> list[int]:
    """Find every place of some bytes, those that overlap too."""
    found: list[int] = []
    at = data.find(wanted, start, end)
    while at >= 0:
        found.append(at)
        at = data.find(wanted, at + 1, end)
    return found


def _ambiguous(old: bytes, places: list[int]) -> str:
    numbers = [old.count(b"\n", 0, at) + 1 for at in places[:_NAMED]]
    named = ", ".join(f"{number:,}" for number in dict.fromkeys(numbers))
    more = f" and {len(places) - _NAMED:,} more" if len(places) > _NAMED else ""
    return (
        f"the text to find occurs {count(len(places), 'time')}, in {'line' if len(set(numbers)) == 1 else 'lines'} "
        f"{named}{more}: find more of the text around the one that is meant, or give its line too"
    )


def _not_found(old: bytes, find: str, *, within: bool) -> str:
    """Say that a text is not there, and what may be wrong with it."""
    said = f"the text to find is not in {'that line' if within else 'the file'}"
    if _NUMBERED.match(find):
        return f"{said}: leave out the line numbers that read_file adds"
    if not find.isascii() and not _is_utf8(old):
        return f"{said}, which is not UTF-8: find ASCII text beside what is not"
    wanted = find.strip().split("\n", 1)[0].encode().split()
    near = next((number for number, line in enumerate(_split(old), 1) if wanted and line.split() == wanted), None)
    return f"{said}, letter for letter: line {near:,} is like it but for white space" if near else said
