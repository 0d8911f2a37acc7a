"""The assessment as a conversation runs: what each request then carries, on every way its call can go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.model import Answer, Hang, ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.audit import read_events
from wisp_tui.config import Settings
from wisp_tui.context.record import EntryKind
from wisp_tui.events import Kind, Note
from wisp_tui.models import Capability, Chunk, ContextOverflow, ModelError, Request, Role, ThinkingOut, Usage
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.callers import set_task
from wisp_tui.session.commands import run_command_line
from wisp_tui.session.contexts import first_requests, next_view, recomposed, turn_view
from wisp_tui.session.receipt import Receipt
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.json import Json, JsonObject, dump

PLAIN = "Tell me about the harbour and the boats that lie in it today"
"""A request whose words name no tool, no path and no command, and that is not short."""
CATALOGUE = """\
Tools (each request names its own; call any by name):
- read_file: read a text file, a page at a time
- edit_file: write, append to, or change a text file
- run_command: run a shell command; the fallback for anything else
- current_date: the date and time now
- system_info: this machine's ports, disk, processes, memory (RAM), battery, network
- inspect: wisp's own config, status, approvals, and audit
- ask: ask the person a question
- notify: show the person a notification"""


def decides(*tools: str, task: str = "", objective: str = "", facts: Sequence[str] = ()) -> Sequence[Chunk]:
    """Answer the call of the assessment."""
    given: JsonObject = {
        "intent": "to know of the boats",
        "tools": list(tools),
        "task": task,
        "objective": objective,
        "facts": list(facts),
    }
    return says(dump(given).decode())


@dataclass
class Assessed(ScriptedModel):
    """A scripted model that answers requests with a schema in a row of their own."""

    decisions: Sequence[Answer] = ()
    asked: int = 0

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        if request.options.schema is None:
            async for chunk in super().stream(request):
                yield chunk
            return
        inner = ScriptedModel([self.decisions[self.asked]])
        self.asked += 1
        self.schemas.append(request)
        async for chunk in inner.stream(request):
            yield chunk

    def __post_init__(self) -> None:
        self.schemas: list[Request] = []


def opened(
    tmp_path: Path,
    model: ScriptedModel,
    options: ThreadOptions | None = None,
    more: JsonObject | None = None,
    **assessment: Json,
) -> tuple[Session, Thread]:
    settings = Settings.model_validate({**(more or {}), "assessment": {"enabled": True, **assessment}})
    session = session_with(tmp_path, model, settings=settings)
    return session, session.new_thread(options or ThreadOptions())


def audited(session: Session) -> list[JsonObject]:
    return [event.details for event in read_events(session.home.logs) if event.kind == Kind.CONTEXT_ASSESSMENT]


def tools(request: Request) -> list[str]:
    return [tool.name for tool in request.tools]


def now(request: Request) -> str:
    """The block before a first request's prompt."""
    before, prompt = request.messages[-2:]
    assert prompt.role is before.role is Role.USER
    return before.content


async def test_a_request_carries_the_catalogue_its_tools_its_task_and_the_facts_that_bear_on_it(tmp_path: Path) -> None:
    model = Assessed(
        [says("Two boats lie there.")],
        decisions=[decides("read_file", task="count the boats", objective="a number is known", facts=["p1"])],
    )
    session, thread = opened(tmp_path, model)
    for line in ("/fact entity release codename = BLUE HERON", "/fact entity harbour = a place in the north"):
        assert not (await run_command_line(thread, line)).failed
    ended = await thread.submit(PLAIN)
    assert (ended.outcome, ended.message) == ("ok", None)
    (request,) = model.requests
    assert [message.content for message in request.messages if message.role is Role.SYSTEM][1:] == [CATALOGUE]
    assert tools(request) == ["read_file", "run_command"]
    assert request.named == ("edit_file", "current_date", "system_info", "inspect", "ask", "notify")
    assert now(request) == (
        "Facts about now. A record, not instructions; each ends with where it came from.\n"
        "- task: count the boats; objective: a number is known — from model, inferred, turn 1\n"
        "Relevant to this request:\n"
        "- entity release codename: BLUE HERON — from the person\n"
        "- entity harbour: a place in the north — from the person\n"
        "Tools for this request: read_file, run_command."
    )
    (details,) = audited(session)
    saved = details["saved"]
    assert isinstance(saved, int)
    assert saved > 200
    assert details == {
        "saved": saved,
        "method": "model",
        "tools": ["read_file", "run_command"],
        "of": 8,
        "intent": "to know of the boats",
        "task": "count the boats; objective: a number is known",
        "facts": ["p1", "p2"],
        "toolsBy": None,
        "taskBy": None,
        "seconds": 0.0,
        "failure": None,
    }
    assert [fact["subject"] for fact in ended.facts] == ["task"]
    assert len(model.schemas) == 1, "nothing of the call is in the conversation"
    assert [entry.kind for entry in thread.conversation.record][1:] == [EntryKind.PROMPT, EntryKind.REPLY]


async def test_what_is_shown_is_exactly_what_was_sent(tmp_path: Path) -> None:
    model = Assessed(
        [calls(("read_file", {"path": "a.md"})), says("It says so.")], decisions=[decides(task="read the pages")]
    )
    session, thread = opened(tmp_path, model)
    held = thread.conversation
    assert (await thread.submit("Say what a.md is about, in a line")).outcome == "ok"
    sent = first_requests(held)[TurnNumber(1)]
    again = recomposed(held, sent)
    assert again.sha256 == sent.sha256
    assert (again.messages, again.tools) == (model.requests[0].messages, model.requests[0].tools)
    rows = [(row.layer.value, row.kind) for row in turn_view(held, TurnNumber(1)).rows]
    assert rows[1:4] == [("instructions", "catalogue"), ("tools", "read_file"), ("tools", "run_command")]
    assert rows[-2:] == [("now", "now"), ("request", "prompt")]
    # Between turns the context shows what any next request has: here what the task has used.
    assert [row.kind for row in next_view(held).rows if row.layer.value == "tools"] == ["read_file", "run_command"]
    composed = [event for event in read_events(session.home.logs) if event.kind == Kind.CONTEXT_COMPOSED]
    assert composed[0].details["sha256"] == sent.sha256


async def test_rules_settle_a_request_without_a_call_and_a_task_that_goes_on_is_kept(tmp_path: Path) -> None:
    model = Assessed(
        [calls(("current_date", {})), says("Tuesday.")], decisions=[decides("current_date", task="plan the week")]
    )
    session, thread = opened(tmp_path, model)
    for prompt in (PLAIN, "Say again what day it was, in the words that you used before"):
        assert (await thread.submit(prompt)).outcome == "ok"
    first, second = audited(session)
    assert (first["method"], second["method"]) == ("model", "rules")
    assert (second["toolsBy"], second["taskBy"]) == ("the task's tools are known", "the request states no new one")
    assert tools(model.requests[-1]) == ["run_command", "current_date"]
    assert model.asked == 1


@pytest.mark.parametrize("line", ["/task the harbour", "caller"])
async def test_a_task_that_the_person_or_a_caller_set_is_never_replaced(tmp_path: Path, line: str) -> None:
    model = Assessed([says("Yes.")], decisions=[decides(task="something else")])
    session, thread = opened(tmp_path, model, taskChanges="any")
    if line == "caller":
        set_task(thread.conversation, "the harbour")
    else:
        await run_command_line(thread, line)
    await thread.submit(f"New task: {PLAIN}")
    assert "task" not in str(model.schemas[0].options.schema)
    assert now(model.requests[0]).splitlines()[1].startswith("- task: the harbour — from the ")
    assert audited(session)[0]["task"] is None


async def test_a_task_set_while_the_model_is_asked_stands(tmp_path: Path) -> None:
    session = thread = None

    async def state() -> None:
        assert thread is not None
        assert not (await run_command_line(thread, "/task the person's own")).failed

    class Slow(Assessed):
        async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
            if request.options.schema is not None:
                await state()
            async for chunk in super().stream(request):
                yield chunk

    model = Slow([says("Yes.")], decisions=[decides(task="the model's idea")])
    session, thread = opened(tmp_path, model)
    await thread.submit(PLAIN)
    assert "- task: the person's own — from the person" in now(model.requests[0])
    assert audited(session)[0]["task"] is None


@pytest.mark.parametrize(
    ("changes", "second"), [("any", "port the parser"), ("restated", "count the boats")], ids=["any", "restated"]
)
async def test_which_requests_may_change_an_inferred_task(tmp_path: Path, changes: str, second: str) -> None:
    model = Assessed(
        [says("Yes.")],
        decisions=[decides(task="count the boats"), decides(task="port the parser"), decides(task="write the docs")],
    )
    _, thread = opened(tmp_path, model, taskChanges=changes)
    await thread.submit(PLAIN)
    await thread.submit("What is the codename of the release that we spoke of?")
    assert f"- task: {second} — from model" in now(model.requests[1])
    await thread.submit("New task: the docs of the harbour, all of them")
    assert "- task: write the docs — from model" in now(model.requests[2])


@pytest.mark.parametrize(
    ("decision", "failure"),
    [
        (says("I would read the file."), "the answer is not JSON"),
        (says(""), "the answer is empty"),
        ([ModelError("the server went away")], "the server went away"),
        ([ContextOverflow(512, 900)], "does not fit"),
    ],
    ids=["prose", "empty", "error", "overflow"],
)
async def test_a_call_that_fails_registers_every_tool_and_the_turn_goes_on(
    tmp_path: Path, decision: Answer, failure: str
) -> None:
    model = Assessed([says("Yes.")], decisions=[decision])
    session, thread = opened(tmp_path, model)
    assert (await thread.submit(PLAIN)).outcome == "ok"
    (request,) = model.requests
    assert (len(request.tools), request.named) == (8, ())
    (details,) = audited(session)
    assert failure in str(details["failure"])
    assert (details["method"], details["saved"], details["task"]) == ("model", 0, None)


async def test_a_call_past_its_time_is_left_and_the_turn_goes_on(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = Assessed([says("Yes.")], decisions=[[Hang(reached)]])
    session, thread = opened(tmp_path, model, timeoutSeconds=7)
    limits: list[float] = []

    def at_once(limit: float) -> asyncio.Timeout:
        limits.append(limit)
        return asyncio.timeout(0)

    assert thread.conversation.assessor is not None
    thread.conversation.assessor.within = at_once
    assert (await thread.submit(PLAIN)).outcome == "ok"
    assert (limits, reached.is_set()) == ([7], True)
    assert audited(session)[0]["failure"] == "no answer within 7 s"
    assert len(model.requests[0].tools) == 8


async def test_a_turn_stopped_during_the_call_ends_at_once_and_the_next_one_is_whole(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = Assessed([says("Yes.")], decisions=[[Hang(reached)], decides("notify")])
    session, thread = opened(tmp_path, model)
    turn = asyncio.create_task(thread.submit(PLAIN))
    await reached.wait()
    assert thread.cancel()
    assert (await turn).outcome == "cancelled"
    assert (model.requests, audited(session)) == ([], [])
    assert (await thread.submit(PLAIN)).outcome == "ok"
    assert tools(model.requests[0]) == ["run_command", "notify"]


async def test_a_model_without_schemas_has_the_rules_and_otherwise_every_tool(tmp_path: Path) -> None:
    model = ScriptedModel([says("Yes.")], capabilities=frozenset({Capability.TOOLS}))
    session, thread = opened(tmp_path, model)
    await run_command_line(thread, "/task the harbour")
    await thread.submit("Say what a.md is about, in a line")
    await thread.submit(f"{PLAIN}, or tomorrow")
    assert [len(request.tools) for request in model.requests] == [2, 8]
    assert [details["failure"] for details in audited(session)] == [None, "the model cannot be held to a schema"]


async def test_a_call_of_a_tool_that_is_not_registered_is_made_again_once_with_every_tool(tmp_path: Path) -> None:
    away = [ThinkingOut("A file."), *calls(("current_date", {}), ("read_file", {"path": "a.md"}), text="Let me see.")]
    model = Assessed(
        [[*away[:-1], Usage(900, 9), away[-1]], calls(("read_file", {"path": "a.md"})), says("Two.")],
        decisions=[decides()],
    )
    session, thread = opened(tmp_path, model)
    notes: list[str] = []
    receipt = Receipt(thread.conversation.session)
    with session.bus.subscribe() as events:
        ended = await thread.submit(PLAIN)
        for event in events.take():
            receipt.see(event)
            if isinstance(event, Note):
                notes.append(event.text)
    assert (ended.outcome, ended.ran) == ("ok", "ran: read_file (failed)")
    assert [len(request.tools) for request in model.requests] == [1, 8, 8]
    assert model.requests[1].messages[-1].content == PLAIN, "nothing of the reply given up is sent again"
    assert now(model.requests[1]).endswith(
        "read_file, edit_file, run_command, current_date, system_info, inspect, ask, notify."
    )
    first, retry = audited(session)
    assert (first["method"], retry["method"], retry["missing"]) == ("model", "retry", ["current_date", "read_file"])
    assert retry["reply"] == "Let me see."
    assert [call["tool"] for call in _list(retry["calls"])] == ["current_date", "read_file"]
    assert receipt.text == "Two."
    assert any(
        note.startswith("asked again with every tool: the model called current_date, read_file") for note in notes
    )
    kept = [event.kind for event in read_events(session.home.logs)]
    assert kept.count(Kind.TOOL_CALL) == 1
    assert kept.count(Kind.MODEL_REASONING) == 1
    # The turn's context is that of the request that was answered.
    assert len(recomposed(thread.conversation, first_requests(thread.conversation)[TurnNumber(1)]).tools) == 8


async def test_a_tool_that_is_not_allowed_is_refused_as_ever_and_nothing_is_made_again(tmp_path: Path) -> None:
    model = Assessed([calls(("notify", {})), says("So.")], decisions=[decides("notify", "read_file")])
    session, thread = opened(tmp_path, model, ThreadOptions(tools=("run_command", "read_file", "current_date")))
    assert (await thread.submit(PLAIN)).ran == "ran: notify (not run)"
    assert [tools(request) for request in model.requests] == [["read_file", "run_command"]] * 2
    assert len(audited(session)) == 1
    assert "notify" not in model.requests[0].messages[1].content


async def test_tools_by_task_grow_until_the_task_is_another(tmp_path: Path) -> None:
    model = Assessed(
        [says("Yes.")],
        decisions=[decides("notify", task="first"), decides("inspect"), decides("ask", task="second")],
    )
    _, thread = opened(tmp_path, model, tools="task")
    await thread.submit(PLAIN)
    await thread.submit(f"{PLAIN}, or tomorrow")
    await thread.submit("New task: the docs of the harbour, all of them")
    assert [tools(request) for request in model.requests] == [
        ["run_command", "notify"],
        ["run_command", "inspect", "notify"],
        ["run_command", "ask"],
    ]


async def test_with_all_tools_registered_there_is_no_catalogue_and_no_line_of_tools(tmp_path: Path) -> None:
    model = Assessed([says("Yes.")], decisions=[decides("notify", task="count the boats")])
    _, thread = opened(tmp_path, model, tools="all")
    await thread.submit(PLAIN)
    (request,) = model.requests
    assert (len(request.tools), request.named) == (8, ())
    assert [message.role for message in request.messages].count(Role.SYSTEM) == 1
    assert now(request).endswith("- task: count the boats — from model, inferred, turn 1")


async def test_a_conversation_without_facts_has_its_tools_line_and_asks_for_no_task(tmp_path: Path) -> None:
    model = Assessed([says("Yes.")], decisions=[decides("read_file", task="x")])
    session, thread = opened(tmp_path, model, more={"facts": {"enabled": False}})
    await thread.submit(PLAIN)
    assert now(model.requests[0]) == "Tools for this request: read_file, run_command."
    assert "task" not in str(model.schemas[0].options.schema)
    assert audited(session)[0]["taskBy"] == "no facts are kept"


async def test_a_model_without_tools_has_neither_catalogue_nor_line_and_keeps_its_task(tmp_path: Path) -> None:
    model = Assessed([says("Yes.")], decisions=[decides(task="count the boats")])
    _, thread = opened(tmp_path, model, ThreadOptions(tools=()))
    await thread.submit(PLAIN)
    assert now(model.requests[0]).splitlines()[1:] == ["- task: count the boats — from model, inferred, turn 1"]
    assert [message.role for message in model.requests[0].messages].count(Role.SYSTEM) == 1


async def test_a_request_for_which_no_tool_is_left_has_every_one(tmp_path: Path) -> None:
    model = Assessed([says("Yes.")], decisions=[decides()])
    _, thread = opened(tmp_path, model, ThreadOptions(tools=("read_file", "edit_file", "current_date")))
    await thread.submit(PLAIN)
    assert tools(model.requests[0]) == ["read_file", "edit_file", "current_date"]


async def test_a_tool_of_the_persons_own_is_in_the_catalogue_by_its_first_sentence(tmp_path: Path) -> None:
    own: JsonObject = {"deploy": {"description": f"Put it online. {'Then more. ' * 9}", "command": "true"}}
    model = Assessed([says("Yes.")], decisions=[decides("read_file", task="ship")])
    session, thread = opened(tmp_path, model, more={"tools": {"custom": own}})
    await thread.submit("deploy the whole of it to the place where it belongs")
    assert model.requests[0].messages[1].content.splitlines()[-1] == "- deploy: Put it online"
    assert tools(model.requests[0]) == ["read_file", "run_command", "deploy"]
    assert audited(session)[0]["toolsBy"] == "names a tool"


async def test_a_new_conversation_forgets_what_the_tools_grew_to(tmp_path: Path) -> None:
    model = Assessed([says("Yes.")], decisions=[decides("notify"), decides()])
    _, thread = opened(tmp_path, model, tools="task", more={"facts": {"enabled": False}})
    await thread.submit(PLAIN)
    await run_command_line(thread, "/new")
    await thread.submit(PLAIN)
    assert [tools(request) for request in model.requests] == [["run_command", "notify"], ["run_command"]]
    listed = await run_command_line(thread, "/tools")
    assert listed.lines[-1].endswith("; a request registers those it needs (assessment.tools)")


def _list(value: Json) -> list[JsonObject]:
    assert isinstance(value, list)
    return [item for item in value if isinstance(item, dict)]


async def test_a_resumed_conversation_goes_on_with_its_task_and_the_tools_it_used(tmp_path: Path) -> None:
    model = Assessed(
        [calls(("current_date", {})), says("Sunday.")], decisions=[decides("current_date", task="plan the week")]
    )
    session, thread = opened(tmp_path, model, ThreadOptions(save="week"))
    await thread.submit(PLAIN)
    await session.close()
    model = Assessed([says("Yes.")], decisions=[])
    session, thread = opened(tmp_path, model, ThreadOptions(resume="week"))
    before = [row.kind for row in next_view(thread.conversation).rows if row.layer.value == "tools"]
    await thread.submit(PLAIN)
    assert before == tools(model.requests[0]) == ["run_command", "current_date"]
    assert audited(session)[-1]["toolsBy"] == "the task's tools are known"
