"""Summarising a stored output without a model: every point by its line."""

from __future__ import annotations

import pytest

from wisp_tui.recall.documents import of_text
from wisp_tui.recall.runs import Said, read_line
from wisp_tui.recall.summaries import summarised


def points(text: str, *, overview: bool = False) -> list[str]:
    summary = summarised(of_text("[output]", text, "output"), overview=overview)
    return [line.text for line in summary.document().lines(1)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("FAILED tests/unit/test_a.py::test_b - assert 1 == 2", Said.FAILED),
        ("E       AssertionError: assert 1 == 2", Said.ERROR),
        ("=== 1 failed, 2 passed in 0.12s ===", Said.OUTCOME),
        ("12 passed in 0.12s", Said.OUTCOME),
        ("error[E0308]: mismatched types", Said.ERROR),
        ("test parser::empty ... FAILED", Said.FAILED),
        ("test result: FAILED. 3 passed; 1 failed", Said.OUTCOME),
        ("--- FAIL: TestParse (0.00s)", Said.FAILED),
        ("./parse.go:12:3: undefined: x", Said.ERROR),
        ("src/main.c:4:10: fatal error: x.h: No such file or directory", Said.ERROR),
        ("src/a.ts(3,5): error TS2322: no", Said.ERROR),
        ("FAIL src/a.test.ts", Said.FAILED),
        ("Tests:       1 failed, 4 passed, 5 total", Said.OUTCOME),
        ("make: *** [Makefile:3: all] Error 2", Said.OUTCOME),
        ("Executed 5 tests, with 1 failure (0 unexpected) in 0.1 seconds", Said.OUTCOME),
        ("ValueError: not a number", Said.ERROR),
        ("a.c:3:1: warning: unused variable", Said.WARNING),
        ("no errors were found", None),
        ("  2 passed the door", None),
    ],
)
def test_what_a_runner_says_is_known_by_its_line(line: str, said: Said | None) -> None:
    assert read_line(line) is said


def test_a_failed_build_leads_with_each_cause_once_and_where_it_is() -> None:
    lines = [f"   Compiling crate{number} v1.0.{number}" for number in range(300)]
    lines += ["error[E0308]: mismatched types", "  --> src/lib.rs:12:5", "warning: unused import"]
    lines += ["error[E0308]: mismatched types", "  --> src/lib.rs:90:5", "error: could not compile `x`"]
    assert points("\n".join(lines)) == [
        "lines 301-304, 2 like this: error[E0308]: mismatched types --> src/lib.rs:12:5",
        "1 warning, the first on line 303: warning: unused import",
        "line 306: error: could not compile `x`",
    ]
    assert points("\n".join(lines), overview=True)[3] == "lines 1-300, 300 like this: Compiling crate0 v1.0.0"


def test_every_test_that_failed_is_named() -> None:
    lines = [
        "E   assert 1 == 2",
        "FAILED tests/test_a.py::test_1",
        "FAILED tests/test_a.py::test_2",
        "2 failed in 0.1s",
    ]
    assert points("\n".join(lines)) == [f"line {number}: {line}" for number, line in enumerate(lines, 1)]


def test_a_run_that_succeeded_is_told_in_its_outcome() -> None:
    assert points("\n".join([*["." * 60] * 40, "2400 passed, 3 skipped in 61.20s"])) == [
        "line 41: 2400 passed, 3 skipped in 61.20s"
    ]


def test_a_log_is_told_by_its_templates_and_what_is_like_no_other() -> None:
    log = [f"12:00:{number:02} GET /item/{number} 200" for number in range(50)]
    log.insert(20, "12:00:20 cache lost its leader")
    assert points("\n".join(log)) == [
        "lines 1-51, 50 like this: 12:00:00 GET /item/0 200",
        "line 21: 12:00:20 cache lost its leader",
    ]


def test_json_is_told_by_its_members_and_their_lines() -> None:
    assert points('{\n  "name": "heron",\n  "sizes": [1, 2],\n  "on": true\n}') == [
        "line 1: a JSON object of 3 members",
        'line 2: name: "heron"',
        "line 3: sizes: array of 2 items",
        "line 4: on: true",
    ]
    assert points('[{"id": 1}]')[0] == "line 1: a JSON array of 1 item"
