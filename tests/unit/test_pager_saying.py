"""What the pager says of where it is, and which line is meant by what was written."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from wisp_tui.app.gauge import Piece
from wisp_tui.app.pager.finding import Found, Outcome
from wisp_tui.app.pager.position import Position
from wisp_tui.app.pager.saying import keys, line_wanted, status

PLACE = Position(first=1, last=38, lines=400_000, size=16 << 20, percent=0)


def _text(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def _status(position: Position, found: Found | None = None, width: int = 100) -> tuple[str, str]:
    left, right = status(position, found or Found(), width)
    return _text(left), _text(right)


def test_it_says_the_lines_the_share_the_size_and_whether_lines_wrap() -> None:
    assert _status(PLACE) == ("lines 1–38 of 400,000", "0% · 16 MiB · wrap off")
    assert _status(Position(3, 3, 5, 10, wrap=True)) == ("line 3 of 5", "100% · 10 bytes · wrap on")
    assert _status(Position(0, 0, 0, 0))[0] == "no lines"


def test_while_lines_are_counted_it_does_not_say_that_these_are_all() -> None:
    assert _status(Position(1, 38, 900, 1 << 20, sure=False))[0] == "lines 1–38 of 900+"


def test_it_says_how_far_to_the_right_and_which_part_of_long_lines() -> None:
    assert "part 3 of 9 · column 121" in _status(Position(1, 2, 2, 70_000, column=120, part=2, parts=9))[1]


def test_a_match_is_said_with_its_number_and_how_many_there_are() -> None:
    found = Found(Outcome.FOUND, "error", 3, 1204, whole=True)
    assert _status(PLACE, found)[0] == "3 of 1,204 “error” · lines 1–38 of 400,000"
    assert _status(PLACE, Found(Outcome.FOUND, "error", 3, 900))[0].startswith("3 of 900+ “error”")
    assert _status(PLACE, Found(Outcome.FOUND, "error", None, 900))[0].startswith("900+ “error”")
    assert "from the other end" in _status(PLACE, Found(Outcome.FOUND, "e", 1, 2, whole=True, wrapped=True))[0]
    assert _status(PLACE, Found(Outcome.ABSENT, "x"))[0].startswith("no “x”")
    assert _status(PLACE, Found(Outcome.LOOKING, "x"))[0].startswith("looking for “x” …")


@pytest.mark.parametrize("width", range(1, 130))
def test_it_keeps_to_the_width_from_where_the_lines_alone_fit(width: int) -> None:
    left, right = _status(PLACE, width=width)
    if right:
        assert cell_len(left) + 2 + cell_len(right) <= width
    assert cell_len(_text(keys([("/", "search"), ("q", "close")], width))) <= width


def test_a_long_needle_is_shortened() -> None:
    assert len(_status(PLACE, Found(Outcome.ABSENT, "x" * 500))[0]) < 80


@pytest.mark.parametrize(
    ("text", "line"),
    [("1", 0), ("120", 119), ("1,204", 999), ("0", 0), ("99999", 999), ("50%", 500), ("100%", 999), (" 7 ", 6)],
)
def test_a_line_is_named_by_its_number_or_a_share(text: str, line: int) -> None:
    assert line_wanted(text, 1_000) == line


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "%", "½", "9" * 30])
def test_what_names_no_line_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="number"):
        line_wanted(text, 1_000)


def test_an_output_without_lines_has_none_to_go_to() -> None:
    assert line_wanted("5", 0) == 0
