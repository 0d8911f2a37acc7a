"""What a client is told without asking: progress of a call, and changes of what it subscribed to, in both eras."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp import MCPError, types
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated

from tests.fakes.mcp_client import NEWER, OLDER, Caller, served
from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.session import MOMENT, session_with
from wisp_tui.facts import PersonAct, Via
from wisp_tui.mcp.changes import SUBSCRIPTIONS, Changes, TooMuch
from wisp_tui.mcp.threads import Opening, Threads
from wisp_tui.pending import FactRequest


async def until(caller: Caller, kind: type[object], uri: str | None = None) -> object:
    """Wait for a notification."""
    while True:
        message = await asyncio.wait_for(caller.heard.get(), 10)
        if isinstance(message, kind) and (uri is None or getattr(getattr(message, "params", None), "uri", None) == uri):
            return message


async def test_a_client_of_the_older_era_is_told_of_what_it_subscribed_to(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Hello.")]))
    async with served(session, mode=OLDER) as caller:
        await subscribe(caller, "wisp://threads/t/context?page=1")
        with pytest.raises(MCPError, match="a part of its path is empty"):
            await subscribe(caller, "wisp://threads//context")
        await caller.respond("x", thread_id="t", task="one")
        await until(caller, types.ResourceListChangedNotification)
        await until(caller, types.ResourceUpdatedNotification, "wisp://threads/t/context?page=1")

        (fact,) = [item for item in (await facts(caller)) if item["subject"] == "task"]
        await subscribe(caller, str(fact["uri"]))
        await caller.client.session.send_request(
            types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri="wisp://threads/t/context?page=1")),
            types.EmptyResult,
        )
        asked = await caller.call("set_fact_scope", thread_id="t", fact_id=fact["id"], scope="permanent")
        await until(caller, types.ResourceUpdatedNotification, str(fact["uri"]))
        request = session.waiting.request(asked.content["request"])
        assert isinstance(request, FactRequest)
        session.waiting.store.drop(PersonAct(Via.CLI), request, MOMENT)
        await until(caller, types.ResourceUpdatedNotification, str(fact["uri"]))


async def subscribe(caller: Caller, uri: str) -> None:
    request = types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
    await caller.client.session.send_request(request, types.EmptyResult)


async def facts(caller: Caller) -> list[dict[str, object]]:
    found = (await caller.shape("wisp://threads/t/facts"))["facts"]
    assert isinstance(found, list)
    return [dict(item) for item in found if isinstance(item, dict)]


async def test_a_client_of_the_newer_era_listens(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Hello.")]))
    wanted = ["wisp://threads/t/context", "wisp://facts/proposed"]
    async with (
        served(session, mode=NEWER) as caller,
        caller.client.listen(resources_list_changed=True, resource_subscriptions=wanted) as changes,
    ):
        await caller.respond("x", thread_id="t")
        seen: set[object] = set()
        async for change in changes:
            seen.add(change)
            if {ResourcesListChanged(), ResourceUpdated(wanted[0])} <= seen:
                break
        await caller.call("close_thread", thread_id="t")
        async for change in changes:
            if isinstance(change, ResourcesListChanged):
                break


@pytest.mark.parametrize("mode", [OLDER, NEWER])
async def test_a_caller_that_wants_to_know_is_told_how_far_its_call_is(tmp_path: Path, mode: str) -> None:
    model = ScriptedModel([calls(("run_command", {"command": "echo ready"})), says("Done.")])
    told: list[tuple[float, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        del total
        told.append((progress, message))

    async with served(session_with(tmp_path, model), mode=mode) as caller:
        await caller.client.call_tool("respond", {"prompt": "x"}, progress_callback=tell)
        lines = [message for _, message in told]
        assert "run_command echo ready" in lines
        assert lines.index("waiting for the model") < lines.index("run_command echo ready")
        assert [step for step, _ in told] == sorted({step for step, _ in told})


async def test_a_call_that_is_cancelled_is_a_turn_that_was_stopped(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = ScriptedModel([[*says("Half")[:1], Hang(reached)], says("Whole.")])
    session = session_with(tmp_path, model)
    async with served(session, mode=OLDER) as caller:
        call = asyncio.create_task(caller.respond("x", thread_id="t"))
        await reached.wait()
        call.cancel()
        after = await caller.respond("go on", thread_id="t")
        assert (after.text, after.content["receipt"]["turn"]) == ("Whole.", 2)
        stopped = [entry.stopped for entry in session.threads[0].conversation.record if entry.text == "Half"]
        assert stopped == ["the person stopped this reply"]


class Stuck:
    """The way to a client that reads nothing: what it is sent first never arrives."""

    def __init__(self) -> None:
        self.sent: list[str | None] = []
        self.reads = asyncio.Event()

    async def send_resource_updated(self, uri: str) -> None:
        self.sent.append(uri)
        await self.reads.wait()

    async def send_resource_list_changed(self) -> None:
        self.sent.append(None)
        await self.reads.wait()


async def test_what_a_slow_reader_is_told_waits_once_and_holds_up_nobody(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Hello.")]))
    stuck, other = Stuck(), Stuck()
    other.reads.set()
    changes = Changes(session, Threads(session, 4))
    changes.start()
    for key, way in (("stuck", stuck), ("other", other)):
        changes.subscribe("wisp://threads", key, way)
    opening = changes.threads.using
    for name in ("a", "b", "c"):
        async with opening(name, Opening(), None):
            pass
    while other.sent.count(None) + other.sent.count("wisp://threads") < 2:
        await asyncio.sleep(0)
    assert len(stuck.sent) == 1
    stuck.reads.set()
    while len(stuck.sent) < 3:
        await asyncio.sleep(0)
    assert set(stuck.sent[1:]) == {None, "wisp://threads"}
    for number in range(SUBSCRIPTIONS - 1):
        changes.subscribe(f"wisp://threads?page={number + 1}", "other", other)
    changes.subscribe("wisp://threads", "other", other)
    with pytest.raises(TooMuch, match="at 256 addresses at most"):
        changes.subscribe("wisp://facts", "other", other)
    await changes.forget("stuck")
    await changes.close()
    await session.close()
