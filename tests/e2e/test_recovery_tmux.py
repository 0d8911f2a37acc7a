"""A process that is killed in the middle of a turn, on a real terminal: the next one goes on with the conversation."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.fakes.tmux import Terminal, terminal
from tests.fakes.wisp_process import WISP, WISP_TUI, environment, replay
from wisp_tui.text.json import JsonObject

pytestmark = [
    pytest.mark.tmux,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here"),
    pytest.mark.timeout(120),
]
SLEEPS: JsonObject = {"name": "run_command", "arguments": {"command": "sleep 20"}}


def killed(screen: Terminal) -> None:
    """Kill the program of the pane as nothing can be caught."""
    pid = int(screen.tmux("display-message", "-p", "#{pane_pid}"))
    os.kill(pid, signal.SIGKILL)
    assert screen.ended() == -signal.SIGKILL


def test_the_app_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    variables = environment(home, TERM="xterm-256color", LANG="C.UTF-8")
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello there."}, {"calls": [SLEEPS]}, {"reply": "Awake."})
    command = [*WISP_TUI, "-m", model, "--yes"]
    with terminal(command, width=100, height=30, directory=work, environment=variables) as screen:
        screen.until("this is a replay")
        screen.write("hello")
        screen.press("Enter")
        screen.until("Hello there.")
        screen.write("sleep a while")
        screen.press("Enter")
        screen.until("• run_command sleep 20")
        killed(screen)
    model = replay(tmp_path / "r.jsonl", {"reply": "Going on."})
    with terminal(command, width=100, height=30, directory=work, environment=variables) as screen:
        screen.until(lambda shown: "was cut short today" in shown and "in the middle of turn 2" in shown)
        with terminal(command, width=100, height=30, directory=tmp_path, environment=variables) as other:
            other.until("was cut short today")
            screen.press("Enter")
            shown = screen.until("resumed what was cut short")
            assert "Hello there." in shown
            assert "error: interrupted" in shown
            other.press("Enter")
            other.until("runs in another process")
        screen.write("go on")
        screen.press("Enter")
        screen.until("Going on.")
        screen.press("C-q")
        assert screen.ended() == 0
    assert not list((home / "live").iterdir())


def test_plain_chat_says_what_was_cut_short_and_goes_on_with_it(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    variables = environment(home, TERM="xterm-256color", LANG="C.UTF-8")
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello there."}, {"reply": "Going on."})
    command = [*WISP, "chat", "--plain", "-m", model]
    with terminal(command, width=100, height=30, directory=work, environment=variables) as screen:
        screen.until(lambda shown: shown.rstrip().endswith(">"))
        screen.write("hello")
        screen.press("Enter")
        screen.until(lambda shown: "Hello there." in shown and shown.rstrip().endswith(">"))
        killed(screen)
    with terminal(command, width=100, height=30, directory=work, environment=variables) as screen:
        screen.until(lambda shown: "was cut short today" in shown and shown.rstrip().endswith(">"))
        screen.write("/sessions resume")
        screen.press("Enter")
        screen.until(lambda shown: "resumed what was cut short" in shown and shown.rstrip().endswith(">"))
        screen.write("/history")
        screen.press("Enter")
        screen.until(lambda shown: "/show N shows entry N whole" in shown)
        screen.tmux("kill-session")  # the terminal is closed
