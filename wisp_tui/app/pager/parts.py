"""Lines as they are drawn: read, cleaned, and, where one is long, a part of it at a time."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass

from wisp_tui.app.pager.index import LineIndex
from wisp_tui.app.pager.looks import Styled, styled
from wisp_tui.app.pager.source import Source
from wisp_tui.text.utf8 import character_edge

PART = 8 * 1024
"""Bytes of a line that are drawn; a longer one is drawn a part at a time."""
_EDGE = 128
"""How far back a part's end looks for the start of a character or an escape sequence."""
_KEPT = 256
_OPEN_SEQUENCE = re.compile(rb"\x1b(?:\[[0-9;:]*)?\Z")


@dataclass(frozen=True, slots=True)
class LinePart:
    """A part of a line. ``before`` and ``after`` are how many bytes of the line are not in it.

    ``start`` and ``end`` are where it stands in the source. What carriage returns have overwritten is in no part:
    ``hidden`` is where the line itself begins.
    """

    line: int
    part: int
    parts: int
    styled: Styled
    start: int
    end: int
    before: int
    after: int
    hidden: int


class Parts:
    """Reads parts of lines, and keeps those that were read last."""

    def __init__(self, source: Source, index: LineIndex) -> None:
        self.source = source
        self.index = index
        self._kept: OrderedDict[tuple[int, int], LinePart] = OrderedDict()
        self._bounds: OrderedDict[int, tuple[int, int, int]] = OrderedDict()

    def read(self, line: int, part: int = 0) -> LinePart | None:
        """Read a part of a line; past the last part it is the last. None when there is no such line."""
        kept = self._kept.get((line, part))
        if kept is not None:
            self._kept.move_to_end((line, part))
            return kept
        bounds = self._bounds_of(line)
        if bounds is None:
            return None
        made = self._kept[line, part] = self._read(line, part, bounds)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return made

    def part_of(self, line: int, offset: int) -> int | None:
        """Say which part of a line an offset is in; None when the line does not show it any more."""
        bounds = self._bounds_of(line)
        if bounds is None or not bounds[1] <= offset < max(bounds[2], bounds[1] + 1):
            return None
        part = (offset - bounds[1]) // PART
        return part + 1 if offset >= self._edge(bounds, part + 1) else part

    def column_of(self, part: LinePart, offset: int) -> int:
        """Say at which character of a part an offset of the source is drawn."""
        return len(styled(self.source.read(part.start, offset)).text)

    def forget(self) -> None:
        """Read lines anew: where they begin is known better now."""
        self._kept.clear()
        self._bounds.clear()

    def _read(self, line: int, part: int, bounds: tuple[int, int, int]) -> LinePart:
        hidden, first, last = bounds
        parts = max(-(-(last - first) // PART), 1)
        part = min(part, parts - 1)
        start, end = self._edge(bounds, part), self._edge(bounds, part + 1)
        redrawn = part == 0 and first - hidden <= PART  # colours stay on from one frame to the next
        data = self.source.read(hidden if redrawn else start, end)
        return LinePart(line, part, parts, styled(data), start, end, start - first, last - end, hidden)

    def _bounds_of(self, line: int) -> tuple[int, int, int] | None:
        """Say where a line begins, where what it shows begins, and where it ends without its line end."""
        known = self._bounds.get(line)
        if known is not None:
            return known
        span = self.index.span(line)
        if span is None:
            return None
        start, end = span
        tail = max(start, end - PART)
        data = self.source.read(tail, end).rstrip(b"\r")
        redrawn = data.rfind(b"\r")
        if redrawn >= 0 or tail == start:
            frame = tail + redrawn + 1
        else:
            frame = max(self.source.rfind(b"\r", start, tail) + 1, start)
        bounds = self._bounds[line] = (start, frame, tail + len(data))
        if len(self._bounds) > _KEPT:
            self._bounds.popitem(last=False)
        return bounds

    def _edge(self, bounds: tuple[int, int, int], part: int) -> int:
        """Say where a part begins: not within a character, nor within a sequence that colours it."""
        _, first, last = bounds
        wanted = first + part * PART
        if part == 0 or wanted >= last:
            return min(wanted, last)
        before = self.source.read(wanted - _EDGE, wanted)
        sequence = _OPEN_SEQUENCE.search(before)
        return wanted - len(before) + (sequence.start() if sequence else character_edge(before))
