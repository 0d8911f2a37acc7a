"""``respond`` and ``close_thread``: what a turn answers, threads by name, replies of a shape."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp import MCPError

from tests.fakes.condensing import harbour_model
from tests.fakes.mcp_client import NEWER, OLDER, served
from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.audit import read_events
from wisp_tui.config import Settings
from wisp_tui.events import Kind
from wisp_tui.mcp.outputs import RESPOND
from wisp_tui.mcp.shapes import notification_shape
from wisp_tui.models import Capability, ModelUnavailable, Resolved, Usage
from wisp_tui.text.json import Json, JsonObject, dump

SHAPE = {
    "type": "object",
    "properties": {"port": {"type": "integer"}, "state": {"type": "string", "enum": ["up", "down"]}},
    "required": ["port"],
}


def undeclared(value: Json, schema: JsonObject) -> list[str]:
    """Name what a value holds that its schema does not speak of."""
    match value:
        case dict():
            known = schema.get("properties")
            if not isinstance(known, dict):
                return []
            within = [(inner, known[name]) for name, inner in value.items() if name in known]
            names = [name for name in value if name not in known]
        case list():
            within, names = [(inner, schema.get("items")) for inner in value], []
        case _:
            return []
    return names + [name for inner, of in within if isinstance(of, dict) for name in undeclared(inner, of)]


@pytest.mark.parametrize("mode", [OLDER, NEWER])
async def test_a_turn_answers_its_reply_and_what_it_did(tmp_path: Path, mode: str) -> None:
    model = ScriptedModel(
        [
            calls(
                ("run_command", {"command": "echo ready"}), ("read_file", {"path": "big"}), ("current_date", {"x": 1})
            ),
            says("It is ready, see entry 99.", usage=Usage(1200, 9)),
            says("Later."),
        ]
    )
    session = session_with(tmp_path, model)
    (tmp_path / "work" / "big").write_text("line\n" * 400)
    async with served(session, mode=mode) as caller:
        answer = await caller.respond("is it ready?", thread_id="boats", task="look after the boats")
        assert (answer.failed, answer.text) == (False, "It is ready, see entry 99.")
        content = answer.content
        assert (content["thread_id"], content["created"], content["condensed"]) == ("boats", True, False)
        command, big, _ = content["calls"]
        assert (command["command"], command["exitStatus"], command["error"]) == ("echo ready", 0, None)
        assert "ready" in command["output"]
        assert big["outputURI"] == f"wisp://threads/boats/output/{big['id']}"
        assert "output" not in big
        assert content["unknownEntries"] == [99]
        assert content["cited"] == "the reply cites 1 entry that the record does not hold: 99"
        assert content["ran"].startswith("ran: run_command · read_file · current_date")
        assert content["facts"][0]["value"] == "look after the boats"
        assert content["facts"][0]["source"] == "caller"
        receipt = content["receipt"]
        assert [tool["name"] for tool in receipt["tools"]] == ["run_command", "read_file", "current_date"]
        assert receipt["commands"][0]["exitStatus"] == 0
        assert receipt["usage"] == {"input": 1200, "output": 9, "cached": None, "reasoning": None}
        assert undeclared(dict(content), RESPOND) == []  # that all is there the client itself has checked
        assert (receipt["turn"], receipt["denials"], receipt["errors"]) == (1, 0, 0)
        again = await caller.respond("and now?", thread_id="boats")
        assert (again.content["created"], again.content["receipt"]["turn"]) == (False, 2)
        other = await caller.respond("who are you?")
        assert other.content["created"] is True
        assert other.content["thread_id"] != "boats"
    kinds = [event.kind for event in read_events(session.home.logs)]
    assert kinds.count(Kind.MCP_REQUEST) == kinds.count(Kind.MCP_RESULT) == 3
    assert kinds.count(Kind.SESSION_END) == 2


def shape_of(**member: Json) -> JsonObject:
    return {"type": "object", "properties": {"a": member}}


async def test_what_a_caller_gets_wrong_is_told_in_words(tmp_path: Path) -> None:
    async with served(session_with(tmp_path, ScriptedModel([says("Hello.")]))) as caller:
        for arguments, said in (
            ({}, "prompt: field required"),
            ({"prompt": " \n"}, "prompt: there is nothing in it"),
            ({"prompt": "x", "task": " "}, "task: there is nothing in it"),
            ({"prompt": "x", "thred": "y"}, "thred: extra inputs are not permitted"),
            ({"prompt": "x", "thread_id": "a/b"}, "'a/b' is no thread's name"),
            ({"prompt": "x", "thread_id": ".."}, "is no thread's name"),
            ({"prompt": "x", "tools": ["fly"]}, "there is no tool fly"),
            ({"prompt": "x", "schema": {"type": "object", "$ref": "#"}}, "schema.$ref is not among"),
            ({"prompt": "x", "schema": shape_of(type="string", enum=[])}, "schema.a.enum names no choice"),
            (
                {"prompt": "x", "schema": shape_of(type="array", items={"type": "string"}, minItems=3, maxItems=1)},
                "schema.a.maxItems is less than its minItems",
            ),
        ):
            answer = await caller.call("respond", **arguments)
            assert answer.failed
            assert said in answer.text
        assert (await caller.call("close_thread", thread_id="nobody")).text.startswith("there is no thread nobody")
        with pytest.raises(MCPError, match="there is no tool 'fly'"):
            await caller.call("fly")
        await caller.respond("x", thread_id="t", tools=["read_file"])
        assert not (await caller.respond("x", thread_id="t", tools=["read_file"])).failed
        settled = await caller.respond("x", thread_id="t", tools=[])
        assert settled.text.startswith("tools is settled when a thread starts")


async def test_a_model_that_cannot_be_used_fails_the_call_and_leaves_no_thread(tmp_path: Path) -> None:
    class Gone(ScriptedModel):
        async def resolve(self) -> Resolved:
            raise ModelUnavailable("the server is down", "start it")

    session = session_with(tmp_path, Gone([says("Hello.")]))
    async with served(session) as caller:
        answer = await caller.respond("x", thread_id="t")
        assert (answer.failed, answer.text) == (True, "the server is down; start it")
        assert session.threads == []


async def test_a_turn_that_fails_is_an_error_with_what_there_is_of_it(tmp_path: Path) -> None:
    failing = ScriptedModel([[*says("Half a")[:1], ModelUnavailable("the server went away", "start it")]])
    async with served(session_with(tmp_path, failing)) as caller:
        answer = await caller.respond("x")
        assert answer.failed
        assert answer.text == "the server went away; start it\n\nHalf a"
        assert answer.content["receipt"]["errors"] == 1


async def test_a_reply_of_a_shape_is_parsed_and_one_that_has_it_not_is_an_error(tmp_path: Path) -> None:
    replies = [dump({"port": 8080, "state": "up"}).decode(), dump({"port": "many"}).decode(), "no JSON"]
    model = ScriptedModel([says(reply) for reply in replies])
    async with served(session_with(tmp_path, model)) as caller:
        right = await caller.respond("x", thread_id="t", schema=SHAPE)
        assert right.content["output"] == {"port": 8080, "state": "up"}
        assert model.requests[0].options.schema == SHAPE
        assert model.requests[0].options.max_tokens == 1024
        assert model.requests[0].tools == ()
        wrong = await caller.respond("x", thread_id="t", schema=SHAPE)
        assert wrong.text.startswith("the reply.port is not a whole number")
        assert (await caller.respond("x", thread_id="t", schema=SHAPE)).text.startswith("the reply is not JSON")
    plain = ScriptedModel([says("Hello.")], capabilities=frozenset({Capability.TOOLS}))
    async with served(session_with(tmp_path / "plain", plain)) as caller:
        assert "cannot be held to a schema" in (await caller.respond("x", schema=SHAPE)).text


async def test_threads_run_side_by_side_and_each_in_order(tmp_path: Path) -> None:
    reached = asyncio.Event()
    slow = ScriptedModel([[Hang(reached)]], name="fake:slow")
    quick = ScriptedModel([says("Quick.")], name="fake:quick")
    session = session_with(tmp_path, slow, quick)
    async with served(session) as caller:
        first = asyncio.create_task(caller.respond("one", thread_id="slow", model="fake:slow"))
        await reached.wait()
        second = asyncio.create_task(caller.respond("two", thread_id="slow"))
        beside = await caller.respond("three", thread_id="quick", model="fake:quick")
        assert beside.text == "Quick."
        assert not first.done()
        assert len(slow.requests) == 1  # the second waits for the first
        slow.answers.append(says("Now."))
        first.cancel()
        assert (await second).text == "Now."
        assert (await second).content["receipt"]["turn"] == 2


async def test_the_least_recently_used_thread_gives_way(tmp_path: Path) -> None:
    settings = Settings.model_validate({"mcp": {"maxThreads": 2}})
    reached = asyncio.Event()
    busy = ScriptedModel([[Hang(reached)]], name="fake:busy")
    session = session_with(tmp_path, ScriptedModel([says("Hello.")]), busy, settings=settings)
    async with served(session) as caller:
        for name in ("a", "b", "a", "c"):
            assert not (await caller.respond("x", thread_id=name)).failed
        closed = await caller.call("close_thread", thread_id="b")
        assert closed.text == "the thread b was evicted"
        assert len(session.threads) == 2
        assert (await caller.call("close_thread", thread_id="a")).content == {
            "thread_id": "a",
            "state": "closed",
            "turns": 2,
        }
        again = await caller.respond("x", thread_id="a")
        assert (again.content["created"], again.content["receipt"]["turn"]) == (True, 1)
        await caller.call("close_thread", thread_id="c")
        running = asyncio.create_task(caller.respond("x", thread_id="busy", model="fake:busy"))
        await reached.wait()
        await caller.respond("x", thread_id="d")
        assert (await caller.call("close_thread", thread_id="a")).text == "the thread a was evicted"
        running.cancel()


async def test_a_turn_that_condensed_says_so_with_the_figures(tmp_path: Path) -> None:
    async with served(session_with(tmp_path, harbour_model())) as caller:
        answers = [await caller.respond("where is the next boat?", thread_id="t") for _ in range(8)]
        condensed = next(answer.content for answer in answers if answer.content["condensed"])
        assert condensed["receipt"]["condensed"] is True
        assert condensed["contextNote"].startswith("condensed ")
        assert " → " in condensed["contextNote"]
        assert answers[0].content["contextNote"] is None


def test_a_notification_says_whether_it_was_shown_and_by_what() -> None:
    shown = notification_shape({"title": "wisp", "body": "done", "shownBy": "the system", "time": "now"})
    assert (shown["outcome"], shown["route"], shown["reason"]) == ("shown", "the system", None)
    unseen = notification_shape({"title": "wisp", "body": "done", "shownBy": None, "time": "now"})
    assert (unseen["outcome"], unseen["reason"]) == ("not shown", "nothing here shows notifications")


async def test_with_the_assessment_on_a_callers_task_stands_and_its_context_shows_what_was_sent(tmp_path: Path) -> None:
    model = ScriptedModel([says("It is a boat.")])
    session = session_with(tmp_path, model, settings=Settings.model_validate({"assessment": {"enabled": True}}))
    async with served(session) as caller:
        answer = await caller.respond(
            "New task: say what a.md is about",
            thread_id="boats",
            task="look after the boats",
            tools=["read_file", "ask"],
        )
        assert answer.text == "It is a boat."
        shown = await caller.read("wisp://threads/boats/context/1")
    (request,) = model.requests
    assert ([tool.name for tool in request.tools], request.named) == (["read_file"], ("ask",))
    assert request.messages[-2].content.splitlines()[1:] == [
        "- task: look after the boats — from the caller",
        "Tools for this request: read_file.",
    ]
    assert "- ask: ask the person a question" in shown
    assert "Tools for this request: read_file." in shown
    assert "run_command" not in shown
