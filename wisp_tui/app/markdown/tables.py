"""A table as rows: columns as wide as they need while they fit, then narrowed in proportion."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import TypeAlias

from rich.cells import cell_len

from wisp_tui.app.rows import Role, Row, Span, Wrap, shifted, wrapped

GAP = 2
NARROWEST = 4

Cell: TypeAlias = "tuple[tuple[str, tuple[Span, ...]], ...]"
"""What stands in a cell: its lines."""
Cells: TypeAlias = "tuple[Cell, ...]"


def table_rows(rows: Sequence[Cells], aligned: tuple[str, ...], width: int) -> list[Row]:
    """Draw a table, its first row the header. A cell too wide for its column goes on below.

    A row that was drawn for the same columns is not drawn again, so a table that grows costs what is new in it.
    """
    if not rows:
        return []
    columns = _widths(rows, width)
    drawn: list[Row] = []
    for number, cells in enumerate(rows):
        drawn += _lines(cells, columns, aligned, header=number == 0)
        if number == 0:
            rule = (" " * GAP).join("─" * column for column in columns)
            drawn.append(Row(rule, role=Role.RULE, wrap=Wrap.CLIP))
    return drawn


def _widths(rows: Sequence[Cells], width: int) -> tuple[int, ...]:
    count = max(len(cells) for cells in rows)
    wanted = [1] * count
    for cells in rows:
        for place, size in enumerate(_sizes(cells)):
            wanted[place] = max(wanted[place], size)
    room = max(width - GAP * (count - 1), count)
    if sum(wanted) <= room:
        return tuple(wanted)
    fair = max(room // count, NARROWEST)
    narrow = sum(column for column in wanted if column <= fair)
    wide = sum(wanted) - narrow
    rest = max(room - narrow, 1)
    return tuple(column if column <= fair else max(column * rest // wide, NARROWEST) for column in wanted)


@lru_cache(maxsize=4096)
def _sizes(cells: Cells) -> tuple[int, ...]:
    return tuple(max(cell_len(text) for text, _ in cell) for cell in cells)


@lru_cache(maxsize=4096)
def _lines(cells: Cells, columns: tuple[int, ...], aligned: tuple[str, ...], *, header: bool) -> tuple[Row, ...]:
    pieces = [
        [
            (text[start:end], _within(spans, start, end))
            for text, spans in cell
            for start, end in wrapped(text, column, Wrap.WORDS)
        ]
        for cell, column in zip(cells, columns, strict=False)
    ]
    lines = zip_longest(*pieces, fillvalue=("", ()))
    return tuple(_line(line, columns, aligned, header=header) for line in lines)


def _line(
    cells: Sequence[tuple[str, tuple[Span, ...]]], columns: Sequence[int], aligned: Sequence[str], *, header: bool
) -> Row:
    text = ""
    spans: list[Span] = []
    for place, ((piece, roles), column) in enumerate(zip(cells, columns, strict=False)):
        left = _before(aligned[place] if place < len(aligned) else "", column - cell_len(piece))
        start = len(text) + left
        text += " " * left + piece + " " * max(column - cell_len(piece) - left, 0) + " " * GAP
        spans += shifted(roles, start)
        if header:
            spans.append(Span(start, start + len(piece), Role.STRONG))
    return Row(text.rstrip(), tuple(spans), wrap=Wrap.CLIP)


def _before(alignment: str, spare: int) -> int:
    match alignment:
        case "right":
            return max(spare, 0)
        case "center":
            return max(spare, 0) // 2
        case _:
            return 0


def _within(spans: Sequence[Span], start: int, end: int) -> tuple[Span, ...]:
    inside = (Span(max(span.start, start), min(span.end, end), span.role) for span in spans)
    return shifted((span for span in inside if span.start < span.end), -start)
