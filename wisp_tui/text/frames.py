"""The lines that tools put around content: how each is written, and how each is known again.

This is the one place of their wording. A reference to an output shows content only, so whoever builds it must know
which lines are frames (spec "Tool output as a reference after its turn"). A frame counts by its place as well as its
words: a command that prints ``exit status: 0`` has printed content.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from wisp_tui.text.sizes import count

STDOUT = "stdout:"
STDERR = "stderr:"
END_OF_FILE = "[end of file]"
EMPTY_FILE = "[empty file]"
NO_OUTPUT = "[no output]"
REPEATED = "[repeats an earlier call of this turn exactly: its result is already in the context]"


class Frame(Enum):
    """The kinds of line a tool adds."""

    REPEATED = auto()
    PATH = auto()
    EXIT_STATUS = auto()
    STREAM = auto()
    NO_OUTPUT = auto()
    EMPTY_FILE = auto()
    MARKER = auto()
    END_OF_FILE = auto()
    PAGING = auto()
    TIMED_OUT = auto()
    STILL_RUNNING = auto()
    ENCODING = auto()
    EXPLAINED = auto()
    HELD_BACK = auto()
    TRUNCATED = auto()


_SHAPES: dict[Frame, re.Pattern[str]] = {
    Frame.REPEATED: re.compile(re.escape(REPEATED)),
    Frame.PATH: re.compile(r"\[path: .+\]"),
    Frame.EXIT_STATUS: re.compile(r"exit status: \d+(?: \([^()]+\))?"),
    Frame.STREAM: re.compile(r"stdout:|stderr:"),
    Frame.NO_OUTPUT: re.compile(re.escape(NO_OUTPUT)),
    Frame.EMPTY_FILE: re.compile(re.escape(EMPTY_FILE)),
    Frame.MARKER: re.compile(r"\[… [\d,]+ lines? \([^()]+\) held back …\]"),
    Frame.END_OF_FILE: re.compile(re.escape(END_OF_FILE)),
    Frame.PAGING: re.compile(
        r"\[more from line (?P<offset>\d+)(?: of [\d,]+)?(?: byte (?P<byte>\d+))?: call read_file again with .+\]"
    ),
    Frame.TIMED_OUT: re.compile(r"\[timed out after .+\]"),
    Frame.STILL_RUNNING: re.compile(r"\[still running: .+\]"),
    Frame.ENCODING: re.compile(r"\[not all UTF-8: .+\]"),
    Frame.EXPLAINED: re.compile(r"\[sandbox: .+\]"),
    Frame.HELD_BACK: re.compile(r"held back: .*[\d,]+ \([^()]+\)(?:;.*)?"),
    Frame.TRUNCATED: re.compile(r"\[truncated: .+\]"),
}
_ABOVE = (Frame.REPEATED, Frame.PATH, Frame.EXIT_STATUS, Frame.STREAM)
_BELOW = (
    Frame.NO_OUTPUT,
    Frame.EMPTY_FILE,
    Frame.END_OF_FILE,
    Frame.PAGING,
    Frame.TIMED_OUT,
    Frame.STILL_RUNNING,
    Frame.ENCODING,
    Frame.EXPLAINED,
    Frame.HELD_BACK,
    Frame.TRUNCATED,
)


# What each line says ------------------------------------------------------------------------------------------------


def at_least(size: int) -> str:
    """Write a size in bytes rounded up, so that what is held back is never understated: ``180 KiB``, ``1.5 MiB``."""
    if size < 1024:
        return count(size, "byte")
    scale = 1024
    for unit in ("KiB", "MiB", "GiB"):
        tenths = -(-size * 10 // scale)
        if tenths < 10240:
            whole = -(-tenths // 10)
            return f"{whole} {unit}" if tenths >= 1000 or tenths % 10 == 0 else f"{tenths / 10} {unit}"
        scale *= 1024
    return f"{-(-size // scale):,} TiB"


def exit_status(status: int, signal: str | None = None) -> str:
    """Write how a command ended: ``exit status: 1``, ``exit status: 143 (ended by SIGTERM)``."""
    return f"exit status: {status} (ended by {signal})" if signal else f"exit status: {status}"


def path(resolved: str) -> str:
    """Write which file was read, where that is not the path that was asked for."""
    return f"[path: {resolved}]"


def paging(offset: int, *, of: int | None = None, byte: int | None = None) -> str:
    """Write where a page goes on: at a line (from 1), of so many where that is known, and at a byte of it (from 1)."""
    total = f" of {of:,}" if of is not None else ""
    if byte is None:
        return f"[more from line {offset}{total}: call read_file again with offset {offset}]"
    return (
        f"[more from line {offset}{total} byte {byte}: call read_file again with offset {offset} and byte {byte}, "
        f"or offset {offset + 1} for the next line]"
    )


def clipped(line: int, byte: int, rest: int, *, known: bool = True) -> str:
    """Write, at the end of a line of a file, what it leaves out: ``rest`` bytes, from ``byte`` (from 1) on.

    Not ``known``: at least so many, for the line's end was too far to look for.
    """
    return f"… [{'' if known else 'over '}{at_least(rest)} more of this line: offset {line}, byte {byte}]"


def not_utf8(places: int) -> str:
    """Write that in so many places a file holds bytes that are no UTF-8."""
    return f"[not all UTF-8: {count(places, 'place')} shown as \ufffd]"


def timed_out(seconds: int) -> str:
    """Write that a command was ended at its time limit."""
    return f"[timed out after {seconds:,} s and was ended; what it printed until then is above]"


_NAMED = 3
"""How many processes left running are named; the rest are counted."""


def still_running(processes: Sequence[tuple[int, str]]) -> str:
    """Write which processes a command left running, by id and command; none is one that could not be identified."""
    if not processes:
        return "[still running: a process that cannot be named; what it prints from here on is not kept]"
    names = ", ".join(f"{command} (pid {pid})" for pid, command in processes[:_NAMED])
    more = f" and {len(processes) - _NAMED:,} more" if len(processes) > _NAMED else ""
    return f"[still running: {names}{more}; what is printed from here on is not kept; kill PID ends one]"


def some_running(number: int) -> str:
    """Write the same where there is room for no names."""
    return f"[still running: {count(number, 'process', 'processes')}]"


def explained(words: str) -> str:
    """Write what the sandbox had to do with a command's failure."""
    return f"[sandbox: {words}]"


def truncated(reason: str) -> str:
    """Write what of a result is kept nowhere, and why."""
    return f"[truncated: {reason}]"


def held_marker(lines: int, size: int) -> str:
    """Write what stands in the place of held-back lines: ``[… 2,270 lines (180 KiB) held back …]``."""
    return f"[… {count(lines, 'line')} ({at_least(size)}) held back …]"


@dataclass(frozen=True, slots=True)
class Span:
    """Lines held back: their numbers in the stored output, their bytes. ``part``: one line, of which some is shown."""

    first: int
    last: int
    bytes: int
    stream: str | None = None
    part: bool = False

    @property
    def words(self) -> str:
        """The span as the note names it: ``stdout lines 44–2,313 (180 KiB)``."""
        where = f"{self.stream} " if self.stream else ""
        if self.first != self.last:
            return f"{where}lines {self.first:,}–{self.last:,} ({at_least(self.bytes)})"
        return f"{'part of ' if self.part else ''}{where}line {self.first:,} ({at_least(self.bytes)})"


@dataclass(frozen=True, slots=True)
class KeptAs:
    """Where the whole of an output is: its id in the output store, and the lines stored of how many there were."""

    output: str
    lines: int
    of_lines: int
    cut: bool


def held_note(spans: Sequence[Span], kept: KeptAs | None, *, memory: bool, command: bool) -> str:
    """Write the note under a result of which something is held back.

    It names the memory tool only where the conversation has it, and of a command it says not to run it again
    (spec "The tool-output budget, and the output store"). Without ``kept`` it names what is held back and no more.
    """
    parts = [f"held back: {', '.join(span.words for span in spans)}"]
    if kept is None:
        return parts[0]
    if kept.cut:
        parts.append(f"its first {kept.lines:,} lines of {kept.of_lines:,} are kept as output {kept.output}")
    else:
        parts.append(f"the whole output is kept as output {kept.output} ({count(kept.lines, 'line')})")
    if memory:
        parts.append(
            f'memory "recall output {kept.output} from line {spans[0].first}" pages it, '
            f'"recall output {kept.output} matching PATTERN" filters it, '
            f'"summarise output {kept.output}" gives the notable lines, '
            f'"condense output {kept.output}: QUESTION" answers from all of it'
        )
    if command:
        parts.append("do not run the command again to see it")
    return "; ".join(parts)


# Knowing them again -------------------------------------------------------------------------------------------------


def frame(line: str) -> Frame | None:
    """Tell which frame a line has the words of; None for content. Its place decides too: see ``content``."""
    return next((kind for kind, shape in _SHAPES.items() if shape.fullmatch(line)), None)


@dataclass(frozen=True, slots=True)
class Paging:
    """Where a page of read_file goes on."""

    offset: int
    byte: int | None = None

    @property
    def words(self) -> str:
        """The hint as a reference keeps it: ``more from offset 101``."""
        return f"more from offset {self.offset}" + (f" byte {self.byte}" if self.byte is not None else "")


@dataclass(frozen=True, slots=True)
class ContentLine:
    """A line of content, and whether something is held back right next to it."""

    text: str
    beside_cut: bool


@dataclass(frozen=True, slots=True)
class Content:
    """A result without its frames: the lines a tool was asked for, and where to read on."""

    lines: tuple[ContentLine, ...]
    paging: Paging | None


def content(result: str) -> Content:
    """Take the frames off a tool's result: those above the content, those below it, and those between its parts."""
    lines = result.split("\n")
    start = _skipped(lines)
    end = len(lines)
    hint: Paging | None = None
    while end > start and (kind := frame(lines[end - 1])) in _BELOW:
        if kind is Frame.PAGING:
            hint = _paging(lines[end - 1])
        end -= 1
    kept: list[ContentLine] = []
    after_marker = False
    streams = lines[:start].count(STDOUT)
    for line in lines[start:end]:
        match frame(line):
            case Frame.MARKER:
                after_marker = True
                if kept:
                    kept[-1] = ContentLine(kept[-1].text, beside_cut=True)
            case Frame.STREAM if streams == 1 and line == STDERR:
                streams = 2
            case _:
                kept.append(ContentLine(line, beside_cut=after_marker))
                after_marker = False
    return Content(tuple(kept), hint)


def _skipped(lines: Sequence[str]) -> int:
    """Count the frames above the content: each kind at most once, in the order in which tools write them."""
    at = 0
    for kind in _ABOVE:
        if at < len(lines) and frame(lines[at]) is kind and (kind is not Frame.STREAM or at > 0):
            at += 1
    return at


def _paging(line: str) -> Paging:
    found = _SHAPES[Frame.PAGING].fullmatch(line)
    if found is None:
        raise ValueError(line)
    byte = found["byte"]
    return Paging(int(found["offset"]), int(byte) if byte else None)
