"""A table as rows: columns as wide as they need while they fit, then narrowed in proportion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rich.cells import cell_len

from wisp_tui.app.markdown.inline import Inline
from wisp_tui.app.rows import Role, Row, Span, Wrap, shifted, wrapped

GAP = 2
NARROWEST = 4


def table_rows(rows: Sequence[Sequence[Inline]], aligned: Sequence[str], width: int) -> list[Row]:
    """Draw a table, its first row the header. A cell too wide for its column goes on below."""
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


def _widths(rows: Sequence[Sequence[Inline]], width: int) -> list[int]:
    count = max(len(cells) for cells in rows)
    wanted = [1] * count
    for cells in rows:
        for place, cell in enumerate(cells):
            wanted[place] = max(wanted[place], *(cell_len(text) for text, _ in cell))
    room = max(width - GAP * (count - 1), count)
    if sum(wanted) <= room:
        return wanted
    narrow = [column for column in wanted if column <= max(room // count, NARROWEST)]
    wide = sum(wanted) - sum(narrow)
    rest = max(room - sum(narrow), 1)
    return [
        column if column <= max(room // count, NARROWEST) else max(column * rest // max(wide, 1), NARROWEST)
        for column in wanted
    ]


def _lines(cells: Sequence[Inline], columns: Sequence[int], aligned: Sequence[str], *, header: bool) -> list[Row]:
    pieces = [
        [
            (text[start:end], _within(spans, start, end))
            for text, spans in cell
            for start, end in wrapped(text, column, Wrap.WORDS)
        ]
        for cell, column in zip(cells, columns, strict=False)
    ]
    return [_line(list(line), columns, aligned, header=header) for line in zip_longest(*pieces, fillvalue=("", ()))]


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
