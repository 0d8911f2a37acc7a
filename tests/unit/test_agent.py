"""A turn from prompt to end, with a scripted model: what is recorded, audited and published on every way it can go."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.audit import read_events
from wisp_tui.context.record import EntryKind
from wisp_tui.events import AuditEvent, Kind, Note, ReplyDelta, TurnEnded
from wisp_tui.models import (
    Capability,
    Finished,
    ModelError,
    ModelUnavailable,
    Role,
    TextDelta,
    ThinkingOut,
    ToolCall,
    ToolsUnsupported,
    Usage,
)
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.text.frames import REPEATED


def opened(tmp_path: Path, *models: ScriptedModel) -> tuple[Session, Thread]:
    session = session_with(tmp_path, *models)
    return session, session.new_thread(ThreadOptions())


def kinds(session: Session) -> list[str]:
    return [event.kind for event in read_events(session.home.logs) if event.kind != Kind.FACT_RECORDED]


def recorded(thread: Thread) -> list[tuple[EntryKind, str]]:
    return [(entry.kind, entry.text) for entry in thread.conversation.record][1:]


async def test_a_turn_is_audited_then_recorded_then_answered(tmp_path: Path) -> None:
    session, thread = opened(tmp_path, ScriptedModel([says("It is blue.", usage=Usage(40, 4))]))
    ended = await thread.submit("What colour is it?")
    assert (ended.outcome, ended.input_tokens, ended.output_tokens) == ("ok", 40, 4)
    assert recorded(thread) == [(EntryKind.PROMPT, "What colour is it?"), (EntryKind.REPLY, "It is blue.")]
    assert kinds(session) == [
        Kind.SESSION_START,
        Kind.PROMPT,
        Kind.MODEL_RESOLVED,
        Kind.CONTEXT_COMPOSED,
        Kind.RESPONSE,
    ]
    events = {event.id: event for event in read_events(session.home.logs)}
    for entry in thread.conversation.record:
        assert events[entry.sources[0]].turn in (entry.turn, None)


async def test_every_call_gets_a_result_and_the_next_request_carries_both(tmp_path: Path) -> None:
    model = ScriptedModel(
        [calls(("current_date", {}), ("nothing_like_it", {"a": 1}), text="Let me look."), says("Done.")]
    )
    session, thread = opened(tmp_path, model)
    ended = await thread.submit("What day is it?")
    assert ended.ran == "ran: current_date · nothing_like_it (not run)"
    said, first, second = model.requests[1].messages[-3:]
    assert said.role is Role.ASSISTANT
    assert said.content == "Let me look."
    assert [call.name for call in said.tool_calls] == ["current_date", "nothing_like_it"]
    assert [first.answers, second.answers] == [call.id for call in said.tool_calls]
    assert second.content.startswith("error: there is no tool 'nothing_like_it'; the tools are: ")
    results = [event for event in read_events(session.home.logs) if event.kind == Kind.TOOL_RESULT]
    assert [event.details["ok"] for event in results] == [True, False]


async def test_a_call_cut_off_is_answered_and_never_run(tmp_path: Path) -> None:
    broken = ToolCall("w0", "read_file", '{"path":"a', "its arguments were cut off")
    model = ScriptedModel([[broken, Finished("length", cut_off=True)], says("Again then.")])
    _, thread = opened(tmp_path, model)
    await thread.submit("Read a.")
    call, result = model.requests[1].messages[-2:]
    assert call.tool_calls[0].arguments == "{}"
    assert result.content == "error: the call was not run: its arguments were cut off; make it again, whole"


async def test_a_repeated_call_is_noticed_and_still_made(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("current_date", {})), calls(("current_date", {})), says("Done.")])
    session, thread = opened(tmp_path, model)
    await thread.submit("Twice, please.")
    first, second = (event for event in read_events(session.home.logs) if event.kind == Kind.TOOL_RESULT)
    assert (first.details["repeat"], second.details["repeat"]) == (False, True)
    assert str(second.details["output"]).startswith(REPEATED)


async def test_a_cancel_keeps_the_partial_reply_marked_and_answers_open_calls(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = ScriptedModel([[TextDelta("It begins "), Hang(reached)], says("Fine.")])
    session, thread = opened(tmp_path, model)
    turn = asyncio.create_task(thread.submit("A long story, please."))
    await reached.wait()
    assert thread.cancel()
    assert (await turn).outcome == "cancelled"
    assert recorded(thread)[-1] == (EntryKind.REPLY, "It begins ")
    assert kinds(session)[-1] == Kind.RESPONSE
    await thread.submit("Go on.")
    assert model.requests[1].messages[-2].content == "It begins \n[the person stopped this reply]"


async def test_a_cancel_in_a_command_gives_each_open_call_a_result(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("run_command", {"command": "touch made"}), ("current_date", {})), says("Fine.")])
    session, thread = opened(tmp_path, model)
    with session.bus.subscribe() as events:
        turn = asyncio.create_task(thread.submit("Run it."))
        async for event in events:
            if isinstance(event, AuditEvent) and event.kind == Kind.APPROVAL_REQUESTED:
                break
        thread.cancel()
        ended = await turn
    assert ended.outcome == "cancelled"
    assert ended.ran == "ran: run_command (failed) · current_date (not run)"
    outputs = [text for kind, text in recorded(thread) if kind is EntryKind.OUTPUT]
    assert len(outputs) == 2
    assert all(text.startswith("error: cancelled") for text in outputs)


async def test_a_server_that_goes_away_in_mid_reply_leaves_the_partial_reply_marked(tmp_path: Path) -> None:
    gone = ModelError("the server went away")
    model = ScriptedModel([[TextDelta("It beg"), gone], says("Fine.")])
    session, thread = opened(tmp_path, model)
    ended = await thread.submit("A story.")
    assert (ended.outcome, ended.message) == ("error", "the server went away")
    assert recorded(thread)[-1] == (EntryKind.REPLY, "It beg")
    assert kinds(session)[-2:] == [Kind.RESPONSE, Kind.ERROR]
    assert (await thread.submit("Again.")).outcome == "ok"


async def test_an_empty_reply_is_said_and_never_stored_as_an_answer(tmp_path: Path) -> None:
    _, thread = opened(tmp_path, ScriptedModel([[Finished("stop")]]))
    ended = await thread.submit("Hello?")
    assert (ended.outcome, ended.message) == ("error", "the model gave an empty reply")
    assert [kind for kind, _ in recorded(thread)] == [EntryKind.PROMPT]


async def test_thinking_is_audited_and_never_sent_back(tmp_path: Path) -> None:
    model = ScriptedModel([[ThinkingOut("Hm, blue?"), TextDelta("Blue."), Finished("stop")]])
    session, thread = opened(tmp_path, model)
    await thread.submit("Colour?")
    await thread.submit("Sure?")
    assert Kind.MODEL_REASONING in kinds(session)
    assert all("Hm" not in message.content for message in model.requests[1].messages)


async def test_a_model_that_refuses_tools_is_said_once_and_talked_to_plainly(tmp_path: Path) -> None:
    refuses = [ToolsUnsupported(ScriptedModel([]).id)]
    model = ScriptedModel([refuses, says("Hello."), says("Again.")], capabilities=frozenset({Capability.TOOLS}))
    session, thread = opened(tmp_path, model)
    with session.bus.subscribe() as events:
        assert (await thread.submit("Hi.")).outcome == "ok"
        assert (await thread.submit("Hi again.")).outcome == "ok"
        said = [event.text for event in events.take() if isinstance(event, Note) and "takes no tools" in event.text]
    assert len(said) == 1
    assert [bool(request.tools) for request in model.requests] == [True, False, False]


async def test_an_unavailable_model_ends_the_turn_with_what_to_do_and_loses_nothing(tmp_path: Path) -> None:
    class Down(ScriptedModel):
        async def resolve(self) -> None:  # type: ignore[override]
            raise ModelUnavailable("the server is not running", "start it")

    session, thread = opened(tmp_path, Down([says("never")]))
    ended = await thread.submit("Hello?")
    assert (ended.outcome, ended.message) == ("error", "the server is not running; start it")
    assert recorded(thread) == [(EntryKind.PROMPT, "Hello?")]
    assert kinds(session)[1] == Kind.PROMPT


async def test_control_sequences_split_over_fragments_reach_nobody(tmp_path: Path) -> None:
    evil = [
        TextDelta("A\x1b]52;c;S"),
        TextDelta("Gk=\x1b"),
        TextDelta("\\B\x1b[2"),
        TextDelta("J\x1b[6nC"),
        Finished("stop"),
    ]
    session, thread = opened(tmp_path, ScriptedModel([evil]))
    with session.bus.subscribe() as events:
        await thread.submit("Hi.")
        deltas = "".join(event.text for event in events.take() if isinstance(event, ReplyDelta))
    assert deltas == "ABC"
    assert recorded(thread)[-1][1] == "ABC"


async def test_a_lone_surrogate_in_a_prompt_never_breaks_the_log(tmp_path: Path) -> None:
    session, thread = opened(tmp_path, ScriptedModel([says("ok")]))
    assert (await thread.submit("a\ud83db")).outcome == "ok"
    assert next(event for event in read_events(session.home.logs) if event.kind == Kind.PROMPT).details == {
        "text": "a\ufffdb"
    }


async def test_an_unwritable_log_is_told_at_once_and_no_tool_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel([calls(("run_command", {"command": "touch proof"})), says("Done.")])
    session, thread = opened(tmp_path, model)
    whole = session.audit.write

    def full(session_id: object, kind: str, *args: object, **named: object) -> AuditEvent:
        if kind == Kind.TOOL_CALL:
            raise_full()
        return whole(session_id, kind, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(session.audit, "write", full)
    ended = await thread.submit("Do it.")
    assert ended.outcome == "error"
    assert "no space left" in (ended.message or "")
    assert not (tmp_path / "work" / "proof").exists()


def raise_full() -> None:
    from wisp_tui.audit import AuditUnavailable

    raise AuditUnavailable("no space left on device")


async def test_a_server_that_cut_the_prompt_is_said_and_its_smaller_window_taken(tmp_path: Path) -> None:
    tools_only = frozenset({Capability.TOOLS})
    model = ScriptedModel([says("Hm.", usage=Usage(2050, 3))], capabilities=tools_only, window=16_384)
    session, thread = opened(tmp_path, model)
    with session.bus.subscribe() as events:
        await thread.submit("word and another " * 2000)
        notes = [event.text for event in events.take() if isinstance(event, Note)]
    assert any("it cut the context" in note for note in notes)
    assert thread.conversation.window == 2050


async def test_turns_run_one_at_a_time(tmp_path: Path) -> None:
    reached = asyncio.Event()
    _, thread = opened(tmp_path, ScriptedModel([[TextDelta("a"), Hang(reached)]]))
    turn = asyncio.create_task(thread.submit("One."))
    await reached.wait()
    with pytest.raises(RuntimeError, match="a turn is running"):
        await thread.submit("Two.")
    thread.cancel()
    assert isinstance(await turn, TurnEnded)


async def test_closing_ends_the_turn_the_model_and_the_audit_session(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = ScriptedModel([[TextDelta("a"), Hang(reached)]])
    session, thread = opened(tmp_path, model)
    turn = asyncio.create_task(thread.submit("One."))
    await reached.wait()
    await session.close()
    assert (await turn).outcome == "cancelled"
    assert model.closed == 1
    assert kinds(session)[-1] == Kind.SESSION_END
