"""The envelope of an audit event: written and read again, also by another version."""

from __future__ import annotations

import pytest

from wisp_tui.events import AuditEvent
from wisp_tui.text.ids import CallId, EventId, SessionId, TurnNumber

EVENT = AuditEvent(
    id=EventId("00000000000000aa"),
    time="2026-03-01T12:00:00.000Z",
    version="0.1.0",
    pid=7,
    session=SessionId("s"),
    turn=TurnNumber(3),
    call=CallId("0000000b"),
    kind="tool.call",
    details={"tool": "read_file"},
)


def test_an_event_is_one_line_and_reads_back_as_it_was() -> None:
    line = EVENT.line()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert AuditEvent.read(line) == EVENT


def test_text_with_newlines_and_line_separators_stays_on_one_line() -> None:
    event = AuditEvent.read(b'{"kind":"prompt","details":{"text":"a\\nb\\u2028c\\u0085d"}}')
    assert event.line().count(b"\n") == 1
    assert AuditEvent.read(event.line()).details == {"text": "a\nb\u2028c\x85d"}


def test_a_later_version_and_its_unknown_fields_are_kept() -> None:
    line = b'{"schema":9,"id":"x","kind":"dream.recorded","details":{"deep":[1]},"mood":"calm","turn":2}'
    event = AuditEvent.read(line)
    assert (event.schema, event.kind, event.turn, event.extra) == (9, "dream.recorded", 2, {"mood": "calm"})
    assert AuditEvent.read(event.line()) == event


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b'{"id":null,"time":5,"version":[],"pid":"x","session":{},"turn":"3","call":7,"kind":null,"schema":"2"}',
    ],
)
def test_fields_that_are_missing_or_of_another_type_take_their_empty_values(line: bytes) -> None:
    event = AuditEvent.read(line)
    assert (event.id, event.time, event.version, event.pid, event.session, event.kind) == ("", "", "", 0, "", "")
    assert (event.turn, event.call, event.details, event.schema) == (None, None, {}, 1)


def test_details_that_are_no_object_are_kept_as_a_value() -> None:
    assert AuditEvent.read(b'{"details":[1,2]}').details == {"value": [1, 2]}


@pytest.mark.parametrize("line", [b'{"n":2,"t":"ab', b"[]", b"x", b"\xff"])
def test_a_line_that_is_no_object_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        AuditEvent.read(line)
