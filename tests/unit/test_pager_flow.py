"""Which rows are on the screen: wrapped or cut, moved by rows, long lines a part at a time."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.fakes.pager import BytesSource
from wisp_tui.app.pager.flow import Flow, Frame, Place, RowKind, ScreenRow
from wisp_tui.app.pager.index import LineIndex
from wisp_tui.app.pager.parts import PART, Parts
from wisp_tui.app.pager.source import PAGE


def _parts(data: bytes) -> Parts:
    source = BytesSource(data)
    index = LineIndex(source)
    index.finish()
    return Parts(source, index)


def _flow(data: bytes, *, width: int = 10, height: int = 5, wrap: bool = False, part: int = 0, column: int = 0) -> Flow:
    return Flow(_parts(data), Frame(width, height, wrap, part, column))


def _text(row: ScreenRow) -> str:
    return " " * row.pad + row.part.styled.text[row.start : row.end] if row.part else ""


LINES = st.lists(st.text(alphabet="ab 宽e\u0301\t", max_size=30), max_size=14)


@settings(max_examples=150, deadline=None)
@given(LINES, st.booleans(), st.integers(1, 13), st.integers(1, 6), st.lists(st.integers(-9, 9), max_size=6))
def test_moving_by_rows_walks_over_all_rows_in_order_wherever_it_stops(
    lines: list[str], wrap: bool, width: int, height: int, moves: list[int]
) -> None:
    flow = _flow("\n".join(lines).encode(), width=width, height=height, wrap=wrap)
    every = [(line, row) for line in range(flow.lines) for row in range(len(flow.rows(line)))]
    most = max(len(every) - height, 0)
    top, at = Place(0), 0
    for move in moves:
        top, at = flow.moved(top, move), max(0, min(at + move, most))
        assert (top.line, top.row) == (every[at] if every else (0, 0))
        shown = flow.screen(top)
        assert len(shown) == min(height, len(every) - at)
        assert [row.line for row in shown] == [line for line, _ in every[at : at + height]]


@settings(max_examples=150, deadline=None)
@given(LINES, st.integers(2, 13))
def test_wrapped_rows_are_the_line_again_but_for_spaces_and_none_is_wider_than_the_screen(
    lines: list[str], width: int
) -> None:
    flow = _flow("\n".join(lines).encode(), width=width, wrap=True)
    for line in range(flow.lines):
        rows = flow.rows(line)
        part = rows[0].part
        assert part is not None
        assert "".join(map(_text, rows)).replace(" ", "") == part.styled.text.replace(" ", "")
        assert all(cell_len(_text(row)) <= width for row in rows)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab宽", max_size=30), st.integers(1, 13), st.integers(0, 30))
def test_a_cut_line_shows_the_cells_from_its_column_on(text: str, width: int, column: int) -> None:
    flow = _flow(text.encode() + b"\n", width=width, column=column)
    row = flow.rows(0)[0]
    cells = "".join(character + "_" * (cell_len(character) - 1) for character in text)
    seen = "".join(character + "_" * (cell_len(character) - 1) for character in _text(row))
    expected = cells[column : column + width]
    if expected.startswith("_"):
        expected = " " + expected[1:]
    if cells[column + width : column + width + 1] == "_" and expected:
        expected = expected[:-1]
    assert seen == expected
    assert row.clipped == (row.end < len(text))


def test_a_screen_across_a_page_edge_has_no_seam() -> None:
    data = b"".join(b"line %06d of the output\n" % number for number in range(6_000))
    flow = _flow(data, width=40, height=30)
    edge = data[: PAGE - 1].count(b"\n")
    shown = [_text(row) for row in flow.screen(Place(edge - 15))]
    assert shown == [f"line {number:06d} of the output" for number in range(edge - 15, edge + 15)]


def test_a_long_line_is_drawn_a_part_at_a_time_and_says_what_is_missing() -> None:
    line = b"x" * (PART * 3 + 100)
    parts = _parts(b"short\n" + line + b"\nend")
    first, last = parts.read(1), parts.read(1, 99)
    assert first is not None
    assert last is not None
    assert (first.parts, first.before, first.after) == (4, 0, PART * 2 + 100)
    assert (last.part, last.before, last.after, len(last.styled.text)) == (3, PART * 3, 0, 100)
    rows = Flow(parts, Frame(100, 10, wrap=True, part=1)).rows(1)
    assert [rows[0].kind, rows[-1].kind] == [RowKind.BEFORE, RowKind.AFTER]
    assert [row.first for row in rows[:2]] == [True, False]
    assert len(Flow(parts, Frame(100, 10, wrap=True, part=1)).rows(0)) == 1
    assert _text(Flow(parts, Frame(100, 10, part=1)).rows(0)[0]) == ""


def test_parts_join_to_the_line_and_cut_neither_a_character_nor_a_sequence() -> None:
    line = ("宽" * 11 + "\x1b[38;5;208mcolour\x1b[0m" + "é") * 1_200
    parts = _parts(line.encode())
    count = (parts.read(0) or pytest.fail("no line")).parts
    read = [part for number in range(count) if (part := parts.read(0, number)) is not None]
    assert "".join(part.styled.text for part in read) == ("宽" * 11 + "colour" + "é") * 1_200
    assert all(end.end == start.start for end, start in pairwise(read))


def test_an_offset_leads_to_the_part_and_the_character_that_show_it() -> None:
    line = "\x1b[1m宽\tx\x1b[0m" * 3_000
    data = b"first\n" + line.encode()
    parts = _parts(data)
    for at in (len(b"first\n"), data.index(b"x"), data.rindex(b"x"), data.index(b"x", PART + 40)):
        number = parts.part_of(1, at)
        assert number is not None
        part = parts.read(1, number)
        assert part is not None
        assert part.start <= at < part.end
        shown = part.styled.text[parts.column_of(part, at) :]
        if data[at : at + 1] == b"x":
            assert shown.startswith("x")


def test_what_was_redrawn_is_in_no_part() -> None:
    parts = _parts(b"one\n" + b"progress %d\r" * 3_000 + b"done\r\nnext\r\n")
    line = parts.read(1)
    assert line is not None
    assert (line.styled.text, line.parts) == ("done", 1)
    assert parts.part_of(1, 4) is None
    assert parts.part_of(1, line.start) == 0
    following = parts.read(2)
    assert following is not None
    assert following.styled.text == "next"


def test_an_empty_output_has_no_rows_and_a_closing_row_stands_alone() -> None:
    assert _flow(b"").screen(Place(0)) == []
    closing = Flow(_parts(b"x\n"), Frame(10, 5, closing=True)).screen(Place(0))
    assert [row.kind for row in closing] == [RowKind.TEXT, RowKind.CLOSING]


def test_the_end_stands_at_the_bottom_and_no_further() -> None:
    flow = _flow(b"".join(b"%d\n" % number for number in range(100)), height=10)
    assert flow.last() == Place(90)
    assert flow.within(Place(5_000)) == Place(90)
    assert [_text(row) for row in flow.screen(flow.last())][-1] == "99"


def test_a_character_that_a_part_would_cut_is_in_the_next_part_and_found_there() -> None:
    data = b"x" * (PART - 1) + "宽".encode() + b"y" * 10
    parts = _parts(data)
    assert parts.part_of(0, PART - 1) == 1
    assert parts.part_of(0, PART - 2) == 0
    second = parts.read(0, 1)
    assert second is not None
    assert second.styled.text == "宽" + "y" * 10
