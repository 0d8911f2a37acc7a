"""``wisp doctor``: each check says how things stand and what to do, and looking changes nothing."""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.fakes.wisp_process import replay
from wisp_tui import entry
from wisp_tui.audit import AuditLog
from wisp_tui.cli import doctor
from wisp_tui.config import Home, Settings
from wisp_tui.events import Bus, Kind
from wisp_tui.outputs import OutputStore
from wisp_tui.session.doctor import Check, State
from wisp_tui.session.doctor.home import (
    config_check,
    home_check,
    live_check,
    log_check,
    outputs_check,
    stores_check,
    target_check,
)
from wisp_tui.session.doctor.machine import Screen, clipboard_check, sandbox_check, terminal_check
from wisp_tui.session.doctor.models import models_check
from wisp_tui.text.ids import CallId, SessionId
from wisp_tui.text.json import JsonObject

NOW = datetime.now().astimezone()


@pytest.fixture
def home(wisp_home: Path) -> Home:
    made = Home(wisp_home)
    made.prepare()
    return made


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no conversation was cut short; 1 live copy cannot be read whole"),
        (b'{"version":1,"type":"wisp.live","sessions":[],"name":null}\n', "no conversation was cut short"),
    ],
)
def test_live_copies_are_looked_at_and_left(home: Home, content: bytes, said: str) -> None:
    assert live_check(home).said == "no conversation was cut short"
    copy = home.live / "0123456789abcdef.jsonl"
    copy.write_bytes(content)
    assert live_check(home).said == said
    assert [path.name for path in home.live.iterdir()] == [copy.name], "looking changes nothing"


def settings(**parts: JsonObject) -> Settings:
    return Settings.model_validate(parts)


def test_a_home_is_private_absent_or_told_to_be_readable_by_others(home: Home, tmp_path: Path) -> None:
    assert home_check(home).state is State.OK
    (home.models / "shared.gguf").touch(0o644)
    assert home_check(home).state is State.OK
    told = home.transcripts / "told.json"
    told.touch()
    told.chmod(0o644)
    home.context.chmod(0o755)
    check = home_check(home)
    assert (check.state, check.remedy) == (State.WARNING, f"chmod -R go= {home.root}")
    assert set(check.lines) == {f"{told} 0644", f"{home.context} 0755"}
    assert told.stat().st_mode & 0o777 == 0o644, "looking changes nothing"

    absent = Home(tmp_path / "none")
    assert home_check(absent).state is State.NOTE
    assert not absent.root.exists()
    (tmp_path / "file").touch()
    assert home_check(Home(tmp_path / "file")).state is State.FAULT


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_is_a_fault(home: Home) -> None:
    home.root.chmod(0o500)
    assert home_check(home).state is State.FAULT
    home.root.chmod(0o700)


@pytest.mark.parametrize(
    ("written", "state", "said"),
    [
        ("{}", State.OK, "every setting has its default"),
        ('{"audit":{"keep":9}}', State.OK, "sets 1 setting"),
        ('{"later":1}', State.NOTE, "every setting has its default"),
        ('{"context":{"budget":7},"audit":{"keep":0}}', State.FAULT, "context.budget is 7; it takes a number from"),
        ("{oops", State.FAULT, "is not a JSON object"),
        ('{"commandPolicy":{"deny":["*"]}}', State.FAULT, "commandPolicy.deny cannot be that"),
    ],
)
def test_the_settings_are_usable_or_each_fault_is_named(home: Home, written: str, state: State, said: str) -> None:
    from wisp_tui.config import ConfigError
    from wisp_tui.config.editing import usable
    from wisp_tui.config.settings import read_config

    home.config.write_text(written)
    try:
        read = usable(read_config(home.config))
    except ConfigError:
        read = Settings()
    check = config_check(home, read)
    assert check.state is state
    assert said in check.said


def test_a_weakened_gate_is_noted(home: Home) -> None:
    home.config.write_text('{"sandbox":{"enabled":false}}')
    check = config_check(home, settings(sandbox={"enabled": False}))
    assert check.state is State.NOTE
    assert check.lines[0].startswith("weakens the sandbox: commands run without walls")


def test_a_target_that_is_capped_says_what_is_used() -> None:
    assert target_check(Settings()).state is State.OK
    check = target_check(settings(context={"budget": 0.5, "target": 0.6}))
    assert (check.state, check.details["capped"]) == (State.WARNING, True)
    assert check.remedy == "`wisp config set context.target 0.30`"


def test_the_log_is_counted_and_its_torn_lines_too(home: Home) -> None:
    assert log_check(home, Settings()).said == "nothing is recorded yet"
    log = AuditLog(home.logs, Bus(), version="1")
    for _ in range(3):
        log.write(SessionId("a"), Kind.PROMPT, {"text": "x"})
    assert log_check(home, Settings()).said.startswith("3 events in 1 file, ")
    with (home.logs / "audit.jsonl").open("ab") as file:
        file.write(b'{"torn')
    check = log_check(home, Settings())
    assert (check.state, check.details["torn"], check.details["events"]) == (State.NOTE, 1, 3)
    assert log_check(home, settings(audit={"enabled": False})).state is State.WARNING


def test_the_output_store_tells_its_size_and_what_the_next_sweep_removes(home: Home) -> None:
    assert outputs_check(home, Settings(), NOW).said.startswith("none kept; the next start removes none")
    for session in ("old", "new"):
        OutputStore(home.output, SessionId(session)).keep(CallId("0123abcd"), b"x" * 2048)
    for path in (home.output / "old", *(home.output / "old").iterdir()):
        old = (NOW - timedelta(days=40)).timestamp()
        os.utime(path, times=(old, old))
    check = outputs_check(home, Settings(), NOW)
    assert (check.details["sessions"], check.details["dueSessions"]) == (2, 1)
    assert "the next start removes 2.3 KiB of 1 session, unused for 30 days" in check.said
    kept = outputs_check(home, settings(context={"outputDays": 0}), NOW)
    assert "kept for ever" in kept.said
    assert (home.output / "old").exists()


def test_other_files_that_cannot_be_read_are_faults(home: Home) -> None:
    assert stores_check(home).state is State.OK
    (home.root / "facts.json").write_text("{oops")
    (home.root / "approvals.json").write_text("[")
    check = stores_check(home)
    assert check.state is State.FAULT
    assert "facts.json cannot be read" in check.said
    assert "approvals.json is not used" in check.said


async def test_the_model_that_answers_is_named_with_its_window(home: Home, tmp_path: Path) -> None:
    assert (await models_check(home, Settings(), {"OLLAMA_HOST": "http://127.0.0.1:9"})).state is State.FAULT
    name = replay(tmp_path / "talk.jsonl", {"reply": "Hello."}, window=4096)
    check = await models_check(home, Settings(model=name), {"OLLAMA_HOST": "http://127.0.0.1:9"})
    assert (check.state, check.details["chosen"], check.details["window"]) == (State.OK, name, 4096)
    assert f"{name} answers, window 4,096 tokens (" in check.said
    assert any("`wisp models pull smollm2`" in line for line in check.lines)


async def test_a_sandbox_that_is_off_is_a_warning(home: Home) -> None:
    check = await sandbox_check(home, settings(sandbox={"enabled": False}), {}, home.root)
    assert (check.state, check.remedy) == (State.WARNING, "`wisp config unset sandbox.enabled`")


@pytest.mark.parametrize(
    ("environment", "screen", "state", "said"),
    [
        ({"TERM": "xterm-256color"}, Screen(120, 40), State.OK, "xterm-256color, 120×40, 256 colours"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, Screen(80, 24), State.OK, "xterm, 80×24, all colours"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, Screen(80, 24), State.OK, "without colours"),
        ({"TERM": "dumb"}, Screen(80, 24), State.WARNING, "TERM is dumb"),
        ({"TERM": "xterm"}, Screen(30, 24), State.WARNING, "30×24 is less than 40×12"),
        ({"TERM": "xterm"}, Screen(80, 24, "ANSI_X3.4-1968"), State.WARNING, "written as ANSI_X3.4-1968"),
        ({"TERM": "xterm"}, Screen(), State.NOTE, "no terminal"),
    ],
)
def test_the_terminal_is_judged(environment: dict[str, str], screen: Screen, state: State, said: str) -> None:
    check = terminal_check(environment, screen)
    assert check.state is state
    assert said in check.said


def test_the_clipboard_is_told(tmp_path: Path) -> None:
    assert clipboard_check({"PATH": str(tmp_path)}).state is State.NOTE
    (tmp_path / "wl-copy").touch(0o755)
    assert clipboard_check({"PATH": str(tmp_path), "WAYLAND_DISPLAY": "w"}).details["program"] == "wl-copy"


def test_the_exit_code_is_1_with_a_fault_and_json_carries_every_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Home, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["wisp", "doctor", "--json"])
    assert entry.wisp() == 1
    told = json.loads(capsys.readouterr().out)
    names = [check["name"] for check in told["checks"]]
    assert names == [
        *("version", "home", "config", "condensing", "audit", "outputs", "stores", "live"),
        *("models", "sandbox", "terminal", "clipboard", "widths"),
    ]
    assert told["ok"] is False
    model = replay(tmp_path / "talk.jsonl", {"reply": "Hello."}, window=4096)
    home.write(home.config, json.dumps({"model": model, "hostile\x1b[2J": 1}).encode())
    monkeypatch.setattr(sys, "argv", ["wisp", "doctor"])
    assert entry.wisp() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ok       version     wisp ")
    assert f"{'':21}kept and not used: hostile" in lines
    assert not any("\x1b" in line for line in lines)

    monkeypatch.setattr(doctor, "on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    assert entry.wisp() == 0
    words = [line for line in capsys.readouterr().out.splitlines() if len(line) > 60]
    assert all(" " not in line[21:] for line in words), "only a word that is longer than the line is not wrapped"


def test_a_check_is_whole_as_json() -> None:
    check = Check("home", State.OK, "fine", details={"free": 1})
    assert check.fields == {"name": "home", "state": "ok", "said": "fine", "remedy": None, "details": {"free": 1}}
