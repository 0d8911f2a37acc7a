"""Saved conversations: written whole, read back as they were, refused in the spec's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.audit import read_events
from wisp_tui.context.record import Origin
from wisp_tui.context.sidecar import CannotResume
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.commands import run_command_line
from wisp_tui.session.saving import BadName


async def conversation(tmp_path: Path) -> tuple[Session, Thread]:
    """Hold a conversation with calls, references, a condensation, facts."""
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    (work / "notes.md").write_text("".join(f"line {number} of the notes, with some words\n" for number in range(60)))
    read = calls(("read_file", {"path": "notes.md"}))
    model = ScriptedModel([read, says("Read."), *[says("A short answer.")] * 20], window=4096)
    session = session_with(tmp_path, model)
    thread = session.new_thread(ThreadOptions(save="harbour"))
    await run_command_line(thread, "/task sync the harbour")
    await thread.submit("Read notes.md.")
    for turn in range(8):
        await thread.submit(f"Turn {turn}. " + "some words and more " * 70)
    return session, thread


async def test_a_resumed_conversation_composes_the_same_context(tmp_path: Path) -> None:
    session, thread = await conversation(tmp_path)
    before = thread.conversation
    await session.close()
    model = ScriptedModel([says("Going on.")], window=4096)
    again = session_with(tmp_path, model)
    resumed = again.new_thread(ThreadOptions(resume="harbour")).conversation
    assert resumed.next_context().messages == before.next_context().messages
    start = next(event for event in read_events(again.home.logs) if event.session == resumed.session)
    assert start.details["sameContext"] is True
    assert start.details["carriedFrom"] == [before.session]


async def test_a_resumed_record_has_every_entry_its_sources_and_its_state(tmp_path: Path) -> None:
    session, thread = await conversation(tmp_path)
    before = thread.conversation.record
    await session.close()
    resumed = session_with(tmp_path, ScriptedModel([says("x")])).new_thread(ThreadOptions(resume="harbour"))
    after = resumed.conversation.record
    assert [(entry.text, entry.kind, entry.sources) for entry in after] == [
        (entry.text, entry.kind, entry.sources) for entry in before
    ]
    assert [after.state(entry.id).active for entry in after] == [before.state(entry.id).active for entry in before]
    assert {entry.origin for entry in after} == {Origin.CARRIED, Origin.RESUMED}
    assert {after.state(entry.id).dropped_at for entry in after} == {None, 0}


async def test_facts_come_back_with_a_resume(tmp_path: Path) -> None:
    session, _ = await conversation(tmp_path)
    await session.close()
    resumed = session_with(tmp_path, ScriptedModel([says("x")])).new_thread(ThreadOptions(resume="harbour"))
    assert (await run_command_line(resumed, "/task")).lines == ("task: sync the harbour — from the person",)


async def test_a_resumed_conversation_goes_on_and_saves_again(tmp_path: Path) -> None:
    session, _ = await conversation(tmp_path)
    await session.close()
    again = session_with(tmp_path, ScriptedModel([says("Going on.")], window=4096))
    resumed = again.new_thread(ThreadOptions(resume="harbour"))
    assert (await resumed.submit("Go on.")).outcome == "ok"
    assert (await again.close())[0].startswith("saved as harbour: ")
    third = session_with(tmp_path, ScriptedModel([says("x")])).new_thread(ThreadOptions(resume="harbour"))
    assert "Going on." in [entry.text for entry in third.conversation.record]
    assert len(third.conversation.carried_from) == 2


@pytest.mark.parametrize("spoil", ["gone", "torn", "version", "other"])
async def test_what_cannot_be_resumed_says_the_spec_s_sentence(tmp_path: Path, spoil: str) -> None:
    session, _ = await conversation(tmp_path)
    await session.close()
    store = session.home.transcripts / "harbour.store"
    match spoil:
        case "gone":
            store.unlink()
        case "torn":
            store.write_bytes(store.read_bytes()[:-40])
        case "version":
            store.write_bytes(store.read_bytes().replace(b'"version":1', b'"version":2'))
        case _:
            transcript = store.with_suffix(".json")
            transcript.write_bytes(transcript.read_bytes().replace(b'"kind":"prompt"', b'"kind":"reply"', 1))
    with pytest.raises(CannotResume) as fault:
        session_with(tmp_path, ScriptedModel([says("x")])).new_thread(ThreadOptions(resume="harbour"))
    assert str(fault.value) == (
        "transcript 'harbour' was saved by an older wisp and cannot be resumed; start a new conversation"
    )


async def test_a_save_cut_off_between_its_two_files_is_finished_by_the_next_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, _ = await conversation(tmp_path)
    await session.close()
    before = (session.home.transcripts / "harbour.store").read_bytes()
    again = session_with(tmp_path, ScriptedModel([says("Going on.")], window=4096))
    resumed = again.new_thread(ThreadOptions(resume="harbour"))
    await resumed.submit("Go on.")

    def killed(self: Path, target: Path) -> Path:
        if self.name == ".harbour.store.new":
            raise KeyboardInterrupt
        return Path(self).rename(target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            again.shelf.save(resumed.conversation, "harbour")
    assert (session.home.transcripts / "harbour.store").read_bytes() == before
    third = session_with(tmp_path, ScriptedModel([says("x")])).new_thread(ThreadOptions(resume="harbour"))
    assert "Going on." in [entry.text for entry in third.conversation.record]


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".hidden", "x" * 65, "a\0b"])
async def test_a_name_can_never_be_a_path(tmp_path: Path, name: str) -> None:
    session, thread = await conversation(tmp_path)
    with pytest.raises(BadName):
        session.shelf.save(thread.conversation, name)


async def test_the_list_shows_what_is_saved_the_latest_first(tmp_path: Path) -> None:
    session, _ = await conversation(tmp_path)
    await session.close()
    (session.home.transcripts / "broken.json").write_text("{")
    listed = {item.name: item for item in session.shelf.list()}
    assert (listed["harbour"].turns > 0, listed["harbour"].resumable) == (True, True)
    assert listed["broken"].resumable is False


async def test_saved_files_are_private(tmp_path: Path) -> None:
    session, _ = await conversation(tmp_path)
    await session.close()
    modes = {path.stat().st_mode & 0o777 for path in session.home.transcripts.iterdir()}
    assert modes == {0o600}
