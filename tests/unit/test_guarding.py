"""What a conversation's commands pass and run within: the settings, the options and the machine make one guard."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from tests.fakes.walls import nothing, paper
from wisp_tui.approval import Answer
from wisp_tui.audit import read_events
from wisp_tui.config import Settings
from wisp_tui.events import Kind, Note
from wisp_tui.sandbox import Find
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.desk import StandingAnswer
from wisp_tui.session.status import GitState, status_of

COMMANDS = ("ls", "touch made", "rm -rf made")
NO = StandingAnswer(Answer.NO, "nobody")


def opened(
    tmp_path: Path, options: ThreadOptions, find: Find = paper, settings: Settings | None = None
) -> tuple[Session, Thread]:
    made = [calls(("run_command", {"command": command})) for command in COMMANDS]
    session = session_with(tmp_path, ScriptedModel([*made, says("Done.")]), settings=settings, find=find)
    return session, session.new_thread(options)


async def asked(session: Session, thread: Thread) -> list[object]:
    """Run the turn, and list the commands that asked."""
    await thread.submit("Go.")
    events = read_events(session.home.logs)
    return [event.details["command"] for event in events if event.kind == Kind.APPROVAL_REQUESTED]


@pytest.mark.parametrize(
    ("unsafe", "find", "threshold", "asking", "mode"),
    [
        (False, paper, "moderate", 2, "asks at moderate"),
        (True, paper, "moderate", 1, "asks at dangerous"),
        (False, paper, "safe", 3, "asks at safe"),
        (False, nothing, "dangerous", 2, "asks above safe, no sandbox"),
        (True, nothing, "moderate", 2, "asks above safe, no sandbox"),
    ],
)
async def test_what_asks_is_what_the_status_says(
    tmp_path: Path, *, unsafe: bool, find: Find, threshold: str, asking: int, mode: str
) -> None:
    settings = Settings.model_validate({"approval": {"threshold": threshold}})
    session, thread = opened(tmp_path, ThreadOptions(asker=NO, unsafe=unsafe), find, settings)
    assert len(await asked(session, thread)) == asking
    thread.conversation.standing = None
    assert status_of(thread.conversation, GitState(), None).approval == mode


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (ThreadOptions(), "no sandbox: a test says so; everything above safe asks"),
        (ThreadOptions(asker=NO), "no sandbox: a test says so; everything above safe is refused"),
        (
            ThreadOptions(asker=StandingAnswer(Answer.ONCE, "--yes")),
            "no sandbox: a test says so; commands run unasked, with all your rights",
        ),
        (ThreadOptions(tools=("current_date",)), None),
    ],
)
async def test_that_there_is_no_sandbox_is_said_once_at_the_start(
    tmp_path: Path, options: ThreadOptions, said: str | None
) -> None:
    session, thread = opened(tmp_path, options, nothing)
    with session.bus.subscribe() as events:
        await asyncio.gather(thread.ready(), thread.ready())
        await thread.ready()
        notes = [event.text for event in events.take() if isinstance(event, Note)]
    assert notes == ([said] if said else [])


async def test_with_yes_what_would_ask_runs_and_what_is_denied_does_not(tmp_path: Path) -> None:
    settings = Settings.model_validate({"commandPolicy": {"deny": ["rm"]}})
    yes = ThreadOptions(asker=StandingAnswer(Answer.ONCE, "--yes"))
    session, thread = opened(tmp_path, yes, settings=settings)
    assert await asked(session, thread) == ["touch made"]
    assert (tmp_path / "work" / "made").exists()
    assert status_of(thread.conversation, GitState(), None).approval == "asks nothing (--yes)"


async def test_git_that_runs_unasked_is_given_what_keeps_it_from_running_programs(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("run_command", {"command": "git --version; printenv GIT_CONFIG_KEY_0"})), says("x")])
    thread = session_with(tmp_path, model).new_thread(ThreadOptions(asker=NO, unsafe=True))
    await thread.submit("Go.")
    assert "core.fsmonitor" in next(entry.text for entry in thread.conversation.record if entry.output)


async def test_a_file_with_credentials_asks_before_the_model_reads_it(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".env").write_text("TOKEN=not for the model")
    read = calls(("read_file", {"path": ".env"}))
    model = ScriptedModel([read, says("No."), calls(("read_file", {"path": "./notes/../.env"})), says("No.")])
    session = session_with(tmp_path, model)
    thread = session.new_thread(ThreadOptions(asker=NO))
    await thread.submit("Go.")
    await thread.submit("Again.")
    told = [entry.text for entry in thread.conversation.record if entry.output]
    assert all("did not allow this file to be read" in text for text in told)
    requests = [event.details for event in read_events(session.home.logs) if event.kind == Kind.APPROVAL_REQUESTED]
    assert [request["command"] for request in requests] == [f"read_file {tmp_path / 'work' / '.env'}"] * 2
    assert [request["level"] for request in requests] == ["dangerous"] * 2
