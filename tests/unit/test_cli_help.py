"""``--help`` of every command is a whole page that fits, and the shell completes what there is."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from tests.fakes.judging import only_part
from wisp_tui import entry
from wisp_tui.approval import Answer, ApprovalStore
from wisp_tui.cli.completion import SHELLS, script
from wisp_tui.cli.main import wisp
from wisp_tui.config import Home

DOCS = Path(__file__).parents[2] / "docs" / "cli.md"


def every(command: click.Command = wisp, path: str = "wisp") -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from every(below, f"{path} {name}")


@pytest.mark.parametrize(("path", "command"), [pytest.param(*found, id=found[0]) for found in every()])
def test_each_page_says_what_it_does_names_every_option_and_its_exit_codes_and_fits(
    path: str, command: click.Command
) -> None:
    page = command.get_help(click.Context(command, info_name=path, terminal_width=80))
    lines = page.splitlines()
    assert max(map(len, lines)) <= 96, max(lines, key=len)
    assert not any(line.endswith("...") for line in lines if "Usage:" not in line), "a command's first sentence is cut"
    assert "\n  Exit codes:\n    0 " in page
    assert command.help
    assert all(option.help for option in command.params if isinstance(option, click.Option))


def test_the_docs_name_every_command() -> None:
    text = DOCS.read_text("utf-8")
    for path, command in every():
        if isinstance(command, click.Group) or path == "wisp completion":
            continue
        assert f"`{path}" in text or f"`{path.removeprefix('wisp ')}" in text or path == "wisp config show", path


def completed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str, program: str = "wisp"
) -> Sequence[str]:
    variable = f"_{program}_COMPLETE".replace("-", "_").upper()
    monkeypatch.setenv(variable, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join((program, *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    monkeypatch.setattr("sys.argv", [program])
    with pytest.raises(SystemExit):
        entry.wisp() if program == "wisp" else entry.wisp_tui()
    return [line.partition(",")[2] for line in capsys.readouterr().out.split()]


def test_what_there_is_is_completed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wisp_home: Path
) -> None:
    home = Home(wisp_home)
    home.prepare()
    (home.models / "mine.gguf").write_bytes(b"GGUF")
    standing = ApprovalStore(home).grant(only_part("git pull"), Answer.ALWAYS)
    for words, found in (
        (["mod"], ["models"]),
        (["config", "uns"], ["unset"]),
        (["config", "set", "context.b"], ["context.budget"]),
        (["logs", "tool."], ["tool.call", "tool.result"]),
        (["logs", "--fo"], ["--follow"]),
        (["respond", "-m", "embedded:"], ["embedded:mine"]),
        (["chat", "--tool", "read_"], ["read_file"]),
        (["approvals", "revoke", ""], [standing.id]),
        (["models", "check", "repl"], ["replay"]),
        (["modles", "x"], []),
    ):
        assert completed(monkeypatch, capsys, *words) == found, words
    assert completed(monkeypatch, capsys, "--resu", program="wisp-tui") == ["--resume"]
    home.config.write_text("{oops")
    assert completed(monkeypatch, capsys, "chat", "--tool", "read_") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script_for_both_programs_that_it_can_read(shell: str) -> None:
    texts = [script(shell, program) for program in ("wisp", "wisp-tui")]
    assert "_WISP_COMPLETE" in texts[0]
    assert "_WISP_TUI_COMPLETE" in texts[1]
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input="\n".join(texts).encode(), check=True, timeout=10)


def test_a_shell_that_has_none_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    monkeypatch.setattr("sys.argv", ["wisp", "completion"])
    assert entry.wisp() == 64
    assert "there is no script for tcsh" in capsys.readouterr().err
