"""The difference between two versions of a file, as a person reads it before they approve it: a unified diff."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

CONTEXT = 3
"""Lines shown around a change."""
COMPARED = 1_000_000
"""How many pairs of lines are compared at most; past that, all that differs is shown as removed and added."""
NO_NEWLINE = "\\ no newline at the end of the file"
_HEADER = re.compile(r"@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@")


def unified(old: bytes, new: bytes) -> str:
    r"""Write the hunks that make ``new`` of ``old``: ``@@ -12,3 +12,4 @@``, then lines marked `` ``, ``-`` or ``+``.

    Bytes that are no UTF-8 are written as ``\xe9``. The carriage returns of CRLF endings are left out where every line
    of both has one. Equal versions give an empty text.
    """
    before, after = _lines(old), _lines(new)
    if all(line.endswith("\r") for line in (*before, *after) if not line.endswith(NO_NEWLINE)):
        before, after = [line.removesuffix("\r") for line in before], [line.removesuffix("\r") for line in after]
    above = _common(before, after)
    below = _common(before[above:][::-1], after[above:][::-1])
    skipped, rest = max(above - CONTEXT, 0), max(below - CONTEXT, 0)
    shown = before[skipped : len(before) - rest], after[skipped : len(after) - rest]
    if len(shown[0]) * len(shown[1]) > COMPARED:
        return "\n".join(_replaced(*shown, skipped))
    hunks = islice(difflib.unified_diff(*shown, n=CONTEXT, lineterm=""), 2, None)
    return "\n".join(_moved(line, skipped) for line in hunks)


def counted(diff: str) -> tuple[int, int]:
    """Count the lines that a diff adds and removes."""
    lines = diff.split("\n")
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def _lines(data: bytes) -> list[str]:
    """Split into lines as they are shown; a last line without a newline says so, and so differs from one with it."""
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    last = lines.pop()
    return [*lines, f"{last}\n{NO_NEWLINE}"] if last else lines


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _moved(line: str, by: int) -> str:
    """Give a hunk's header the numbers its lines have in the whole file."""
    header = _HEADER.fullmatch(line)
    if header is None:
        return line
    return f"@@ -{int(header[1]) + by}{header[2]} +{int(header[3]) + by}{header[4]} @@"


def _replaced(before: Sequence[str], after: Sequence[str], above: int) -> Iterator[str]:
    yield f"@@ -{above + 1},{len(before)} +{above + 1},{len(after)} @@"
    yield from (f"-{line}" for line in before)
    yield from (f"+{line}" for line in after)
