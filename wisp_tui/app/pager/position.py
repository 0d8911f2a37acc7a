"""Where in an output the screen is, in lines, bytes and columns. Values only, without Textual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wisp_tui.app.pager.flow import Flow, Place, RowKind, ScreenRow
from wisp_tui.app.pager.parts import Parts


@dataclass(frozen=True, slots=True)
class Position:
    """What is on the screen: lines ``first`` to ``last`` (from 1; 0 when there is none) of ``lines``.

    ``percent`` is how much of the bytes is on the screen or above it; ``sure``: there are no more lines than ``lines``.
    ``part`` of ``parts`` of the long lines is drawn, from ``column`` on (both from 0).
    """

    first: int
    last: int
    lines: int
    size: int
    sure: bool = True
    percent: int = 100
    wrap: bool = False
    column: int = 0
    part: int = 0
    parts: int = 1


def position_of(rows: Sequence[ScreenRow], flow: Flow, top: Place, parts: Parts) -> Position:
    """Say where the screen is that shows these rows from ``top`` on."""
    frame, size, index = flow.frame, parts.source.size, parts.index
    shown = [row for row in rows if row.kind is not RowKind.CLOSING]
    if not shown:
        return Position(0, 0, 0, size, index.sure, wrap=frame.wrap)
    end = size if top >= flow.last() else _end_of(shown[-1])
    most = max((row.part.parts for row in shown if row.part is not None), default=1)
    return Position(
        first=shown[0].line + 1,
        last=shown[-1].line + 1,
        lines=index.count,
        size=size,
        sure=index.sure,
        percent=100 * end // max(size, 1),
        wrap=frame.wrap,
        column=frame.column,
        part=min(frame.part, most - 1),
        parts=most,
    )


def _end_of(row: ScreenRow) -> int:
    """Say about where in the source a row ends."""
    part = row.part
    if part is None:
        return 0
    return part.start + (part.end - part.start) * row.end // max(len(part.styled.text), 1)
