"""Saved conversations as they are looked through: listed cheaply, looked into, searched, renamed, deleted, resumed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.facts import ACT
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.config.cache import search_index
from wisp_tui.context.record import EntryKind
from wisp_tui.context.sidecar import CannotResume
from wisp_tui.events import QuestionWaiting
from wisp_tui.recall import Past
from wisp_tui.recall.library import Library
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.commands import Effect, completions, run_command_line
from wisp_tui.session.outputs import latest_output
from wisp_tui.session.remembering import past_of
from wisp_tui.session.saved.changing import delete, rename
from wisp_tui.session.saved.entries import pieces, read_piece
from wisp_tui.session.saved.files import BadName
from wisp_tui.session.saved.glimpse import MOST_REACH, glimpse
from wisp_tui.session.saved.heads import REACH
from wisp_tui.session.saved.holding import Outputs, outputs_of
from wisp_tui.session.saved.indexing import IndexedFinder, volumes
from wisp_tui.session.saved.listing import Order, in_order, saved_name, saved_names
from wisp_tui.session.saved.searching import PlainFinder, words_of


def opened(tmp_path: Path, *answers: str, name: str | None = None) -> tuple[Session, Thread]:
    session = session_with(tmp_path, ScriptedModel([says(answer) for answer in answers or ("Yes.",)] * 20))
    return session, session.new_thread(ThreadOptions(save=name))


async def saved(tmp_path: Path, name: str, *prompts: str, reply: str = "Yes.") -> Session:
    session, thread = opened(tmp_path, reply, name=name)
    for prompt in prompts:
        await thread.submit(prompt)
    await session.close()
    return session


def found(session: Session, words: str) -> list[tuple[str, int, int, str]]:
    names = [item.name for item in session.shelf.list()]
    lines = PlainFinder(session.home).find(words_of(words), names, lambda: False)
    return [(line.name, line.entry, line.line, line.excerpt) for line in lines]


async def test_the_list_reads_no_more_than_the_beginning_of_a_file(tmp_path: Path) -> None:
    session = await saved(tmp_path, "harbour", "What is\tin \x1b[31mthe journal?", "All?", reply="x" * 20_000)
    (item,) = session.shelf.list()
    assert (item.name, item.turns, item.first) == ("harbour", 2, "What is in the journal?")
    head = item.head
    assert (head.model, head.directory, head.entries) == ("fake:scripted", str(tmp_path / "work"), 5)
    path = session.home.transcripts / "harbour.json"
    data = path.read_bytes()
    assert item.size == len(data) + path.with_suffix(".store").stat().st_size
    path.write_bytes(data[:REACH])  # the rest is not looked at: cut off, it is listed as before
    assert session.shelf.list()[0].head == head


def without_head(data: bytes) -> bytes:
    return data.replace(b'"about":', b'"other":')


def cut_off(data: bytes) -> bytes:
    return without_head(data)[:-200]


def no_json(_: bytes) -> bytes:
    return b"\x00\xff{"


def hostile_head(data: bytes) -> bytes:
    return data.replace(b'"turns":2', b'"turns":"many"')


@pytest.mark.parametrize(("spoil", "turns"), [(without_head, 2), (cut_off, 2), (hostile_head, 2), (no_json, 0)])
async def test_a_file_without_a_head_or_a_damaged_one_is_listed_by_what_it_has(
    tmp_path: Path, spoil: Callable[[bytes], bytes], turns: int
) -> None:
    session = await saved(tmp_path, "harbour", "What is it?", "And then?", reply="word " * 100)
    path = session.home.transcripts / "harbour.json"
    path.write_bytes(spoil(path.read_bytes()))
    (item,) = session.shelf.list()
    assert (item.turns, item.first) == (turns, "What is it?" if turns else "")
    assert [entry.text for entry in glimpse(session.home, session.shelf.list()[0]).entries][: 2 * turns][1:2] == [
        "What is it?"
    ][:turns]
    assert found(session, "nothing like it") == []


async def test_what_is_no_conversation_of_ours_is_neither_listed_nor_waited_for(tmp_path: Path) -> None:
    session = await saved(tmp_path, "harbour", "One.")
    folder = session.home.transcripts
    os.mkfifo(folder / "pipe.json")
    (folder / "folder.json").mkdir()
    for name in ("名前", "\u202emoor", "a\x1b[2Jb", ".hidden"):
        (folder / f"{name}.json").write_bytes((folder / "harbour.json").read_bytes())
    assert [item.name for item in session.shelf.offered()] == ["harbour"]
    assert {name for name, *_ in found(session, "one")} == {"harbour"}
    assert outputs_of(session.home, session.shelf.list()[0]) == Outputs()


async def test_the_list_is_sorted_as_it_is_asked_to_be(tmp_path: Path) -> None:
    session = await saved(tmp_path, "beta", "One.", "Two.")
    await saved(tmp_path, "Alpha", "One.", reply="long " * 500)
    os.utime(session.home.transcripts / "Alpha.json", (1, 1))
    items = saved_names(session.home)
    names = {order: [item.name for item in in_order(items, order)] for order in Order}
    assert names == {
        Order.USED: ["beta", "Alpha"],
        Order.NAME: ["Alpha", "beta"],
        Order.TURNS: ["beta", "Alpha"],
        Order.SIZE: ["Alpha", "beta"],
    }


async def test_a_look_at_the_end_costs_the_same_however_long_it_is(tmp_path: Path) -> None:
    session = await saved(tmp_path, "harbour", *(f"Turn {number}." for number in range(9)))
    seen = glimpse(session.home, session.shelf.list()[0], turns=2)
    assert [entry.text for entry in seen.entries] == ["Turn 7.", "Yes.", "Turn 8.", "Yes."]
    assert not seen.whole
    whole = glimpse(session.home, session.shelf.list()[0], turns=20)
    assert (whole.whole, len(whole.entries)) == (True, 19)
    path = session.home.transcripts / "harbour.json"
    before, end = path.read_bytes().split(b'{"id":"18-')
    path.write_bytes(before + b"x" * MOST_REACH * 2 + b'{"id":"18-' + end)
    assert [entry.text for entry in glimpse(session.home, session.shelf.list()[0]).entries] == ["Turn 8.", "Yes."]


def test_an_entry_that_looks_like_one_inside_of_a_text_begins_none() -> None:
    inner = rb"{\"id\":\"9-0123456789ab\",\"kind\":\"prompt\""
    data = b'{"entries":[{"id":"1-0123456789ab","kind":"prompt","text":"' + inner + b'"}],"later":{"a":[1]}}'
    ((start, end, number),) = pieces(data)
    entry = read_piece(data[start:end], number)
    assert entry is not None
    assert (entry.id, entry.kind, entry.text) == (1, EntryKind.PROMPT, inner.decode().replace("\\", ""))


async def test_words_are_found_in_all_that_was_said_where_they_stand(tmp_path: Path) -> None:
    session = await saved(tmp_path, "harbour", "First.\nWhere is the Journal of BOATS?", reply="In naïve Übersee.")
    await saved(tmp_path, "other", "The boats are in. " * 40 + "Their journal\x1b[2J is out.")
    both = {name for name, *_ in found(session, "journal boats")}
    assert both == {"harbour", "other"}
    assert found(session, "WHERE journal") == [("harbour", 2, 2, "Where is the Journal of BOATS?")]
    assert found(session, "übersee") == [("harbour", 3, 1, "In naïve Übersee.")]
    ((_, _, _, excerpt),) = found(session, "their")
    assert excerpt.endswith("Their journal is out.")
    assert excerpt.startswith("…")
    assert found(session, "journal of nothing") == []
    stopped = PlainFinder(session.home).find(("boats",), ["harbour", "other"], lambda: True)
    assert list(stopped) == []


async def test_what_has_left_the_context_is_found_too(tmp_path: Path) -> None:
    model = ScriptedModel([says("A short answer.")] * 20, window=4096)
    session = session_with(tmp_path, model)
    thread = session.new_thread(ThreadOptions(save="harbour"))
    await thread.submit("The heron is blue.")
    for turn in range(8):
        await thread.submit(f"Turn {turn}. " + "some words and more " * 70)
    await session.close()
    assert b"heron" not in (session.home.transcripts / "harbour.json").read_bytes().partition(b'"entries":[')[2]
    assert [(name, entry) for name, entry, *_ in found(session, "heron")] == [("harbour", 2)]
    assert session.shelf.list()[0].turns == 9


async def test_a_renamed_conversation_is_whole_and_what_named_it_still_leads_to_it(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "notes.md").write_text("a line of the notes\n" * 4000)
    read = calls(("run_command", {"command": "cat notes.md"}))
    session = session_with(tmp_path, ScriptedModel([read, says("Read.")]))
    thread = session.new_thread(ThreadOptions(save="harbour"))
    await run_command_line(thread, "/fact entity codename = RED KITE")
    await run_command_line(thread, "/task sync it")
    await thread.submit("Read notes.md.")
    await session.close()
    rename(session.home, ACT, "harbour", "port")
    rename(session.home, ACT, "port", "quay")
    again = session_with(tmp_path, ScriptedModel([says("x")]))
    resumed = again.new_thread(ThreadOptions(resume="harbour"))
    assert resumed.conversation.name == "quay"
    assert latest_output(resumed.conversation).stored is not None
    assert (await run_command_line(resumed, "/task")).lines == ("task: sync it — from the person",)
    assert resumed.conversation.facts is not None
    task = next(fact.id for fact in resumed.conversation.facts.book.thread.current.values() if fact.value == "sync it")
    kept = await run_command_line(again.new_thread(ThreadOptions()), f"/fact harbour/{task} permanent")
    assert (kept.failed, "sync it" in kept.lines[0]) == (False, True)
    assert {path.name for path in session.home.transcripts.iterdir()} == {"quay.json", "quay.store", ".names", ".lock"}


@pytest.mark.parametrize("new", ["", "../x", "a b", "عربي", "名前", "x\x1b[2J", "harbour", "taken", ".x", "a" * 65])
async def test_a_name_that_cannot_be_changes_nothing_and_says_why(tmp_path: Path, new: str) -> None:
    session = await saved(tmp_path, "harbour", "One.")
    await saved(tmp_path, "taken", "Two.")
    before = {path.name: path.read_bytes() for path in session.home.transcripts.iterdir()}
    with pytest.raises(BadName) as fault:
        rename(session.home, ACT, "harbour", new)
    assert str(fault.value).isprintable()
    assert {path.name: path.read_bytes() for path in session.home.transcripts.iterdir()} == before


@pytest.mark.parametrize("step", range(4))
async def test_a_renaming_cut_off_anywhere_leaves_it_whole_under_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    session = await saved(tmp_path, "harbour", "One.")
    left = step

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def run(*arguments: object, **more: object) -> object:
            nonlocal left
            if not left:
                raise KeyboardInterrupt
            left -= 1
            return real(*arguments, **more)

        return run

    with monkeypatch.context() as patched:
        patched.setattr("wisp_tui.session.saved.changing.os.link", counted(os.link))
        patched.setattr(Path, "rename", counted(Path.rename))
        patched.setattr(Path, "unlink", counted(Path.unlink))
        with pytest.raises(KeyboardInterrupt):
            rename(session.home, ACT, "harbour", "port")
    (item,) = session.shelf.list()
    assert [entry.text for entry in session.shelf.load(item.name).record][1:] == ["One.", "Yes."]


async def test_of_two_who_rename_at_once_one_is_told_that_it_is_gone(tmp_path: Path) -> None:
    session = await saved(tmp_path, "harbour", "One.")
    renamed = [asyncio.to_thread(rename, session.home, ACT, "harbour", f"port{number}") for number in range(4)]
    outcomes = await asyncio.gather(*renamed, return_exceptions=True)
    assert [str(one) for one in outcomes if one] == ["no conversation is saved as harbour any more"] * 3
    (item,) = session.shelf.list()
    assert [entry.text for entry in session.shelf.load(item.name).record][1:] == ["One.", "Yes."]


async def test_outputs_go_with_the_last_conversation_that_refers_to_them(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "notes.md").write_text("a line of the notes\n" * 4000)
    read = calls(("run_command", {"command": "cat notes.md"}))
    session = session_with(tmp_path, ScriptedModel([read, says("Read."), read, says("Read.")]))
    thread = session.new_thread(ThreadOptions())
    await thread.submit("Read notes.md.")
    await run_command_line(thread, "/save harbour")
    await run_command_line(thread, "/save copy")
    await thread.submit("Again.")
    await session.close()
    again, other = opened(tmp_path)
    stored = again.home.output / thread.conversation.session
    assert len(list(stored.iterdir())) == 4
    asked = await answering(other, "/sessions delete copy", "delete it")
    assert "1 whole output that it alone refers to" in asked
    assert "1 whole output that another conversation refers to" in asked
    assert len(list(stored.iterdir())) == 2
    resumed = again.new_thread(ThreadOptions(resume="harbour"))
    assert latest_output(resumed.conversation).stored is not None
    await again.end(resumed)
    await answering(other, "/sessions delete harbour", "delete it")
    assert not stored.exists()


async def test_only_what_was_shown_is_deleted(tmp_path: Path) -> None:
    session = await saved(tmp_path, "harbour", "One.")
    shown = saved_name(session.home, session.home.transcripts / "harbour.json")
    assert shown is not None
    again = session_with(tmp_path, ScriptedModel([says("More.")]))
    await again.new_thread(ThreadOptions(resume="harbour")).submit("Two.")
    await again.close()
    with pytest.raises(BadName, match="saved again meanwhile"):
        delete(session.home, ACT, shown)
    rename(session.home, ACT, "harbour", "port")
    (item,) = session.shelf.list()
    delete(session.home, ACT, item)
    assert {path.name for path in session.home.transcripts.iterdir()} == {".lock"}
    with pytest.raises(BadName, match="any more"):
        delete(session.home, ACT, item)


async def test_a_conversation_that_goes_on_in_two_places_is_lost_in_neither(tmp_path: Path) -> None:
    await saved(tmp_path, "harbour", "One.")
    first = session_with(tmp_path, ScriptedModel([says("First.")]))
    second = session_with(tmp_path, ScriptedModel([says("Second.")]))
    for session in (first, second):
        await session.new_thread(ThreadOptions(resume="harbour")).submit("Two.")
    await first.close()
    (said,) = await second.close()
    assert said.startswith("saved as harbour-2: ")
    replies = {name: [entry.text for entry in first.shelf.load(name).record][-1] for name in ("harbour", "harbour-2")}
    assert replies == {"harbour": "First.", "harbour-2": "Second."}


async def answering(thread: Thread, line: str, answer: str | None) -> str:
    """Run a command and answer what it asks; return what was asked."""
    thread.questions.shown, asked = True, ""
    with thread.conversation.bus.subscribe() as events:
        running = asyncio.create_task(run_command_line(thread, line))
        async for event in events:
            if isinstance(event, QuestionWaiting):
                asked = event.text
                thread.questions.answer(event.id, answer)
                break
    await running
    return asked


async def test_a_deletion_is_asked_and_says_what_goes_and_what_stays(tmp_path: Path) -> None:
    await saved(tmp_path, "harbour", "One.", "Two.")
    session, thread = opened(tmp_path)
    refused = await run_command_line(thread, "/sessions delete harbour")
    assert (refused.failed, refused.lines) == (True, ("harbour stays",))
    asked = await answering(thread, "/sessions delete harbour", None)
    assert "2 turns, 5 entries" in asked
    assert "the audit log" in asked
    assert [item.name for item in session.shelf.list()] == ["harbour"]
    await answering(thread, "/sessions delete harbour", "delete it")
    assert session.shelf.list() == []


async def test_the_conversation_that_is_held_is_renamed_and_never_deleted(tmp_path: Path) -> None:
    session, thread = opened(tmp_path)
    await thread.submit("One.")
    await run_command_line(thread, "/save harbour")
    answer = await run_command_line(thread, "/sessions delete harbour")
    assert answer.lines == ("harbour is the conversation you are in; /new begins another one first",)
    assert (await run_command_line(thread, "/sessions rename harbour port")).lines == ("harbour is called port now",)
    await thread.submit("Two.")
    assert (await session.close())[0].startswith("saved as port: ")
    assert [(item.name, item.turns) for item in session.shelf.list()] == [("port", 2)]


async def test_a_conversation_is_gone_on_with_in_the_place_of_another(tmp_path: Path) -> None:
    await saved(tmp_path, "harbour", "One.")
    session, thread = opened(tmp_path, "Mine.")
    await thread.submit("Unsaved.")
    assert (await run_command_line(thread, "/sessions resume harbour")).lines == ("this conversation goes on",)
    assert "not saved (1 message of yours)" in await answering(thread, "/sessions resume harbour", "save it first")
    held = thread.conversation
    assert (held.name, [entry.text for entry in held.record][1:]) == ("harbour", ["One.", "Yes."])
    assert [item.name for item in session.shelf.list()] == ["2026-03-01-140512", "harbour"]
    answer = await run_command_line(thread, "/sessions resume 2026-03-01-140512")
    assert answer.effect is Effect.RESUMED
    assert answer.lines == ("resumed 2026-03-01-140512: 1 turn", "the conversation before is saved as harbour")
    assert (await thread.submit("More.")).outcome == "ok"
    await session.close()
    assert {item.name: item.turns for item in session.shelf.list()} == {"harbour": 1, "2026-03-01-140512": 2}


async def test_what_cannot_be_gone_on_with_changes_nothing(tmp_path: Path) -> None:
    session, thread = opened(tmp_path, name="here")
    (session.home.transcripts / "old.json").write_text("{}")
    record = thread.conversation.record
    for name, why in (("old", "older wisp"), ("none", "no conversation is saved"), ("../x", "is no name")):
        answer = await run_command_line(thread, f"/sessions resume {name}")
        assert answer.failed
        assert why in answer.lines[0]
    assert (thread.conversation.name, thread.conversation.record) == ("here", record)
    with pytest.raises(CannotResume):
        session.shelf.load("old")
    assert completions(thread, "/sessions delete o") == (10, ("delete old",))


async def test_the_index_finds_what_the_files_hold_and_the_files_what_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await saved(tmp_path, "harbour", "The codename is Heron.", reply="Noted, 日本語の要約.")
    await saved(tmp_path, "parser", "Herons eat files.")

    def indexed(words: str, *names: str) -> list[tuple[str, int]]:
        lines = IndexedFinder(session.home).find(words_of(words), names, lambda: False)
        return [(line.name, line.entry) for line in lines]

    assert indexed("codename heron", "parser", "harbour") == [("harbour", 2)]
    assert set(indexed("heron", "parser", "harbour")) == {("harbour", 2), ("parser", 2)}
    assert indexed("heron", "parser") == [("parser", 2)]
    assert indexed("要約", "parser", "harbour") == [("harbour", 3)]
    assert indexed("odename", "parser", "harbour") == [("harbour", 2)]
    assert len(indexed("which walrus eats codenames", "parser", "harbour")) == 2
    assert indexed("walrus heron", "parser", "harbour") == []
    assert search_index(session.home).is_relative_to(tmp_path / "cache")
    search_index(session.home).unlink()
    monkeypatch.setenv("XDG_CACHE_HOME", str(session.home.config))  # no place for an index
    assert set(indexed("heron", "parser", "harbour")) == {("harbour", 2), ("parser", 2)}


async def test_the_index_follows_what_was_cut_short_and_leaves_what_runs_elsewhere(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Yes.")] * 3))
    thread = session.new_thread(ThreadOptions(autosave=True))
    await thread.submit("An egret stands here.")
    (copy,) = session.home.live.glob("*.jsonl")

    def taken(running: dict[str, Past]) -> list[str]:
        library = Library(search_index(session.home))
        library.take_in(volumes(session.home, running))
        hits = library.find("egret", 5)
        library.close()
        return [hit.name for hit in hits]

    assert taken({}) == []
    assert taken({copy.stem: past_of(thread.conversation)}) == [copy.stem]
    await session.close(cut_short=True)
    assert taken({}) == [copy.stem]
    copy.unlink()
    assert taken({}) == []
