"""Condensing as it happens: steps as events, what is audited, the overflow retried once, the floor said."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tests.fakes.model import Answer, ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.audit import read_events
from wisp_tui.config import Settings
from wisp_tui.context.composer import Composition
from wisp_tui.context.condensing import FailFast, Fixed
from wisp_tui.context.record import EntryKind
from wisp_tui.events import AuditEvent, CondensationStep, Kind, Note, TurnEnded
from wisp_tui.models import Capability, Chunk, ContextOverflow, Model, Request, Resolved, Usage
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.contexts import recomposed, sent_in
from wisp_tui.session.meter import Meter, Size
from wisp_tui.text.ids import TurnNumber

PLAIN = frozenset({Capability.TOOLS})


def opened(tmp_path: Path, *models: ScriptedModel, settings: Settings | None = None) -> tuple[Session, Thread]:
    session = session_with(
        tmp_path, *models, settings=settings or Settings.model_validate({"facts": {"enabled": False}})
    )
    return session, session.new_thread(ThreadOptions())


def of_kind(session: Session, kind: Kind) -> list[AuditEvent]:
    return [event for event in read_events(session.home.logs) if event.kind == kind]


async def talk(thread: Thread, turns: int, words: int = 300) -> list[TurnEnded]:
    return [await thread.submit(f"Turn {turn}. " + "some words and more " * (words // 4)) for turn in range(turns)]


async def test_a_full_context_is_condensed_to_its_goal_before_the_request(tmp_path: Path) -> None:
    model = ScriptedModel([says("A short answer.")], window=4096)
    session, thread = opened(tmp_path, model)
    assert {ended.outcome for ended in await talk(thread, 20)} == {"ok"}
    condensed = of_kind(session, Kind.CONTEXT_CONDENSATION)
    assert len(condensed) >= 2
    for event in condensed:
        assert event.details["reason"] == "budget"
        assert int(str(event.details["fillAfter"])) <= int(str(event.details["target"]))
        assert int(str(event.details["turnsAfter"])) < int(str(event.details["turnsBefore"]))
    turns = [event.turn or 0 for event in condensed]
    assert all(later - earlier > 1 for earlier, later in pairwise(turns))
    assert "Turn 0." not in str(model.requests[-1].messages)
    assert "Turn 19." in str(model.requests[-1].messages)


async def test_dropped_entries_name_the_condensation_that_dropped_them(tmp_path: Path) -> None:
    session, thread = opened(tmp_path, ScriptedModel([says("A short answer.")], window=4096))
    await talk(thread, 20)
    events = {event.id for event in of_kind(session, Kind.CONTEXT_CONDENSATION)}
    record = thread.conversation.record
    dropped = [record.state(entry.id) for entry in record if not record.state(entry.id).active]
    assert dropped
    assert {state.dropped_by for state in dropped} == events
    assert all(record.entry(entry.id).text for entry in record)


async def test_each_step_is_published_as_it_happens(tmp_path: Path) -> None:
    session, thread = opened(tmp_path, ScriptedModel([says("A short answer.")], window=4096))
    with session.bus.subscribe() as events:
        await talk(thread, 12)
        steps = [event for event in events.take() if isinstance(event, CondensationStep)]
    first = steps[: [step.step for step in steps].index("ended") + 1]
    assert [step.step for step in first] == ["began", "distilling", "dropped", "ended"]
    assert first[0].fill > first[-1].fill <= first[-1].goal
    assert (first[2].amount, first[0].window) == (len([1 for _ in range(first[2].amount)]), 4096)


async def test_an_overflow_is_condensed_from_its_own_count_and_retried_once(tmp_path: Path) -> None:
    def answer(request: Request) -> Sequence[Chunk | ContextOverflow]:
        size = sum(len(message.content) for message in request.messages) // 2
        return [ContextOverflow(3000, size)] if size > 3000 else says("Fine.")

    model = ScriptedModel([answer], window=None)
    model.answers = [answer] * 100
    session, thread = opened(tmp_path, model)
    assert {ended.outcome for ended in await talk(thread, 14, words=200)} == {"ok"}
    condensed = of_kind(session, Kind.CONTEXT_CONDENSATION)
    assert condensed[0].details["reason"] == "overflow"
    assert condensed[0].details["contextSize"] == 3000
    assert thread.conversation.window == 3000


async def test_a_request_that_overflows_twice_is_refused_with_what_takes_the_room(tmp_path: Path) -> None:
    model = ScriptedModel([[ContextOverflow(2048, 5000)]], window=8192)
    model.answers = model.answers * 10
    _session, thread = opened(tmp_path, model)
    ended = await thread.submit("words " * 3000)
    assert ended.outcome == "error"
    assert "does not fit" in (ended.message or "")
    assert len(model.requests) <= 2


async def test_instructions_larger_than_the_window_are_named_at_once_and_no_call_is_made(tmp_path: Path) -> None:
    model = ScriptedModel([says("never")], window=2048)
    settings = Settings.model_validate({"instructions": "obey this rule " * 1200, "facts": {"enabled": False}})
    _session, thread = opened(tmp_path, model, settings=settings)
    ended = await thread.submit("Hello.")
    assert ended.outcome == "error"
    assert "the instructions" in (ended.message or "")
    assert model.requests == []


async def test_an_output_is_whole_in_its_turn_and_a_reference_after_it(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "notes.md").write_text("".join(f"line {number} of the notes, with some words\n" for number in range(80)))
    model = ScriptedModel([calls(("read_file", {"path": "notes.md"})), says("Read it."), says("Sure.")])
    session, thread = opened(tmp_path, model)
    await thread.submit("Read notes.md.")
    assert "line 40 of the notes" in model.requests[1].messages[-1].content
    await thread.submit("And?")
    entry = next(entry for entry in thread.conversation.record if entry.kind is EntryKind.OUTPUT)
    carried = next(message.content for message in model.requests[2].messages if message.answers)
    assert carried.startswith(f"[output of entry {entry.id} not repeated: read_file at 14:05:12, ok, ")
    assert len(carried.encode()) <= 640
    [event] = of_kind(session, Kind.CONTEXT_REFERENCE)
    assert event.details["entry"] == entry.id
    assert event.details["bytes"] == len(entry.text.encode()) - len(carried.encode())


async def test_a_copy_of_an_output_is_cut_from_what_the_model_carries_and_from_nothing_else(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    text = "".join(f"line {number} of the notes, with some words\n" for number in range(12))
    (work / "notes.md").write_text(text)
    reply = f"Here it is:\n\n```\n{text}```\n\nTwelve lines."
    model = ScriptedModel([calls(("read_file", {"path": "notes.md"})), says(reply), says("Sure.")])
    session, thread = opened(tmp_path, model)
    await thread.submit("Show me notes.md.")
    await thread.submit("And?")
    carried = next(message.content for message in model.requests[2].messages if message.content.startswith("Here"))
    assert "(showed the person the read_file output, entry 4)" in carried
    assert "line 3" not in carried
    assert next(entry.text for entry in thread.conversation.record if entry.kind is EntryKind.REPLY) == reply
    assert len(of_kind(session, Kind.CONTEXT_CUT)) == 1


async def test_a_smaller_model_is_condensed_for_before_its_first_request(tmp_path: Path) -> None:
    large = ScriptedModel([says("A short answer.")], window=32_768, name="fake:large")
    small = ScriptedModel([says("Small."), says("Small.")], window=2048, capabilities=PLAIN, name="fake:small")
    session, thread = opened(tmp_path, large, small)
    await talk(thread, 10)
    assert of_kind(session, Kind.CONTEXT_CONDENSATION) == []
    await thread.switch("fake:small")
    assert (await thread.submit("Go on.")).outcome == "ok"
    assert len(of_kind(session, Kind.CONTEXT_CONDENSATION)) == 1
    assert sum(len(message.content) for message in small.requests[0].messages) < 2048 * 4


async def test_the_floor_is_said_and_the_turn_goes_on(tmp_path: Path) -> None:
    model = ScriptedModel([says("long " * 1500), says("Fine.")], window=2600)
    session, thread = opened(tmp_path, model)
    with session.bus.subscribe() as events:
        await thread.submit("Say much.")
        ended = await thread.submit("And now?")
        notes = [event.text for event in events.take() if isinstance(event, Note)]
    assert ended.outcome == "ok"
    assert any(note.startswith("context at its floor: ") for note in notes)
    assert of_kind(session, Kind.CONTEXT_CONDENSATION)[-1].details["floor"] is True


async def test_a_report_that_is_believed_moves_the_next_estimate_towards_it(tmp_path: Path) -> None:
    model = ScriptedModel([says("Yes.", usage=Usage(900, 2))], window=8192)
    session, thread = opened(tmp_path, model)
    await talk(thread, 3, words=400)
    estimates = [event.details["estimate"] for event in of_kind(session, Kind.RESPONSE)]
    reports = [event.details["usage"] for event in of_kind(session, Kind.RESPONSE)]
    assert all(estimates)
    assert reports[0] == {"input": 900, "output": 2, "cached": None, "reasoning": None}


async def test_a_message_that_did_not_fit_is_not_in_the_way_of_the_next(tmp_path: Path) -> None:
    model = ScriptedModel([says("Fine.")], window=2048)
    session, thread = opened(tmp_path, model)
    outcomes = [(await thread.submit(text)).outcome for text in ("Hi.", "x " * 9000, "After one.", "After two.")]
    assert outcomes == ["ok", "error", "ok", "ok"]
    record = thread.conversation.record
    refused = next(entry for entry in record if entry.text.startswith("x "))
    assert not record.state(refused.id).active
    assert of_kind(session, Kind.CONTEXT_CONDENSATION)[-1].details["reason"] == "refused"


async def test_fail_fast_lets_the_overflow_reach_the_person(tmp_path: Path) -> None:
    model = ScriptedModel([[ContextOverflow(2048, 5000)]], window=8192)
    session, thread = opened(tmp_path, model)
    thread.conversation.policy = FailFast()
    ended = await thread.submit("Hello.")
    assert (ended.outcome, len(model.requests)) == ("error", 1)
    assert of_kind(session, Kind.CONTEXT_CONDENSATION) == []


async def test_fixed_keeps_the_last_turns_however_full_they_are(tmp_path: Path) -> None:
    session, thread = opened(tmp_path, ScriptedModel([says("A short answer.")], window=4096))
    thread.conversation.policy = Fixed(keep_turns=2)
    await talk(thread, 14)
    assert {str(event.details["turnsAfter"]) for event in of_kind(session, Kind.CONTEXT_CONDENSATION)} == {"2"}


async def test_a_condensation_stopped_after_its_first_drop_is_recorded_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, thread = opened(tmp_path, ScriptedModel([says("A short answer.")], window=4096))
    record, size = thread.conversation.record, Meter.size

    async def stopped(
        meter: Meter, composition: Composition, model: Model, resolved: Resolved, window: int | None
    ) -> Size:
        if any(not record.state(entry.id).active for entry in record):
            thread.cancel()
            await asyncio.sleep(0)
        return await size(meter, composition, model, resolved, window)

    monkeypatch.setattr(Meter, "size", stopped)
    with session.bus.subscribe() as events:
        outcomes = [ended.outcome for ended in await talk(thread, 12)]
        steps = [event for event in events.take() if isinstance(event, CondensationStep)]
    assert outcomes[-1] == "cancelled"
    began, dropped = steps[0], next(step for step in steps if step.step == "dropped")
    assert dropped.fill < began.fill, "what it dropped is shown though it was stopped"
    named = {record.state(entry.id).dropped_by for entry in record} - {None}
    event = of_kind(session, Kind.CONTEXT_CONDENSATION)[0]
    assert named
    assert event.id in named
    assert event.details["stopped"] is True
    assert str(event.details["steps"]).startswith("['dropped")


async def test_the_context_of_a_turn_is_the_request_that_was_answered_not_the_one_that_was_refused(
    tmp_path: Path,
) -> None:
    answers: list[Answer] = [*[says("Fine.") for _ in range(5)], [ContextOverflow(3000, 3100)], says("Fine.")]
    _session, thread = opened(tmp_path, ScriptedModel(answers, window=None))
    await talk(thread, 6, words=200)
    sent = [composed for composed in thread.conversation.composed if composed.turn == 6]
    assert [composed.refused for composed in sent] == [True, False]
    assert sent_in(thread.conversation, TurnNumber(6)) == sent[1]


async def test_a_refusal_without_a_count_teaches_the_estimate_that_it_was_too_low(tmp_path: Path) -> None:
    answers: list[Answer] = [*[says("Fine.") for _ in range(5)], [ContextOverflow(3000, None)], says("Fine.")]
    _session, thread = opened(tmp_path, ScriptedModel(answers, window=None))
    await talk(thread, 6, words=150)
    refused = next(composed for composed in thread.conversation.composed if composed.refused)
    assert thread.conversation.meter.estimate(recomposed(thread.conversation, refused)) > refused.tokens
