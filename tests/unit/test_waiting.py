"""What waits, as one process sees it: followed, counted on the bus, answered by /pending, audited."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import MOMENT, session_with
from tests.fakes.waiting import ask_in, command_request, fact_request, question_request
from wisp_tui.audit import read_events
from wisp_tui.events import Kind, PendingChanged
from wisp_tui.facts import PersonAct, Via
from wisp_tui.pending import Decision, FactRequest, RequestState, judged_by, request_words
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.commands import completions, run_command_line
from wisp_tui.session.kept import Kept
from wisp_tui.session.telling import Telling


def opened(tmp_path: Path) -> tuple[Session, Thread]:
    session = session_with(tmp_path, ScriptedModel([says("Yes.")]))
    return session, session.new_thread(ThreadOptions())


async def test_what_appears_and_what_is_answered_elsewhere_is_counted_on_the_bus(tmp_path: Path) -> None:
    session, _ = opened(tmp_path)
    counted: list[int] = []
    with session.bus.subscribe() as events:
        session.waiting.watch()
        async with asyncio.timeout(10):
            (asked,) = await asyncio.to_thread(ask_in, session.home, fact_request())
            async for event in events:
                if isinstance(event, PendingChanged):
                    counted.append(event.count)
                    if event.count:
                        assert isinstance(asked, FactRequest)
                        other = session_with(tmp_path, ScriptedModel([])).waiting
                        other.store.drop(PersonAct(Via.CLI), asked, session.clock.now())
                    else:
                        break
    assert counted == [1, 0]
    await session.close()


async def test_pending_lists_what_waits_and_keeps_a_fact_for_every_conversation(tmp_path: Path) -> None:
    session, thread = opened(tmp_path)
    assert (await run_command_line(thread, "/pending")).view is not None
    fact, command = ask_in(session.home, fact_request(), command_request())
    answer = await run_command_line(thread, "/pending")
    assert answer.view is not None
    assert f"{fact.id}  entity release codename = BLUE HERON  — git (editor), 4 min" in answer.view.text
    assert f"{command.id}  $ git push  — git (editor), now\n    moderate · git push writes to another machine" in (
        answer.view.text
    )
    assert "\n    in  /code/harbour" in answer.view.text
    assert completions(thread, "/pending ke")[1] == ("keep",)
    assert completions(thread, "/pending keep ")[1] == (f"keep {fact.id}",)
    assert completions(thread, "/pending once ")[1] == (f"once {command.id}",)
    kept = await run_command_line(thread, f"/pending keep {fact.id}")
    assert "was kept as p1 from wisp chat" in kept.lines[0]
    assert [fact.value for fact in session.facts.permanent.current.values()] == ["BLUE HERON"]
    (event,) = [event for event in read_events(session.home.logs) if event.kind == Kind.FACT_RECORDED]
    assert "BLUE HERON" in str(event.details)
    again = await run_command_line(thread, f"/pending drop {fact.id}")
    assert again.failed
    assert "was kept as p1" in again.lines[0]


async def test_pending_answers_a_command_and_takes_no_word_that_is_for_a_fact(tmp_path: Path) -> None:
    session, thread = opened(tmp_path)
    (command,) = ask_in(session.home, command_request())
    for line in (f"/pending keep {command.id}", "/pending once ffffffff", "/pending perhaps", "/pending keep ../x"):
        assert (await run_command_line(thread, line)).failed, line
    assert session.waiting.store.outcome(command.id) is None
    await run_command_line(thread, f"/pending no {command.id}")
    outcome = session.waiting.store.outcome(command.id)
    assert outcome is not None
    assert (outcome.state, outcome.decision) == (RequestState.ANSWERED, Decision.NO)


def test_one_line_of_a_command_leaves_out_nothing_of_it() -> None:
    request = command_request("echo hi #\nrm -r  boats \u202e\x1b[2J")
    assert request_words(request) == "$ echo hi #<U+000A>rm -r  boats <U+202E><U+001B>[2J"
    twisted = replace(request, line="a\nb", directory="/w\n/x", reasons=("it\nruns",))
    assert judged_by(twisted) == ["moderate · it<U+000A>runs", "part of  a<U+000A>b", "in  /w<U+000A>/x"]


async def test_pending_answers_a_question_by_a_choices_number_in_words_or_not_at_all(tmp_path: Path) -> None:
    session, thread = opened(tmp_path)
    one, two, three = ask_in(
        session.home, question_request("Which boat?", "Merle", "Amsel"), question_request(), question_request("Now?")
    )
    listed = await run_command_line(thread, "/pending")
    assert listed.view is not None
    assert f"{one.id}  ? Which boat?  1 Merle  2 Amsel  — git (editor)" in listed.view.text
    assert completions(thread, "/pending answer ")[1] == tuple(f"answer {each.id}" for each in (one, two, three))
    for line in (f"/pending answer {one.id}", f"/pending once {one.id}", f"/pending answer {one.id} {'x' * 2001}"):
        assert (await run_command_line(thread, line)).failed, line
    for line in (f"/pending answer {one.id} 2", f"/pending answer {two.id} none of  them", f"/pending no {three.id}"):
        assert "was answered from wisp chat" in (await run_command_line(thread, line)).lines[0]
    found = [session.waiting.store.outcome(each.id) for each in (one, two, three)]
    assert [outcome.answer for outcome in found if outcome is not None] == ["Amsel", "none of  them", None]


async def test_a_fact_of_another_conversation_is_kept_by_its_conversations_name(tmp_path: Path) -> None:
    session, thread = opened(tmp_path)
    await run_command_line(thread, "/fact entity berth = north")
    for line in ("/fact p1 thread", "/save harbour", "/new"):
        assert not (await run_command_line(thread, line)).failed, line
    assert not session.facts.permanent.current
    kept = await run_command_line(thread, "/fact harbour/c1 permanent")
    assert kept.lines == ("1 new fact: p2 entity berth = north",)
    again = await run_command_line(thread, "/fact harbour/c1 permanent")
    assert again.lines == ("that is kept already",)
    ask_in(session.home, fact_request())
    asked = await run_command_line(thread, "/fact git/c1 permanent")
    assert "was kept as p3" in asked.lines[0]
    for line in ("/fact harbour/c9 permanent", "/fact nobody/c1 permanent", "/fact ../x/c1 permanent"):
        assert (await run_command_line(thread, line)).failed, line


async def test_a_command_whose_time_is_over_waits_no_more(tmp_path: Path) -> None:
    session, thread = opened(tmp_path)
    over = replace(command_request(), until=MOMENT)
    ask_in(session.home, over, command_request("git fetch"))
    await session.waiting.look()
    assert [request_words(request) for request in Kept(thread.conversation).waits] == ["$ git fetch"]
    session.waiting.watch()
    async with asyncio.timeout(10):
        while len(session.waiting.store.snapshot().waiting) > 1:
            await asyncio.sleep(0)
    await session.close()


async def test_a_fact_that_waits_is_told_beside_the_call_and_seldom(tmp_path: Path) -> None:
    session, thread = opened(tmp_path)
    held, shown = thread.conversation, asyncio.Queue[tuple[str, str]]()

    class Board:
        async def show(self, title: str, body: str) -> str | None:
            shown.put_nowait((title, body))
            return "a board"

    held.notifier = Board()
    clock = iter([0.0, 1.0, 2.0, 3.0, 61.0])
    telling = Telling(lambda: next(clock))
    (request,) = ask_in(session.home, fact_request("entity release codename = BLUE\x1b]9;x\x07 HERON" + "!" * 400))
    assert isinstance(request, FactRequest)
    for _ in range(5):
        telling.tell(request, held)
    async with asyncio.timeout(10):
        told = [await shown.get() for _ in range(4)]
    await telling.close()
    assert shown.empty()
    title, body = told[0]
    assert title == "wisp: keep as a permanent fact?"
    assert body.startswith("release codename = BLUE")
    assert body.endswith(f"… — wisp facts keep {request.id}")
    assert "\x1b" not in body
    events = [event.details for event in read_events(session.home.logs) if event.kind == Kind.NOTIFICATION]
    assert events == [{"title": title, "body": body, "shownBy": "a board"}] * 4
