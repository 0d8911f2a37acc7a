"""``wisp respond`` as a process: what goes to which stream, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.fakes.wisp_process import WISP, environment, replay, run_wisp
from wisp_tui.audit import read_events
from wisp_tui.events import Kind


@pytest.fixture
def home(wisp_home: Path) -> Path:
    return wisp_home


def test_the_reply_alone_is_on_standard_output(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello\x1b[31m there\x1b]0;x\x07.", "thinking": "hm"})
    done = run_wisp(home, "-m", model, "hello")
    assert (done.code, done.out) == (0, "Hello there.\n")
    assert "this is a replay of" in done.err
    assert "thought for" in done.err
    assert "\x1b" not in done.err


def test_a_command_that_asks_is_refused_and_with_yes_it_is_run(home: Path, tmp_path: Path) -> None:
    turns = [{"calls": [{"name": "run_command", "arguments": {"command": "echo it ran > made"}}]}, {"reply": "Done."}]
    model = replay(tmp_path / "r.jsonl", *turns)
    refused = run_wisp(home, "respond", "-m", model, "run it")
    assert (refused.code, refused.out) == (0, "Done.\n")
    assert "not run: nobody is asked here; --yes runs what asks" in refused.err
    assert not (tmp_path / "made").exists()
    allowed = run_wisp(home, "respond", "-m", model, "run it", "--yes")
    assert (allowed.code, allowed.out) == (0, "Done.\n")
    assert "⚙ run_command echo it ran > made" in allowed.err
    assert (tmp_path / "made").read_text() == "it ran\n"


def test_what_is_piped_in_is_the_material(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"match": "^sum it up\n\none\ntwo$", "reply": "three"})
    assert run_wisp(home, "-m", model, "sum it up", stdin=b"one\ntwo\n").out == "three\n"


@pytest.mark.parametrize(("prompt", "code", "out"), [("hello", 0, b"Fine.\n"), ("", 64, b"")])
def test_a_closed_standard_input_is_no_fault(home: Path, tmp_path: Path, prompt: str, code: int, out: bytes) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Fine."})
    done = subprocess.run(
        ["sh", "-c", f"{' '.join(WISP)} respond -m {model} {prompt} <&-"],
        env=environment(home),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, out)
    assert b"Traceback" not in done.stderr


def test_a_closed_standard_output_is_told(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Lost."})
    done = subprocess.run(
        ["sh", "-c", f"{' '.join(WISP)} -m {model} hello >&- </dev/null"],
        env=environment(home),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert b"the output cannot be written" in done.stderr


def test_a_full_disk_under_the_output_is_told(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Lost."})
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*WISP, "-m", model, "hello"],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(home),
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert b"the output cannot be written: No space left on device" in done.stderr


def test_a_reader_that_leaves_ends_the_turn_without_a_word(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "one two three " * 500, "chunks": "words", "pause": 0.001})
    process = subprocess.Popen(
        [*WISP, "-m", model, "hello"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(3) == b"one"
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(20) == 1
    assert b"wisp:" not in said
    assert b"Traceback" not in said


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_turn_cleanly(home: Path, tmp_path: Path, number: signal.Signals, code: int) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "So far ", "hang": True})
    process = subprocess.Popen(
        [*WISP, "-m", model, "hello"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.read(6) == b"So far"
    process.send_signal(number)
    rest, said = process.communicate(timeout=20)
    assert process.returncode == code
    assert b"Traceback" not in said
    events = list(read_events(home / "logs"))
    [response] = [event for event in events if event.kind == Kind.RESPONSE]
    assert (response.details["text"], response.details["stopped"]) == ("So far ", "the person stopped this reply")
    assert events[-1].kind == Kind.SESSION_END
    assert rest.strip() == b""


def test_a_command_that_runs_when_the_signal_comes_is_killed_with_the_turn(home: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pid")
    script = "echo $$ > pid; exec sleep 300"
    model = replay(tmp_path / "r.jsonl", {"calls": [{"name": "run_command", "arguments": {"command": script}}]})
    process = subprocess.Popen(
        [*WISP, "respond", "--yes", "-m", model, "go"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
        cwd=tmp_path,
    )
    running = int((tmp_path / "pid").read_text())
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 143
    with pytest.raises(ProcessLookupError):
        os.kill(running, 0)


def test_a_turn_that_fails_says_why_and_exits_1(home: Path, tmp_path: Path) -> None:
    done = run_wisp(home, "-m", replay(tmp_path / "r.jsonl", {"reply": "Half", "error": "the server broke"}), "hello")
    assert (done.code, done.out) == (1, "Half\n")
    assert done.err.count("the server broke") == 1


def test_a_model_that_is_not_there_exits_69(home: Path, tmp_path: Path) -> None:
    missing = run_wisp(home, "-m", f"replay:{tmp_path / 'none'}", "hello")
    assert missing.code == 69
    assert missing.err.startswith("wisp: the replay ")
    down = replay(tmp_path / "r.jsonl", unavailable={"reason": "the server is down", "remedy": "start it"})
    assert run_wisp(home, "-m", down, "hello").err.endswith("wisp: the server is down; start it\n")
    nothing = run_wisp(home, "hello")
    assert nothing.code == 69
    assert "no model was found" in nothing.err


def test_a_schema_gives_json_alone_or_nothing(home: Path, tmp_path: Path) -> None:
    (tmp_path / "schema").write_text('{"type":"object","required":["name"]}')
    good = replay(tmp_path / "good", {"schema_reply": {"name": "x"}})
    done = run_wisp(home, "respond", "-m", good, "--schema", "schema", "who?")
    assert (done.code, done.out) == (0, '{"name":"x"}\n')
    bad = replay(tmp_path / "bad", {"schema_reply": {"nome": "x"}})
    done = run_wisp(home, "respond", "-m", bad, "--schema", "schema", "who?")
    assert (done.code, done.out) == (1, "")
    assert "the reply lacks name, which the schema requires" in done.err
    without = replay(tmp_path / "without", {"reply": "x"}, capabilities=["tools"])
    done = run_wisp(home, "respond", "-m", without, "--schema", "schema", "who?")
    assert (done.code, done.out) == (69, "")
    assert "cannot be held to a schema" in done.err


def test_colours_go_to_a_terminal_only_and_never_under_no_color(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Hi.", "repeat": True})
    for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        ours, theirs = os.openpty()
        done = subprocess.Popen(
            [*WISP, "-m", model, "hello"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env=environment(home, **variables),
        )
        os.close(theirs)
        out, _ = done.communicate(timeout=20)
        assert out == b"Hi.\n"
        assert (b"\x1b[2m" in os.read(ours, 65_536)) is coloured
        os.close(ours)
