"""Plain chat on a real terminal: a turn, history, Tab, an approval by its key, Ctrl-C from line to leaving."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.fakes.tmux import terminal
from tests.fakes.wisp_process import WISP, environment, replay, run_wisp

pytestmark = [
    pytest.mark.tmux,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here"),
    pytest.mark.timeout(120),
]


def test_a_person_talks_line_by_line(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    call = {"name": "run_command", "arguments": {"command": "rm -r boats"}}
    (work / "boats").mkdir()
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello there."}, {"calls": [call]}, {"reply": "They are gone."})
    command = [*WISP, "chat", "--plain", "-m", model]
    variables = environment(home, TERM="xterm-256color", LANG="C.UTF-8")
    with terminal(command, width=100, height=30, directory=work, environment=variables) as screen:
        screen.until(lambda shown: shown.rstrip().endswith(">"))
        screen.write("hello")
        screen.press("Enter")
        screen.until(lambda shown: "Hello there." in shown and shown.rstrip().endswith(">"))
        screen.press("Up")
        screen.until("> hello\nHello there.\n> hello")
        screen.press("C-c")
        screen.write("/tokn")
        screen.press("BSpace", "Tab")
        screen.until("> /tokens")
        screen.press("C-c")
        screen.write("remove the boats")
        screen.press("Enter")
        shown = screen.until("n no:")
        assert "$ rm -r boats" in shown
        screen.write("y")
        screen.press("Enter")
        screen.until(lambda shown: "They are gone." in shown and shown.rstrip().endswith(">"))
        assert not (work / "boats").exists()
        screen.press("C-c")
        screen.until("press ctrl-c again to leave")
        screen.press("C-c")
        assert screen.ended() == 0


def test_a_dumb_terminal_is_asked_the_same_and_shown_no_colour(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    asks = [{"name": "ask", "arguments": {"question": "Which boat?", "choices": ["Gull", "Heron"]}}]
    makes = [{"name": "run_command", "arguments": {"command": "touch boat"}}]
    model = replay(
        tmp_path / "r.jsonl",
        {"calls": asks},
        {"calls": asks},
        {"calls": makes},
        {"reply": "The Heron it is."},
    )
    command = ["env", "TERM=dumb", *WISP, "chat", "--plain", "-m", model]
    with terminal(
        command, width=100, height=30, directory=work, environment=environment(home, LANG="C.UTF-8")
    ) as screen:
        screen.until(lambda shown: shown.rstrip().endswith(">"))
        screen.write("choose")
        screen.press("Enter")
        screen.until(lambda shown: "Which boat?" in shown and "2" in shown and "Heron" in shown)
        screen.write("2")
        screen.press("Enter")
        screen.until(lambda shown: shown.count("Which boat?") > 1 and len(shown.split("Heron")) > 2)
        screen.press("C-c")
        screen.until("n no:")
        screen.write("y")
        screen.press("Enter")
        screen.until(lambda shown: "The Heron it is." in shown and shown.rstrip().endswith(">"))
        assert (work / "boat").exists()
        assert "\x1b[" not in screen.screen(colours=True)
        screen.press("C-d")
        assert screen.ended() == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_over_a_pipe(tmp_path: Path, number: signal.Signals, code: int) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello there."})
    process = subprocess.Popen(
        [*WISP, "chat", "--plain", "-m", model],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path / "home"),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"hello\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"Hello there.\n"
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == code


def test_without_a_terminal_it_reads_to_the_end_of_its_input(tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello there."})
    ended = run_wisp(tmp_path / "home", "chat", "--plain", "-m", model, stdin=b"hello\n/quit\n")
    assert (ended.code, ended.out) == (0, "Hello there.\n")
    assert "\x1b" not in ended.err


def test_what_is_resumed_is_said(tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello there."})
    words = ("chat", "--plain", "-m", model)
    assert run_wisp(tmp_path / "home", *words, "--save", "boats", stdin=b"hello\n").code == 0
    ended = run_wisp(tmp_path / "home", *words, "--resume", "boats", stdin=b"/history\n")
    assert ended.code == 0
    assert "resumed boats: 1 turn; /history lists what you said" in ended.err
    assert "hello" in ended.err


def test_the_first_start_says_what_was_found_above_the_line_being_typed_and_only_to_a_person(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello there."})
    ended = run_wisp(home, "chat", "--plain", "-m", model, stdin=b"hello\n", directory=work)
    assert (ended.code, "What wisp found" in ended.err) == (0, False)
    command = [*WISP, "chat", "--plain", "-m", model]
    variables = environment(home, TERM="xterm-256color", LANG="C.UTF-8")
    with terminal(command, width=100, height=30, directory=work, environment=variables, welcomed=False) as screen:
        shown = screen.until(lambda shown: "Things to try" in shown and shown.rstrip().endswith(">"))
        assert "  chosen     replay:" in shown
        screen.write("hello")
        screen.press("Enter")
        screen.until(lambda shown: "Hello there." in shown and shown.rstrip().endswith(">"))
        screen.press("C-d")
        assert screen.ended() == 0
    with terminal(command, width=100, height=30, directory=work, environment=variables) as screen:
        screen.until(lambda shown: shown.rstrip().endswith(">"))
        screen.write("hello")
        screen.press("Enter")
        assert "What wisp found" not in screen.until("Hello there.")
        screen.press("C-d")
        assert screen.ended() == 0
