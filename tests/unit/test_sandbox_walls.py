"""Commands within real walls: what run_command says of them, how they end, and that no command widens them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from tests.fakes.tools import Bench
from tests.fakes.walls import walls
from wisp_tui.approval import Answer, Level
from wisp_tui.approval.judge import Judge
from wisp_tui.approval.verdict import Part, Verdict
from wisp_tui.config.settings import SandboxSettings
from wisp_tui.sandbox import Bubblewrap, Found, Reach, SharedSandbox, Walls, find_sandbox, reach_of
from wisp_tui.sandbox.choose import trial
from wisp_tui.session import ThreadOptions
from wisp_tui.session.desk import StandingAnswer
from wisp_tui.tools.run_command import RunCommand

FAULT = trial(Bubblewrap(), {"PATH": "/usr/bin:/bin"}) if sys.platform == "linux" else "bubblewrap is Linux's"
real = pytest.mark.skipif(FAULT is not None and not os.environ.get("CI"), reason=FAULT or "")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    work = tmp_path / "work"
    work.mkdir()
    return Bench(work, walls=walls(Bubblewrap(), Reach((work,))))


@real
async def test_a_command_writes_within_the_walls_and_a_failure_at_them_is_explained(bench: Bench) -> None:
    inside = await bench.call(RunCommand(), command="echo hi > made; cat made")
    assert (inside.text, (inside.details or {})["sandbox"]) == ("exit status: 0\nstdout:\nhi", "bubblewrap")
    outside = bench.directory.parent / "made"
    failed = await bench.call(RunCommand(), command=f"echo hi > {outside}")
    assert failed.text.endswith(f"[sandbox: the sandbox does not let it write {outside}; sandbox.writablePaths can]")
    assert not outside.exists()
    behind = await bench.call(RunCommand(), command=f"touch {outside} 2>&1")
    assert behind.text.endswith("sandbox.writablePaths can]")


@real
async def test_a_command_within_walls_ends_in_its_own_way_at_its_time_limit(bench: Bench) -> None:
    script = "trap 'echo bye; exit 3' TERM; echo up; sleep 30 & wait"
    output = await bench.call(RunCommand(), command=script, timeout=1)
    assert "bye" in output.text
    assert output.exit_status == 3
    assert (output.details or {})["stillRunning"] == []


@real
async def test_how_a_command_within_walls_ended_is_told_as_without_them(bench: Bench) -> None:
    killed = await bench.call(RunCommand(), command="kill -SEGV $$")
    assert killed.text.startswith("exit status: 139 (ended by SIGSEGV)")
    left = await bench.call(RunCommand(), command="sleep 30 & echo up")
    assert "still running: sleep 30" in left.text
    [process] = (left.details or {})["stillRunning"]  # type: ignore[misc]
    os.kill(process["pid"], 9)  # type: ignore[index,arg-type]


async def test_a_link_in_the_place_of_what_may_be_written_does_not_widen_the_walls(tmp_path: Path) -> None:
    work, elsewhere = tmp_path / "a" / "work", tmp_path / "elsewhere"
    work.mkdir(parents=True)
    (elsewhere / "work").mkdir(parents=True)
    environment = {"HOME": str(tmp_path / "eve")}

    async def find() -> Found:
        return Found(Bubblewrap(), "a test says so")

    around = Walls(SharedSandbox(find), lambda: reach_of(work, SandboxSettings(), tmp_path / "own", environment)).around
    assert work in (await around()).reach.writable
    (tmp_path / "a").rename(tmp_path / "b")
    (tmp_path / "a").symlink_to(elsewhere)
    assert not {work, elsewhere / "work"} & set((await around()).reach.writable)


@real
async def test_a_conversations_commands_run_within_them_and_leave_its_home_alone(tmp_path: Path) -> None:
    own = tmp_path / "home" / "approvals.json"
    script = f"echo in > made; echo mine > {own}"
    model = ScriptedModel([calls(("run_command", {"command": script})), says("Done.")])
    session = session_with(tmp_path, model, find=find_sandbox)
    thread = session.new_thread(ThreadOptions(asker=StandingAnswer(Answer.ONCE, "--yes")))
    await thread.submit("Go.")
    assert (tmp_path / "work" / "made").read_text() == "in\n"
    assert not own.exists()
    [told] = [entry.text for entry in thread.conversation.record if entry.output is not None]
    assert f"the sandbox does not let it write {own}" in told


@real
async def test_what_is_judged_safe_writes_nothing_even_where_that_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def safe(self: Judge, line: str, directory: Path) -> Verdict:
        del self
        return Verdict(line, (Part(line, Level.SAFE, (), str(directory)),))

    monkeypatch.setattr(Judge, "judge", safe)
    model = ScriptedModel([calls(("run_command", {"command": "pwd; echo in > made"})), says("Done.")])
    thread = session_with(tmp_path, model, find=find_sandbox).new_thread(ThreadOptions())
    await thread.submit("Go.")
    assert not (tmp_path / "work" / "made").exists()
    [told] = [entry.text for entry in thread.conversation.record if entry.output is not None]
    assert f"stdout:\n{tmp_path / 'work'}" in told
    assert "Read-only file system\n[sandbox: it was judged to only read" in told


@real
async def test_no_script_plants_a_hook_or_changes_gits_settings_and_what_is_let_still_can(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    (work / ".git" / "hooks").mkdir(exist_ok=True)
    (work / "build.sh").write_text(
        "echo in > made; touch .git/hooks/post-commit; git config core.hooksPath x; mv .git moved"
    )
    lines = ("bash build.sh", "git branch -M tides; git remote add origin ../other", "touch .git/hooks/pre-commit")
    model = ScriptedModel([*(calls(("run_command", {"command": line})) for line in lines), says("Done.")])
    session = session_with(tmp_path, model, find=find_sandbox)
    thread = session.new_thread(ThreadOptions(asker=StandingAnswer(Answer.ONCE, "--yes")))
    await thread.submit("Go.")
    assert (work / "made").exists()
    assert (work / ".git").is_dir()
    assert not (work / ".git" / "hooks" / "post-commit").exists()
    assert "hooksPath" not in (work / ".git" / "config").read_text()
    assert "origin" in (work / ".git" / "config").read_text()
    assert (work / ".git" / "hooks" / "pre-commit").exists()
