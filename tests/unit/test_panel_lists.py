"""The panel's other lists: turns, condensations with their chart; the strip and the story of a condensation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.condensing import told
from tests.fakes.session import MOMENT
from wisp_tui.app.panel.condensed import MARK, Chart, draw_condensation, fill_chart
from wisp_tui.app.panel.drawn import cells
from wisp_tui.app.panel.story import story_rows
from wisp_tui.app.panel.strip import falling_bar, strip_lines
from wisp_tui.app.panel.turns import draw_turn, share_bar
from wisp_tui.app.rows import Role
from wisp_tui.context.view import TurnRow
from wisp_tui.session.condensations import Condensation, Distillation, SummaryWritten
from wisp_tui.text.ids import TurnNumber


def running() -> Condensation:
    condensation = told()
    condensation.over, condensation.distilling, condensation.fill = False, 7, 6102
    condensation.steps.pop()
    return condensation


def fills(*used: int) -> dict[TurnNumber, int]:
    return {TurnNumber(turn): size for turn, size in enumerate(used, 1)}


def test_a_turn_says_when_it_was_what_it_took_and_what_changed_in_it() -> None:
    row = TurnRow(TurnNumber(3), MOMENT, "And where is it?", 4096, ("condensed 8", "summarised 1"))
    line = draw_turn(row, 100, 8192, 0.85).text
    for part in ("3", "14:05:12", "4,096", "condensed 8", "summarised 1", "And where is it?"):
        assert part in line
    narrow = draw_turn(row, 46, 8192, 0.85).text
    assert "−8" in narrow
    assert "14:05:12" not in narrow


def test_a_share_is_drawn_in_eighths_and_something_is_never_nothing() -> None:
    assert share_bar(0.5, 8) == "████    "
    assert share_bar(0.0001, 8) == "▏       "
    assert share_bar(0.0, 8) == " " * 8
    assert share_bar(3.0, 8) == "█" * 8


def test_the_chart_has_a_bar_a_turn_a_line_at_the_budget_and_marks_what_condensed() -> None:
    chart = Chart(fills(2000, 4000, 7900, 4000), {TurnNumber(4)}, 8000, 0.85)
    *rows, marks, scale = fill_chart(chart, 12, 4)
    assert [row.text for row in rows] == ["╌╌╌╌╌╌██╌╌╌╌", "      ██    ", "   ██ ██ ██ ", "██ ██ ██ ██ "]
    assert marks.text.index(MARK) == 9
    assert scale.text == "turn 1     4"
    assert any(piece.role is Role.ERROR for piece in rows[0].left)


@given(st.lists(st.integers(0, 20_000), max_size=200), st.integers(1, 80), st.integers(1, 5))
def test_the_chart_never_is_wider_or_higher_than_it_may_be(used: list[int], width: int, height: int) -> None:
    lines = fill_chart(Chart(fills(*used), set(), 8192, 0.85), width, height)
    assert len(lines) in {0, height + 2}
    assert all(cells(line.left) <= max(width, len("turn 100 200")) for line in lines)


def test_the_chart_shows_the_latest_turns_where_not_all_have_room() -> None:
    lines = fill_chart(Chart(fills(*range(1, 101)), set(), 8192, 0.85), 40, 2)
    assert lines[-1].text.startswith("turn 61 ")
    assert lines[-1].text.endswith("100")


def test_a_condensation_in_the_list_says_its_turn_what_left_and_what_was_written() -> None:
    line = draw_condensation(told(), 60).text
    for part in ("12", "7 turns", "6,913 → 4,870", "1 fact, summary"):
        assert part in line
    assert draw_condensation(running(), 60).text.endswith("…")


def test_the_strip_says_why_the_goal_the_fill_and_what_is_being_done() -> None:
    first, bar, trail = (line.text for line in strip_lines(running(), 4.2, 90))
    assert "condensing · the budget was reached" in first
    assert "goal 4,915 of 8,192" in first
    assert bar.endswith("6,913 → 6,102")
    assert "3 outputs sent as references" in trail
    assert trail.endswith("distilling 7 turns · 4.2 s")


def test_the_strip_ends_with_the_steps_that_were_taken_and_their_seconds() -> None:
    lines = [line.text for line in strip_lines(told(), 0.0, 90)]
    assert lines[0].startswith("◂ condensed")
    assert "7 turns dropped 3.5 s" in lines[2]
    assert "distilling" not in lines[2]


def test_a_short_strip_is_one_line() -> None:
    [line] = strip_lines(running(), 4.2, 40, short=True)
    assert line.text.startswith("◂ condensing 6,913 → 6,102")


def test_the_falling_bar_shows_what_is_held_what_has_gone_and_the_goal() -> None:
    bar = "".join(piece.text for piece in falling_bar(told(), 80))
    assert len(bar) == 80
    assert bar.index("┊") == 47
    assert bar.count("▒") == 47
    assert bar.rindex("░") == 67


@pytest.mark.parametrize("width", [20, 40, 92])
def test_the_story_tells_everything_at_any_width(width: int) -> None:
    text = "\n".join(f"{row.prefix}{row.text}" for row in story_rows(told(), width))
    for part in (
        "condensed 7 turns",
        "turn 12",
        "The budget was reached",
        "3 outputs sent as references",
        "6,102 → 4,870",
        "9 → 2",
        "412",
        "branch = main",
        "Summary 2",
        "What was said.",
        "75% of 8 names, paths and numbers",
        "perhaps lost: a.py, 42",
        "/home/b.md",
        "/home/a.md",
    ):
        assert part in text, part


def test_the_story_of_an_overflow_with_failures_at_the_floor_says_so() -> None:
    condensation = told()
    condensation.reason, condensation.floor = "overflow", True
    condensation.distillations = [Distillation(7, 2.0, 0, "it was no JSON")]
    condensation.summaries = [SummaryWritten(None, None, 7, 1.0, "it was empty")]
    condensation.facts = []
    text = "\n".join(row.text for row in story_rows(condensation, 92))
    assert "refused the request" in text
    assert "could not be distilled: it was no JSON" in text
    assert "no summary was written: it was empty" in text
    assert "This is the floor" in text
    assert "Facts written" not in text


def test_what_is_not_known_yet_is_not_told() -> None:
    condensation = running()
    condensation.audited = None
    text = "\n".join(row.text for row in story_rows(condensation, 92))
    assert text.startswith("condensing")
    assert "Saved" not in text
