"""The audit log looked through: filtered, followed across rotation, its torn lines counted, nothing of it a control."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui import entry
from wisp_tui.audit import AuditLog, LogTail, Wanted
from wisp_tui.cli import logs
from wisp_tui.events import Bus, Kind
from wisp_tui.session import ThreadOptions
from wisp_tui.session.commands import completions, run_command_line
from wisp_tui.session.loglines import gist, log_row
from wisp_tui.text.ids import SessionId, TurnNumber
from wisp_tui.text.json import JsonObject
from wisp_tui.text.moments import moment_of, stamp

NOW = datetime.fromisoformat("2026-11-30T14:05:12.345+01:00")
LOW, HIGH = SessionId("aaaa0001"), SessionId("bbbb0002")


def log_in(home: Path, max_bytes: int = 1 << 20, keep: int = 5) -> AuditLog:
    return AuditLog(home / "logs", Bus(), version="1", now=lambda: NOW, max_bytes=max_bytes, keep=keep)


def wrote(log: AuditLog, *texts: str) -> None:
    for text in texts:
        log.write(LOW, Kind.PROMPT, {"text": text}, turn=TurnNumber(1))


def texts(tail: LogTail) -> list[object]:
    return [event.details.get("text") for event in tail.poll()]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("90s", NOW - timedelta(seconds=90)),
        ("2h", NOW - timedelta(hours=2)),
        ("1w", NOW - timedelta(days=7)),
        ("today", NOW.replace(hour=0, minute=0, second=0, microsecond=0)),
        ("9:30", NOW.replace(hour=9, minute=30, second=0, microsecond=0)),
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=NOW.tzinfo)),
        ("2026-11-01T10:00:00Z", datetime.fromisoformat("2026-11-01T10:00:00+00:00")),
    ],
)
def test_a_moment_is_read_in_the_persons_zone(written: str, meant: datetime) -> None:
    assert moment_of(written, NOW) == meant


@pytest.mark.parametrize("written", ["", "soon", "25:00", "1x", "2026-13-01"])
def test_what_is_no_moment_says_how_to_write_one(written: str) -> None:
    with pytest.raises(ValueError, match="is no moment; write a time ago"):
        moment_of(written, NOW)


def test_an_event_is_wanted_by_kind_session_turn_and_time(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    event = log.write(LOW, Kind.TOOL_CALL, {}, turn=TurnNumber(3))
    wanting = [Wanted(), Wanted(("tool",)), Wanted(("prompt", "tool.call")), Wanted((), "aaaa", 3, stamp(NOW))]
    assert all(wanted(event) for wanted in wanting)
    late = stamp(NOW + timedelta(milliseconds=1))
    for wanted in (
        Wanted(("too",)),
        Wanted(("tool.call.x",)),
        Wanted((), "bbbb"),
        Wanted((), "", 4),
        Wanted(since=late),
    ):
        assert not wanted(event)


def test_each_event_is_given_once_however_often_the_log_rotates_between_two_looks(tmp_path: Path) -> None:
    log = log_in(tmp_path, max_bytes=400, keep=4)
    with LogTail(tmp_path / "logs") as tail:
        assert texts(tail) == []
        wrote(log, "1", "2")
        assert texts(tail) == ["1", "2"]
        wrote(log, "3")
        assert texts(tail) == ["3"]
        wrote(log, *map(str, range(4, 9)))
        assert texts(tail) == ["4", "5", "6", "7", "8"]
        assert texts(tail) == []
        assert (tmp_path / "logs" / "audit.3.jsonl").exists()
    with LogTail(tmp_path / "logs") as tail:
        assert texts(tail)[-2:] == ["7", "8"]


def test_a_log_of_one_file_that_is_replaced_is_followed_into_the_new_one(tmp_path: Path) -> None:
    log = log_in(tmp_path, max_bytes=200, keep=1)
    with LogTail(tmp_path / "logs") as tail:
        wrote(log, "1")
        assert texts(tail) == ["1"]
        wrote(log, "2")
        assert texts(tail) == ["2"]


def test_a_line_without_an_end_waits_for_it_and_a_torn_one_is_counted(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    wrote(log, "1")
    path = tmp_path / "logs" / "audit.jsonl"
    with LogTail(tmp_path / "logs") as tail:
        assert texts(tail) == ["1"]
        with path.open("ab") as file:
            file.write(b'{"kind":"prompt",')
        assert texts(tail) == []
        with path.open("ab") as file:
            file.write(b'"details":{"text":"2"}}\n{"kind":"pro')
        assert texts(tail) == ["2"]
        wrote(log, "3")
        assert (texts(tail), tail.reading.torn) == (["3"], 1)


def wisp(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["wisp", "logs", *arguments])
    return entry.wisp()


def test_from_a_shell(wisp_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert wisp(monkeypatch) == 0
    assert capsys.readouterr() == ("", "nothing is recorded yet\n")
    log = log_in(wisp_home)
    hostile = "a\x1b]52;c;SGk=\x07\x9b31m\tb\nc"
    log.write(HIGH, Kind.PROMPT, {"text": hostile})
    wrote(log, *map(str, range(60)))
    log.write(HIGH, "later.kind", {"new": [1]}, turn=TurnNumber(2))
    with (wisp_home / "logs" / "audit.jsonl").open("ab") as file:
        file.write(b'{"kind":"pro')

    assert wisp(monkeypatch) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-1].split("\t")[1:] == ["bbbb0002", "t2", "later.kind", '{"new":[1]}']
    assert said.err.splitlines() == [
        "the last 50 of 62 events; --all shows every one",
        "1 line of the log cannot be read: cut off when they were written",
    ]
    assert wisp(monkeypatch, "prompt", "--session", "bbbb", "--all") == 0
    assert capsys.readouterr().out.endswith("\tbbbb0002\t\tprompt\ta b c\n")
    assert wisp(monkeypatch, "--json", "prompt", "-s", "bbbb") == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out)["details"]["text"] == hostile
    assert wisp(monkeypatch, "--turn", "1", "--last", "2", "--since", "2026-11-30T14:00:00+01:00") == 0
    assert [line.split("\t")[-1] for line in capsys.readouterr().out.splitlines()] == ["58", "59"]
    assert wisp(monkeypatch, "nothing") == 0
    assert capsys.readouterr().err.startswith("no event is like that\n")
    for arguments in (["--since", "soon"], ["--all", "--last", "3"], ["--turn", "x"]):
        assert wisp(monkeypatch, *arguments) == 64


def test_a_line_fits_the_terminal(wisp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrote(log_in(wisp_home), "漢字" * 100)
    lines: list[str] = []

    def echo(line: str, **_: object) -> None:
        lines.append(line)

    monkeypatch.setattr(logs, "on_terminal", lambda: True)
    monkeypatch.setattr("click.echo", echo)
    monkeypatch.setenv("COLUMNS", "70")
    assert wisp(monkeypatch) == 0
    from rich.cells import cell_len

    assert 68 <= cell_len(lines[0]) <= 70
    assert lines[0].endswith("…")


@pytest.mark.parametrize(
    ("kind", "details", "said"),
    [
        (Kind.RESPONSE, {"text": "It is\nblue."}, "It is blue."),
        (
            Kind.FACT_RECORDED,
            {"fact": {"id": "c7", "subject": "branch", "name": "", "value": "main"}},
            "c7 branch = main",
        ),
        (
            Kind.CONTEXT_CONDENSATION,
            {"reason": "budget", "fillBefore": 7, "fillAfter": 4, "steps": []},
            "reason budget · ",
        ),
        (Kind.TOOL_RESULT, {"lines": 2, "bytes": 10, "ok": True}, "↳ 2 lines, 10 bytes"),
        (Kind.CONTEXT_COMPOSED, {"request": 2, "tokens": {"now": 1200, "tools": 34}}, "request 2 · about 1,234 tokens"),
        ("new.kind", {"x": "\x1b[2J"}, '{"x":"\\u001b[2J"}'),
    ],
)
def test_the_gist_of_an_event_is_one_clean_line(tmp_path: Path, kind: str, details: JsonObject, said: str) -> None:
    event = log_in(tmp_path).write(LOW, kind, details)
    assert gist(event).startswith(said)
    assert all(cell.isprintable() for cell in log_row(event))


async def test_in_a_conversation(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("current_date", {})), says("Today.")])
    thread = session_with(tmp_path, model).new_thread(ThreadOptions())
    await thread.submit("What day is it?")
    shown = await run_command_line(thread, "/audit prompt response turn 1")
    assert [line.split()[3] for line in shown.lines] == ["prompt", "response", "response"]
    assert (await run_command_line(thread, "/inspect audit prompt")).lines == shown.lines[:1]
    assert (await run_command_line(thread, "/audit last 1")).lines[-1].startswith("the last 1 of ")
    assert (await run_command_line(thread, "/audit turn 9")).lines == ("no event is like that",)
    assert (await run_command_line(thread, "/audit since soon")).failed
    assert "'wat' is no kind of event" in (await run_command_line(thread, "/audit wat")).lines[0]
    assert completions(thread, "/audit turn 1 tool.c")[1] == ("turn 1 tool.call",)
