"""What ``wisp chat --json`` writes for each event."""

from __future__ import annotations

import pytest

from wisp_tui.cli.json_events import OUTPUT_BYTES, answered, line_of, status
from wisp_tui.events import (
    Activity,
    ApprovalWaiting,
    ApprovalWithdrawn,
    AuditEvent,
    AuditFault,
    ContextFill,
    Kind,
    Note,
    PendingChanged,
    ReplyDelta,
    ReplyEnded,
    ThinkingDelta,
    TurnEnded,
    TurnStarted,
)
from wisp_tui.events.bus import Event
from wisp_tui.session.commands import Answered, View
from wisp_tui.session.lines import line_for
from wisp_tui.session.status import GitState, Status
from wisp_tui.text.ids import CallId, EventId, SessionId, TurnNumber
from wisp_tui.text.json import Json, JsonObject

S, OTHER = SessionId("s"), SessionId("other")
ONE = TurnNumber(1)


def written(event: Event) -> JsonObject | None:
    return line_of(event, S, 20)


def audited(kind: str, details: JsonObject, session: SessionId = S) -> AuditEvent:
    return AuditEvent(EventId("0" * 16), "", "", 0, session, ONE, CallId("000000aa"), kind, details)


def output_of(kind: str, **details: Json) -> JsonObject:
    line = written(audited(kind, details))
    assert line is not None
    found = line["output"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (ReplyDelta(S, ONE, "Hi"), {"type": "delta", "text": "Hi"}),
        (ReplyEnded(S, ONE), {"type": "output", "text": ""}),
        (TurnStarted(S, ONE, "hello"), {"type": "turn", "phase": "start", "turn": 1}),
        (Note(S, "saved"), {"type": "note", "text": "saved"}),
        (AuditFault("full"), {"type": "note", "text": "full"}),
        (ApprovalWaiting(S, "a", {"command": "ls"}), {"type": "approval", "command": "ls", "id": "a"}),
        (ApprovalWithdrawn(S, "a"), {"type": "withdrawn", "id": "a"}),
        (
            Activity(S, "replying", turn_seconds=1.23456),
            {"type": "activity", "doing": "replying", "asking": False, "turnSeconds": 1.235, "thinking": False},
        ),
        (
            TurnEnded(S, ONE, "ok", 1.5, 10, None, "ran: read_file", ("entry 9",), ({"id": "c1"},)),
            {
                "type": "turn",
                "phase": "end",
                "turn": 1,
                "seconds": 1.5,
                "outcome": "ok",
                "inputTokens": 10,
                "outputTokens": None,
                "facts": [{"id": "c1"}],
                "ran": "ran: read_file",
                "cited": ["entry 9"],
            },
        ),
    ],
)
def test_each_event_has_its_line(event: Event, line: JsonObject) -> None:
    assert written(event) == line


@pytest.mark.parametrize(
    "event",
    [
        ReplyDelta(OTHER, ONE, "Hi"),
        Note(OTHER, "x"),
        ApprovalWaiting(OTHER, "a", {}),
        audited(Kind.PROMPT, {}, OTHER),
        ThinkingDelta(S, ONE, "hm"),
        ContextFill(S, (), 0, 1, 2, exact=True),
        PendingChanged(1),
    ],
)
def test_events_of_other_conversations_and_of_no_use_have_none(event: Event) -> None:
    assert written(event) is None


@pytest.mark.parametrize("kind", [*Kind, "of.a.later.version"])
def test_every_kind_of_audit_event_is_passed_on_with_the_line_that_chat_shows(kind: str) -> None:
    event = audited(kind, {"tool": "read_file", "message": "m"})
    line = written(event)
    assert line is not None
    assert (line["type"], line["kind"], line["call"], line["turn"]) == ("event", kind, "000000aa", 1)
    assert line["details"] == event.details
    assert line["text"] == line_for(event)


def test_a_tools_result_carries_its_output() -> None:
    text = "\n".join(f"line {number}" for number in range(50))
    size = len(text)
    assert output_of(Kind.TOOL_RESULT, output=text, lines=50, bytes=size) == {
        "id": "000000aa",
        "text": text,
        "lines": 50,
        "bytes": size,
        "truncated": False,
        "shownLines": 20,
    }


def test_an_output_is_cut_at_16_kib_between_characters_and_says_so() -> None:
    output = output_of(Kind.TOOL_RESULT, output="é" * 20_000, lines=1, bytes=40_000)
    assert output["text"] == "é" * (OUTPUT_BYTES // 2)
    assert (output["bytes"], output["truncated"]) == (40_000, True)


def test_an_output_of_which_more_is_kept_is_marked_as_truncated() -> None:
    assert output_of(Kind.TOOL_RESULT, output="x", lines=900, bytes=9_000)["truncated"] is True
    assert output_of(Kind.TOOL_RESULT, output="x", lines=1, bytes=1, kept=True)["truncated"] is True


def test_thinking_that_ended_carries_its_text_under_the_events_id() -> None:
    output = output_of(Kind.MODEL_REASONING, text="hm\nwell", seconds=2.0)
    assert (output["id"], output["text"], output["lines"], output["truncated"]) == ("0" * 16, "hm\nwell", 2, False)


def test_events_without_an_output_carry_none() -> None:
    for event in (audited(Kind.PROMPT, {"text": "x"}), audited(Kind.TOOL_RESULT, {})):
        line = written(event)
        assert line is not None
        assert line["output"] is None


def test_a_command_answers_line_by_line_and_then_with_its_view() -> None:
    view = View("turns", "text", turn=2, turns=({"turn": 1},))
    assert answered(Answered(("one\ntwo", "three"), view)) == [
        {"type": "output", "text": "one"},
        {"type": "output", "text": "two"},
        {"type": "output", "text": "three"},
        {"type": "view", "kind": "turns", "turn": 2, "turns": [{"turn": 1}], "text": "text"},
    ]


def test_the_status_has_null_for_what_is_not_known() -> None:
    assert status(Status(None, "~/x", GitState(), "asks at moderate", None, None)) == {
        "type": "status",
        "model": None,
        "directory": "~/x",
        "branch": None,
        "added": 0,
        "removed": 0,
        "approval": "asks at moderate",
        "contextUsed": None,
        "window": None,
    }


def test_a_view_that_the_protocol_does_not_name_is_written_as_lines() -> None:
    assert answered(Answered(("one",), View("pending", "two\nthree"))) == [
        {"type": "output", "text": "one"},
        {"type": "output", "text": "two"},
        {"type": "output", "text": "three"},
    ]
