"""The commands of ``wisp``: which one a command line means, and how each fault ends."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from wisp_tui import __version__, entry
from wisp_tui.audit import AuditUnavailable
from wisp_tui.cli import chat as chat_module
from wisp_tui.cli.chat import screen_fault
from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import UsageFault, fault_of, tell
from wisp_tui.cli.main import Begin, Commands
from wisp_tui.config import ConfigError, HomeError
from wisp_tui.models import ContextOverflow, ModelUnavailable
from wisp_tui.session import ThreadOptions
from wisp_tui.tools.registry import UnknownTool


def wisp(monkeypatch: pytest.MonkeyPatch, *arguments: str, program: str = "wisp") -> int:
    monkeypatch.setattr(sys, "argv", [program, *arguments])
    return entry.wisp() if program == "wisp" else entry.wisp_tui()


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["why is the sky blue?"], ["respond", "why is the sky blue?"]),
        (["-m", "replay:x", "why?"], ["respond", "-m", "replay:x", "why?"]),
        (["explain", "this"], ["respond", "explain", "this"]),
        (["-"], ["respond", "-"]),
        (["chat", "--json"], ["chat", "--json"]),
        (["models", "pull", "smollm2"], ["models", "pull", "smollm2"]),
        (["respond", "models"], ["respond", "models"]),
        (["--version"], ["--version"]),
        (["-h"], ["-h"]),
        ([], []),
        (["a model of the world"], ["respond", "a model of the world"]),
    ],
)
def test_what_names_no_command_is_a_prompt(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], meant: list[str]
) -> None:
    seen: list[list[str]] = []

    def parsed(_self: object, _context: object, args: list[str]) -> list[str]:
        seen.append(args)
        raise UsageFault("seen")

    monkeypatch.setattr(Commands.__mro__[1], "parse_args", parsed)
    assert wisp(monkeypatch, *arguments) == Exit.USAGE
    assert seen == [meant]


@pytest.mark.parametrize(
    ("word", "near"), [("modles", "models"), ("respnd", "respond"), ("chats", "chat"), ("Chat", "chat")]
)
def test_a_slip_of_a_commands_name_is_not_sent_as_a_prompt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str, near: str
) -> None:
    assert wisp(monkeypatch, word) == 64
    assert capsys.readouterr().err == (
        f"wisp: there is no command {word!r}; did you mean `wisp {near}`? `wisp respond {word}` sends it as a prompt\n"
    )


@pytest.mark.parametrize("program", ["wisp", "wisp-tui"])
def test_the_version_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], program: str
) -> None:
    assert wisp(monkeypatch, "--version", program=program) == 0
    assert capsys.readouterr() == (f"{program} {__version__}\n", "")


def test_wisp_alone_shows_its_commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert wisp(monkeypatch) == 0
    shown = capsys.readouterr().out
    for command in ("chat", "respond", "models", '`wisp "PROMPT"` is `wisp respond "PROMPT"`'):
        assert command in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["chat", "--frob"],
        ["respond", "--frob"],
        ["models", "pul"],
        ["models", "pull"],
        ["chat", "extra"],
        ["chat", "-m"],
        ["--frob"],
    ],
)
def test_what_click_refuses_exits_64_and_says_so_in_one_line_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert wisp(monkeypatch, *arguments) == 64
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert said.err.startswith("wisp")
    assert said.err.endswith(" --help says what there is.\n")
    assert said.out == ""


@pytest.mark.parametrize("program", ["wisp", "wisp-tui"])
def test_plain_lines_and_json_contradict_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], program: str
) -> None:
    assert wisp(monkeypatch, *(["chat"] if program == "wisp" else []), "--plain", "--json", program=program) == 64
    assert capsys.readouterr().err == f"{program}: --plain and --json contradict each other\n"


def test_tools_and_no_tools_contradict_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert wisp(monkeypatch, "respond", "--no-tools", "--tool", "read_file", "x") == 64
    assert "contradict each other" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("term", "terminal", "said"),
    [
        ("xterm-256color", False, "needs a terminal"),
        ("dumb", True, "TERM is dumb"),
        ("", True, "TERM is not set"),
        ("dumb", False, "needs a terminal"),
    ],
)
def test_where_no_full_screen_can_be_had_it_is_said_what_to_use(term: str, terminal: bool, said: str) -> None:
    fault = screen_fault(term, on_terminal=terminal)
    assert fault is not None
    assert said in fault
    assert "`wisp chat --plain`" in fault
    assert "`wisp chat --json`" in fault
    assert screen_fault("xterm", on_terminal=True) is None


def test_on_a_terminal_both_names_open_the_app_with_the_same_options(
    monkeypatch: pytest.MonkeyPatch, wisp_home: Path
) -> None:
    opened: list[ThreadOptions] = []

    def open_app(begin: Begin) -> int:
        session, options = begin()
        assert session.home.root == wisp_home
        opened.append(options)
        return 7

    def possible(term: str, *, on_terminal: bool) -> None:
        del term, on_terminal

    monkeypatch.setattr(entry, "open_app", open_app)
    monkeypatch.setattr(chat_module, "screen_fault", possible)
    given = ["-m", "replay:x", "-i", "be brief", "--tool", "read_file", "--tool", "current_date", "--save", "n"]
    assert wisp(monkeypatch, "chat", *given) == 7
    assert wisp(monkeypatch, *given, program="wisp-tui") == 7
    same = ThreadOptions("replay:x", "be brief", ("read_file", "current_date"), save="n", autosave=True)
    assert opened == [same, same]
    assert wisp(monkeypatch, "chat", "--no-tools", "--yes") == 7
    assert (opened[-1].tools, opened[-1].unsafe) == ((), False)
    assert opened[-1].asker is not None
    assert wisp(monkeypatch, "--unsafe", program="wisp-tui") == 7
    assert (opened[-1].asker, opened[-1].unsafe) == (None, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "foo:x"], "'foo:x' names no runtime there is; write RUNTIME:NAME, with one of "),
        (["-m", ""], "'' names no runtime there is"),
        (["--tool", "nope"], "there is no tool nope; the tools are: read_file, "),
        (["--resume", "../x"], "no name for a conversation"),
        (["--save", "../x"], "no name for a conversation"),
        (["--resume", "of-nobody"], "no conversation is saved as 'of-nobody'"),
    ],
)
def test_what_can_be_known_to_be_wrong_is_told_before_anything_opens(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert wisp(monkeypatch, "chat", "--json", *arguments) == 64
    told = capfd.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


def test_a_malformed_config_is_told_with_the_field(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wisp_home: Path
) -> None:
    wisp_home.mkdir()
    (wisp_home / "config.json").write_text('{"context":{"budget":7}}')
    for arguments in (["respond", "x"], ["chat", "--json"], ["models"]):
        assert wisp(monkeypatch, *arguments) == 64
        assert "context.budget is 7; it takes a number from 0.3 to 0.95" in capsys.readouterr().err


def test_kinds_of_facts_that_cannot_be_used_are_told_with_the_field(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wisp_home: Path
) -> None:
    wisp_home.mkdir()
    (wisp_home / "config.json").write_text('{"facts":{"kinds":{"lock":{"class":"nope"}}}}')
    assert wisp(monkeypatch, "respond", "x") == 64
    assert "facts.kinds.lock.class: 'nope' is no class; the classes are: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageFault("x"), 64),
        (HomeError("x"), 64),
        (ConfigError("x"), 64),
        (UnknownTool(("x",), ("y",)), 64),
        (AuditUnavailable("x"), 64),
        (ModelUnavailable("x", "y"), 69),
        (ContextOverflow(1, 2), 1),
    ],
)
def test_each_fault_has_its_code_and_its_own_words(error: Exception, code: int) -> None:
    fault = fault_of(error)
    assert fault is not None
    assert (fault.sentence, fault.code) == (str(error), code)


def test_a_defect_of_ours_is_no_fault_of_the_persons() -> None:
    assert fault_of(RuntimeError("bug")) is None


def test_what_is_told_is_clean_and_dimmed_only_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tell("a\x1b[2Jb\x9bmc", dim=True)
    assert capsys.readouterr().err == "abc\n"


def test_nobody_to_tell_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def write(self, _: str) -> int:
            raise OSError(errno.EPIPE, os.strerror(errno.EPIPE))

    monkeypatch.setattr(sys, "stderr", Broken())
    tell("into the void")
