"""What a person is shown of a context: the next, a past turn's, the list, saved to files."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.audit import read_events
from wisp_tui.events import Kind
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.commands import View, run_command_line
from wisp_tui.text.json import load_object


async def long_conversation(tmp_path: Path) -> tuple[Session, Thread]:
    work = tmp_path / "work"
    work.mkdir()
    (work / "notes.md").write_text("".join(f"line {number} of the notes, with some words\n" for number in range(60)))
    read = calls(("read_file", {"path": "notes.md"}))
    model = ScriptedModel([read, says("Read."), *[says("A short answer.")] * 20], window=4096)
    session = session_with(tmp_path, model)
    thread = session.new_thread(ThreadOptions())
    await thread.submit("Read notes.md.")
    for turn in range(2, 12):
        await thread.submit(f"Turn {turn}. " + "some words and more " * 70)
    return session, thread


async def shown(thread: Thread, line: str) -> View:
    answer = await run_command_line(thread, line)
    assert answer.view is not None, answer.lines
    return answer.view


async def test_the_next_context_is_shown_entry_by_entry_with_its_sizes(tmp_path: Path) -> None:
    _, thread = await long_conversation(tmp_path)
    view = await shown(thread, "/inspect context next")
    assert "| instructions | 1 | instructions | whole, carried |" in view.text
    assert "of 4,096 tokens, by estimate" in view.text


async def test_the_list_of_turns_marks_what_changed_in_each(tmp_path: Path) -> None:
    _, thread = await long_conversation(tmp_path)
    view = await shown(thread, "/inspect context turns")
    assert view.turns is not None
    assert [row["turn"] for row in view.turns] == list(range(1, 12))
    assert "referenced 1" in str(view.turns[1]["changed"])
    assert any("condensed" in str(row["changed"]) for row in view.turns)


async def test_a_past_turn_is_shown_as_it_was_sent(tmp_path: Path) -> None:
    _, thread = await long_conversation(tmp_path)
    view = await shown(thread, "/inspect context 2")
    assert view.turn == 2
    assert "Turn 2." in view.text
    assert "Turn 3." not in view.text


async def test_a_turn_that_was_not_had_is_named_with_those_that_were(tmp_path: Path) -> None:
    _, thread = await long_conversation(tmp_path)
    answer = await run_command_line(thread, "/inspect context 99")
    assert answer.failed
    assert "its turns are 1 to 11" in answer.lines[0]


async def test_a_condensation_names_the_contexts_saved_before_and_after_it(tmp_path: Path) -> None:
    session, _ = await long_conversation(tmp_path)
    events = [event for event in read_events(session.home.logs) if event.kind == Kind.CONTEXT_CONDENSATION]
    before, after = (Path(str(events[0].details[name])) for name in ("savedBefore", "savedAfter"))
    assert "line 3 of the notes" not in after.read_text()
    assert len(after.read_text()) < len(before.read_text())
    assert load_object(before.with_suffix(".json").read_bytes())["messages"]
    assert {path.stat().st_mode & 0o777 for path in (before, after)} == {0o600}


async def test_a_bare_inspect_context_saves_it(tmp_path: Path) -> None:
    _, thread = await long_conversation(tmp_path)
    answer = await run_command_line(thread, "/inspect context")
    path = Path(answer.lines[0].split(": ")[1].split(",")[0])
    assert path.read_text().startswith("# Context ")


async def test_the_last_output_is_found_and_others_by_their_entry(tmp_path: Path) -> None:
    _, thread = await long_conversation(tmp_path)
    answer = await run_command_line(thread, "/last")
    assert answer.output is not None
    assert answer.output.tool == "read_file"
    assert (await run_command_line(thread, f"/show {answer.output.entry}")).output == answer.output
    assert (await run_command_line(thread, "/show 999")).failed
