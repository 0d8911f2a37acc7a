"""Judging any line: it never fails, nothing added to a line makes it safer, and what is rated safe changes nothing."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.fakes.judging import HARBOUR, Labelled, judge, labelled
from tests.fakes.line_runner import LineRunner, line_runner
from wisp_tui.approval.base import Level
from wisp_tui.approval.verdict import at_least, worst
from wisp_tui.sandbox import Bubblewrap
from wisp_tui.sandbox.choose import trial

JUDGE = judge()
ROWS = labelled()
SAFE = [row for row in ROWS if row.level is Level.SAFE]
RISKY = [row for row in ROWS if row.level is not Level.SAFE]
FAULT = (
    None if sys.platform == "linux" and trial(Bubblewrap(), {"PATH": "/usr/bin:/bin"}) is None else "no sandbox here"
)


def level(line: str) -> Level:
    return JUDGE.judge(line, HARBOUR).level


# Any text ----------------------------------------------------------------------------------------------------------

_OPERATORS = (
    ";",
    "&",
    "|",
    "&&",
    "||",
    "\n",
    "<",
    ">",
    ">>",
    "&>",
    ">&",
    "|&",
    ";;",
    "<<",
    "<<<",
    "<<EOF\n",
    "\nEOF\n",
)
_QUOTES = ("`", '"', "'", "\\", "\\\n", "$'", '$"', "#", "$(", ")", "<(", ">(", "(", "{", "}", "${", "$((", "))")
_WORDS = (
    "[[",
    "]]",
    "[",
    "!",
    "eval ",
    "in",
    "do",
    "done",
    "if",
    "then",
    "fi",
    "for",
    "while",
    "case",
    "esac",
    "time ",
)
_OTHERS = (
    "$",
    "*",
    "?",
    "~",
    "=",
    "- ",
    "-- ",
    "@P",
    " -o ",
    " -exec ",
    " -i ",
    "sh ",
    "x=",
    "$X",
    "IFS=",
    "function ",
)
_ARITHMETIC = ("time ", "function ", "coproc ", "trap ", "a[$(touch\tp)]", " -eq ", " -v ")
_MARKS = st.sampled_from((*_OPERATORS, *_QUOTES, *_WORDS, *_OTHERS, *_ARITHMETIC))
_PAYLOADS = st.sampled_from(
    ["touch p", "$(touch p)", "`touch p`", "> p", "; touch p", "\ntouch p\n", "-o p", "w p", "&touch p"]
)
_PIECES = st.one_of(_MARKS, _PAYLOADS, st.sampled_from([" ", " ", "\t", "a.txt", "ls", "cat", "p", "1"]))


@st.composite
def _mutated(draw: st.DrawFn, rows: Sequence[Labelled]) -> str:
    """A labelled line, or the start of one and the end of another, with pieces put in or taken out."""
    line = draw(st.sampled_from(rows)).command
    if draw(st.booleans()):
        other = draw(st.sampled_from(ROWS)).command
        line = line[: draw(st.integers(0, len(line)))] + draw(_PIECES) + other[draw(st.integers(0, len(other))) :]
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(line)))
        line = line[:at] + draw(_PIECES) + line[at + draw(st.integers(0, 2)) :]
    return line


_LINES = st.one_of(_mutated(SAFE), _mutated(ROWS), st.lists(_PIECES, max_size=12).map("".join))


@given(st.one_of(st.text(), _LINES))
def test_judging_never_fails_and_a_line_is_as_risky_as_its_worst_part(line: str) -> None:
    verdict = JUDGE.judge(line, HARBOUR)
    assert verdict.level is worst(part.level for part in verdict.parts)
    assert all(part.reasons for part in verdict.parts if part.level is not Level.SAFE)
    assert all(part.pattern is None for part in verdict.parts if part.level is Level.DANGEROUS)


@given(st.one_of(st.text(), _LINES))
def test_judging_a_line_again_says_the_same(line: str) -> None:
    assert JUDGE.judge(line, HARBOUR) == judge().judge(line, HARBOUR)


@given(_LINES)
def test_a_pattern_covers_the_command_it_was_suggested_for(line: str) -> None:
    for part in JUDGE.judge(line, HARBOUR).parts:
        if part.pattern is not None:
            assert part.pattern.covers(part.words)


# More than a safe line ---------------------------------------------------------------------------------------------

_ADDED = st.sampled_from(
    [
        "touch p; {line}",
        "touch p && {line}",
        "touch p | {line}",
        "touch p\n{line}",
        "X=$(touch p); {line}",
        'ls "$(touch p)"; {line}',
        "ls > p; {line}",
        "if touch p; then {line}\nfi",
        "{{ touch p; {line}\n}}",
        "( touch p; {line}\n)",
        "{line}\ntouch p",
        "{line}\n> p",
        "{line}\nls `touch p`",
        "for f in $(touch p); do {line}\ndone",
    ]
)


@given(st.sampled_from(SAFE), _ADDED)
def test_a_safe_line_with_a_command_that_writes_is_not_safe(row: Labelled, added: str) -> None:
    assert level(added.format(line=row.command)) is not Level.SAFE


_AROUND = st.sampled_from(
    [
        "( {line}\n)",
        "{{ {line}\n}}",
        "if true; then {line}\nfi",
        "while true; do {line}\ndone",
        "for tide in 1; do {line}\ndone",
        "true && {{ {line}\n}}",
        "echo $( {line}\n)",
        "ls\n{line}",
        "{line}\nls",
        "bash -c {quoted}",
        "eval {quoted}",
        "timeout 5 bash -c {quoted}",
        "ls | xargs -I% bash -c {quoted}",
        "trap {quoted} EXIT",
    ]
)


@given(st.sampled_from(RISKY), _AROUND)
def test_what_is_around_a_line_never_makes_it_safe(row: Labelled, around: str) -> None:
    assume("\0" not in row.command)
    assert level(around.format(line=row.command, quoted=shlex.quote(row.command))) is not Level.SAFE


@given(st.sampled_from([row for row in RISKY if row.level is Level.DANGEROUS]), _AROUND)
def test_code_given_to_a_shell_is_as_risky_as_it_is(row: Labelled, around: str) -> None:
    assume("quoted" in around)
    wrapped = around.format(line=row.command, quoted=shlex.quote(row.command))
    assert at_least(level(wrapped), Level.DANGEROUS)


# Run for real ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Generator[LineRunner]:
    if FAULT is not None and not os.environ.get("CI"):
        pytest.skip(FAULT)
    with line_runner(tmp_path_factory.mktemp("lines")) as runner:
        yield runner


def _waits(line: str) -> bool:
    """Whether a line might run until it is ended."""
    return any(word in line for word in ("while", "until", "sleep", "yes", "tail -", "watch", "/dev/zero", "random"))


@given(line=_LINES)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_line_that_is_rated_safe_changes_no_file_when_it_runs(runner: LineRunner, line: str) -> None:
    if runner.judge.judge(line, runner.directory).level is Level.SAFE and not _waits(line):
        assert runner.changed(line) == []


def test_every_safe_line_of_the_labelled_set_changes_no_file(runner: LineRunner) -> None:
    lines = [row.command for row in SAFE if not _waits(row.command)]
    assert [line for line in lines if runner.changed(line)] == []


def test_the_runner_sees_a_line_that_changes_a_file(runner: LineRunner) -> None:
    assert [Path(name).name for name in runner.changed("touch p")] == ["p"]
    assert [Path(name).name for name in runner.changed("sed -i s/one/two/ a.txt")] == ["a.txt"]
    assert runner.changed("cat a.txt") == []
