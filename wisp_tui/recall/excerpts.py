"""The lines of a passage that show why it was found, each with where its words stand."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wisp_tui.recall.table import Found, Marks

SHOWN_LINES = 3
"""Lines of a passage that are shown: those that have most of the words."""
LINE = 240
"""Characters of a line that is shown."""
_BEFORE = 60
"""Characters before the first word found, of a line of which only part is shown."""
CUT = "…"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line, under its number in the entry or output: all of it or the part that has the words, and where they are."""

    line: int
    text: str
    marks: Marks


def excerpts(found: Found, most: int = SHOWN_LINES, width: int = LINE) -> list[Excerpt]:
    """Choose the lines of a passage that have most of the words, in their order; its first one where none has any."""
    lines = list(_lines(found))
    scored = sorted(lines, key=lambda line: -_different(line))[:most]
    chosen = [line for line in scored if line.marks] or [line for line in lines if line.text.strip()][:1] or lines[:1]
    return [_fitted(line, width) for line in sorted(chosen, key=lambda line: line.line)]


def _lines(found: Found) -> list[Excerpt]:
    lines: list[Excerpt] = []
    start = 0
    for number, text in enumerate(found.passage.text.split("\n"), found.passage.first):
        end = start + len(text)
        marks = tuple((first - start, min(last, end) - start) for first, last in found.marks if start <= first < end)
        lines.append(Excerpt(number, text, marks))
        start = end + 1
    return lines


def _different(line: Excerpt) -> int:
    return len({word for first, last in line.marks for word in _WORD.findall(line.text[first:last].casefold())})


def _fitted(line: Excerpt, width: int) -> Excerpt:
    """Take off the space around a line, and what is too long for its place on either side of the words."""
    start, stop = len(line.text) - len(line.text.lstrip()), len(line.text.rstrip())
    begins = ends = ""
    if stop - start > width:
        first, last = line.marks[0] if line.marks else (start, start)
        if last >= start + width:
            start = max(min(first - min(_BEFORE, width // 4), stop - width + 1), start)
            begins = CUT
        if stop - start > width - len(begins):
            stop = start + width - len(begins) - 1
            ends = CUT
    shift = len(begins) - start
    marks = tuple((first + shift, min(last, stop) + shift) for first, last in line.marks if start <= first < stop)
    return Excerpt(line.line, f"{begins}{line.text[start:stop]}{ends}".replace("\t", " "), marks)
