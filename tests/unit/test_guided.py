"""Tools for a model that takes none: actions by schema, read as they come, whatever the model makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import session_with
from tests.fakes.tools import TOOLS
from wisp_tui.events import Note
from wisp_tui.models import (
    Capability,
    Chunk,
    Finished,
    Message,
    Options,
    Request,
    Role,
    TextDelta,
    ToolCall,
    ToolsUnsupported,
)
from wisp_tui.models.base import ToolDefinition
from wisp_tui.models.guided import GuidedModel
from wisp_tui.session import ThreadOptions
from wisp_tui.session.status import GitState, status_of
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import dump

SCHEMA_ONLY = frozenset({Capability.SCHEMA})
DEFINED = tuple(ToolDefinition(t.spec.name, t.spec.description, t.spec.parameters) for t in TOOLS.values())
ASKED = Request((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "hello")), DEFINED)


async def given_out(text: str, *, pieces: Sequence[str] | None = None, cut_off: bool = False) -> list[Chunk]:
    """Have a model write this; return what the guided one gives."""
    chunks: list[Chunk] = [TextDelta(piece) for piece in pieces or [text]]
    model = ScriptedModel([[*chunks, Finished("length" if cut_off else "stop", cut_off=cut_off)]], name="fake:plain")
    return [chunk async for chunk in GuidedModel(model).stream(ASKED)][:-1]


async def test_a_tools_action_is_a_call_with_the_tools_own_arguments() -> None:
    action = {"action": "read_file", "arguments": {"path": "a", "offset": 0, "command": "rm", "limit": None}}
    assert await given_out(dump(action).decode()) == [ToolCall("guided-1", "read_file", '{"path":"a"}')]
    assert await given_out('{"action":"current_date"}') == [ToolCall("guided-1", "current_date", "{}")]
    write = {"action": "edit_file", "arguments": {"path": "a", "action": "write", "text": ""}}
    (call,) = await given_out(dump(write).decode())
    assert isinstance(call, ToolCall)
    assert call.arguments == '{"path":"a","action":"write","text":""}'


@given(st.text(max_size=30), st.integers(1, 7))
async def test_an_answer_comes_out_as_it_is_written_however_it_is_cut_into_pieces(text: str, size: int) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        return
    import json

    for written in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
        whole = f'{{ "action":"reply", "reply": {written} }}'
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        chunks = await given_out("", pieces=pieces)
        assert "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta)) == text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"reply":"yes","action":"reply"}', [TextDelta("yes")]),
        ("Just words.", [TextDelta("Just words.")]),
        ('{"action":"reply","reply":"cut o', [TextDelta("cut o")]),
        ('{"action":"fly"}', [TextDelta('{"action":"fly"}')]),
        ("", []),
        (
            '{"action":"edit_file","arguments":{"path":"a","te',
            [ToolCall("guided-1", "edit_file", "{}", fault="it was cut off before its end")],
        ),
    ],
)
async def test_what_is_no_whole_action_is_no_call_that_runs(written: str, expected: list[Chunk]) -> None:
    assert await given_out(written, cut_off=True) == expected


async def test_the_model_is_told_the_tools_and_sees_calls_and_results_as_messages() -> None:
    inner = ScriptedModel([says('{"action":"reply","reply":"yes"}')])
    messages = (
        *ASKED.messages,
        Message(Role.ASSISTANT, "", (ToolCall("1", "read_file", '{"path":"a"}'),)),
        Message(Role.TOOL, "1\tx", answers="1", tool_name="read_file"),
    )
    model = GuidedModel(inner)
    assert [chunk async for chunk in model.stream(Request(messages, DEFINED))] == [TextDelta("yes"), Finished("stop")]
    (sent,) = inner.requests
    assert sent.tools == ()
    assert sent.messages[0].content.startswith("Be brief.\n\nYou act by writing one JSON object.")
    assert "\nread_file: Read a text file" in sent.messages[0].content
    assert [message.role for message in sent.messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    assert sent.messages[2].content == '{"action": "read_file", "arguments": {"path":"a"}}'
    assert sent.messages[3].content == "[read_file gave:]\n1\tx"
    assert sent.options.schema is not None
    schema = {"type": "object"}
    _ = [chunk async for chunk in model.stream(Request(messages, DEFINED, Options(schema=schema)))]
    assert inner.requests[1].options.schema == schema


async def test_a_conversation_runs_its_tools_by_guided_replies_and_says_so(tmp_path: Path) -> None:
    model = ScriptedModel(
        [
            says('{"action":"read_file","arguments":{"path":"notes"}}'),
            says('{"action":"reply","reply":"It says a."}'),
        ],
        capabilities=SCHEMA_ONLY,
    )
    thread = session_with(tmp_path, model).new_thread(ThreadOptions())
    (tmp_path / "work" / "notes").write_text("a\n")
    with thread.conversation.bus.subscribe() as events:
        ended = await thread.submit("What do the notes say?")
        notes = [event for event in events.take() if isinstance(event, Note)]
    assert (ended.outcome, ended.ran) == ("ok", "ran: read_file")
    assert "through guided replies" in str(notes[0])
    assert thread.conversation.record.entry(thread.conversation.record.active[-1].id).text == "It says a."
    assert status_of(thread.conversation, GitState(), None).guided


async def test_a_model_without_a_schema_is_plain_chat(tmp_path: Path) -> None:
    model = ScriptedModel([says("Hello.")], capabilities=frozenset())
    thread = session_with(tmp_path, model).new_thread(ThreadOptions())
    await thread.submit("Hello?")
    assert model.requests[0].tools == ()
    assert not status_of(thread.conversation, GitState(), None).guided


async def test_a_window_that_the_tools_would_fill_is_left_to_plain_chat(tmp_path: Path) -> None:
    model = ScriptedModel([says("Hello.")], window=1024, capabilities=SCHEMA_ONLY)
    thread = session_with(tmp_path, model).new_thread(ThreadOptions())
    with thread.conversation.bus.subscribe() as events:
        await thread.submit("Hello?")
        notes = str([event for event in events.take() if isinstance(event, Note)])
    assert model.requests[0].options.schema is None
    assert "its window of 1,024 tokens is too small for" in notes
    few = ScriptedModel([says('{"action":"reply","reply":"Hi."}')], window=1024, capabilities=SCHEMA_ONLY)
    thread = session_with(tmp_path, few).new_thread(ThreadOptions(tools=("current_date",)))
    await thread.submit("Hello?")
    assert few.requests[0].options.schema is not None


async def test_a_model_that_turns_out_to_refuse_tools_goes_on_by_guided_replies(tmp_path: Path) -> None:
    model = ScriptedModel(
        [
            [ToolsUnsupported(ModelId("fake:scripted"))],
            says('{"action":"current_date"}'),
            says('{"action":"reply","reply":"Sunday."}'),
        ]
    )
    thread = session_with(tmp_path, model).new_thread(ThreadOptions())
    for expected in ("ran: current_date", None):
        ended = await thread.submit("What day is it?")
        assert (ended.outcome, ended.ran) == ("ok", expected)
    assert [bool(request.tools) for request in model.requests] == [True, False, False, False]
    assert all(request.options.schema for request in model.requests[1:])


async def test_a_tool_that_is_only_named_can_be_called_and_its_definition_is_not_told() -> None:
    model = ScriptedModel([says('{"action":"notify","arguments":{"text":"x"}}')], name="fake:plain")
    told = (Message(Role.SYSTEM, "Be brief."), Message(Role.SYSTEM, "Tools: …"), Message(Role.USER, "hello"))
    request = Request(told, DEFINED[:1], named=("notify",))
    (call, _) = [chunk async for chunk in GuidedModel(model).stream(request)]
    assert call == ToolCall("guided-1", "notify", "{}")
    (sent,) = model.requests
    assert [message.role for message in sent.messages] == [Role.SYSTEM, Role.SYSTEM, Role.USER]
    assert sent.messages[1].content.startswith("Tools: …\n\nYou act by writing one JSON object."), "the rest stays put"
    assert sent.options.schema is not None
    properties = sent.options.schema["properties"]
    assert isinstance(properties, dict)
    assert properties["action"] == {"type": "string", "enum": ["reply", DEFINED[0].name, "notify"]}
