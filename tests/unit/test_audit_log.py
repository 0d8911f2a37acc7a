"""The audit log's writer: whole lines, written before they are published, by several processes, within its size."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from wisp_tui.audit import AuditLog, AuditUnavailable, LogReading, log_files, read_events
from wisp_tui.events import AuditEvent, AuditFault, Bus, Kind
from wisp_tui.text.ids import CallId, SessionId, TurnNumber
from wisp_tui.text.json import load_object

S = SessionId("s")
MOMENT = datetime(2026, 3, 1, 13, 5, 12, 345_678, tzinfo=timezone(timedelta(hours=1)))


def log_in(directory: Path, bus: Bus | None = None, *, max_bytes: int = 1 << 20, keep: int = 5) -> AuditLog:
    return AuditLog(directory, bus or Bus(), version="0.1.0", max_bytes=max_bytes, keep=keep, now=lambda: MOMENT)


def texts(directory: Path) -> list[object]:
    return [event.details["text"] for event in read_events(directory)]


def test_an_event_is_one_line_with_the_whole_envelope(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    event = log.write(S, Kind.TOOL_CALL, {"tool": "x"}, turn=TurnNumber(2), call=CallId("00000001"))
    fields = load_object((tmp_path / "audit.jsonl").read_bytes())
    assert fields == {
        "schema": 1,
        "id": event.id,
        "time": "2026-03-01T12:05:12.345Z",
        "version": "0.1.0",
        "pid": os.getpid(),
        "session": "s",
        "turn": 2,
        "call": "00000001",
        "kind": "tool.call",
        "details": {"tool": "x"},
    }
    assert len(event.id) == 16


def test_times_are_utc_with_milliseconds_whatever_the_clocks_zone(tmp_path: Path) -> None:
    zones = (UTC, timezone(timedelta(hours=-7)))
    log = AuditLog(tmp_path, Bus(), version="", now=iter([MOMENT.astimezone(zone) for zone in zones]).__next__)
    assert [log.write(S, Kind.PROMPT, {}).time for _ in zones] == ["2026-03-01T12:05:12.345Z"] * 2


def test_an_event_is_in_the_log_when_it_is_published(tmp_path: Path) -> None:
    class Watching(Bus):
        seen: Sequence[AuditEvent] = ()

        def publish(self, event: object) -> None:
            self.seen = [*read_events(tmp_path)]
            assert event in self.seen

    bus = Watching()
    event = log_in(tmp_path, bus).write(S, Kind.PROMPT, {"text": "hello"})
    assert list(bus.seen) == [event]


def test_the_log_is_private_from_creation(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        log_in(tmp_path / "logs").write(S, Kind.PROMPT, {})
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "logs").iterdir()}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "logs").stat().st_mode) == 0o700


def test_a_torn_last_line_stays_on_a_line_of_its_own(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.write(S, Kind.PROMPT, {"text": "before"})
    with (tmp_path / "audit.jsonl").open("ab") as file:
        file.write(b'{"n":2,"t":"ab')
    log.write(S, Kind.PROMPT, {"text": "after"})
    reading = LogReading()
    assert [event.details["text"] for event in read_events(tmp_path, reading)] == ["before", "after"]
    assert reading.torn == 1


def test_text_that_utf8_cannot_hold_is_recorded_all_the_same(tmp_path: Path) -> None:
    log_in(tmp_path).write(S, Kind.PROMPT, {"text": "half \ud83d", "deep\udc80": ["\ud800"]})
    assert texts(tmp_path) == ["half \ufffd"]


def test_the_log_rotates_by_size_and_keeps_what_it_should(tmp_path: Path) -> None:
    log = log_in(tmp_path, max_bytes=1000, keep=3)
    for number in range(20):
        log.write(S, Kind.PROMPT, {"text": f"{number:0200}"})
    assert [path.name for path in log_files(tmp_path)] == ["audit.2.jsonl", "audit.1.jsonl", "audit.jsonl"]
    assert all(path.stat().st_size <= 1000 for path in log_files(tmp_path))
    kept = texts(tmp_path)
    assert kept == [f"{number:0200}" for number in range(20 - len(kept), 20)]
    assert len(kept) >= 6


def test_a_line_larger_than_a_file_may_be_is_written_whole(tmp_path: Path) -> None:
    log = log_in(tmp_path, max_bytes=1000)
    for text in ("small", "x" * 5000, "small again"):
        log.write(S, Kind.PROMPT, {"text": text})
    assert texts(tmp_path) == ["small", "x" * 5000, "small again"]


def test_one_file_alone_can_be_kept(tmp_path: Path) -> None:
    log = log_in(tmp_path, max_bytes=1000, keep=1)
    for number in range(9):
        log.write(S, Kind.PROMPT, {"text": f"{number:0200}"})
    assert [path.name for path in log_files(tmp_path)] == ["audit.jsonl"]
    assert texts(tmp_path)[-1] == f"{8:0200}"


def test_keeping_fewer_than_before_removes_the_surplus_at_the_next_rotation(tmp_path: Path) -> None:
    for keep in (6, 2):
        log = log_in(tmp_path, max_bytes=1000, keep=keep)
        for number in range(30):
            log.write(S, Kind.PROMPT, {"text": f"{number:0200}"})
    assert [path.name for path in log_files(tmp_path)] == ["audit.1.jsonl", "audit.jsonl"]


def test_a_log_that_another_process_rotated_is_followed(tmp_path: Path) -> None:
    mine, other = log_in(tmp_path, max_bytes=1000, keep=9), log_in(tmp_path, max_bytes=1000, keep=9)
    for number in range(12):
        (mine, other)[number % 2].write(S, Kind.PROMPT, {"text": f"{number:0200}"})
    assert texts(tmp_path) == [f"{number:0200}" for number in range(12)]


@pytest.mark.parametrize("remains", ["the directory", "nothing"])
def test_a_log_that_was_deleted_under_it_is_begun_anew(tmp_path: Path, remains: str) -> None:
    log = log_in(tmp_path / "logs")
    log.write(S, Kind.PROMPT, {"text": "gone"})
    (tmp_path / "logs" / "audit.jsonl").unlink()
    if remains == "nothing":
        (tmp_path / "logs" / ".lock").unlink()
        (tmp_path / "logs").rmdir()
        with pytest.raises(AuditUnavailable):
            log.write(S, Kind.PROMPT, {"text": "told"})
    log.write(S, Kind.PROMPT, {"text": "new"})
    assert texts(tmp_path / "logs") == ["new"]


def test_a_full_disk_is_told_at_once_and_the_event_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = Bus()
    log = log_in(tmp_path, bus)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with bus.subscribe() as events:
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            with pytest.raises(AuditUnavailable, match=r"audit\.jsonl cannot be written: No space left on device"):
                log.write(S, Kind.PROMPT, {"text": "lost"})
        [fault] = events.take()
        assert isinstance(fault, AuditFault)
        assert "No space left" in fault.reason
        assert log.write(S, Kind.PROMPT, {"text": "kept"}) in events.take()
    assert texts(tmp_path) == ["kept"]


def test_a_write_that_stopped_half_way_loses_its_own_line_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_in(tmp_path)
    log.write(S, Kind.PROMPT, {"text": "before"})
    real, calls = os.write, [10, -1]

    def short(file: int, data: bytes) -> int:
        part = calls.pop(0)
        if part < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, data[:part])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", short)
        with pytest.raises(AuditUnavailable):
            log.write(S, Kind.PROMPT, {"text": "lost"})
    log.write(S, Kind.PROMPT, {"text": "after"})
    assert texts(tmp_path) == ["before", "after"]


def test_a_log_that_is_off_writes_nothing_and_publishes_everything(tmp_path: Path) -> None:
    bus = Bus()
    log = AuditLog(tmp_path / "logs", bus, version="", enabled=False)
    with bus.subscribe() as events:
        event = log.write(S, Kind.PROMPT, {})
        assert events.take() == [event]
    assert not (tmp_path / "logs").exists()


def test_closing_twice_is_no_fault_and_a_later_write_opens_it_again(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.write(S, Kind.PROMPT, {"text": "one"})
    log.close()
    log.close()
    log.write(S, Kind.PROMPT, {"text": "two"})
    assert texts(tmp_path) == ["one", "two"]


WRITER = """
import sys
from pathlib import Path
from wisp_tui.audit import AuditLog
from wisp_tui.events import Bus
log = AuditLog(Path(sys.argv[1]), Bus(), version="", max_bytes=100_000, keep=50)
for number in range(200):
    log.write(sys.argv[2], "prompt", {"text": "x" * (number * 37 % 3000), "number": number})
"""


def test_several_processes_in_one_home_lose_and_mix_nothing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), f"w{number}"], cwd=Path(__file__).parents[2])
        for number in range(4)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]
    reading = LogReading()
    events = list(read_events(tmp_path, reading))
    assert reading.torn == 0
    for number in range(4):
        mine = [event.details["number"] for event in events if event.session == f"w{number}"]
        assert mine == list(range(200))
    assert len({event.id for event in events}) == 800
    assert len(log_files(tmp_path)) > 5
