"""``wisp approvals``: a command that waits is shown whole, and answered by a person at a terminal and nobody else."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.fakes.pty import WISP, at_a_terminal
from wisp_tui.config import Home
from wisp_tui.pending import CommandRequest, Pending, QuestionRequest, this_process
from wisp_tui.text.ids import SessionId, ThreadId
from wisp_tui.tools.processes import MARK


def asked(home: Path, *, seconds: float = 300) -> CommandRequest:
    made = Home(home)
    made.prepare()
    now = datetime.now().astimezone()
    request = CommandRequest(
        "",
        this_process(SessionId("s"), ThreadId("git")),
        now,
        now + timedelta(seconds=seconds),
        "git push\n# \u202eok",
        "cd x && git push\n# \u202eok",
        "/home/ada/work",
        "moderate",
        ("it sends what is here to another machine",),
    )
    made_request = Pending(made).ask(request)
    assert isinstance(made_request, CommandRequest)
    return made_request


def state(home: Path, request: CommandRequest) -> str:
    outcome = Pending(Home(home)).outcome(request.id)
    return f"{outcome.state} {outcome.decision}" if outcome is not None else "waits"


def test_a_command_that_waits_is_shown_whole_and_answered_once(wisp_home: Path) -> None:
    request = asked(wisp_home)
    code, shown = at_a_terminal("approvals", "pending")
    assert code == 0
    for part in (request.id, "moderate", "$ git push", "# <U+202E>ok", "part of: cd x && git push", "it sends what is"):
        assert part in shown
    code, shown = at_a_terminal("approvals", "approve", request.id)
    assert (code, state(wisp_home, request)) == (0, "answered once"), shown
    code, shown = at_a_terminal("approvals", "deny", request.id)
    assert (code, state(wisp_home, request)) == (64, "answered once")
    assert "was answered" in shown


def test_a_command_that_is_denied_is_refused(wisp_home: Path) -> None:
    request = asked(wisp_home)
    assert at_a_terminal("approvals", "deny", request.id)[0] == 0
    assert state(wisp_home, request) == "answered no"


def test_a_question_is_shown_whole_and_answered_by_number_or_declined(wisp_home: Path) -> None:
    home = Home(wisp_home)
    home.prepare()
    asker = this_process(SessionId("0123456789abcdef"), ThreadId("git"), "editor")
    choices = ("Merle", "Amsel")
    first, second = (
        Pending(home).ask(QuestionRequest("", asker, datetime.now(UTC), text, choices))
        for text in ("Which boat?", "Now?")
    )
    code, shown = at_a_terminal("approvals", "pending")
    assert code == 0
    assert f"{first.id}  question  git (editor)" in shown
    assert "2  Amsel" in shown
    assert at_a_terminal("approvals", "answer", first.id)[0] == 64
    code, shown = at_a_terminal("approvals", "answer", first.id, "2")
    assert code == 0, shown
    assert at_a_terminal("approvals", "answer", second.id, "--decline")[0] == 0
    outcomes = [Pending(home).outcome(each.id) for each in (first, second)]
    assert [outcome.answer for outcome in outcomes if outcome is not None] == ["Amsel", None]


def test_a_command_whose_time_is_over_is_neither_listed_nor_answered(wisp_home: Path) -> None:
    request = asked(wisp_home, seconds=-1)
    assert "no command and no question waits" in at_a_terminal("approvals", "pending")[1]
    code, shown = at_a_terminal("approvals", "approve", request.id)
    assert (code, state(wisp_home, request)) == (64, "waits"), shown


@pytest.mark.parametrize("terminal", [True, False])
def test_a_model_s_command_answers_nothing(wisp_home: Path, terminal: bool) -> None:
    request = asked(wisp_home)
    if terminal:
        code, _ = at_a_terminal("approvals", "approve", request.id, environment={MARK: "any"})
    else:
        words = [*WISP, "approvals", "approve", request.id]
        code = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, check=False, env={**os.environ}
        ).returncode
    assert (code, state(wisp_home, request)) == (64, "waits")
