"""The pager over a command that printed 16 MiB, on a real terminal: read, searched, resized, opened in less."""

from __future__ import annotations

import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes.tmux import Terminal, terminal
from tests.fakes.wisp_process import WISP_TUI, environment, replay

pytestmark = [
    pytest.mark.tmux,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here"),
]

COMMAND = "seq -f 'line %07.0f of a long output, with some words to look at' 1 320000"
"""Prints 17 MiB: what is kept ends at 16."""
PAGER = """#!/bin/sh
less -R "$1"
trap 'exit 0' INT
echo "an interrupt ends this"
read -r _
"""
"""Shows the file in less, and then waits for an interrupt, which is for it and not for wisp."""
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])\b")


@contextmanager
def _after(tmp_path: Path, command: str, **variables: str) -> Generator[Terminal]:
    """Run wisp-tui over a model that runs one command, until the turn is over."""
    work = tmp_path / "work"
    work.mkdir()
    call = {"name": "run_command", "arguments": {"command": command}}
    model = replay(tmp_path / "r.jsonl", {"calls": [call]}, {"reply": "It printed a lot."}, window=8192)
    command_line = [*WISP_TUI, "-m", model, "--yes"]
    variables = {"TERM": "xterm-256color", "LANG": "C.UTF-8", **variables}
    surroundings = environment(tmp_path / "home", **variables)
    with terminal(command_line, width=100, height=30, directory=work, environment=surroundings) as made:
        made.until("❯")
        made.write("print it")
        made.press("Enter")
        made.until("ran: run_command")
        yield made


def test_16_mib_are_read_searched_resized_and_opened_in_less(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text(PAGER)
    pager.chmod(0o755)
    with _after(tmp_path, COMMAND, PAGER=str(pager)) as screen:
        screen.press("C-o")
        screen.until("cut at 16 MiB")
        assert re.search(r"^ +1 +line 0000001 of a long output", screen.until("line 0000001"), re.MULTILINE)

        screen.press("G")
        end = screen.until(lambda shown: "✂ cut here" in shown and "100%" in shown)
        last = int(re.findall(r"line (\d{7}) of", end)[-1])
        assert f"{last} " in end

        screen.press("g")
        screen.until("line 0000001")
        screen.press("/")
        screen.write(f"line {last - 9:07}")
        screen.until("1 of 1 “line")
        screen.press("Enter")
        found = screen.until(lambda shown: "enter stays" not in shown)
        assert re.search(rf"^ +{last - 9} +line {last - 9:07}", found, re.MULTILINE)

        for width, height in ((60, 16), (20, 6), (110, 34)):
            screen.resize(width, height)
            shown = screen.until(lambda shown, rows=height: len(shown.splitlines()) == rows and "line 0" in shown)
            assert "Traceback" not in shown
        screen.until("1 of 1 “line")

        screen.press("o")
        screen.until(lambda shown: "F1 keys" not in shown and "line 0000001" in shown)
        screen.press("q")
        screen.until("an interrupt ends this")
        screen.press("C-c")
        screen.until("1 of 1 “line")

        screen.press("Escape")
        screen.until(lambda shown: "“" not in shown)
        screen.press("q")
        screen.until("ran: run_command")
        screen.press("C-q")
        assert screen.ended() == 0


def test_with_no_color_an_output_has_no_colours_either(tmp_path: Path) -> None:
    coloured = "for i in $(seq 3000); do printf '\\033[31mred %d\\033[0m \\033[48;5;20mground\\033[0m\\n' $i; done"
    with _after(tmp_path, coloured, NO_COLOR="1") as screen:
        screen.press("C-o")
        screen.until(lambda shown: "red 1 ground" in shown and "F1 keys" in shown)
        assert not COLOUR.search(screen.screen(colours=True))
