"""Reading a line: its words, where each command runs, what it is fed; what cannot be read for sure is a problem."""

from __future__ import annotations

import time

import pytest
import tree_sitter_bash
from tree_sitter import Language

from wisp_tui.approval.script import Command, Fed, Known, Script
from wisp_tui.approval.shell import DEEPEST, ENDLESS, LONGEST, read

LANGUAGE = Language(tree_sitter_bash.language())
START: list[str] = []
"""The directory a line starts in, as the moves that lead there."""


def script(line: str) -> Script:
    return read(line, LANGUAGE)


def commands(line: str) -> tuple[Command, ...]:
    read_line = script(line)
    assert read_line.problems == ()
    return read_line.commands


def words(line: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in commands(line)]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("plain", "plain"),
        ("'a b'", "a b"),
        ('"a b"', "a b"),
        ("a\\ b", "a b"),
        ("'it'\\''s'", "it's"),
        ('"say \\"hi\\" for \\$5 \\x"', 'say "hi" for $5 \\x'),
        ("$'a\\tb\\x41\\101\\u00e9'", "a\tbAA\u00e9"),
        ("l's'", "ls"),
        ('""', ""),
        ("'*'", "*"),
        ("\\*", "*"),
        ("a#b", "a#b"),
        ("a=b", "a=b"),
        ("$", "$"),
        ('"$"', "$"),
    ],
)
def test_quotes_are_read_as_the_shell_reads_them(written: str, value: str) -> None:
    [command] = commands(f"echo {written}")
    assert [(word.text, word.known) for word in command.words[1:]] == [(value, Known.EXACT)]


@pytest.mark.parametrize("written", ["*.py", "a?", "[ab]c", "x*'y z'"])
def test_a_pattern_is_known_to_be_one(written: str) -> None:
    [command] = commands(f"echo {written}")
    assert command.words[1].known is Known.PATTERN


@pytest.mark.parametrize(
    "written", ["$X", '"$X"', "$(ls)", "`ls`", "{a,b}", "{1..3}", "${X%.py}", "~eve/x", "a$X", "$1"]
)
def test_what_shows_only_when_it_runs_is_not_known(written: str) -> None:
    [*_, command] = commands(f"echo {written}")
    assert command.words[1].known is Known.UNKNOWN


def test_an_unquoted_variable_may_be_several_words_and_a_quoted_one_is_one() -> None:
    [command] = commands('echo $X "$X"')
    assert [word.splits for word in command.words[1:]] == [True, False]


def test_the_home_directory_is_known_by_its_tilde() -> None:
    [command] = commands('cat ~/x "$HOME/y" "~/z"')
    assert [(word.text, word.home) for word in command.words[1:]] == [("~/x", True), ("~/y", True), ("~/z", False)]


def test_a_variable_set_once_is_known_after_it() -> None:
    assert words('X=src; ls "$X"')[-1] == ["ls", "src"]


@pytest.mark.parametrize(
    "line",
    [
        'ls "$X"; X=src',
        'X=src; X=other; ls "$X"',
        'X=src & ls "$X"',
        'true && X=src; ls "$X"',
        '(X=src); ls "$X"',
        'X=src; read X; ls "$X"',
        'X=src; printf -v X y; ls "$X"',
        'X=$(pwd); ls "$X"',
        "X=src; IFS=r; ls $X",
        'echo "${X:=y}"; X=src; ls "$X"',
        '_=src; ls "$_"',
    ],
)
def test_a_variable_that_may_be_something_else_is_not_known(line: str) -> None:
    [command] = [command for command in commands(line) if command.words and command.words[0].text == "ls"]
    assert command.words[1].known is Known.UNKNOWN


def test_words_after_a_redirection_are_the_commands_own() -> None:
    [command] = commands("git > out status --short")
    assert [word.text for word in command.words] == ["git", "status", "--short"]
    assert [redirect.target.text for redirect in command.redirects] == ["out"]


def test_a_redirection_after_a_list_is_its_last_commands() -> None:
    first, second = commands("cd .git && ls > config")
    assert (first.redirects, [redirect.target.text for redirect in second.redirects]) == ((), ["config"])
    assert [[move.text for move in place or ()] for place in second.places] == [[".git"]]


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("cd a && ls", [["a"]]),
        ("cd a; ls", [["a"], []]),
        ("cd a && cd b && ls", [["a", "b"]]),
        ("(cd a); ls", [START]),
        ("cd a | true; ls", [START]),
        ("cd a || ls", [START]),
        ("(cd a && ls)", [["a"]]),
    ],
)
def test_where_a_command_may_run_is_followed(line: str, places: list[list[str]]) -> None:
    [*_, command] = commands(line)
    assert [[move.text for move in place or ()] for place in command.places] == places


@pytest.mark.parametrize(
    "line",
    [
        "cd $X; ls",
        "cd -; ls",
        "pushd a; ls",
        "for i in 1 2; do cd a; ls; done",
        "f() { cd a; }; f; ls",
        "time cd a; ls",
    ],
)
def test_where_a_command_runs_is_unknown_after_a_move_that_is(line: str) -> None:
    [*_, command] = commands(line)
    assert command.places == (None,)


def test_what_a_command_is_fed_is_known() -> None:
    fed = {command.words[0].text: command.fed for command in commands("a | b; c < f; d <<< x; e")}
    assert fed == {"a": Fed.NOTHING, "b": Fed.PIPE, "c": Fed.FILE, "d": Fed.TEXT, "e": Fed.NOTHING}


def test_a_line_that_takes_long_to_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The grammar takes a time that grows with the square of what a here-document expands."""
    long = "cat <<E\n" + "$x " * 20_000 + "\nE"
    assert script("echo " + "x " * 2000).problems == ()
    monkeypatch.setattr("wisp_tui.approval.shell.PATIENCE", 0.05)
    began = time.monotonic()
    assert script(long).problems == (ENDLESS,)
    assert time.monotonic() - began < 5


def test_a_here_document_is_its_text_when_nothing_in_it_is_expanded() -> None:
    quoted, bare = commands("a <<'E'\n$(b)\nE\nc <<F\nplain\nF")
    assert (quoted.given, bare.given) == ("$(b)\n", "plain\n")


def test_what_follows_a_here_document_on_its_line_is_read() -> None:
    assert words("cat <<E | b && c\nx\nE\nd") == [["cat"], ["b"], ["c"], ["d"]]


def test_commands_in_every_kind_of_statement_are_found() -> None:
    line = (
        "if a; then b; elif c; then d; else e; fi; for x in 1; do f; done; while g; do h; done; case $x in y) i;; esac"
    )
    assert [command[0] for command in words(line) if command] == [*"abcdefgh", ":", "i"]


def test_commands_in_every_kind_of_substitution_are_found() -> None:
    line = 'echo "$(a)" `b` <(c) >(d) "${X:-$(e)}" $((1 + $(f))); X=$(g); a=($(h)); [[ -n $(i) ]]; cat <<E\n$(j)\nE'
    found = {command.words[0].text for command in script(line).commands if command.words}
    assert found >= set("abcdefghij")


@pytest.mark.parametrize(
    "line",
    [
        "ls 'open",
        'ls "open',
        "ls )",
        "ls <> p",
        "ls;; pwd",
        "l\\\ns",
        "ls\\\n-l",
        "coproc ls",
        "time { ls; }",
        'echo $"hello"',
        "cat <<A <<B\nx\nA\ny\nB",
        "cat <<E\nEO\\\nE\nls\nE",
        "cat <<E\\\nx\nE",
        "cat <<'E'x\ny\nEx",
        "echo `echo \\`ls\\``",
        "[ a > b ]",
        "[ a && ls ]",
        "ls \x00pwd",
        "ls \u202epwd",
        "ls\u200b",
        "ls\u00a0-l",
        "ls \x1b[2K",
        "ls\r\npwd",
        "( " * (DEEPEST + 1) + "ls" + " )" * (DEEPEST + 1),
        "echo " + "x" * LONGEST,
    ],
)
def test_what_cannot_be_read_for_sure_is_a_problem(line: str) -> None:
    assert script(line).problems != ()


@pytest.mark.parametrize(
    "line",
    [
        "echo $((x))",
        "((x++))",
        "echo ${!x}",
        "echo ${x@P}",
        "echo ${x:a}",
        "a[$i]=1",
        "[[ $x -eq 1 ]]",
        "[[ 'a[$(ls)]' -eq 1 ]]",
        "[[ -v x ]]",
        "for ((i=x;i<3;i++)); do ls; done",
        "cat <<E\n`ls`\nE",
    ],
)
def test_what_runs_what_a_variable_holds_is_a_caution(line: str) -> None:
    assert script(line).cautions != ()


@pytest.mark.parametrize(
    "line",
    [
        "echo $((1 + 2))",
        "i=0; echo $((i + 1))",
        "for i in 1 2; do echo $((i * 2)); done",
        "for ((i=0; i<3; i++)); do ls; done",
        "[[ $x == y ]]",
        "i=1; [[ $i -eq 1 ]]",
        'echo "${x:-none}" ${x%.py} ${#x}',
    ],
)
def test_arithmetic_on_numbers_is_none(line: str) -> None:
    assert script(line).cautions == ()


@pytest.mark.parametrize(
    "line", ["[[ -f a ]]", "((1))", "echo $'x'", "ls &> f", "a |& b", "cat <(ls)", "cat <<< x", "echo {a,b}"]
)
def test_what_only_bash_reads_so_is_known(line: str) -> None:
    assert script(line).bash_only


@pytest.mark.parametrize(
    "line", ["ls -l | wc", "echo \"$X\" '$Y' ${Z:-a}", "if a; then b; fi", "cat <<E\nx\nE", "x=$((1+2))"]
)
def test_what_every_shell_reads_alike_is_not_marked(line: str) -> None:
    assert not script(line).bash_only


@pytest.mark.parametrize(
    "line",
    [
        " && ".join(["ls"] * 2000),
        ";".join(["ls"] * 2000),
        " | ".join(["ls"] * 2000),
        "ls " + "a " * 20_000,
        "ls " + "$(ls " * 200 + ")" * 200,
        "[[ " + "a && " * 5000 + "a ]]",
        "[ " + "! " * 5000 + "a ]",
        "echo $((" + "(" * 500 + "1" + ")" * 500 + "))",
        "echo " + '"$(echo ' * 100 + ')"' * 100,
        "if a; then " * 300 + "b; " + "fi; " * 300,
        "{ " * 300 + "ls; " + "}; " * 300,
        "echo " + "${x:-" * 500 + "}" * 500,
        "echo " + "a$x" * 15_000,
    ],
    ids=lambda line: line[:12],
)
def test_a_line_of_any_length_or_depth_is_read_or_a_problem_and_never_a_crash(line: str) -> None:
    read_line = script(line)
    assert read_line.problems or read_line.cautions or read_line.commands
