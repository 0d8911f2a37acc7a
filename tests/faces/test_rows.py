"""Rows: wrapped without losing a character, never wider than the screen, copied as they came."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.screen import Screen
from textual.selection import SELECT_ALL, Selection

from wisp_tui.app.rows import Role, Row, Span, Wrap, column_rows, lines_of, plain_rows, wrapped
from wisp_tui.app.widgets.looks import ROLE_CLASSES
from wisp_tui.app.widgets.rowview import RowView

_TEXT = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), max_size=80)


@settings(deadline=None)
@given(_TEXT, st.integers(2, 40), st.sampled_from([Wrap.WORDS, Wrap.ANYWHERE]))
def test_wrapping_loses_only_spaces_and_never_exceeds_the_width(text: str, width: int, wrap: Wrap) -> None:
    pieces = list(wrapped(text, width, wrap))
    assert all(cell_len(text[start:end]) <= width for start, end in pieces)
    assert "".join(text[start:end] for start, end in pieces).replace(" ", "") == text.replace(" ", "")
    if wrap is Wrap.ANYWHERE:
        assert "".join(text[start:end] for start, end in pieces) == text


def test_words_are_kept_whole_where_they_fit() -> None:
    assert _pieces("the quick brown fox", 10) == ["the quick", "brown fox"]
    assert _pieces("abcdefghijklm", 5) == ["abcde", "fghij", "klm"]
    assert _pieces("", 5) == [""]


def test_what_a_line_goes_on_with_stands_under_its_last_column() -> None:
    assert _drawn("/save [NAME]  save the conversation here", 32) == [
        "  /save [NAME]  save the",
        "                conversation",
        "                here",
    ]
    assert _drawn("    1 turn ran", 13) == ["      1 turn", "      ran"]
    assert _drawn("no columns here", 12) == ["  no columns", "  here"]
    assert _drawn(f"{'a' * 40}  too far in", 50)[1] == "  far in"
    assert _drawn("/save [NAME]  save it", 20) == ["  /save [NAME]  save", "  it"], "half of the width is left for text"


def _drawn(text: str, width: int) -> list[str]:
    (row,) = column_rows(text, prefix="  ")
    lines = [
        (row.hang_in(width) if line.start else row.prefix) + row.text[line.start : line.end]
        for line in lines_of([row], width)
    ]
    assert all(cell_len(line) <= width for line in lines)
    return lines


def _pieces(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in wrapped(text, width, Wrap.WORDS)]


def test_a_clipped_row_is_one_line_however_long() -> None:
    (line,) = lines_of([Row("x" * 70_000, wrap=Wrap.CLIP)], 80)
    assert line.clipped
    assert line.end == 79


def test_wide_characters_never_pass_the_edge() -> None:
    (line,) = lines_of([Row("漢字" * 40, wrap=Wrap.CLIP)], 9)
    assert cell_len(("漢字" * 40)[line.start : line.end]) <= 8


class _Screen(Screen[None]):
    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}


class _Shown(App[None]):
    def __init__(self, rows: list[Row]) -> None:
        super().__init__()
        self.view = RowView(rows)

    def get_default_screen(self) -> Screen[None]:
        return _Screen()

    def compose(self) -> ComposeResult:
        yield self.view


async def test_what_is_drawn_is_the_rows_text() -> None:
    app = _Shown([Row("one two", (Span(0, 3, Role.STRONG),), prefix="• ", hang="  "), Row("漢字")])
    async with app.run_test(size=(12, 6)):
        drawn = [app.view.render_line(y).text.rstrip() for y in range(2)]
        assert drawn == ["• one two", "漢字"]


async def test_a_selection_copies_the_text_as_it_came_without_our_marks() -> None:
    rows = [Row("a long line that wraps on this screen", prefix="• ", hang="  "), *plain_rows("\tindented\nlast")]
    app = _Shown(rows)
    async with app.run_test(size=(20, 8)):
        everything = app.view.get_selection(SELECT_ALL)
        assert everything == ("a long line that wraps on this screen\n\tindented\nlast", "\n")
        part = app.view.get_selection(Selection(Offset(2, 0), Offset(2, 2)))
        assert part is not None
        assert part[0] == "long line that wraps on this screen\n\tindented\nla"


async def test_rows_are_wrapped_again_for_another_width() -> None:
    app = _Shown([Row("the quick brown fox jumps")])
    async with app.run_test(size=(40, 6)) as pilot:
        assert app.view.size.height >= 1
        lines = app.view.get_content_height(app.size, app.size, 40)
        await pilot.resize_terminal(10, 6)
        assert app.view.get_content_height(app.size, app.size, 10) > lines


async def test_replacing_the_last_rows_leaves_the_others() -> None:
    app = _Shown([Row("one"), Row("two")])
    async with app.run_test(size=(20, 6)) as pilot:
        app.view.replace([Row("three"), Row("four")], 1)
        await pilot.pause()
        assert [app.view.render_line(y).text.rstrip() for y in range(3)] == ["one", "three", "four"]
