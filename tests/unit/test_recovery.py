"""Autosave and recovery: what was cut short is offered and goes on as it was; what ended is not, and leaves none."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.live import begun, copies, died, folder, only_id, resumed
from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.audit import read_events
from wisp_tui.config import Home, Settings
from wisp_tui.context.record import EntryKind, Origin
from wisp_tui.events import Kind
from wisp_tui.facts import PersonAct, Via
from wisp_tui.keeping import Busy
from wisp_tui.keeping.locking import Hold
from wisp_tui.models import TextDelta
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.session.commands import Effect, completions, run_command_line
from wisp_tui.session.live import NotRecovered
from wisp_tui.session.offering import offer
from wisp_tui.session.outputs import latest_output, whole_lines
from wisp_tui.session.recovery import CUT_OFF, INTERRUPTED
from wisp_tui.session.saving import resumed_note
from wisp_tui.session.shelving import go_on_with
from wisp_tui.text.ids import TurnNumber

ACT = PersonAct(Via.CHAT)


def told(thread: Thread) -> list[tuple[EntryKind, str]]:
    return [(entry.kind, entry.text) for entry in thread.conversation.record]


def going_on(text: str = "Going on.") -> ScriptedModel:
    return ScriptedModel([says(text)], window=4096)


async def long_talk(tmp_path: Path, *, save: str | None = None) -> Thread:
    """Hold a conversation with calls, references, a condensation, facts; then its process is gone."""
    (tmp_path / "work").mkdir(exist_ok=True)
    (tmp_path / "work" / "notes.md").write_text("".join(f"line {n} of the notes, some words\n" for n in range(60)))
    read = calls(("read_file", {"path": "notes.md"}))
    model = ScriptedModel([read, says("Read."), *[says("A short answer.")] * 20], window=4096)
    _, thread = begun(tmp_path, model, save=save)
    await run_command_line(thread, "/task sync the harbour")
    await thread.submit("Read notes.md.")
    for turn in range(8):
        await thread.submit(f"Turn {turn}. " + "some words and more " * 70)
    await thread.run_typed("echo tide")
    return thread


async def test_what_was_cut_short_goes_on_as_it_was(tmp_path: Path) -> None:
    thread = await long_talk(tmp_path)
    before = thread.conversation
    assert any(not before.record.state(entry.id).active for entry in before.record), "nothing was condensed"
    composed = before.next_context()
    died(thread)
    session = session_with(tmp_path, going_on())
    (offered,) = session.shelf.recoverable()
    assert (offered.turns, offered.first, offered.midway) == (9, "Read notes.md.", False)
    assert offered.directory == str(tmp_path / "work")
    again = session.new_thread(ThreadOptions(resume=offered.ident, autosave=True))
    after = again.conversation
    assert after.next_context().messages == composed.messages
    assert [(entry.text, entry.sources) for entry in after.record] == [
        (entry.text, entry.sources) for entry in before.record
    ]
    assert {entry.origin for entry in after.record} == {Origin.CARRIED, Origin.RESUMED}
    assert (await run_command_line(again, "/task")).lines == ("task: sync the harbour — from the person",)
    assert after.facts is not None
    assert before.facts is not None
    assert after.facts.book.thread == before.facts.book.thread
    assert after.facts.summaries == before.facts.summaries
    assert resumed_note(after) == f"resumed what was cut short {offered.cut:%Y-%m-%d %H:%M}: 9 turns"
    start = next(event for event in read_events(session.home.logs) if event.session == after.session)
    assert start.details["carriedFrom"] == [before.session]
    assert session.shelf.recoverable() == []


async def test_it_goes_on_in_the_same_file_and_can_be_cut_short_again(tmp_path: Path) -> None:
    died(await long_talk(tmp_path))
    session = session_with(tmp_path, going_on())
    ident = only_id(session)
    second = session.new_thread(ThreadOptions(resume=ident, autosave=True))
    await second.submit("Go on.")
    died(second)
    third = resumed(tmp_path, ident, going_on())
    assert told(third)[-2:] == [(EntryKind.PROMPT, "Go on."), (EntryKind.REPLY, "Going on.")]
    assert len(third.conversation.carried_from) == 2
    assert copies(session.home) == [f"{ident}.jsonl", f"{ident}.lock"]


async def test_a_reply_that_was_being_written_is_kept_and_marked(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = ScriptedModel([says("First."), [TextDelta("So far"), Hang(reached)]])
    session, thread = begun(tmp_path, model)
    await thread.submit("hello")
    turn = asyncio.create_task(thread.submit("and then?"))
    await reached.wait()
    died(thread)
    thread.cancel()
    await turn
    later = going_on()
    again = resumed(tmp_path, only_id(session), later)
    assert told(again)[-2:] == [(EntryKind.PROMPT, "and then?"), (EntryKind.REPLY, "So far")]
    assert [entry.stopped for entry in again.conversation.record][-1] == CUT_OFF
    assert (resumed_note(again.conversation) or "").endswith("2 turns, the last one in its middle")
    await again.submit("go on")
    assert f"So far\n[{CUT_OFF}]" in [message.content for message in later.requests[0].messages]


async def test_a_call_that_was_running_is_interrupted_and_the_model_is_told(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, ScriptedModel([calls(("run_command", {"command": "touch boat"})), says("x")]))
    turn = asyncio.create_task(thread.submit("wait a minute"))
    while not thread.desk.waiting:
        await asyncio.sleep(0)
    died(thread)
    thread.cancel()
    await turn
    later = going_on()
    again = resumed(tmp_path, only_id(session), later)
    call, output = list(again.conversation.record)[-2:]
    assert (output.kind, output.text) == (EntryKind.OUTPUT, INTERRUPTED)
    assert call.call is not None
    assert output.output is not None
    assert (output.output.call, output.output.ok) == (call.call.id, False)
    events = [event for event in read_events(session.home.logs) if event.session == again.conversation.session]
    assert [event.kind for event in events] == [Kind.SESSION_START, Kind.TOOL_RESULT]
    assert output.sources == (events[-1].id,)
    assert (await again.submit("go on")).outcome == "ok"
    assert INTERRUPTED in [message.content for message in later.requests[0].messages]


async def test_what_ended_leaves_nothing_and_is_not_offered(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, going_on())
    assert copies(session.home) == []
    await thread.submit("hello")
    assert len(copies(session.home)) == 2
    assert session.shelf.recoverable() == []
    await run_command_line(thread, "/new")
    assert copies(session.home) == []
    await thread.submit("hello again")
    await session.close()
    assert copies(session.home) == []
    session, thread = begun(tmp_path, going_on(), save="harbour")
    await thread.submit("hello")
    await session.close()
    assert (copies(session.home), [item.name for item in session.shelf.list()]) == ([], ["harbour"])


async def test_what_a_signal_ends_is_offered(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, going_on())
    await thread.submit("hello")
    await session.close(cut_short=True)
    (offered,) = session.shelf.recoverable()
    assert (offered.first, offered.midway) == ("hello", False)


async def test_nothing_is_copied_where_the_settings_say_so(tmp_path: Path) -> None:
    settings = Settings.model_validate({"sessions": {"autosave": False}})
    session = session_with(tmp_path, going_on(), settings=settings)
    await session.new_thread(ThreadOptions(autosave=True)).submit("hello")
    assert copies(session.home) == []


async def test_two_never_go_on_with_the_same(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, going_on())
    await thread.submit("hello")
    ident = copies(session.home)[0].removesuffix(".jsonl")
    with pytest.raises(NotRecovered, match="runs in another process"):
        folder(session).claim(ident)
    died(thread)
    first = folder(session).claim(ident)
    assert session.shelf.recoverable() == []
    with pytest.raises(NotRecovered, match="runs in another process"):
        folder(session).claim(ident)
    with pytest.raises(NotRecovered):
        folder(session).discard(ident, ACT)
    first.hold.release()
    assert only_id(session) == ident


async def test_the_newer_of_a_saved_conversation_and_its_copy_is_resumed(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, ScriptedModel([says("One."), says("Two.")]))
    await thread.submit("one")
    await run_command_line(thread, "/save harbour")
    died(thread)
    assert session.shelf.recoverable() == [], "all of it is saved"
    assert len(copies(session.home)) == 2, "looking changes nothing"
    assert offer(session.home).cut_short == ()
    assert copies(session.home) == []
    again = resumed(tmp_path, "harbour", ScriptedModel([says("Two.")]))
    await again.submit("two")
    died(again)
    (offered,) = session.shelf.recoverable()
    assert (offered.name, offered.turns) == ("harbour", 2)
    third = resumed(tmp_path, "harbour", going_on())
    assert [text for _, text in told(third)][-1] == "Two."
    assert third.conversation.name == "harbour"
    died(third)
    copy = folder(session).path(offered.ident)
    hidden = copy.rename(tmp_path / "hidden")
    other = resumed(tmp_path, "harbour", ScriptedModel([says("Another two.")]))
    await other.submit("two")
    await run_command_line(other, "/save harbour")
    died(other)
    hidden.rename(copy)
    assert [text for _, text in told(resumed(tmp_path, "harbour", going_on()))][-1] == "Another two."
    fourth = resumed(tmp_path, offered.ident, going_on())
    assert fourth.shelf.keep(fourth.conversation, "harbour")[0] == "harbour-2", "nothing is replaced"


async def test_a_torn_line_is_dropped_and_a_damaged_copy_is_kept_aside(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, ScriptedModel([says("One."), says("Two.")]))
    await thread.submit("one")
    await thread.submit("two")
    died(thread)
    path = folder(session).path(only_id(session))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"entry":{"content":{"kind":"pro')
    again = resumed(tmp_path, path.stem, going_on())
    assert told(again) == told(thread)
    died(again)
    lines = whole.split(b"\n")
    lines[next(n for n, line in enumerate(lines) if b'"Two."' in line)] = b'{"entry": \x00'
    path.write_bytes(b"\n".join(lines))
    again = resumed(tmp_path, path.stem, going_on())
    assert [text for _, text in told(again)][-1] == "two"
    aside = path.with_suffix(".damaged")
    assert aside.read_bytes() == b"\n".join(lines)
    assert aside.stat().st_mode & 0o777 == 0o600
    assert str(aside) in (resumed_note(again.conversation) or "")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff",
        b"[]\n",
        b'{"version":2,"type":"wisp.live","sessions":[]}\n{"new":1}\n',
        b'{"version":1,"type":"x"}\n',
    ],
)
def test_what_cannot_be_read_is_left_and_said(tmp_path: Path, content: bytes) -> None:
    session = session_with(tmp_path, going_on())
    path = session.home.live / "0123456789abcdef.jsonl"
    path.write_bytes(content)
    assert session.shelf.recoverable() == []
    with pytest.raises(NotRecovered, match="left as it is"):
        folder(session).claim(path.stem)
    assert [found.path for found in folder(session).unreadable()] == [path]
    assert path.read_bytes() == content


async def test_a_disk_that_fails_is_said_once_and_never_stops_a_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, thread = begun(tmp_path, ScriptedModel([says("One."), says("Two.")]))
    await thread.submit("one")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with session.bus.subscribe() as events, monkeypatch.context() as patched:
        patched.setattr("wisp_tui.session.livecopy._write_all", full)
        patched.setattr(Home, "write", full)
        assert (await thread.submit("two")).outcome == "ok"
        said = [getattr(event, "text", "") for event in events.take()]
    assert sum("No space left on device" in text for text in said) == 1
    with session.bus.subscribe() as events:
        await thread.submit("three")
        assert "the conversation's live copy is written again" in [getattr(e, "text", "") for e in events.take()]
    died(thread)
    assert told(resumed(tmp_path, only_id(session), going_on())) == told(thread)


async def test_going_on_in_the_place_of_another_puts_that_one_away(tmp_path: Path) -> None:
    died(await long_talk(tmp_path))
    session, thread = begun(tmp_path, going_on())
    ident = only_id(session)
    assert (await go_on_with(thread, ident)).lines[0].startswith("resumed what was cut short")
    assert (await thread.submit("go on")).outcome == "ok"
    assert len(told(thread)) > 20
    await run_command_line(thread, "/save harbour")
    await run_command_line(thread, "/new")
    await thread.submit("something else")
    said = (await go_on_with(thread, "harbour", save_first=True)).lines
    assert said[1] == "the conversation before is saved as 2026-03-01-140512"
    assert thread.conversation.name == "harbour"
    assert len(copies(session.home)) == 2
    await session.close()
    assert copies(session.home) == []


async def test_only_what_is_asked_for_is_discarded(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, going_on())
    await thread.submit("hello")
    died(thread)
    for name in ("../x", "0123456789abcdef", ""):
        with pytest.raises(NotRecovered):
            folder(session).discard(name, ACT)
    folder(session).discard(only_id(session), ACT)
    assert copies(session.home) == []


async def test_the_copies_are_private(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, going_on())
    await thread.submit("hello")
    live = session.home.live
    assert live.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in live.iterdir()} == {0o600}
    (live / copies(session.home)[0]).chmod(0o644)
    assert "was readable by others" in "".join(session.home.prepare())


def test_a_lock_ends_with_its_hold_and_is_on_the_file_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with Hold.on(path):
        with pytest.raises(Busy):
            Hold.on(path, wait=0)
        path.unlink()
        Hold.on(path, wait=0).release(remove=True)
    assert not path.exists()


async def test_what_was_cut_short_is_listed_gone_on_with_and_discarded_by_commands(tmp_path: Path) -> None:
    for text in ("first", "second"):
        session, thread = begun(tmp_path, going_on())
        await thread.submit(text)
        died(thread)
    session, thread = begun(tmp_path, going_on())
    thread.questions.shown = True
    latest, other = session.shelf.recoverable()
    listed = await run_command_line(thread, "/sessions")
    assert listed.view is not None
    assert f"  {other.ident}  {other.cut:%Y-%m-%d %H:%M}     1 turn" in listed.view.text
    assert listed.view.text.count("cut short · ") == 2
    assert completions(thread, "/sessions resume ")[1] == tuple(
        f"resume {ident}" for ident in sorted((latest.ident, other.ident))
    )
    answer = await run_command_line(thread, "/sessions resume")
    assert (answer.effect, told(thread)[1]) == (Effect.RESUMED, (EntryKind.PROMPT, latest.first))
    assert (await run_command_line(thread, "/sessions discard 0123456789abcdef")).failed
    for word, left in (("keep it", [other]), ("remove it", [])):
        asked = asyncio.create_task(run_command_line(thread, f"/sessions discard {other.ident}"))
        while not thread.questions.waiting:
            await asyncio.sleep(0)
        (question,) = thread.questions.waiting.values()
        assert other.first in question.text
        thread.questions.answer(question.id, word)
        assert (await asked).failed is bool(left)
        assert session.shelf.recoverable() == left
    assert (await run_command_line(thread, "/sessions resume")).lines == ("no conversation was cut short",)


async def test_a_start_says_what_was_cut_short_and_what_cannot_be_read(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, going_on(), save="harbour")
    await thread.submit("hello\x1b[2J there")
    died(thread)
    damaged, later = (session.home.live / f"{name * 16}.jsonl" for name in "de")
    damaged.write_bytes(b"\x00" * 4096)
    later.write_bytes(b'{"version":2,"type":"wisp.live","sessions":[]}\n')
    (one,) = session.shelf.recoverable()
    lines = offer(session.home).lines(one.cut)
    began = f"a conversation (harbour) was cut short today at {one.cut:%H:%M}, after 1 turn, in {tmp_path}/work: "
    assert lines[0] == f"{began}hello there"
    assert "/sessions resume goes on with it" in lines[1]
    assert "in format 2; it is left in" in lines[2] or "in format 2; it is left in" in lines[3]
    assert any(line.endswith(f"it is kept in {damaged.with_suffix('.damaged')}") for line in lines)
    assert len(offer(session.home).lines(one.cut)) == 3, "what is damaged is said once"
    assert later.exists()


async def test_what_a_running_command_had_printed_is_kept_where_it_was_stored(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, ScriptedModel([calls(("run_command", {"command": "touch boat"})), says("x")]))
    turn = asyncio.create_task(thread.submit("make it"))
    while not thread.desk.waiting:
        await asyncio.sleep(0)
    died(thread)
    store, call = thread.conversation.store, list(thread.conversation.record)[-1].call
    assert store is not None
    assert call is not None
    part = store.spill(call.id).part("stdout")
    part.write(b"line one\nline two\n")
    part.close()
    ident = only_id(session)
    again = resumed(tmp_path, ident, going_on())
    shown = latest_output(again.conversation)
    assert (shown.stored is not None, list(whole_lines(again.conversation, shown))) == (True, ["line one", "line two"])
    thread.cancel()
    await turn


async def test_reading_a_long_one_says_how_far_it_is(tmp_path: Path) -> None:
    _, thread = begun(tmp_path, going_on())
    await thread.submit("hello")
    for number in range(600):
        thread.conversation.record.add(EntryKind.REPLY, f"reply {number}", turn=TurnNumber(1), time=None)
    await run_command_line(thread, "/save harbour")
    told_of: list[tuple[int, int]] = []
    options = ThreadOptions(resume="harbour", reading=lambda done, total: told_of.append((done, total)))
    again = session_with(tmp_path, going_on()).new_thread(replace(options, autosave=True))
    assert told_of == [(500, 603)]
    await again.submit("more")
    died(again)
    told_of.clear()
    session_with(tmp_path, going_on()).new_thread(options)
    assert len(told_of) == 1
    assert all(0 < done <= total for done, total in told_of)


async def test_a_name_in_a_copy_is_never_a_path(tmp_path: Path) -> None:
    session, thread = begun(tmp_path, going_on())
    await thread.submit("hello")
    died(thread)
    path = folder(session).path(only_id(session))
    path.write_bytes(path.read_bytes().replace(b'"name":null', b'"name":"../../x"') + b'{"saved":"/etc/x"}\n')
    (one,) = session.shelf.recoverable()
    assert (one.name, [row.name for row in session.shelf.offered()]) == (None, [path.stem])
    assert offer(session.home).cut_short == (one,)
    again = resumed(tmp_path, one.ident, going_on()).conversation
    assert (again.name, again.saved_as) == (None, set())
