"""Reading the audit log: every event in order, one by its id, whatever else is in the files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import pytest

from wisp_tui.audit import LogReading, find_event, log_files, read_events
from wisp_tui.events import AuditEvent
from wisp_tui.text.ids import EventId
from wisp_tui.text.json import Json, dump


def line(number: int, **details: Json) -> bytes:
    return dump({"id": f"{number:016x}", "kind": "prompt", "details": details}) + b"\n"


def ident(number: int) -> EventId:
    return EventId(f"{number:016x}")


def write(directory: Path, **files: Iterable[bytes]) -> None:
    for name, lines in files.items():
        (directory / f"{name.replace('_', '.')}.jsonl").write_bytes(b"".join(lines))


def test_files_are_read_oldest_first_and_others_are_left_alone(tmp_path: Path) -> None:
    write(
        tmp_path,
        audit=[line(4)],
        audit_1=[line(3)],
        audit_2=[line(2)],
        audit_10=[line(1)],
        audit_x=[line(9)],
        other=[line(8)],
    )
    (tmp_path / "audit.jsonl.bak").write_bytes(line(7))
    assert [path.name for path in log_files(tmp_path)] == [
        "audit.10.jsonl",
        "audit.2.jsonl",
        "audit.1.jsonl",
        "audit.jsonl",
    ]
    assert [event.id for event in read_events(tmp_path)] == [ident(number) for number in (1, 2, 3, 4)]


def test_a_directory_without_a_log_has_no_events(tmp_path: Path) -> None:
    assert list(read_events(tmp_path / "nowhere")) == []
    assert find_event(tmp_path / "nowhere", ident(1)) is None


@pytest.mark.parametrize("torn", [b'{"id":"00', b"\xff\xfe\x00", b"[1,2]", b"null", b"}{"])
def test_lines_that_are_no_whole_object_are_skipped_and_counted(tmp_path: Path, torn: bytes) -> None:
    write(tmp_path, audit=[line(1), torn, b"\n", b"\n", b"  \n", line(2), torn])
    reading = LogReading()
    assert [event.id for event in read_events(tmp_path, reading)] == [ident(1), ident(2)]
    assert reading.torn == 2


def test_a_line_ends_at_a_newline_byte_only(tmp_path: Path) -> None:
    text = "a\u2028b\u2029c\x85d\x0be"
    write(tmp_path, audit=[line(1, text=text), line(2)])
    events = list(read_events(tmp_path))
    assert [event.details for event in events] == [{"text": text}, {}]


def test_a_last_line_without_its_newline_is_read(tmp_path: Path) -> None:
    write(tmp_path, audit=[line(1), line(2).rstrip()])
    assert len(list(read_events(tmp_path))) == 2
    assert find_event(tmp_path, ident(2)) is not None


def test_an_event_is_found_in_any_file(tmp_path: Path) -> None:
    write(tmp_path, audit=[line(5), line(6)], audit_1=[line(3), line(4)], audit_2=[line(1), line(2)])
    found = [find_event(tmp_path, ident(number)) for number in range(1, 7)]
    assert [event.id for event in found if event] == [ident(number) for number in range(1, 7)]
    assert find_event(tmp_path, ident(7)) is None


def test_an_event_that_only_mentions_an_id_is_not_taken_for_it(tmp_path: Path) -> None:
    mentions = line(2, text=f'"id":"{ident(1)}" {ident(1)}', sources=[ident(1)])
    write(tmp_path, audit=[line(1, text="the one"), mentions, b'{"id":"' + ident(1).encode() + b"\n", mentions])
    found = find_event(tmp_path, ident(1))
    assert found is not None
    assert found.details == {"text": "the one"}


def test_only_lines_that_hold_the_id_are_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, audit=[line(number) for number in range(500)])
    decoded: list[bytes] = []
    real = AuditEvent.read

    def counting(data: bytes) -> AuditEvent:
        decoded.append(data)
        return real(data)

    monkeypatch.setattr(AuditEvent, "read", counting)
    assert find_event(tmp_path, ident(7)) is not None
    assert len(decoded) == 1


@pytest.mark.parametrize("odd", ["", "short", "x" * 16, "0000000000000001\n", "\ud800" * 16, "..", "A" * 16])
def test_what_is_no_id_finds_nothing(tmp_path: Path, odd: str) -> None:
    write(tmp_path, audit=[line(1)])
    assert find_event(tmp_path, EventId(odd)) is None


def test_an_empty_file_is_no_fault(tmp_path: Path) -> None:
    write(tmp_path, audit=[], audit_1=[line(1)])
    assert find_event(tmp_path, ident(1)) is not None
    assert len(list(read_events(tmp_path))) == 1


def test_a_rotation_in_mid_reading_loses_and_repeats_nothing(tmp_path: Path) -> None:
    write(tmp_path, audit=[line(3)], audit_1=[line(2)], audit_2=[line(1)])
    events = read_events(tmp_path)
    seen = [next(events).id]
    for number in (2, 1, 0):
        name = f"audit.{number}.jsonl" if number else "audit.jsonl"
        (tmp_path / name).replace(tmp_path / f"audit.{number + 1}.jsonl")
    write(tmp_path, audit=[line(4)])
    seen += [event.id for event in events]
    assert seen == [ident(1), ident(2), ident(3)]


def test_a_rotation_between_the_openings_shows_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, audit=[line(2)], audit_1=[line(1)])
    real, opened = Path.open, list[str]()

    def rotating(path: Path, mode: str) -> IO[Any]:
        file = real(path, mode)
        opened.append(path.name)
        if opened == ["audit.jsonl"]:
            (tmp_path / "audit.1.jsonl").replace(tmp_path / "audit.2.jsonl")
            (tmp_path / "audit.jsonl").replace(tmp_path / "audit.1.jsonl")
        return file

    monkeypatch.setattr(Path, "open", rotating)
    assert [event.id for event in read_events(tmp_path)] == [ident(1), ident(2)]
    assert opened == ["audit.jsonl", "audit.1.jsonl", "audit.2.jsonl"]
