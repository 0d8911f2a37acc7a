"""A reply's blocks and the lines they are compared by: formatting taken away, words kept as they are.

See the spec, "Cutting presentational text, exact copies only".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_NUMBER = re.compile(r"\s*\d+\t")
_FENCE = re.compile(r"\s*(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_SEPARATOR = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_BAR = re.compile(r"(?<!\\)\|")
CELL = "\0"
"""Stands between the cells of a table that is compared as a table; no clean text holds it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its newline, and where it starts in the reply, in characters."""

    start: int
    text: str

    @property
    def blank(self) -> bool:
        """Whether nothing but white space stands in it."""
        return not self.text or self.text.isspace()


@dataclass(frozen=True, slots=True)
class ReplyBlock:
    """A block's lines, the first and the last not blank. ``follows``: only blank lines part it from the one before."""

    lines: tuple[Line, ...]
    follows: bool

    @property
    def start(self) -> int:
        """Where it begins, in characters of the reply."""
        return self.lines[0].start

    @property
    def end(self) -> int:
        """Where it ends, before its last newline."""
        return self.lines[-1].start + len(self.lines[-1].text)


def blocks_of(reply: str) -> list[ReplyBlock]:
    """Take a reply apart into what stands in fences, fence lines excluded, and paragraphs of lines that are not blank.

    A fence that is never closed reaches to the end.
    """
    found, gathered = list[ReplyBlock](), list[Line]()
    fence: str | None = None
    follows = False

    def close() -> None:
        while gathered and gathered[-1].blank:
            gathered.pop()
        if gathered:
            found.append(ReplyBlock(tuple(gathered), follows))
        gathered.clear()

    for line in _lines(reply):
        if (after := _fence(line, fence)) != fence:
            close()
            fence, follows = after, False
        elif line.blank and fence is None:
            if gathered:
                close()
                follows = True
        elif gathered or not line.blank:
            gathered.append(line)
    close()
    return found


def _fence(line: Line, fence: str | None) -> str | None:
    """Return the fence open after a line, when ``fence`` was open before it: an inner fence closes nothing."""
    if "```" not in line.text and "~~~" not in line.text:
        return fence
    match = _FENCE.fullmatch(line.text)
    if match is None:
        return fence
    mark, info = match["fence"], match["info"]
    if fence is None:
        return None if mark[0] == "`" and "`" in info else mark
    return None if mark[0] == fence[0] and len(mark) >= len(fence) and not info.strip() else fence


def _lines(text: str) -> Iterator[Line]:
    start = 0
    for line in text.split("\n"):
        yield Line(start, line)
        start += len(line) + 1


def unnumbered(lines: Sequence[str]) -> list[str]:
    """Take read_file's line numbers from the lines that carry them.

    A text none of whose lines has one comes back as it is.
    """
    return [line[match.end() :] if "\t" in line and (match := _NUMBER.match(line)) else line for line in lines]


def normalised(lines: Iterable[str], *, tables: bool = True) -> list[str]:
    """Return the lines to compare: white space in single spaces, ends trimmed, blank lines left out.

    A Markdown table's row is its cells. With ``tables`` a table is compared as one, header included; without, its rows
    are their cells joined by a space and its header is formatting, so that it can match lines that are no table.
    """
    bare = [" ".join(line.split()) for line in lines]
    if any("|" in line for line in bare):
        bare = list(_tables_read(bare, CELL if tables else " "))
    return [line for line in bare if line]


def _tables_read(lines: Sequence[str], joint: str) -> Iterator[str]:
    """Yield the lines with each table's separator left out, its rows as their cells, and its header so or left out."""
    within = separator = False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if separator:
            separator = False
        elif within and line:
            yield _cells(line, joint)
        elif "|" in line and _separates(after):
            within = separator = True
            if joint == CELL:
                yield _cells(line, joint)
        else:
            within = False
            yield line


def _separates(line: str) -> bool:
    return "|" in line and "-" in line and _SEPARATOR.fullmatch(line) is not None


def _cells(row: str, joint: str) -> str:
    cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(row.removeprefix("|").removesuffix("|"))]
    return joint.join(cells) if joint == CELL else joint.join(cell for cell in cells if cell)
