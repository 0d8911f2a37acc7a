"""The slash commands: known by one registry, never sent to the model, in the docs as they are."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import session_with
from wisp_tui.config import Home
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.session.commands import Effect, command_line, commands, completions, run_command_line
from wisp_tui.tools.processes import MARK

DOCS = Path(__file__).resolve().parents[2] / "docs" / "commands.md"


def opened(tmp_path: Path, *models: ScriptedModel) -> Thread:
    return session_with(tmp_path, *(models or (ScriptedModel([says("Yes.")]),))).new_thread(ThreadOptions())


def test_the_docs_list_every_command_as_it_is_and_no_other() -> None:
    rows = re.findall(r"^\| `(/[^`]+)` \| (.+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    told = {command.usage: command.help for command in commands().values()}
    assert [usage for usage, _ in rows] == list(told)
    assert all(told[usage].startswith(words) for usage, words in rows)


async def test_a_mistyped_command_is_answered_with_the_nearest(tmp_path: Path) -> None:
    answer = await run_command_line(opened(tmp_path), "/hlep")
    assert answer.failed
    assert answer.lines == ("there is no command /hlep; did you mean /help?",)


@pytest.mark.parametrize("line", ["/help", "/unknown thing", "/Inspect"])
def test_a_slash_and_a_letter_is_a_command(line: str) -> None:
    assert command_line(line)


@pytest.mark.parametrize("line", ["", "/", "//x", "/etc/hosts is what?", "a /help", "/ help", "/1"])
def test_a_path_or_a_sentence_is_not(line: str) -> None:
    assert not command_line(line)


async def test_help_lists_every_command(tmp_path: Path) -> None:
    answer = await run_command_line(opened(tmp_path), "/help")
    assert [line.split()[0] for line in answer.lines] == list(commands())


async def test_help_of_one_says_what_it_does(tmp_path: Path) -> None:
    thread = opened(tmp_path)
    assert len((await run_command_line(thread, "/help save")).lines) == 1
    assert (await run_command_line(thread, "/help nothing")).failed


def test_commands_and_their_values_are_completed(tmp_path: Path) -> None:
    thread = opened(tmp_path)
    assert completions(thread, "/in") == (0, ("/inspect",))
    start, found = completions(thread, "/inspect context n")
    assert (start, found) == (len("/inspect "), ("context next",))
    assert completions(thread, "hello") == (5, ())
    assert completions(thread, "/model") == (0, ("/model", "/models"))  # what is whole already comes first


async def test_quit_and_new_say_what_they_ask_of_the_face(tmp_path: Path) -> None:
    thread = opened(tmp_path)
    await thread.submit("Hello.")
    assert (await run_command_line(thread, "/new")).effect is Effect.CLEARED
    assert len(thread.conversation.record) == 1
    assert (await run_command_line(thread, "/quit")).effect is Effect.QUIT


async def test_a_new_conversation_leaves_the_saved_one_as_it_was(tmp_path: Path) -> None:
    thread = opened(tmp_path)
    await thread.submit("Remember me.")
    await run_command_line(thread, "/save harbour")
    await thread.submit("And me.")
    answer = await run_command_line(thread, "/new")
    assert answer.lines == ("a new conversation, not saved yet; the one before is saved as harbour",)
    await thread.submit("Something else.")
    assert thread.conversation.name is None
    saved = thread.shelf.load("harbour").record
    assert "And me." in [entry.text for entry in saved]
    assert "Something else." not in [entry.text for entry in saved]


async def test_nothing_saved_is_replaced_by_another_conversation(tmp_path: Path) -> None:
    first, second = opened(tmp_path), opened(tmp_path)
    await run_command_line(first, "/save harbour")
    assert not (await run_command_line(first, "/save harbour")).failed
    answer = await run_command_line(second, "/save harbour")
    assert answer.failed
    assert "another conversation is saved as harbour" in answer.lines[0]


async def test_a_disk_that_is_full_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    thread = opened(tmp_path)
    monkeypatch.setattr(Home, "write", full)
    answer = await run_command_line(thread, "/save harbour")
    assert answer.failed
    assert answer.lines == (f"not saved: {os.strerror(errno.ENOSPC)}",)


async def test_a_model_that_cannot_be_had_changes_nothing(tmp_path: Path) -> None:
    from wisp_tui.models import ModelUnavailable, Resolved

    class Gone(ScriptedModel):
        async def resolve(self) -> Resolved:
            raise ModelUnavailable("it is gone", "start it")

    thread = opened(tmp_path, ScriptedModel([says("Yes.")]), Gone([], name="fake:gone"))
    await thread.ready()
    answer = await run_command_line(thread, "/model fake:gone")
    assert (answer.failed, answer.lines) == (True, ("not changed: it is gone; start it; fake:scripted still answers",))
    assert (await thread.submit("Still there?")).outcome == "ok"


async def test_another_model_answers_from_then_on(tmp_path: Path) -> None:
    other = ScriptedModel([says("Me.")], name="fake:other")
    thread = opened(tmp_path, ScriptedModel([says("Yes.")]), other)
    await thread.submit("Hello.")
    await run_command_line(thread, "/model fake:other")
    await thread.submit("Who?")
    assert len(other.requests) == 1
    assert "Hello." in str(other.requests[0].messages)


async def test_tools_says_why_there_are_none(tmp_path: Path) -> None:
    thread = opened(tmp_path, ScriptedModel([says("x")], capabilities=frozenset()))
    await thread.ready()
    assert (await run_command_line(thread, "/tools")).lines == ("fake:scripted takes no tools; /model chooses another",)


@pytest.mark.parametrize("line", ["/fact branch = main", "/task lie", "/config set model auto", "/config unset model"])
async def test_what_a_model_s_command_types_into_a_conversation_of_its_own_is_nobody_s_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    thread = opened(tmp_path)
    monkeypatch.setenv(MARK, "any")
    answer = await run_command_line(thread, line)
    assert answer.failed
    assert "only a person" in answer.lines[0]
    assert not (thread.shelf.home.root / "config.json").exists()
    assert not (await run_command_line(thread, "/config get model")).failed
