"""Approvals of a client's thread: through the client and through ``pending/`` at once, the first answer counting."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.mcp_client import NEWER, OLDER, Person, served
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import MOMENT, session_with
from wisp_tui.audit import read_events
from wisp_tui.config import Settings
from wisp_tui.config.settings import ApprovalSettings
from wisp_tui.events import Kind, PendingChanged
from wisp_tui.facts import PersonAct, Via
from wisp_tui.pending import CommandRequest, Decision, RequestState
from wisp_tui.session import Session

WRITES = {"command": "touch made"}
BOTH = pytest.mark.parametrize("mode", [OLDER, NEWER])


def asking(tmp_path: Path, approval: ApprovalSettings | None = None) -> Session:
    """Open a session whose model runs a command that asks, again and again."""
    script = [calls(("run_command", WRITES)), says("Tried.")] * 4
    settings = Settings(approval=approval or ApprovalSettings())
    return session_with(tmp_path, ScriptedModel([*script]), settings=settings)


async def answered_there(session: Session, decision: Decision) -> CommandRequest:
    """Answer what waits in ``pending/``, as soon as something does."""
    with session.bus.subscribe() as events:
        session.waiting.watch()
        async for event in events:
            if isinstance(event, PendingChanged) and event.count:
                break
    (request,) = session.waiting.store.snapshot().waiting
    assert isinstance(request, CommandRequest)
    session.waiting.store.answer(PersonAct(Via.TUI), request, decision, MOMENT)
    return request


@BOTH
async def test_the_person_answers_in_the_client(tmp_path: Path, mode: str) -> None:
    session, person = asking(tmp_path), Person("once", "decline")
    async with served(session, mode=mode, person=person) as caller:
        done = await caller.respond("do it", thread_id="t")
        assert (tmp_path / "work" / "made").exists()
        assert done.content["receipt"]["approvals"] == 1
        (asked,) = person.asked
        assert asked.startswith("May this run? touch made\nIn ")
        refused = await caller.respond("again", thread_id="t")
        assert not refused.failed  # a refused command is the model's to go on with
        assert refused.content["refusals"] == [{"command": "touch made", "reason": "the person, through the client"}]
        assert refused.content["receipt"]["denials"] == 1
        snapshot = session.waiting.store.snapshot()
        assert snapshot.waiting == ()
        assert {outcome.state for _, outcome in snapshot.settled} == {RequestState.WITHDRAWN}


@BOTH
async def test_the_person_answers_in_wisp_while_the_client_shows_the_question(tmp_path: Path, mode: str) -> None:
    session = asking(tmp_path)
    async with served(session, mode=mode, person=Person("cancel")) as caller:
        call = asyncio.create_task(caller.respond("do it", thread_id="t"))
        request = await answered_there(session, Decision.ONCE)
        assert (request.command, request.asker.thread) == ("touch made", "t")
        assert (await call).content["calls"][0]["exitStatus"] == 0
        by = [event.details["by"] for event in read_events(session.home.logs) if event.kind == Kind.APPROVAL_ANSWERED]
        assert by == ["the person, from wisp-tui"]


async def test_without_a_client_that_asks_the_person_answers_in_wisp(tmp_path: Path) -> None:
    session = asking(tmp_path)
    async with served(session) as caller:
        call = asyncio.create_task(caller.respond("do it"))
        await answered_there(session, Decision.NO)
        assert (await call).content["refusals"][0]["reason"] == "the person, from wisp-tui"


async def test_a_client_is_not_asked_where_the_person_says_so(tmp_path: Path) -> None:
    settings = Settings.model_validate({"mcp": {"askClient": False}})
    script = [calls(("run_command", WRITES)), says("Tried.")]
    session, person = session_with(tmp_path, ScriptedModel([*script]), settings=settings), Person("once")
    async with served(session, person=person) as caller:
        call = asyncio.create_task(caller.respond("do it"))
        await answered_there(session, Decision.NO)
        assert (await call).content["receipt"]["denials"] == 1
        assert person.asked == []


async def test_where_nobody_can_be_asked_what_asks_is_refused(tmp_path: Path) -> None:
    session = asking(tmp_path)
    pending = session.home.root / "pending"
    pending.rmdir()
    pending.touch()  # in its place, a file: nothing can wait there
    async with served(session) as caller:
        refused = await caller.respond("do it")
        assert refused.content["refusals"][0]["reason"].startswith("nobody can be asked here")
        assert not (tmp_path / "work" / "made").exists()


async def test_no_answer_in_time_is_a_refusal(tmp_path: Path) -> None:
    session = asking(tmp_path, ApprovalSettings().model_copy(update={"timeout_seconds": 0}))
    async with served(session) as caller:
        assert (await caller.respond("do it")).content["refusals"][0]["reason"] == "no answer in 0 s"


async def test_a_call_that_is_cancelled_withdraws_what_it_asked(tmp_path: Path) -> None:
    session = asking(tmp_path)
    async with served(session) as caller:
        call = asyncio.create_task(caller.respond("do it", thread_id="t"))
        with session.bus.subscribe() as events:
            session.waiting.watch()
            async for event in events:
                if isinstance(event, PendingChanged) and event.count:
                    break
        call.cancel()
        assert (await caller.respond("go on", thread_id="t", task="x")).content["receipt"]["turn"] == 2
    (_, outcome), *_ = session.waiting.store.snapshot().settled
    assert (outcome.state, outcome.reason) == (RequestState.WITHDRAWN, "the call was cancelled")


@BOTH
async def test_the_models_question_is_put_before_the_person_in_the_client(tmp_path: Path, mode: str) -> None:
    question = {"question": "Which boat?", "choices": ["Merle", "Amsel"]}
    model = ScriptedModel([calls(("ask", question)), says("I see.")] * 3)
    session, person = session_with(tmp_path, model), Person("Amsel", "decline")
    async with served(session, mode=mode, person=person) as caller:
        asked = await caller.respond("x", thread_id="t")
        assert (person.asked, asked.content["calls"][0]["output"]) == (["The model asks: Which boat?"], "Amsel")
        (fact,) = [fact for fact in asked.content["facts"] if fact["subject"] == "answer"]
        assert (fact["value"], fact["source"]) == ("Amsel", "person")
        for why in ("they declined to", "the question was dismissed"):
            declined = await caller.respond("x", thread_id="t")
            assert why in declined.content["calls"][0]["error"]


async def test_an_edit_is_shown_as_the_change_it_makes_wherever_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "log").write_text("fair\n")
    edit = {"path": "log", "action": "replace", "find": "fair", "text": "foul"}
    session, person = session_with(tmp_path, ScriptedModel([calls(("edit_file", edit)), says("Done.")])), Person("once")
    async with served(session, person=person) as caller:
        done = await caller.respond("x")
        assert "-fair\n+foul" in person.asked[0]
        ((request, _),) = session.waiting.store.snapshot().settled
        assert isinstance(request, CommandRequest)
        assert "-fair\n+foul" in request.line
        assert done.content["receipt"]["files"] == [
            {"path": str(tmp_path / "work" / "log"), "mode": "edit", "created": False, "bytes": 5}
        ]
