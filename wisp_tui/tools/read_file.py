"""The tool that reads a text file, a page at a time."""

from __future__ import annotations

import asyncio
import difflib
import errno
import os
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import islice
from pathlib import Path

from wisp_tui.outputs import Cost
from wisp_tui.text import frames
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import count, shorten
from wisp_tui.tools.base import Arguments, ToolContext, ToolOutput, ToolSpec
from wisp_tui.tools.file_pages import FilePage, PastTheEnd, Wanted, read_page
from wisp_tui.tools.file_writing import FileVersion, SeenFiles
from wisp_tui.tools.paths import absolute, shown_path

SAMPLE = 8 * 1024
"""Bytes at the start of a file among which a NUL says that it is not text."""
_NAMES = 5000
"""How many names of a directory are looked at for one like a missing file's."""
_WIDE = 10**10
"""As large as any line's number gets: what room is kept for."""
_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
)


class Unreadable(Exception):
    """The file cannot be read; the message says why, and what might be meant."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """``read_file``. ``seen`` remembers which version of a file the model was shown."""

    seen: SeenFiles = field(default_factory=SeenFiles)

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        return ToolSpec(
            name="read_file",
            description="Read a text file as numbered lines, a page at a time.",
            parameters={
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "offset": {"type": "integer", "description": "first line, from 1"},
                    "limit": {"type": "integer", "description": "lines at most"},
                    "byte": {"type": "integer", "description": "go on within a long first line, from this byte"},
                },
                "required": ["path"],
            },
            reads_only=True,
            clause="read a text file, a page at a time",
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Read the page. Raises BadArguments; a cancellation stops the reading of a huge file."""
        asked = arguments.text("path")
        path = absolute(asked, context.directory)
        limit = arguments.whole("limit", 0, least=0)
        wanted = Wanted(
            line=arguments.whole("offset", 1, least=0) or 1,
            byte=arguments.whole("byte", 1, least=0) or 1,
            limit=limit or None,
        )
        permit = await context.gate.permit_reading(path, turn=context.turn, call=context.call)
        if not permit.allowed:
            return _refused(path, permit.why)
        stopped = threading.Event()
        try:
            written = context.directory / asked
            room = context.budget.room
            return await asyncio.to_thread(_read, path, written, wanted, room, stop=stopped.is_set, seen=self.seen)
        except Unreadable as error:
            text = f"error: {error}"
            return ToolOutput(text, ok=False, lines=1, bytes=len(text.encode()), details={"path": str(path)})
        finally:
            stopped.set()


def _refused(path: Path, why: str) -> ToolOutput:
    text = (
        f"error: the person did not allow this file to be read ({shorten(why, 200)}); do not read it in another way: "
        "say what it was for, or go on without it"
    )
    return ToolOutput(text, ok=False, lines=1, bytes=len(text.encode()), details={"path": str(path), "denied": True})


def _read(
    path: Path, written: Path, wanted: Wanted, room: Cost, *, stop: Callable[[], bool], seen: SeenFiles
) -> ToolOutput:
    """Read a page of ``path``; where it leads is shown when that is not what the call has ``written``."""
    real = Path(os.path.realpath(path))
    try:
        with _opened(real) as file:
            status = os.fstat(file.fileno())
            _check_text(real, file.read(SAMPLE), status.st_size)
            file.seek(0)
            above = [frames.path(shown_path(real))] if real != Path(os.path.normpath(written)) else []
            page = read_page(file, wanted, room.less(_around(above)), stop)
    except PastTheEnd as error:
        raise Unreadable(
            f"offset {wanted.line} is past the end: {shown_path(real)} has {count(error.lines, 'line')}"
        ) from error
    except OSError as error:
        raise Unreadable(_reason(real, error)) from error
    seen.saw(real, FileVersion.of(status))
    text = "\n".join([*above, *page.lines, *_below(page)])
    return ToolOutput(
        text,
        ok=True,
        lines=text.count("\n") + 1,
        bytes=len(text.encode()),
        details={
            "path": str(real),
            "firstLine": wanted.line,
            "lastLine": page.last,
            "linesRead": len(page.lines),
            "totalLines": page.total,
            "end": page.more is None,
            "size": status.st_size,
            "modified": status.st_mtime_ns,
        },
    )


def _around(above: list[str]) -> Cost:
    """Measure the widest lines there can be around a page."""
    below = [frames.not_utf8(_WIDE), frames.paging(_WIDE, of=_WIDE, byte=_WIDE)]
    return Cost.of("\n".join([*above, *below]) + "\n")


def _below(page: FilePage) -> list[str]:
    lines = [frames.EMPTY_FILE] if not page.lines and page.total == 0 else []
    if page.replaced:
        lines.append(frames.not_utf8(page.replaced))
    if page.more is None:
        return [*lines, frames.END_OF_FILE]
    return [*lines, frames.paging(page.more.offset, of=page.total, byte=page.more.byte)]


def _opened(path: Path) -> BufferedReader:
    """Open a regular file, and nothing else: opening a pipe would wait for its other end, a device could act."""
    _check_regular(path, path.stat())
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        _check_regular(path, os.fstat(descriptor))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_regular(path: Path, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    kind = next((words for test, words in _KINDS if test(status.st_mode)), "not a regular file")
    raise Unreadable(f"{shown_path(path)} is {kind}, not a file that can be read{_holding(path, status)}")


def _holding(path: Path, status: os.stat_result) -> str:
    if not stat.S_ISDIR(status.st_mode):
        return ""
    with os.scandir(path) as entries:
        names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in islice(entries, _NAMES))
    shown = ", ".join(shorten(clean_line(name), 60) for name in names[:20])
    more = f" and {len(names) - 20:,} more" if len(names) > 20 else ""
    return f"; it holds {shown}{more}" if names else "; it is empty"


def _check_text(path: Path, sample: bytes, size: int) -> None:
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable(
            f"{shown_path(path)} is UTF-16 text ({count(size, 'byte')}), which cannot be read: convert it first"
        )
    if b"\0" in sample:
        raise Unreadable(f"{shown_path(path)} is a binary file ({count(size, 'byte')})")


def _reason(path: Path, error: OSError) -> str:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return _missing(path)
        case errno.EACCES | errno.EPERM:
            return f"{shown_path(path)} cannot be read: permission denied"
        case _:
            return f"{shown_path(path)} cannot be read: {error.strerror or error}"


def _missing(path: Path) -> str:
    """Say what is missing, the file or a directory on the way to it, and which names there are like it."""
    at = path
    while not at.parent.exists():
        at = at.parent
    if not at.parent.is_dir():
        return f"{shown_path(at.parent)} is a file, not a directory"
    what = "there is no file" if at == path else "there is no directory"
    try:
        with os.scandir(at.parent) as entries:
            names = [entry.name for entry in islice(entries, _NAMES)]
    except OSError:
        names = []
    folded = {name.casefold(): name for name in names}
    near = [folded[name] for name in difflib.get_close_matches(at.name.casefold(), folded, n=3, cutoff=0.6)]
    hint = f"; did you mean {' or '.join(shown_path(at.parent / name) for name in near)}?" if near else ""
    return f"{what} {shown_path(at)}{hint}"
