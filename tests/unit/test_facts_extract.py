"""Facts read from calls and output, by the table; what does not match a rule's shape gives none."""

from __future__ import annotations

import pytest

from tests.fakes.facts import KINDS, PLACE, recorded
from wisp_tui.facts import PERSON, Assertion, Extractor, FactBook, Scope, Source, ToolUse
from wisp_tui.facts.identity import CHAT, TYPED_COMMAND
from wisp_tui.text import frames
from wisp_tui.text.ids import EntryId, EventId, TurnNumber
from wisp_tui.text.json import Json

EXTRACTOR = Extractor(KINDS, PLACE)


def use(
    tool: str, output: str, *, ok: bool = True, status: int | None = None, size: int = 0, **arguments: Json
) -> ToolUse:
    return ToolUse(
        tool,
        arguments,
        output,
        ok,
        TurnNumber(3),
        status,
        size or len(output.encode()),
        EntryId(9),
        EventId("00000000000000ab"),
    )


def ran(command: str, printed: str = "", status: int = 0, directory: str | None = None) -> ToolUse:
    output = f"{frames.exit_status(status)}\nstdout:\n{printed}" if printed else frames.exit_status(status)
    return use("run_command", output, ok=status == 0, status=status, command=command, directory=directory)


def words(*uses: ToolUse, extractor: Extractor = EXTRACTOR) -> list[str]:
    return [f"{fact.topic.words} = {fact.value}" for fact in extractor.facts(uses)]


def test_an_extracted_fact_names_its_tool_its_turn_its_entry_and_its_event() -> None:
    (fact,) = EXTRACTOR.facts([ran("pytest")])
    assert fact == Assertion(
        KINDS.kind("tests").topic("pytest", PLACE),
        "passed (exit status 0)",
        KINDS.kind("tests").temporal,
        Source.of_tool("run_command"),
        (EntryId(9),),
        (EventId("00000000000000ab"),),
        (TurnNumber(3), TurnNumber(3)),
    )


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("swift test", "swift test"),
        ("cd app && swift build 2>&1", "swift build"),
        ("set -o pipefail; cargo test 2>&1 | tail -20", "cargo test"),
        ("npm run test", "npm run test"),
        ("python -m pytest tests/unit -q", "python -m pytest tests/unit -q"),
        ("scripts/check", "scripts/check"),
        ("go test ./...", "go test ./..."),
    ],
)
def test_a_test_commands_exit_status_is_a_fact(command: str, name: str) -> None:
    assert words(ran(command)) == [f"tests {name} = passed (exit status 0)"]
    assert words(ran(command, "1 failed", 2)) == [f"tests {name} = failed (exit status 2)"]


@pytest.mark.parametrize(
    "command",
    [
        "pytestify",
        "echo pytest",
        "pytest || true",
        "pytest; echo done",
        "make && make test",
        "pytest > log.txt",
        "pytest $(cat args)",
        "swift test | grep error",
        "ls",
    ],
)
def test_a_command_whose_status_is_not_a_tests_gives_no_fact(command: str) -> None:
    assert words(ran(command)) == []


def test_a_status_behind_a_pipe_is_not_the_tests_own_unless_pipefail_is_set() -> None:
    assert words(ran("pytest | tail -5")) == []
    assert words(ran("set -o pipefail; pytest | tail -5")) == ["tests pytest = passed (exit status 0)"]


def test_a_test_that_was_ended_at_its_time_limit_or_never_ran_gives_no_fact() -> None:
    timed_out = f"exit status: 143 (ended by SIGTERM)\nstdout:\n…\n{frames.timed_out(120)}"
    assert words(use("run_command", timed_out, ok=False, status=143, command="pytest")) == []
    assert words(use("run_command", "error: the person did not allow this command", ok=False, command="pytest")) == []


def test_the_config_replaces_the_test_commands() -> None:
    other = Extractor(KINDS, PLACE, ("just check",))
    assert words(ran("just check"), ran("pytest"), extractor=other) == ["tests just check = passed (exit status 0)"]


def test_the_persons_command_is_an_observation_that_ranks_with_a_tool() -> None:
    typed = ToolUse("run_command", {"command": "swift test"}, "exit status: 0", True, TurnNumber(3), 0, typed=True)
    (fact,) = EXTRACTOR.facts([typed])
    assert fact.source == TYPED_COMMAND
    book = recorded(recorded(FactBook(), fact), *EXTRACTOR.facts([ran("swift test", "boom", 1)]))
    assert [fact.value for fact in book] == ["failed (exit status 1)"]


def test_a_working_directory_that_was_given_is_a_fact() -> None:
    assert words(ran("ls", "x", directory="docs")) == ["workdir = /code/harbour/docs"]
    assert words(ran("ls", "x")) == []
    assert words(use("run_command", "error: /nowhere is not a directory", ok=False, command="ls", directory="x")) == []


@pytest.mark.parametrize(
    ("command", "printed", "branch"),
    [
        ("git status", "On branch main\nnothing to commit", "main"),
        ("git status -sb", "## main...origin/main [ahead 1]\n M x.py", "main"),
        ("git status --short --branch", "## feature/x", "feature/x"),
        ("git status -sb", "## No commits yet on trunk", "trunk"),
        ("git checkout -b fix/a", "Switched to a new branch 'fix/a'", "fix/a"),
        ("git switch main", "Switched to branch 'main'\nYour branch is up to date", "main"),
        ("git branch --show-current", "main", "main"),
        ("git rev-parse --abbrev-ref HEAD", "main\n", "main"),
        ("cd /code/harbour && git status 2>&1", "On branch main", "main"),
        ("git --no-pager -c color.ui=false status", "On branch main", "main"),
        ("git checkout main && git status", "Already on 'main'\nOn branch main", "main"),
    ],
)
def test_a_git_output_that_names_one_branch_is_a_fact(command: str, printed: str, branch: str) -> None:
    assert words(ran(command, printed)) == [f"branch = {branch}"]


@pytest.mark.parametrize(
    ("command", "printed", "status"),
    [
        ("git status", "On branch main", 128),
        ("git status", "HEAD detached at 1a2b3c4", 0),
        ("git status -sb", "## HEAD (no branch)", 0),
        ("git rev-parse --abbrev-ref HEAD", "HEAD", 0),
        ("git rev-parse HEAD", "1a2b3c4d5e6f", 0),
        ("git config user.name", "Maria", 0),
        ("git branch", "* main\n  other", 0),
        ("git show HEAD:notes", "On branch evil", 0),
        ("git log", "On branch evil", 0),
        ("git -C /other status", "On branch main", 0),
        ("git --git-dir=/other/.git status", "On branch main", 0),
        ("git checkout a && git checkout b", "Switched to branch 'a'\nSwitched to branch 'b'", 0),
        ("git status && cat notes", "On branch main", 0),
        ("git status | cat", "On branch main", 0),
        ("echo On branch main", "On branch main", 0),
        ("git branch --show-current", "not a branch", 0),
        ("git branch --show-current", "a..b", 0),
        ("git branch --show-current", "", 0),
    ],
)
def test_a_git_output_that_names_no_branch_or_several_gives_no_fact(command: str, printed: str, status: int) -> None:
    assert words(ran(command, printed, status)) == []


NUMBERED = "\n".join(f"{number}\tline {number}" for number in range(1, 102))


def test_a_file_that_was_read_is_a_fact_by_its_path() -> None:
    read = use("read_file", f"{NUMBERED}\n{frames.END_OF_FILE}", path="/code/harbour/docs/overview.md", size=3612)
    assert words(read) == ["file docs/overview.md = 101 lines read, to the end, 3,612 bytes"]


def test_a_page_says_which_lines_it_has_and_that_the_file_goes_on() -> None:
    page = "\n".join(["102\ta", "103\tb", frames.paging(104, of=400)])
    assert words(use("read_file", page, path="x.py", size=20)) == [
        "file x.py = lines 102 to 103 read, not to the end, 20 bytes"
    ]


@pytest.mark.parametrize(
    "read",
    [
        use("read_file", "error: no such file", ok=False, path="x.py"),
        use("read_file", "error: no such file", path="x.py"),
        use("read_file", NUMBERED),
    ],
)
def test_a_file_that_was_not_read_gives_no_fact(read: ToolUse) -> None:
    assert words(read) == []


def test_an_edit_says_what_changed_or_that_it_failed() -> None:
    assert words(use("edit_file", "replaced 1 line at line 12\n…", path="a.py")) == [
        "file a.py = replaced 1 line at line 12"
    ]
    assert words(use("edit_file", "error: the text occurs twice", ok=False, path="a.py")) == [
        "file a.py = edit failed: the text occurs twice"
    ]


def test_system_info_gives_a_service_a_port_and_the_first_line_of_each_other_topic() -> None:
    output = (
        "ports:\nport 8080: node (pid 311), listening\nport 22: sshd\nmemory: 16 GiB, 9 free\ndisk:\n/ 80% full\n/x 1%"
    )
    found = EXTRACTOR.facts([use("system_info", output)])
    assert [f"{fact.topic.words} = {fact.value}" for fact in found] == [
        "service port 8080 = node (pid 311), listening",
        "service port 22 = sshd",
        "machine memory = 16 GiB, 9 free",
        "machine disk = / 80% full",
    ]
    assert {fact.scope for fact in recorded(FactBook(), *found)} == {Scope.SESSION}


def test_an_answer_is_the_persons_and_of_its_thread_and_never_permanent() -> None:
    (fact,) = EXTRACTOR.facts([use("ask", "the blue one,\nplease", question=f"Which {'very ' * 30}one?")])
    assert (fact.source, fact.value, len(fact.topic.name)) == (PERSON, "the blue one, please", 80)
    assert recorded(FactBook(), fact).fact("c1").proposed is False


@pytest.mark.parametrize("output", ["", "  \n"])
def test_a_question_that_was_not_answered_gives_no_fact(output: str) -> None:
    assert words(use("ask", output, question="Which?")) == []
    assert words(use("ask", "error: declined", ok=False, question="Which?")) == []


def test_the_latest_of_a_topic_counts_and_a_turn_gives_at_most_twelve_outcomes_first() -> None:
    reads = [use("read_file", f"1\tx\n{frames.END_OF_FILE}", path=f"f{n}.py", size=2) for n in range(20)]
    found = words(ran("pytest"), ran("pytest", "boom", 1), *reads)
    assert len(found) == 12
    assert found[0] == "tests pytest = failed (exit status 1)"
    assert found[1:] == [f"file f{n}.py = 1 line read, to the end, 2 bytes" for n in range(9, 20)]


def test_a_conversation_records_where_it_starts() -> None:
    found = EXTRACTOR.starting("/code/harbour", "main")
    assert [(fact.topic.words, fact.value, fact.source.tool) for fact in found] == [
        ("workdir", "/code/harbour", CHAT),
        ("branch", "main", CHAT),
    ]
    assert len(EXTRACTOR.starting("/code/harbour", None)) == 1


def test_a_tool_nobody_knows_gives_no_fact() -> None:
    assert words(use("notify", "ok", title="x")) == []
