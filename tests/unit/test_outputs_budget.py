"""The budget of a tool's result, its two measures, and the bounding of any text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.tools import CALL, Bench
from wisp_tui.events import Kind
from wisp_tui.outputs import Cost, ToolBudget
from wisp_tui.text.frames import REPEATED
from wisp_tui.tools.keeping import bound


@pytest.mark.parametrize(
    ("window", "size"),
    [(None, 4096), (2048, 4096), (8192, 4096), (53_248, 26_624), (131_072, 65_536), (1_000_000, 65_536)],
)
def test_the_budget_is_an_eighth_of_the_window_between_4_and_64_kib(window: int | None, size: int) -> None:
    budget = ToolBudget(window)
    assert (budget.bytes, budget.tokens) == (size, size // 4)


def test_the_budget_follows_the_window_as_it_becomes_known() -> None:
    budget = ToolBudget()
    budget.window = 131_072
    assert budget.bytes == 65_536


def test_the_cost_of_lines_is_the_cost_of_their_text() -> None:
    lines = ["some words\n", "12,345 67\n", "\n", "{'a': [Ünï, 漢字, 🙂]}\n"]
    total = Cost(0, 0)
    for line in lines:
        total += Cost.of(line)
    assert Cost.of("".join(lines)) == total


def test_a_result_is_bounded_by_tokens_as_well_as_bytes() -> None:
    budget = ToolBudget(8192)
    assert budget.fits("word " * 750)
    assert not budget.fits("9" * 3000)
    assert not budget.fits("\n" * 4097)


def test_the_line_above_a_repeated_call_has_its_room() -> None:
    budget = ToolBudget()
    spare = budget.whole.less(budget.room)
    assert Cost.of(REPEATED + "\n").within(spare)


def test_a_text_within_the_budget_is_whole_and_not_kept(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    output = bound("one\ntwo", bench.context())
    assert (output.text, output.lines, output.bytes, output.kept) == ("one\ntwo", 2, 7, False)
    assert not bench.ear.events


def test_a_text_past_the_budget_shows_head_and_tail_and_is_kept(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    text = "\n".join(f"entry {number}" for number in range(5000))
    output = bound(text, bench.context())
    lines = output.text.splitlines()
    assert (lines[0], lines[-2]) == ("entry 0", "entry 4999")
    assert lines[-1].startswith("held back: lines ")
    assert "do not run the command again" not in lines[-1]
    assert bench.budget.fits(output.text)
    assert (output.lines, output.bytes, output.kept) == (5000, len(text), True)
    assert bench.stored() == text.encode()
    (kept,) = bench.ear.of(Kind.OUTPUT_KEPT)
    assert (kept["output"], kept["lines"], kept["cut"]) == (CALL, 5000, False)
    assert kept["sha256"] == bench.store.find(CALL).sha256
