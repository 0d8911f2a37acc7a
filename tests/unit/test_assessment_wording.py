"""What a request's words say: each kind of word with its near misses, which say nothing."""

from __future__ import annotations

import pytest

from wisp_tui.assessment import Wording
from wisp_tui.assessment.wording import READ

BUILT_IN = (
    "read_file",
    "edit_file",
    "run_command",
    "current_date",
    "system_info",
    "inspect",
    "ask",
    "notify",
    "memory",
)


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        ("read docs/overview.md", "docs/overview.md"),
        ("What is in `pyproject.toml`?", "pyproject.toml"),
        ("look at ~/notes and say what is new", "~/notes"),
        ("list ./src", "./src"),
        ("what does /etc/hosts say?", "/etc/hosts"),
        ("count the files in src/", "src/"),
        ("compare a/b/c and x.rs.", "x.rs"),
        ("summarise the README", "README"),
        ("read @notes.txt, please", "@notes.txt"),
    ],
)
def test_a_path_is_found(request_: str, path: str) -> None:
    assert path in Wording(request_).paths


@pytest.mark.parametrize(
    "request_",
    [
        "Is it TCP/IP and/or UDP?",
        "see https://example.com/a/b.md",
        "e.g. the first, i.e. this one",
        "is 24/7/365 right?",
        "mail me@example.com",
        "is version v1.2 of Node.js out?",
        "What is the release codename?",
        "5 / 2 is what?",
    ],
)
def test_what_only_looks_like_a_path_is_none(request_: str) -> None:
    assert Wording(request_).paths == ()


@pytest.mark.parametrize(
    "request_",
    ["run `ls -l`", "what does git status say?", "$ make docs", "cargo test, please", "is pytest green?", "`ls`"],
)
def test_a_command_is_found(request_: str) -> None:
    assert Wording(request_).runs


@pytest.mark.parametrize(
    "request_",
    [
        "what is git?",
        "make sure that it works",
        "go home",
        "the swift reply",
        "rename `parse_line`",
        "make the test clearer",
        "a cargo ship",
        "find the cat",
    ],
)
def test_what_only_looks_like_a_command_is_none(request_: str) -> None:
    assert not Wording(request_).runs


@pytest.mark.parametrize(
    ("request_", "tools"),
    [
        ("use read_file on it", {"read_file"}),
        ("call `inspect`", {"inspect"}),
        ("ask the memory tool", {"memory"}),
        ("what time is it?", {"current_date"}),
        ("What's today's date?", {"current_date"}),
        ("which ports are open", {"system_info"}),
        ("how much memory is free?", {"system_info"}),
        ("notify me when it is done", {"notify"}),
        ("show me wisp's config", {"inspect"}),
        ("quiz me on this", {"ask"}),
        ("recall turn 3", {"memory"}),
        ("open the second file", {"read_file"}),
        ("write a short licence file", {"edit_file"}),
        ("fix the failing test", {"edit_file"}),
        ("run the tests again", {"run_command"}),
    ],
)
def test_a_tool_is_called_for_by_its_name_or_by_what_it_is_for(request_: str, tools: set[str]) -> None:
    assert Wording(request_).names(BUILT_IN) == tools


@pytest.mark.parametrize(
    "request_",
    [
        "I ask you to be brief",
        "inspect the code",
        "use memory mapped files here?",
        "what is the date format of RFC 3339?",
        "a port of the program",
        "the battle is over",
        "the test of time",
        "I recall that it was blue",
        "What is the release codename?",
        "read_files is no tool",
        "open your mind",
    ],
)
def test_a_word_that_means_other_things_names_no_tool(request_: str) -> None:
    assert Wording(request_).names(BUILT_IN) == frozenset()


def test_a_tool_of_the_persons_own_is_named_by_its_word() -> None:
    own = (*BUILT_IN, "deploy")
    assert Wording("deploy it").names(own) == {"deploy"}
    for other in ("deployment is slow", "see deploy.sh", "a re-deploy"):
        assert Wording(other).names(own) == frozenset(), other


@pytest.mark.parametrize(
    "request_", ["and now the other one", "Yes.", "go on", "What about line 12?", "try that again"]
)
def test_a_follow_up_is_known_by_how_it_begins(request_: str) -> None:
    assert Wording(request_).follows


@pytest.mark.parametrize(
    "request_", ["Nowhere is it said.", "Android apps", "OKR planning", "Read on", "sure-fire ways"]
)
def test_what_begins_alike_is_no_follow_up(request_: str) -> None:
    assert not Wording(request_).follows


@pytest.mark.parametrize(
    "request_",
    [
        "Today's task: add a --dry-run flag to sync",
        "Back to the task: the flag.",
        "The goal is a green build.",
        "Thanks. New task for you, the parser.",
        "From now on, only look at docs.",
        "let's work on the parser",
        "Good. We need to move on to the tests",
        "I want you to focus on speed",
        "Objective: no warnings. Is that clear?",
    ],
)
def test_a_sentence_states_a_task(request_: str) -> None:
    assert Wording(request_).restates_task


@pytest.mark.parametrize(
    "request_",
    [
        "What is the task?",
        "what is the task",
        "Let's get back to the task we started with.",
        "Tell me what the task is",
        "Is the new task clear?",
        "please switch to the other file",
        "let's not work on that",
        "the subtask is small, multitasking: no",
        "Should we move on to the tests?",
        "read docs/overview.md",
    ],
)
def test_a_question_or_a_return_states_none(request_: str) -> None:
    assert not Wording(request_).restates_task


def test_of_a_long_request_the_beginning_and_the_end_are_read() -> None:
    pasted = "x" * 40_000
    long = Wording(f"read docs/a.md {pasted} and then docs/b.md")
    assert len(long.text) == READ
    assert long.paths == ("docs/a.md", "docs/b.md")
    assert not long.short
