"""Facts as a conversation runs: extracted, stated, kept, seen by others, carried in the next request."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.approval import Answer
from wisp_tui.audit import read_events
from wisp_tui.events import Kind
from wisp_tui.models import Role
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.commands import run_command_line
from wisp_tui.session.desk import StandingAnswer
from wisp_tui.session.status import GitState, status_of
from wisp_tui.text.json import load_object


def opened(tmp_path: Path, *models: ScriptedModel) -> tuple[Session, Thread]:
    session = session_with(tmp_path, *(models or (ScriptedModel([says("Yes.")]),)))
    return session, session.new_thread(ThreadOptions())


def sent(model: ScriptedModel, place: int = -1) -> str:
    return "\n".join(message.content for message in model.requests[place].messages if message.role is Role.USER)


async def test_a_stated_fact_is_in_the_next_request_and_never_in_the_instructions(tmp_path: Path) -> None:
    model = ScriptedModel([says("Yes.")])
    _, thread = opened(tmp_path, model)
    answer = await run_command_line(thread, "/fact entity release codename = BLUE HERON")
    assert answer.lines == ("1 new fact: p1 entity release codename = BLUE HERON",)
    await thread.submit("What is it called?")
    assert "- entity release codename: BLUE HERON — from the person" in sent(model)
    assert "HERON" not in model.requests[0].messages[0].content


async def test_a_permanent_fact_is_in_facts_json_and_in_another_conversation(tmp_path: Path) -> None:
    session, thread = opened(tmp_path)
    await run_command_line(thread, "/fact preference reviews = early returns")
    stored = load_object((session.home.root / "facts.json").read_bytes())
    assert "early returns" in str(stored["facts"])
    model = ScriptedModel([says("Yes.")])
    other = session_with(tmp_path, model).new_thread(ThreadOptions())
    await other.submit("Hello.")
    assert "- preference reviews: early returns — from the person" in sent(model)


async def test_a_deleted_fact_is_gone_from_the_request_and_stays_as_history(tmp_path: Path) -> None:
    model = ScriptedModel([says("Yes.")])
    session, thread = opened(tmp_path, model)
    await run_command_line(thread, "/fact entity codename = BLUE HERON")
    await run_command_line(thread, "/fact delete p1")
    await thread.submit("Hello.")
    assert "HERON" not in sent(model)
    everything = await run_command_line(thread, "/inspect facts all")
    assert everything.view is not None
    assert "deleted" in everything.view.text
    assert Kind.FACT_DELETED in [event.kind for event in read_events(session.home.logs)]


async def test_a_fault_of_a_statement_says_how_one_is_made_and_changes_nothing(tmp_path: Path) -> None:
    _, thread = opened(tmp_path)
    for line in ("/fact nonsense", "/fact nowhere x = y", "/fact delete c99", "/fact entity x ="):
        answer = await run_command_line(thread, line)
        assert answer.failed, line
    shown = await run_command_line(thread, "/inspect facts")
    assert shown.view is not None
    assert "no facts yet" in shown.view.text


async def test_what_a_turn_did_is_a_fact_at_its_end(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "notes.md").write_text("# Notes\nall of it\n")
    model = ScriptedModel([calls(("read_file", {"path": "notes.md"})), says("Read.")])
    _, thread = opened(tmp_path, model)
    ended = await thread.submit("Read the notes.")
    assert [(fact["subject"], fact["source"], fact["proposed"]) for fact in ended.facts] == [("file", "tool", False)]
    assert (await thread.submit("And now?")).facts == ()


async def test_a_stand_in_for_the_person_is_said_in_the_status(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Yes.")]))
    thread = session.new_thread(ThreadOptions(asker=StandingAnswer(Answer.ONCE, "--yes")))
    assert status_of(thread.conversation, GitState(), None).approval == "asks nothing (--yes)"


async def test_the_task_is_just_before_the_request(tmp_path: Path) -> None:
    model = ScriptedModel([says("Yes.")])
    _, thread = opened(tmp_path, model)
    await run_command_line(thread, "/task add a --dry-run flag")
    assert (await run_command_line(thread, "/task")).lines == ("task: add a --dry-run flag — from the person",)
    await thread.submit("Go.")
    last = sent(model)
    assert last.index("- task: add a --dry-run flag — from the person") < last.index("Go.")


async def test_a_new_conversation_forgets_its_own_facts_and_keeps_the_permanent_ones(tmp_path: Path) -> None:
    _, thread = opened(tmp_path)
    await run_command_line(thread, "/fact entity codename = BLUE HERON")
    await run_command_line(thread, "/task one thing")
    await run_command_line(thread, "/new")
    shown = await run_command_line(thread, "/inspect facts")
    assert shown.view is not None
    assert "HERON" in shown.view.text
    assert "one thing" not in shown.view.text
