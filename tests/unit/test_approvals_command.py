"""Standing approvals listed and taken back, by ``/approvals`` and ``wisp approvals``; what is taken back asks again."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.fakes.judging import only_part
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui import entry
from wisp_tui.approval import Answer, ApprovalStore
from wisp_tui.approval.store import Standing
from wisp_tui.audit import read_events
from wisp_tui.config import Home
from wisp_tui.events import Kind
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.session.commands import completions, run_command_line
from wisp_tui.session.desk import StandingAnswer
from wisp_tui.text.json import JsonObject


def granted(home: Path, line: str, scope: Answer = Answer.ALWAYS) -> Standing:
    return ApprovalStore(Home(home)).grant(only_part(line), scope)


def decided(home: Path) -> list[JsonObject]:
    return [event.details for event in read_events(Home(home).logs) if event.kind == Kind.APPROVAL_DECIDED]


def wisp(monkeypatch: pytest.MonkeyPatch, home: Path, *arguments: str) -> int:
    monkeypatch.setenv("WISP_HOME", str(home))
    monkeypatch.setattr("sys.argv", ["wisp", "approvals", *arguments])
    return entry.wisp()


async def lines(thread: Thread, line: str) -> tuple[str, ...]:
    return (await run_command_line(thread, line)).lines


async def test_what_stands_is_listed_revoked_and_cleared_and_then_asks_again(tmp_path: Path) -> None:
    run = calls(("run_command", {"command": "mkdir -p made"}))
    session = session_with(tmp_path, ScriptedModel([run, says("Made."), run, says("Made.")]))
    thread = session.new_thread(ThreadOptions(asker=StandingAnswer(Answer.SESSION, "a test")))
    home = session.home.root
    assert await lines(thread, "/approvals") == ("no approval stands",)
    push, pull = granted(home, "git push origin"), granted(home, "git pull", Answer.PROJECT)
    await thread.submit("Go.")
    listed = await lines(thread, "/approvals")
    until = f"until {push.expires.astimezone():%F}"
    assert listed[:2] == (
        f"{push.id}  {push.coverage.pattern}  anywhere  {until}",
        f"{pull.id}  {pull.coverage.pattern}  {pull.coverage.directory}  {until}",
    )
    assert listed[2].startswith("·  mkdir")
    assert listed[2].endswith("anywhere  this session")
    assert completions(thread, "/approvals revoke ")[1] == (f"revoke {push.id}", f"revoke {pull.id}")

    assert await lines(thread, f"/approvals revoke {push.id}") == (f"{push.coverage.pattern} asks again",)
    assert (await run_command_line(thread, f"/approvals revoke {push.id}")).failed
    assert await lines(thread, "/approvals clear") == ("2 approvals taken back: what they covered asks again",)
    assert await lines(thread, "/approvals") == ("no approval stands",)
    before = len([event for event in read_events(session.home.logs) if event.kind == Kind.APPROVAL_REQUESTED])
    await thread.submit("Again.")
    assert len([event for event in read_events(session.home.logs) if event.kind == Kind.APPROVAL_REQUESTED]) > before
    revoked, cleared = (details for details in decided(home) if details["decision"] in {"revoked", "cleared"})
    assert (revoked["approval"], revoked["pattern"]) == (push.id, str(push.coverage.pattern))
    assert (cleared["stored"], cleared["session"]) == (1, 1)


def test_wisp_approvals_does_the_same_from_a_shell(
    wisp_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Home(wisp_home).prepare()
    standing = granted(wisp_home, "git push origin")
    old = ApprovalStore(Home(wisp_home), now=lambda: datetime.now().astimezone() - timedelta(days=31))
    old.grant(only_part("git pull"), Answer.ALWAYS)
    assert wisp(monkeypatch, wisp_home) == 0
    listed = capsys.readouterr()
    assert listed.out.startswith(f"{standing.id}\t{standing.coverage.pattern}\tanywhere\tuntil ")
    assert listed.err == "1 more approval no longer in force\n"
    assert wisp(monkeypatch, wisp_home, "revoke", "nothing") == 64
    assert wisp(monkeypatch, wisp_home, "revoke", standing.id) == 0
    assert wisp(monkeypatch, wisp_home, "clear") == 0
    assert "1 approval taken back" in capsys.readouterr().out
    assert [details["decision"] for details in decided(wisp_home)] == ["revoked", "cleared"]
    assert wisp(monkeypatch, wisp_home) == 0
    assert capsys.readouterr().err == "no approval stands\n"
