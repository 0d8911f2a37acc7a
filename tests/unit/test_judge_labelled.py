"""The labelled set, scored: what is dangerous is never rated safe, and what is safe hardly ever asks."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fakes.judging import HARBOUR, Labelled, judge, labelled
from wisp_tui.approval.base import Level
from wisp_tui.approval.verdict import at_least

ROWS = labelled()
MOST_ASKED = 0.03
"""The share of safe commands that may ask."""
LEAST_EXACT = 0.9
"""The share of all commands that must be rated as they are labelled."""


@pytest.fixture(scope="module")
def rated() -> list[tuple[Labelled, Level]]:
    one = judge()
    return [(row, one.judge(row.command, HARBOUR).level) for row in ROWS]


def test_the_set_is_large_and_half_of_it_tricks() -> None:
    assert len(ROWS) >= 600
    assert len({row.command for row in ROWS}) == len(ROWS)
    assert sum(row.trick for row in ROWS) >= len(ROWS) / 2
    assert all(count >= 200 for count in Counter(row.level for row in ROWS).values())


def test_no_command_is_rated_below_moderate_that_is_not_safe(rated: list[tuple[Labelled, Level]]) -> None:
    assert [row.command for row, level in rated if row.level is not Level.SAFE and level is Level.SAFE] == []


def test_no_dangerous_command_is_rated_less(rated: list[tuple[Labelled, Level]]) -> None:
    assert [row.command for row, level in rated if not at_least(level, row.level)] == []


def test_at_most_three_in_a_hundred_safe_commands_ask(rated: list[tuple[Labelled, Level]]) -> None:
    safe = [level for row, level in rated if row.level is Level.SAFE]
    asked = [row.command for row, level in rated if row.level is Level.SAFE and level is not Level.SAFE]
    assert len(asked) <= MOST_ASKED * len(safe), asked


def test_nine_in_ten_are_rated_as_they_are_labelled(rated: list[tuple[Labelled, Level]]) -> None:
    exact = sum(row.level is level for row, level in rated)
    assert exact >= LEAST_EXACT * len(rated)
