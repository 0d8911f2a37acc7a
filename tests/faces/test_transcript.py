"""What a conversation shows, from its events alone."""

from __future__ import annotations

from wisp_tui.events import (
    AuditEvent,
    CondensationStep,
    Kind,
    Note,
    ReplyDelta,
    ReplyEnded,
    ThinkingDelta,
    ToolProgress,
    Transient,
    TurnEnded,
    TurnStarted,
)
from wisp_tui.session.items import (
    Added,
    AnswerItem,
    CallItem,
    CallState,
    Change,
    Changed,
    CondensationItem,
    Grew,
    LineItem,
    PromptItem,
    ReplyItem,
    ThinkingItem,
    Tone,
)
from wisp_tui.session.transcript import Transcript
from wisp_tui.text.ids import CallId, EventId, SessionId, TurnNumber
from wisp_tui.text.json import Json

SESSION, TURN, CALL = SessionId("s"), TurnNumber(1), CallId("0000000a")


def audited(kind: Kind, call: CallId | None = None, **details: Json) -> AuditEvent:
    return AuditEvent(EventId("0"), "", "", 1, SESSION, TURN, call, kind, details)


def taken(transcript: Transcript, *events: AuditEvent | Transient) -> list[Change]:
    return [change for event in events for change in transcript.take(event)]


def ended(outcome: str = "ok", ran: str | None = None, message: str | None = None) -> TurnEnded:
    return TurnEnded(SESSION, TURN, outcome, 1.0, None, None, ran=ran, message=message)


def test_a_reply_grows_and_ends() -> None:
    transcript = Transcript()
    changes = taken(
        transcript,
        TurnStarted(SESSION, TURN, "ask"),
        ReplyDelta(SESSION, TURN, "one "),
        ReplyDelta(SESSION, TURN, "two"),
        ReplyEnded(SESSION, TURN),
    )
    prompt, reply = transcript.items
    assert isinstance(prompt, PromptItem)
    assert isinstance(reply, ReplyItem)
    assert (prompt.text, reply.text, reply.done) == ("ask", "one two", True)
    assert changes == [Added(prompt), Added(reply), Grew(reply, "two"), Changed(reply)]


def test_thinking_ends_when_the_reply_begins_and_gets_its_seconds() -> None:
    transcript = Transcript()
    taken(
        transcript,
        ThinkingDelta(SESSION, TURN, "hm"),
        ReplyDelta(SESSION, TURN, "so"),
        audited(Kind.MODEL_REASONING, text="hm", seconds=3.2),
    )
    thinking = transcript.items[0]
    assert isinstance(thinking, ThinkingItem)
    assert (thinking.done, thinking.title) == (True, "thought for 3.2 s")


def test_white_space_alone_is_no_reply() -> None:
    transcript = Transcript()
    assert taken(transcript, ReplyDelta(SESSION, TURN, "\n\n"), ReplyEnded(SESSION, TURN)) == []


def test_a_call_shows_what_it_prints_then_its_result_folded() -> None:
    transcript = Transcript(shown_lines=2)
    taken(
        transcript,
        audited(Kind.TOOL_CALL, CALL, tool="run_command", arguments='{"command":"ls"}'),
        ToolProgress(SESSION, CALL, "a\nb", 4),
    )
    call = transcript.items[0]
    assert isinstance(call, CallItem)
    assert (call.line, call.state, call.progress, call.progress_bytes) == (
        "⚙ run_command ls",
        CallState.RUNNING,
        "a\nb",
        4,
    )
    taken(transcript, audited(Kind.TOOL_RESULT, CALL, tool="run_command", output="a\nb\nc", ok=True, lines=3, bytes=6))
    assert call.state is CallState.DONE
    assert call.progress == ""
    assert call.result == "↳ 3 lines, 6 bytes"
    assert call.folded is not None
    assert (call.folded.shown, call.folded.hidden_lines) == ("a\nb", 1)
    assert transcript.last_call is call


def test_what_a_call_prints_after_its_result_changes_nothing() -> None:
    transcript = Transcript()
    taken(transcript, audited(Kind.TOOL_CALL, CALL, tool="t"), audited(Kind.TOOL_RESULT, CALL, output="x", ok=True))
    assert taken(transcript, ToolProgress(SESSION, CALL, "late", 4)) == []


def test_a_failed_and_a_refused_call_say_so() -> None:
    transcript = Transcript()
    for call, details in (
        ("a", {"ok": True, "exitStatus": 1}),
        ("b", {"ok": False, "denied": True}),
        ("c", {"ok": False}),
        ("d", {"ok": False, "notRun": True}),
    ):
        taken(
            transcript,
            audited(Kind.TOOL_CALL, CallId(call), tool="t"),
            audited(Kind.TOOL_RESULT, CallId(call), output="x", **details),
        )
    items = [item for item in transcript.items if isinstance(item, CallItem)]
    assert [item.state for item in items] == [CallState.FAILED, CallState.REFUSED, CallState.FAILED, CallState.FAILED]
    assert [item.result for item in items[1::2]] == ["↳ not run", "↳ not run"]


def test_a_fold_counts_all_of_an_output_that_was_kept_and_not_what_the_model_was_shown() -> None:
    transcript = Transcript(shown_lines=3)
    shown = "exit status: 0\n1\n2\n3\n[… 97 lines (300 bytes) held back …]"
    result = audited(Kind.TOOL_RESULT, CALL, output=shown, ok=True, lines=100, bytes=292, kept=True)
    taken(transcript, audited(Kind.TOOL_CALL, CALL, tool="run_command"), result)
    (call,) = transcript.items
    assert isinstance(call, CallItem)
    assert call.folded is not None
    assert (call.folded.shown, call.folded.hidden_lines, call.folded.hidden_bytes) == ("exit status: 0\n1\n2", 98, 288)


def test_a_turn_that_was_stopped_says_so_once() -> None:
    transcript = Transcript()
    taken(transcript, TurnStarted(SESSION, TURN, "x"), ended("cancelled"))
    assert [item.text for item in transcript.items if isinstance(item, LineItem)] == ["stopped"]
    transcript = Transcript()
    taken(
        transcript,
        ReplyDelta(SESSION, TURN, "half"),
        audited(Kind.RESPONSE, stopped="the person stopped this reply"),
        ended("cancelled"),
    )
    (reply,) = transcript.items
    assert isinstance(reply, ReplyItem)
    assert reply.stopped == "stopped"


def test_an_error_is_said_once() -> None:
    transcript = Transcript()
    taken(
        transcript,
        ReplyDelta(SESSION, TURN, "half"),
        audited(Kind.RESPONSE, stopped="the reply broke off: it went away; start it"),
        audited(Kind.ERROR, message="it went away; start it"),
        ended("error", message="it went away; start it"),
    )
    reply, line = transcript.items
    assert isinstance(reply, ReplyItem)
    assert isinstance(line, LineItem)
    assert (reply.stopped, line.text, line.tone) == ("the reply broke off", "it went away; start it", Tone.ERROR)


def test_a_condensation_is_one_line_with_what_it_gained() -> None:
    transcript = Transcript()
    steps = [("began", 6913, 0), ("dropped", 5200, 7), ("ended", 4870, 0)]
    taken(
        transcript,
        *(CondensationStep(SESSION, TURN, step, "budget", fill, 5000, 8192, amount) for step, fill, amount in steps),
    )
    (line,) = transcript.items
    assert isinstance(line, CondensationItem)
    assert line.condensation.line == "condensed 7 turns: 6,913 → 4,870"


def test_notes_commands_and_what_ran_are_lines_and_clean() -> None:
    transcript = Transcript()
    taken(transcript, Note(SESSION, "a\x1b[2Jnote", "warning"), ended(ran="ran: read_file"))
    transcript.answered("/he\x1b[2Jlp", ("on\x07e",), failed=True)
    note, ran, answer = transcript.items
    assert isinstance(note, LineItem)
    assert isinstance(ran, LineItem)
    assert isinstance(answer, AnswerItem)
    assert (note.text, note.tone) == ("anote", Tone.WARNING)
    assert (ran.text, ran.tone) == ("ran: read_file", Tone.RAN)
    assert (answer.command, answer.lines, answer.failed) == ("/help", ("one",), True)


def test_a_new_conversation_forgets_what_was_open() -> None:
    transcript = Transcript()
    taken(transcript, ReplyDelta(SESSION, TURN, "old"))
    transcript.clear()
    (change,) = taken(transcript, ReplyDelta(SESSION, TURN, "new"))
    assert isinstance(change, Added)
    assert len(transcript.items) == 1
