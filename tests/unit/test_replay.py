"""A replay plays its script exactly, every time, and says what is wrong with one that cannot be played."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.asking import calls, chunks, text, until_fault
from wisp_tui.models.base import (
    Capability,
    ContextOverflow,
    EmptyReply,
    Finished,
    Message,
    ModelError,
    ModelUnavailable,
    Options,
    PromptProgress,
    Request,
    Role,
    TextDelta,
    ThinkingOut,
    ToolCall,
    ToolDefinition,
    ToolsUnsupported,
    Usage,
)
from wisp_tui.models.replay import ReplayModel, estimate
from wisp_tui.models.replay_script import Header, Turn, fragments, read_script
from wisp_tui.models.tool_calls import CUT_OFF, NAMELESS, NOT_AN_OBJECT
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import Json, JsonObject, dump

ASK = Request((Message(Role.USER, "Hello?"),))
SCHEMA = Request(ASK.messages, options=Options(schema={"type": "object"}))


@pytest.fixture(name="path")
def script_path(tmp_path: Path) -> Path:
    return tmp_path / "script.jsonl"


def model(path: Path, *lines: Mapping[str, Json] | str) -> ReplayModel:
    path.write_text("\n".join(line if isinstance(line, str) else dump(line).decode() for line in lines), "utf-8")
    return ReplayModel(ModelId(f"replay:{path}"))


# Playing


async def test_each_request_takes_the_next_line_whatever_it_asks(path: Path) -> None:
    played = model(path, {"reply": "one"}, "", "# a remark", {"reply": "two"})
    assert [text(await chunks(played, ASK)) for _ in range(2)] == ["one", "two"]


async def test_a_script_plays_the_same_every_time(path: Path) -> None:
    lines: list[JsonObject] = [
        {"replay": 1, "chunks": "words", "usage": "estimate"},
        {"thinking": "hm", "reply": "a b c"},
        {"calls": [{"name": "f"}, {"name": "g"}]},
    ]
    first, second = model(path, *lines), model(path, *lines)
    for _ in range(2):
        assert await chunks(first, ASK) == await chunks(second, ASK)


async def test_past_its_end_it_says_which_turn_is_missing(path: Path) -> None:
    played = model(path, {"reply": "one"})
    await chunks(played, ASK)
    for _ in range(2):
        _, error = await until_fault(played, ASK)
        assert str(error) == f"the replay has no turn 2: {path} has 1"


async def test_a_turn_that_repeats_answers_all_that_follows(path: Path) -> None:
    played = model(path, {"reply": "one"}, {"reply": "again", "repeat": True}, {"reply": "never"})
    assert [text(await chunks(played, ASK)) for _ in range(4)] == ["one", "again", "again", "again"]


async def test_requests_with_a_schema_have_turns_of_their_own(path: Path) -> None:
    played = model(
        path, {"reply": "one"}, {"when": "schema", "reply": "{}"}, {"reply": "two"}, {"schema_reply": {"facts": []}}
    )
    asked = (ASK, SCHEMA, SCHEMA, ASK)
    assert [text(await chunks(played, request)) for request in asked] == ["one", "{}", '{"facts":[]}', "two"]
    _, error = await until_fault(played, SCHEMA)
    assert "no turn 3 for a request with a schema" in str(error)


async def test_a_turn_that_matches_the_last_user_message_answers_it_as_often_as_it_does(path: Path) -> None:
    played = model(path, {"reply": "one"}, {"match": "(?i)HARBOUR", "reply": "ships"}, {"reply": "two"})
    harbour = Request((Message(Role.USER, "no"), Message(Role.USER, "the harbour?"), Message(Role.TOOL, "x")))
    earlier = Request((Message(Role.USER, "the harbour?"), Message(Role.USER, "no")))
    asked = (harbour, ASK, harbour, earlier)
    assert [text(await chunks(played, request)) for request in asked] == ["ships", "one", "ships", "two"]


async def test_a_match_does_not_answer_across_the_line_between_schema_and_none(path: Path) -> None:
    played = model(path, {"match": "Hello", "reply": "hi"}, {"match": "Hello", "schema_reply": 1}, {"reply": "never"})
    assert text(await chunks(played, SCHEMA)) == "1"
    assert text(await chunks(played, ASK)) == "hi"


@pytest.mark.parametrize("pieces", [1, 2, 5, 400])
async def test_a_text_comes_in_as_many_fragments_as_the_turn_says(path: Path, pieces: int) -> None:
    words = "Grüße aus 世界, dem 🌍"
    found = await chunks(model(path, {"reply": words, "chunks": pieces}), ASK)
    assert text(found) == words
    assert sum(isinstance(chunk, TextDelta) for chunk in found) == min(pieces, len(words))


async def test_a_text_can_come_word_by_word(path: Path) -> None:
    found = await chunks(model(path, {"replay": 1, "chunks": "words"}, {"reply": "one two\n\n  three "}), ASK)
    assert [chunk.text for chunk in found if isinstance(chunk, TextDelta)] == ["one ", "two\n", "\n  three "]


@given(words=st.text(), pieces=st.integers(1, 50))
def test_fragments_joined_are_the_text(words: str, pieces: int) -> None:
    for found in (fragments(words, pieces), fragments(words, "words")):
        assert "".join(found) == words
        assert all(found)


async def test_thinking_text_calls_usage_and_end_come_in_order(path: Path) -> None:
    line: JsonObject = {
        "progress": [100, 250],
        "thinking": "Hm.",
        "reply": "Well,",
        "calls": [{"name": "read_file", "arguments": {"path": "a"}}],
        "usage": {"input": 250, "output": 9, "cached": 100, "reasoning": 3},
    }
    assert await chunks(model(path, line), ASK) == [
        PromptProgress(100, 250),
        PromptProgress(250, 250),
        ThinkingOut("Hm."),
        TextDelta("Well,"),
        ToolCall("call-1", "read_file", '{"path":"a"}'),
        Usage(250, 9, 100, 3),
        Finished("tool_calls"),
    ]


async def test_ids_of_calls_are_new_in_their_conversation(path: Path) -> None:
    played = model(path, {"calls": [{"name": "f"}, {"name": "g", "id": "mine"}]})
    history = Message(Role.ASSISTANT, "", (ToolCall("call-1", "f", "{}"), ToolCall("call-3", "f", "{}")))
    found = await chunks(played, Request((history, Message(Role.USER, "go"))))
    assert [call.id for call in calls(found)] == ["call-2", "mine"]


@pytest.mark.parametrize(
    ("call", "cut_off", "fault"),
    [
        ({"name": "f", "arguments": '{"path":"a","text":"ab'}, True, CUT_OFF),
        ({"name": "f", "arguments": "[1]"}, False, NOT_AN_OBJECT),
        ({"name": ""}, False, NAMELESS),
        ({"name": "f", "fault": "it is broken"}, False, "it is broken"),
        ({"name": "f", "arguments": '{"path":"a"}'}, False, None),
    ],
)
async def test_a_faulty_call_has_the_fault_an_adapter_finds(
    path: Path, call: JsonObject, cut_off: bool, fault: str | None
) -> None:
    found = await chunks(model(path, {"calls": [call], "cut_off": cut_off}), ASK)
    assert [made.fault for made in calls(found)] == [fault]


async def test_no_usage_is_reported_unless_the_script_says_so(path: Path) -> None:
    assert not any(isinstance(chunk, Usage) for chunk in await chunks(model(path, {"reply": "x"}), ASK))


async def test_an_estimated_usage_counts_everything_the_request_carries(path: Path) -> None:
    played = model(path, {"replay": 1, "usage": "estimate"}, {"reply": "x" * 400})
    tool = ToolDefinition("f", "d" * 400, {"type": "object"})
    request = Request(
        (Message(Role.USER, "ü" * 200), Message(Role.ASSISTANT, "", (ToolCall("a", "f", "1" * 40),))), (tool,)
    )
    assert Usage(estimate(request), 100) in await chunks(played, request)
    assert estimate(request) == (400 + 40 + 401 + len('{"type":"object"}')) // 4


async def test_a_turn_cut_off_ends_for_want_of_room(path: Path) -> None:
    assert (await chunks(model(path, {"reply": "x", "cut_off": True}), ASK))[-1] == Finished("length", cut_off=True)
    assert (await chunks(model(path, {"reply": "x", "finish": "odd"}), ASK))[-1] == Finished("odd")


async def test_a_turn_that_hangs_ends_when_it_is_cancelled(path: Path) -> None:
    played = model(path, {"reply": "First", "hang": True})
    found: list[object] = []
    first = asyncio.Event()

    async def ask() -> None:
        async with aclosing(played.stream(ASK)) as stream:
            async for chunk in stream:
                found.append(chunk)
                first.set()

    task = asyncio.create_task(ask())
    async with asyncio.timeout(5):
        await first.wait()
        assert not task.done()
        task.cancel()
        await asyncio.wait([task])
    assert task.cancelled()
    assert found == [TextDelta("First")]


# Failing as scripted


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ({"error": "the model burst"}, ModelError, "the model burst"),
        ({"unavailable": {"reason": "down", "remedy": "up"}}, ModelUnavailable, "down; up"),
        ({"no_tools": True}, ToolsUnsupported, "does not take tools"),
        ({"overflow": {"limit": 8192, "count": 8913}}, ContextOverflow, "8,913 tokens for a window of 8,192"),
        ({"overflow": {}}, ContextOverflow, "does not fit"),
        ({}, EmptyReply, "empty reply"),
        ({"reply": " \n"}, EmptyReply, "empty reply"),
        ({"thinking": "hm"}, EmptyReply, "thought but gave no answer"),
    ],
)
async def test_a_turn_can_fail_in_every_way_a_runtime_does(
    path: Path, line: JsonObject, kind: type[ModelError], words: str
) -> None:
    _, error = await until_fault(model(path, line), ASK)
    assert type(error) is kind
    assert words in str(error)


async def test_what_a_failing_turn_says_comes_before_its_fault(path: Path) -> None:
    found, error = await until_fault(model(path, {"reply": "Half a", "error": "gone"}), ASK)
    assert (found, str(error)) == ([TextDelta("Half a")], "gone")


async def test_an_unavailable_replay_cannot_be_resolved(path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="down; wait"):
        await model(path, {"replay": 1, "unavailable": {"reason": "down", "remedy": "wait"}}).resolve()


# What it says of itself


async def test_it_says_that_it_is_a_replay(path: Path) -> None:
    found = await model(path, {"replay": 1, "name": "demo", "window": 4096}, {"reply": "x"}).resolve()
    assert found.remark == f"demo: this is a replay of {path}, not a model"
    assert (found.window, found.window_source) == (4096, "as the replay says")


async def test_a_script_without_a_header_can_say_its_window_in_a_turn(path: Path) -> None:
    assert (await model(path, {"reply": "x"}, {"reply": "y", "window": 2048}).resolve()).window == 2048
    assert (await model(path, {"reply": "x"}).resolve()).window is None


async def test_what_it_can_do_is_what_its_header_says_or_what_it_has_turns_for(path: Path) -> None:
    assert (await model(path, {"reply": "x"}).resolve()).capabilities == {Capability.TOOLS}
    both = model(path, {"schema_reply": {}})
    assert (await both.resolve()).capabilities == {Capability.TOOLS, Capability.SCHEMA}
    told = model(path, {"replay": 1, "capabilities": ["counts", "refuses-overflow"]})
    assert (await told.resolve()).capabilities == {Capability.COUNTS, Capability.REFUSES_OVERFLOW}


async def test_it_counts_when_its_header_says_so(path: Path) -> None:
    assert await model(path, {"replay": 1, "capabilities": ["counts"]}).count(ASK) == estimate(ASK)
    assert await model(path, {"reply": "x"}).count(ASK) is None


# Scripts that cannot be played


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (['{"reply":"a"}', '{"reply":'], "line 2 is not a JSON object"),
        (["", "[1]"], "line 2 is not a JSON object"),
        (['{"replies":"a"}'], "line 1: replies: extra inputs are not permitted"),
        (['{"reply":7}'], "line 1: reply: "),
        (['{"chunks":0}'], "line 1: chunks"),
        (['{"pause":-1}'], "line 1: pause: "),
        (['{"match":"("}'], "line 1: match: not a regular expression"),
        (['{"reply":"a","schema_reply":{}}'], "line 1: reply and schema_reply exclude each other"),
        (['{"calls":[{"arguments":{}}]}'], "line 1: calls.0.name: field required"),
        (['{"replay":2}'], "line 1: replay: "),
        (['{"replay":1,"capabilities":["flight"]}'], "line 1: capabilities.0: "),
        (['{"reply":"a"}', '{"replay":1}'], "a header, if there is one, is the first line"),
        (['{"replay":1}', '{"replay":1}'], "and the only one"),
    ],
)
async def test_a_malformed_script_names_its_line_and_the_reason(path: Path, lines: list[str], reason: str) -> None:
    with pytest.raises(ModelUnavailable, match=re.escape(reason)) as caught:
        await model(path, *lines).resolve()
    assert caught.value.reason.startswith(f"the replay {path} is malformed: ")


async def test_a_script_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="No such file"):
        await ReplayModel(ModelId(f"replay:{path}")).resolve()


def test_bytes_that_are_no_text_are_refused_by_their_line(path: Path) -> None:
    path.write_bytes(b'{"reply":"\xff"}')
    with pytest.raises(ModelUnavailable, match="line 1"):
        read_script(path)


def test_a_mark_of_byte_order_before_the_first_line_is_skipped(path: Path) -> None:
    path.write_bytes(b'\xef\xbb\xbf{"replay":1,"window":512}\r\n{"reply":"x"}\r\n')
    script = read_script(path)
    assert (script.window, len(script.turns)) == (512, 1)


# Its page


def _page() -> str:
    return (Path(__file__).parents[2] / "docs" / "replay.md").read_text("utf-8")


def test_every_field_is_in_the_page_and_the_page_names_no_other() -> None:
    named = set(re.findall(r"^\| (`.*?`) \|", _page(), re.MULTILINE))
    fields = {name for cell in named for name in re.findall(r"`(\w+)`", cell)}
    assert fields == (set(Header.model_fields) | set(Turn.model_fields)) - {"replay"}


def test_the_scripts_in_the_page_can_be_played(path: Path) -> None:
    blocks = re.findall(r"(?:^    [{#].*\n)+", _page(), re.MULTILINE)
    for block in blocks:
        path.write_text(re.sub(r"^ {4}", "", block, flags=re.MULTILINE), "utf-8")
        assert read_script(path).turns
    assert len(blocks) == 2
