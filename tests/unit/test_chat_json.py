"""``wisp chat --json`` as a conversation: what goes out for what comes in, and how it ends."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.fakes.front_end import Driver, holding
from tests.fakes.model import Answer, Hang, ScriptedModel, calls, says
from tests.fakes.session import session_with
from tests.fakes.waiting import ask_in, command_request, fact_request, question_request
from wisp_tui.approval import Answer as Answered
from wisp_tui.audit import read_events
from wisp_tui.cli.json_chat import hold
from wisp_tui.events import Kind
from wisp_tui.facts import PersonAct, Via
from wisp_tui.models import ModelUnavailable, Resolved, TextDelta, Usage
from wisp_tui.pending import CommandRequest, Decision, RequestState
from wisp_tui.session import Session, ThreadOptions
from wisp_tui.session.desk import StandingAnswer
from wisp_tui.text.json import Json

INSIDE = "only a person answers what waits; this conversation runs inside a command of a model"


def scripted(tmp_path: Path, *answers: Answer) -> Session:
    return session_with(tmp_path, ScriptedModel(list(answers) or [says("Hello there.")]))


def runs(command: str) -> Answer:
    return calls(("run_command", {"command": command}))


SAFE = 'approval.threshold is "safe"; it was "moderate"'


async def begun_again(chat: Driver) -> None:
    """Say hello in the middle, and wait until that was taken."""
    chat.send("hello", effects=[])
    await chat.until("event", kind="host.hello")


async def begun(chat: Driver, *effects: str) -> None:
    """Say hello with some effects, and wait until input is wanted."""
    chat.send("hello", effects=list(effects), client="test")
    await chat.until("status")


async def test_a_turn_goes_out_in_order_and_input_is_wanted_before_and_after(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path, says("Hello there.", usage=Usage(100, 5)))) as chat:
        first = await chat.until("status")
        assert chat.types[0] == "note"
        assert (first["model"], first["window"]) == ("fake:scripted", 8192)
        chat.send("message", text="hello")
        await chat.until("status")
        ordered = [line for line in chat.lines if line["type"] in {"turn", "delta", "output"}]
        assert [(line["type"], line.get("phase") or line.get("text")) for line in ordered] == [
            ("turn", "start"),
            ("delta", "Hello there."),
            ("output", ""),
            ("turn", "end"),
        ]
        assert chat.of("turn", phase="end")[0]["outcome"] == "ok"
        assert chat.types[-2:] == ["turn", "status"]
        assert chat.lines[-1]["contextUsed"] == 105


async def test_a_typed_line_is_a_message_and_slash_commands_answer_with_output(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path)) as chat:
        chat.type("hello")
        await chat.until("turn", phase="end")
        chat.type("/tokens")
        await chat.until("status")
        assert "the next request carries about" in str((await chat.until("output"))["text"])
        await chat.until("status")
        chat.type("/tokenz")
        assert "did you mean /tokens?" in str((await chat.until("output"))["text"])
        chat.type("/quit")
        assert await chat.ended() == 0
    assert chat.types[-1] == "exit"
    assert len(chat.of("turn", phase="start")) == 1


async def test_a_line_that_begins_with_two_slashes_is_sent_with_one(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path)) as chat:
        chat.type("//etc is a directory")
        event = await chat.until("event", kind="prompt")
        assert event["details"] == {"text": "/etc is a directory"}


async def test_a_command_after_an_exclamation_mark_runs_unasked_and_is_shown_with_its_output(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path)) as chat:
        await begun(chat)  # a front end that answers no approvals
        chat.type("!rm -rf made; echo gone; exit 3")
        typed = await chat.until("event", kind="command.typed")
        assert typed["text"] == "↳ exit status 3, 1 line, 5 bytes"
        output = typed["output"]
        assert isinstance(output, dict)
        assert (output["text"], output["id"]) == ("exit status: 3\nstdout:\ngone", typed["call"])
        await chat.until("status")
        chat.type("! ")
        assert "no command" in str((await chat.until("output"))["text"])
        chat.type("/quit")
        await chat.ended()
    assert chat.of("turn") == chat.of("approval") == chat.of("event", kind="classifier.verdict") == []
    assert [line["doing"] for line in chat.of("activity")] == ["! rm -rf made; echo gone; exit 3", None]


async def test_a_question_goes_out_as_a_choice_and_its_answer_comes_back(tmp_path: Path) -> None:
    asks = calls(("ask", {"question": "Which?", "choices": ["one", "two"]}))
    async with holding(scripted(tmp_path, asks, asks, says("Fine."), asks, says("Well."))) as chat:
        chat.type("ask me")
        choice = await chat.until("choice")
        assert (choice["title"], choice["options"], choice["acceptsText"]) == ("Which?", ["one", "two"], True)
        chat.send("choose", id=choice["id"], value="2")
        await chat.until("withdrawn", id=choice["id"])
        chat.send("choose", id=(await chat.until("choice"))["id"], value=None)
        ended = await chat.until("turn", phase="end")
        assert ended["ran"] == "ran: ask ×2 (1 failed)"
        facts = ended["facts"]
        assert isinstance(facts, list)
        assert [fact["value"] for fact in facts if isinstance(fact, dict)] == ["two"]
        chat.type("again")
        await chat.until("choice")
        chat.end_input()
        assert await chat.ended() == 0
    assert chat.of("turn", phase="end")[-1]["ran"] == "ran: ask (failed)"


@pytest.mark.parametrize(("value", "answered"), [(2, "two"), (7, "7"), (True, None), ([2], None)])
async def test_an_option_is_chosen_by_its_number_written_as_a_number(
    tmp_path: Path, value: Json, answered: str | None
) -> None:
    asks = calls(("ask", {"question": "Which?", "choices": ["one", "two"]}))
    async with holding(scripted(tmp_path, asks, says("Fine."))) as chat:
        chat.type("ask me")
        chat.send("choose", id=(await chat.until("choice"))["id"], value=value)
        facts = (await chat.until("turn", phase="end"))["facts"]
        assert isinstance(facts, list)
        assert [fact["value"] for fact in facts if isinstance(fact, dict)] == ([answered] if answered else [])
        chat.type("/quit")
        await chat.ended()


async def test_a_front_end_that_shows_notifications_is_given_them(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path, calls(("notify", {"body": "done"})), says("Fine."))) as chat:
        await begun(chat, "notify")
        chat.type("tell me")
        shown = await chat.until("notify")
        assert (shown["title"], shown["body"]) == ("the model: wisp", "done")
        await chat.until("turn", phase="end")
        chat.type("/quit")
        await chat.ended()


async def test_every_audit_event_of_the_conversation_goes_out_and_the_last_line_is_exit(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path, calls(("current_date", {})), says("Sunday."))) as chat:
        chat.type("what day is it?")
        chat.end_input()
        assert await chat.ended() == 0
    events = [line["kind"] for line in chat.of("event")]
    assert events == [event.kind for event in read_events(tmp_path / "home" / "logs")]
    assert events[0] == Kind.SESSION_START
    assert events[-1] == Kind.SESSION_END
    assert chat.types[-1] == "exit"
    [result] = chat.of("event", kind="tool.result")
    [call] = chat.of("event", kind="tool.call")
    output = result["output"]
    assert isinstance(output, dict)
    assert output["id"] == result["call"] == call["call"]
    assert str(call["text"]).startswith("⚙ current_date")
    assert chat.of("turn", phase="end")[0]["ran"] == "ran: current_date"


async def test_the_end_of_the_input_waits_for_what_was_said(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path, says("One."), says("Two."))) as chat:
        chat.type("first")
        chat.type("second")
        chat.end_input()
        assert await chat.ended() == 0
    assert [line["text"] for line in chat.of("delta")] == ["One.", "Two."]


async def test_messages_sent_during_a_turn_wait_for_it(tmp_path: Path) -> None:
    reached = asyncio.Event()
    async with holding(scripted(tmp_path, [Hang(reached)], says("Second."))) as chat:
        chat.type("first")
        await reached.wait()
        chat.type("second")
        chat.send("complete", id=1, text="/to", cursor=3)
        await chat.until("completions", id=1)
        assert len(chat.of("turn", phase="start")) == 1
        chat.send("cancel")
        assert (await chat.until("turn", phase="end"))["outcome"] == "cancelled"
        await chat.until("delta", text="Second.")
        assert [line["turn"] for line in chat.of("turn", phase="start")] == [1, 2]


async def test_completions_come_during_a_turn_and_stop_at_the_cursor(tmp_path: Path) -> None:
    reached = asyncio.Event()
    async with holding(scripted(tmp_path, [Hang(reached)])) as chat:
        chat.type("go")
        await reached.wait()
        chat.send("complete", id="c", text="/tools and more", cursor=3)
        assert await chat.until("completions") == {
            "type": "completions",
            "id": "c",
            "from": 0,
            "candidates": ["/tools", "/tokens"],
        }
        chat.send("complete", id="d", text="hello", cursor=-4)
        assert (await chat.until("completions"))["candidates"] == []


async def test_a_cancel_without_a_turn_changes_nothing(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path)) as chat:
        await begun(chat)
        chat.send("cancel")
        chat.type("hello")
        assert (await chat.until("turn", phase="end"))["outcome"] == "ok"


async def test_unknown_types_are_ignored(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path)) as chat:
        for line in ("later", "choose"):
            chat.send(line, id="x", value="y")
        chat.type('{"no":"type"}')
        chat.type("")
        chat.type("hello")
        await chat.until("turn", phase="end")
        chat.type("/quit")
        await chat.ended()
    assert [line["details"] for line in chat.of("event", kind="prompt")] == [{"text": "hello"}]


@pytest.mark.parametrize("decision", ["once", "session"])
async def test_an_approval_goes_out_and_its_answer_lets_the_command_run(tmp_path: Path, decision: str) -> None:
    async with holding(scripted(tmp_path, runs("touch made && echo ran it"), says("Done."))) as chat:
        await begun(chat, "approve")
        chat.type("run it")
        approval = await chat.until("approval")
        assert (approval["command"], approval["line"]) == ("touch made", "touch made && echo ran it")
        assert (approval["level"], approval["pattern"]) == ("moderate", "touch *")
        assert {"directory", "reasons"} <= approval.keys()
        chat.send("answer", id=approval["id"], decision=decision)
        assert (await chat.until("withdrawn"))["id"] == approval["id"]
        result = await chat.until("event", kind="tool.result")
        assert "ran it" in str(result["details"])
        assert (await chat.until("turn", phase="end"))["ran"] == "ran: run_command"
    at = chat.lines.index(approval)
    assert [line["asking"] for line in chat.lines[:at] if line["type"] == "activity"][-1] is True
    assert next(line["asking"] for line in chat.lines[at:] if line["type"] == "activity") is False


async def test_an_answer_of_no_refuses(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path, runs("touch made"), says("Well."))) as chat:
        await begun(chat, "approve")
        chat.type("run it")
        chat.send("answer", id=(await chat.until("approval"))["id"], decision="no")
        await chat.until("turn", phase="end")
    assert not (tmp_path / "work" / "made").exists()


@pytest.mark.parametrize("decision", ["project", "keep", "yes", ""])
async def test_an_answer_that_is_not_offered_is_told_and_the_approval_waits_on(tmp_path: Path, decision: str) -> None:
    async with holding(scripted(tmp_path, runs("rm -rf made"), says("Done."))) as chat:
        await begun(chat, "approve")
        chat.type("run it")
        approval = await chat.until("approval")
        chat.send("answer", id="of nobody", decision="once")
        chat.send("answer", id=approval["id"], decision=decision)
        assert "once, session, no are" in str((await chat.until("note"))["text"])
        assert chat.of("withdrawn") == []
        chat.send("answer", id=approval["id"], decision="once")
        await chat.until("withdrawn")


async def test_a_hello_without_approve_has_each_approval_denied_without_asking(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path, runs("touch made"), says("Well."))) as chat:
        await begun(chat, "notify")
        chat.type("run it")
        await chat.until("turn", phase="end")
    assert chat.of("approval") == []
    [decided] = chat.of("event", kind="approval.decided")
    assert decided["text"] == "not run: the front end answers no approvals"
    assert not (tmp_path / "work" / "made").exists()


async def test_a_hello_is_recorded_and_what_it_carries_of_pending_goes_out_and_is_answered(tmp_path: Path) -> None:
    session = scripted(tmp_path)
    fact, command, question = ask_in(
        session.home, fact_request(), command_request(), question_request("Which boat?", "Merle", "Amsel")
    )
    store = session.waiting.store
    async with holding(session) as chat:
        await begun(chat, "approve")
        recorded = await chat.until("event", kind="host.hello")
        assert recorded["details"] == {"client": "test", "version": None, "effects": ["approve"]}
        assert chat.of("approval") == []
        chat.send("hello", effects=["approve-mcp", "keep-facts"])
        asked = await chat.until("approval", id=fact.id)
        assert (asked["kind"], asked["thread"], asked["client"]) == ("fact", "git", "editor")
        assert isinstance(said := asked["fact"], dict)
        assert (said["name"], said["value"], said["source"]) == ("release codename", "BLUE HERON", "caller")
        asked = await chat.until("approval", id=command.id)
        assert (asked["source"], asked["command"], asked["answers"]) == ("mcp", "git push", ["once", "no"])
        choice = await chat.until("choice", id=question.id)
        assert (choice["title"], choice["options"], choice["client"]) == ("Which boat?", ["Merle", "Amsel"], "editor")
        chat.send("choose", id=question.id)
        chat.send("choose", id=question.id, value="2")
        await chat.until("note", text="? Which boat? was answered from wisp chat at 14:05:12")
        await chat.until("withdrawn", id=question.id)
        assert (chosen := store.outcome(question.id)) is not None
        assert chosen.answer == "Amsel"
        chat.send("answer", id=fact.id, decision="always")
        assert "keep, drop may be" in str((await chat.until("note"))["text"])
        chat.send("answer", id=fact.id, decision="keep")
        await chat.until("withdrawn", id=fact.id)
        assert isinstance(command, CommandRequest)
        store.answer(PersonAct(Via.TUI), command, Decision.NO, session.clock.now())
        await chat.until("withdrawn", id=command.id)
    kept = store.outcome(fact.id)
    assert kept is not None
    assert (kept.state, kept.via) == (RequestState.KEPT, Via.CHAT)


async def test_a_front_end_lets_the_person_pick_what_a_command_offers(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path)) as chat:
        chat.type("/config choices approval.threshold")
        await chat.until("status")
        await chat.until("status")
        assert chat.of("choice") == [], "who types by hand reads the lines"
        await begun_again(chat)
        chat.type("/config choices approval.threshold")
        choice = await chat.until("choice")
        assert (choice["options"], choice["current"]) == (["safe", "moderate", "dangerous"], "moderate")
        chat.send("choose", id=choice["id"], value="safe")
        chat.send("choose", id=choice["id"], value="dangerous")
        assert "approval.threshold is" in str((await chat.until("output", text=SAFE))["text"])
        chat.type("/config choices tools.disabled")
        choice = await chat.until("choice", toggles=True)
        chat.send("choose", id=choice["id"], values=["ask", "notify"])
        await chat.until("output", text='tools.disabled is ["ask","notify"]; it was []')
        chat.type("/config choices tools.disabled")
        chat.send("choose", id=(await chat.until("choice", toggles=True))["id"])
        chat.type("/quit")
        assert await chat.ended() == 0
    assert "dangerous" not in (tmp_path / "home" / "config.json").read_text()


async def test_inside_a_model_s_command_nothing_of_pending_goes_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = scripted(tmp_path)
    (fact,) = ask_in(session.home, fact_request())
    monkeypatch.setattr("wisp_tui.session.person.inside_a_command", lambda: True)
    async with holding(session) as chat:
        chat.send("hello", effects=["keep-facts"])
        assert "runs inside a command of a model" in str((await chat.until("note", text=INSIDE))["text"])
        chat.send("answer", id=fact.id, decision="keep")
        chat.type("/pending")
        await chat.until("output")
    assert chat.of("approval") == []
    assert session.waiting.store.outcome(fact.id) is None


async def test_without_a_hello_an_approval_waits_for_a_line_typed_by_hand(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path, runs("touch made"), says("Done."))) as chat:
        chat.type("run it")
        approval = await chat.until("approval")
        chat.type(f'{{"type":"answer","id":"{approval["id"]}","decision":"once"}}')
        assert (await chat.until("turn", phase="end"))["ran"] == "ran: run_command"


async def test_the_end_of_the_input_refuses_what_waits(tmp_path: Path) -> None:
    async with holding(scripted(tmp_path, runs("touch made"), runs("touch more"), says("Well."))) as chat:
        await begun(chat, "approve")
        chat.type("run it")
        await chat.until("approval")
        chat.end_input()
        assert await chat.ended() == 0
    assert [line["text"] for line in chat.of("event", kind="approval.decided")] == [
        "not run: the input has ended: nobody can answer"
    ] * 2
    assert {path.name for path in (tmp_path / "work").iterdir()} == set()


async def test_a_model_that_is_not_there_is_told_and_tried_again_with_the_next_message(tmp_path: Path) -> None:
    class Waking(ScriptedModel):
        tries = 0

        async def resolve(self) -> Resolved:
            self.tries += 1
            if self.tries == 1:
                raise ModelUnavailable("the server is down", "start it")
            return await super().resolve()

    async with holding(session_with(tmp_path, Waking([says("Here.")]))) as chat:
        assert (await chat.until("status"))["model"] is None
        assert {"type": "note", "text": "the server is down; start it"} in chat.lines
        chat.type("hello")
        assert (await chat.until("turn", phase="end"))["outcome"] == "ok"
        assert (await chat.until("status"))["model"] == "fake:scripted"


async def test_a_turn_that_fails_says_why_in_its_event_and_the_conversation_goes_on(tmp_path: Path) -> None:
    failing = [ModelUnavailable("the server went away", "start it")]
    async with holding(scripted(tmp_path, failing, says("Back."))) as chat:
        chat.type("hello")
        assert (await chat.until("event", kind="error"))["text"] == "the server went away; start it"
        assert (await chat.until("turn", phase="end"))["outcome"] == "error"
        chat.type("again")
        assert (await chat.until("turn", phase="end"))["outcome"] == "ok"


async def test_a_log_that_cannot_be_written_is_told_and_no_tool_runs(tmp_path: Path) -> None:
    session = scripted(tmp_path, runs("touch made"), says("Done."))
    async with holding(session, ThreadOptions()) as chat:
        await begun(chat, "approve")
        session.audit.close()
        logs = tmp_path / "home" / "logs"
        (logs / "audit.jsonl").rename(tmp_path / "kept.jsonl")
        (logs / "audit.jsonl").mkdir()
        chat.type("run it")
        assert (await chat.until("turn", phase="end"))["outcome"] == "error"
        assert any("cannot be written" in str(line["text"]) for line in chat.of("note"))
        (logs / "audit.jsonl").rmdir()
        chat.type("/quit")
        assert await chat.ended() == 0
    assert not (tmp_path / "work" / "made").exists()


async def test_a_reader_that_stops_blocks_neither_the_model_nor_the_cancel(tmp_path: Path) -> None:
    reached = asyncio.Event()
    fragments = [TextDelta("x" * 1000)] * 2000
    async with holding(scripted(tmp_path, [*fragments, Hang(reached)], says("After."))) as chat:
        chat.type("talk")
        async with asyncio.timeout(10):
            await reached.wait()  # two megabytes were said, and nobody has read a line
        chat.send("cancel")
        end = await chat.until("turn", phase="end")
        assert end["outcome"] == "cancelled"
        assert sum(len(str(line["text"])) for line in chat.of("delta")) == 2_000_000
        assert len(chat.of("delta")) < 200


async def test_a_front_end_that_goes_away_ends_the_turn_and_the_conversation(tmp_path: Path) -> None:
    reached = asyncio.Event()
    session = scripted(tmp_path, [TextDelta("Hello "), Hang(reached)])
    ours, theirs = os.pipe()
    reading, writing = os.pipe()
    os.write(theirs, b"hello\n")
    task = asyncio.create_task(hold(session, ThreadOptions(), source=ours, sink=writing))
    await reached.wait()
    os.close(reading)
    os.write(theirs, b'{"type":"complete","id":1,"text":"/","cursor":1}\n')
    async with asyncio.timeout(10):
        assert await task == 0
    for end in (ours, theirs, writing):
        os.close(end)
    events = list(read_events(tmp_path / "home" / "logs"))
    stopped = [event.details.get("stopped") for event in events if event.kind == Kind.RESPONSE]
    assert stopped == ["the person stopped this reply"], [(event.kind, event.details) for event in events]
    assert events[-1].kind == Kind.SESSION_END


async def test_what_is_said_yes_to_beforehand_is_not_asked(tmp_path: Path) -> None:
    options = ThreadOptions(asker=StandingAnswer(Answered.ONCE, "--yes"))
    async with holding(scripted(tmp_path, runs("touch made"), says("Done.")), options) as chat:
        chat.type("run it")
        await chat.until("turn", phase="end")
    assert chat.of("approval") == []
    assert (tmp_path / "work" / "made").exists()
