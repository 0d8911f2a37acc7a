"""What a chat-completions server streams, and what is made of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import pytest

from tests.fakes.asking import calls, chunks, text, until_fault
from tests.fakes.chat_server import (
    DONE,
    Drop,
    FakeChatServer,
    Hang,
    Piece,
    Raw,
    Script,
    Wire,
    delta,
    ended,
    event,
    fragment,
    progress,
    said,
    used,
)
from wisp_tui.config.settings import Settings
from wisp_tui.models.base import (
    Chunk,
    EmptyReply,
    Finished,
    Message,
    ModelError,
    Options,
    PromptProgress,
    Request,
    Role,
    TextDelta,
    ThinkingOut,
    ToolCall,
    ToolDefinition,
    Usage,
)
from wisp_tui.models.chat_completions import ChatCompletionsModel, chat_model
from wisp_tui.models.fields import obj, objects
from wisp_tui.models.tool_calls import CUT_OFF, NOT_AN_OBJECT
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import JsonObject

ASK = Request((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Hello?")))
READ = ToolDefinition("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})


def model(fake: FakeChatServer, name: str = "openai:m") -> ChatCompletionsModel:
    runtime = name.partition(":")[0]
    return chat_model(ModelId(name), Settings.model_validate({runtime: {"host": fake.address}}), {})


async def reply(script: Script, request: Request = ASK, name: str = "openai:m") -> list[Chunk]:
    async with FakeChatServer(script) as fake:
        asked = model(fake, name)
        try:
            return await chunks(asked, request)
        finally:
            await asked.close()


async def failure(script: Script, request: Request = ASK) -> tuple[list[Chunk], ModelError]:
    async with FakeChatServer(script) as fake:
        return await until_fault(model(fake), request)


async def test_a_reply_streams_as_it_comes_and_ends_with_its_usage_and_reason() -> None:
    found = await reply((said("Hel"), said("lo"), ended(), used(12, 2), DONE))
    assert found == [TextDelta("Hel"), TextDelta("lo"), Usage(12, 2), Finished("stop")]


@pytest.mark.parametrize(
    ("last", "kept"),
    [
        (used(9, 3), Usage(9, 3)),
        (used(9, 3, prompt_tokens_details={"cached_tokens": 8}), Usage(9, 3, cached=8)),
        (used(9, 3, completion_tokens_details={"reasoning_tokens": 2}), Usage(9, 3, reasoning=2)),
        ({"usage": {"prompt_tokens": 9}}, Usage(9)),
        ({"choices": [], "timings": {"prompt_n": 4, "cache_n": 5, "predicted_n": 3}}, Usage(9, 3, cached=5)),
        ({"choices": [], "usage": None, "timings": None}, None),
        (used(0, 0), Usage(None, 0)),
        (used(-1, 3), Usage(None, 3)),
        ({"choices": [], "usage": {"prompt_tokens": "9", "completion_tokens": True}}, None),
    ],
)
async def test_usage_without_choices_is_kept_and_what_is_missing_is_unknown(
    last: JsonObject, kept: Usage | None
) -> None:
    found = await reply((said("Hi"), ended(), last, DONE))
    assert [chunk for chunk in found if isinstance(chunk, Usage)] == ([kept] if kept else [])


async def test_usage_on_every_event_counts_once_the_last_of_it() -> None:
    first, last = said("a"), said("b")
    found = await reply(
        (
            {**first, "usage": {"prompt_tokens": 7, "completion_tokens": 1}},
            {**last, "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
            {**ended(), "usage": {"prompt_tokens": 0, "completion_tokens": 2}},
            DONE,
        )
    )
    assert [chunk for chunk in found if isinstance(chunk, Usage)] == [Usage(7, 2)]


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": []},
        {"choices": None},
        {},
        {"choices": [{"index": 0}]},
        {"choices": [{"index": 0, "delta": None, "finish_reason": None}]},
        {"choices": [{"delta": {"role": "assistant", "content": None}}]},
        {"choices": ["x", 3]},
        {"choices": [{"delta": {"content": 7, "tool_calls": None, "reasoning": {"a": 1}}}]},
        Raw(b": keep-alive\n\n"),
        Raw(b"data: \n\n"),
        Raw(b"data: {broken\n\n"),
        Raw(b"data: [1, 2]\n\n"),
        Raw(b"event: ping\nid: 7\nretry: 10\n\n"),
    ],
)
async def test_an_event_that_says_nothing_is_skipped(odd: JsonObject | Raw) -> None:
    assert text(await reply((odd, said("Hi"), odd, ended(), DONE))) == "Hi"


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
async def test_thinking_is_told_from_the_reply(name: str) -> None:
    found = await reply((delta(**{name: "hm"}), delta(content=None, **{name: "..."}), said("Yes"), ended(), DONE))
    assert found == [ThinkingOut("hm"), ThinkingOut("..."), TextDelta("Yes"), Finished("stop")]


async def test_thinking_sent_under_both_names_counts_once() -> None:
    found = await reply((delta(reasoning="hm", reasoning_content="hm"), said("Yes"), ended(), DONE))
    assert [chunk for chunk in found if isinstance(chunk, ThinkingOut)] == [ThinkingOut("hm")]


async def test_content_in_typed_parts_is_read() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "Yes"}]
    assert await reply((delta(content=parts), ended(), DONE)) == [
        ThinkingOut("hm"), TextDelta("Yes"), Finished("stop"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("script", "thinking"),
    [
        ((), False),
        ((DONE,), False),
        ((ended(), DONE), False),
        ((said(""), said(" \n"), ended(), DONE), False),
        ((delta(reasoning_content="hm"), ended(), DONE), True),
        ((delta(reasoning="hm"), said("\n"), ended("length"), DONE), True),
    ],
)
async def test_a_reply_without_text_and_calls_is_a_fault_after_its_usage(
    script: Sequence[Piece], *, thinking: bool
) -> None:
    found, error = await failure((used(5, 0), *script))
    assert isinstance(error, EmptyReply)
    assert error.thinking is thinking
    assert Usage(5, 0) in found


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "length"])
async def test_parallel_calls_under_one_index_are_told_apart_by_their_ids(reason: str) -> None:
    found = await reply(
        (
            fragment(0, "a", "read_file", '{"path":'),
            fragment(0, None, None, '"x"}'),
            fragment(0, "b", "read_file", '{"path":"y"}'),
            ended(reason),
            DONE,
        )
    )
    assert calls(found) == [
        ToolCall("a", "read_file", '{"path":"x"}'),
        ToolCall("b", "read_file", '{"path":"y"}'),
    ]
    assert Finished(reason, reason == "length") in found


async def test_calls_run_whatever_the_reason_says_also_beside_text() -> None:
    found = await reply((said("I look."), fragment(0, "a", "read_file", "{}"), ended(), DONE))
    assert text(found) == "I look."
    assert calls(found) == [ToolCall("a", "read_file", "{}")]


@pytest.mark.parametrize(
    "arguments", ['{"path":"a","text":"ab', '{"path":"a"', "{", '{"path":', '{"a":[1,2', '{"a":tr']
)
@pytest.mark.parametrize(
    "end", [(ended("tool_calls"), DONE), (ended("length"), DONE), (ended("stop"), DONE), (), (Drop(),)]
)
async def test_arguments_that_are_cut_off_are_a_fault_and_stay_as_they_came(
    arguments: str, end: Sequence[Piece]
) -> None:
    found = await reply((fragment(0, "a", "read_file", arguments), *end))
    assert calls(found) == [ToolCall("a", "read_file", arguments, CUT_OFF)]


async def test_a_call_cut_off_leaves_the_one_before_it_whole() -> None:
    found = await reply((fragment(0, "a", "f", '{"x":1}'), fragment(1, "b", "g", '{"y"'), Drop()))
    assert [(call.id, call.fault) for call in calls(found)] == [("a", None), ("b", CUT_OFF)]
    assert found[-1] == Finished(None, cut_off=True)


@pytest.mark.parametrize("arguments", ["[]", '"a"', "3", "null", "{} {}", "{'a': 1}", "path=a", '{"a":1,}'])
async def test_arguments_that_are_no_json_object_are_a_fault(arguments: str) -> None:
    found = await reply((fragment(0, "a", "read_file", arguments), ended("tool_calls"), DONE))
    assert calls(found) == [ToolCall("a", "read_file", arguments, NOT_AN_OBJECT)]


async def test_the_schema_greed_and_limit_of_a_request_are_sent() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    async with FakeChatServer() as fake:
        options = Options(schema=schema, max_tokens=9, greedy=True)
        await chunks(model(fake), Request(ASK.messages, (READ,), options))
    (body,) = fake.chats
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert (body["temperature"], body["max_tokens"], body["model"]) == (0, 9, "m")
    assert body["response_format"] == {
        "type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema},
    }  # fmt: skip
    assert body["tools"] == [
        {
            "type": "function",
            "function": {"name": "read_file", "description": "Read a file.", "parameters": READ.parameters},
        }
    ]


async def test_what_was_not_asked_for_is_not_sent() -> None:
    async with FakeChatServer() as fake:
        await chunks(model(fake), ASK)
    assert set(fake.chats[0]) == {"model", "messages", "stream", "stream_options"}


async def test_calls_and_their_results_are_sent_as_pairs_and_neighbours_as_one() -> None:
    messages = (
        Message(Role.USER, "Read x"),
        Message(Role.USER, "and y"),
        Message(Role.ASSISTANT, "", (ToolCall("a", "read_file", '{"path":"x"}'),)),
        Message(Role.TOOL, "one", answers="a"),
    )
    async with FakeChatServer() as fake:
        await chunks(model(fake), Request(messages))
    assert fake.chats[0]["messages"] == [
        {"role": "user", "content": "Read x\n\nand y"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"x"}'}}
            ],
        },
        {"role": "tool", "content": "one", "tool_call_id": "a"},
    ]


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"path": "a"}', '{"path": "a"}'),
        ('{"path":"a","text":"ab', '{"unreadable":"{\\"path\\":\\"a\\",\\"text\\":\\"ab"}'),
        ("[1]", '{"unreadable":"[1]"}'),
        ("", "{}"),
    ],
)
async def test_a_call_that_was_cut_off_is_sent_back_as_json_that_servers_take(arguments: str, sent: str) -> None:
    calls_it = Message(Role.ASSISTANT, "", (ToolCall("a", "f", arguments),))
    async with FakeChatServer() as fake:
        await chunks(model(fake), Request((calls_it, Message(Role.TOOL, "cut off", answers="a"))))
    (written, _) = objects(fake.chats[0]["messages"])
    (call,) = objects(written["tool_calls"])
    assert obj(call["function"])["arguments"] == sent


@pytest.mark.parametrize(("name", "asks"), [("llamacpp:m", True), ("lmstudio:m", False), ("openai:m", False)])
async def test_only_llama_cpp_is_asked_for_the_prompts_progress(name: str, *, asks: bool) -> None:
    async with FakeChatServer((progress(8, 40), said("Hi"), ended(), DONE)) as fake:
        found = await chunks(model(fake, name), ASK)
    assert fake.chats[0].get("return_progress", False) is asks
    assert found[0] == PromptProgress(8, 40)


@pytest.mark.parametrize(("name", "said_so"), [("llamacpp:m", True), ("lmstudio:m", False), ("openai:m", False)])
async def test_a_greedy_request_may_repeat_what_it_read(name: str, *, said_so: bool) -> None:
    async with FakeChatServer() as fake:
        await chunks(model(fake, name), Request(ASK.messages, options=Options(greedy=True)))
        await chunks(model(fake, name), ASK)
    assert [body.get("repeat_penalty") == 1.0 for body in fake.chats] == [said_so, False]


EVENTS = (said("Grüße 👋 "), said("再见"), ended(), used(3, 2))
HELLO = b"".join(event(value) for value in EVENTS)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
async def test_events_are_read_wherever_the_bytes_are_split(size: int, ends: bytes) -> None:
    two_lines = HELLO.replace(b'{"choices":[{', b'{"choices":\ndata: [{')
    data = b"\xef\xbb\xbf: hello\n\n" + two_lines + b"data: [DONE]\n\n"
    data = data.replace(b"\n", ends)
    found = await reply([Raw(data[start : start + size]) for start in range(0, len(data), size)])
    assert text(found) == "Grüße 👋 再见"
    assert found[-2:] == [Usage(3, 2), Finished("stop")]


@pytest.mark.parametrize(
    "data",
    [
        HELLO,  # no closing mark
        HELLO.replace(b"data: ", b"data:"),
        HELLO.rstrip(b"\n"),
        HELLO.replace(b"\n\n", b"\n") + b"data: [DONE]\n\n",  # no blank lines
        HELLO.replace(b'{"choices":[{', b'{"choices":\ndata: [{'),  # one event on two lines
        b"retry: 3\nevent: message\n" + HELLO + b"data:  [DONE] \r\n\r\n",
    ],
)
async def test_other_ways_to_write_the_same_events_are_read(data: bytes) -> None:
    found = await reply([Raw(data)])
    assert text(found) == "Grüße 👋 再见"
    assert found[-1] == Finished("stop")


async def test_one_event_of_megabytes_is_read() -> None:
    words = "long " * 600_000
    data = event(said(words))
    found = await reply([*(Raw(data[at : at + 65_536]) for at in range(0, len(data), 65_536)), ended(), DONE])
    assert text(found) == words


async def test_an_event_without_end_is_refused_before_it_fills_the_memory() -> None:
    _, error = await failure([Raw(b"data: "), *([Raw(b"x" * (1 << 20))] * 40)])
    assert "more in one piece than any reply holds" in str(error)


async def test_a_server_that_answers_in_one_piece_is_read_all_the_same() -> None:
    body = (
        b'{"choices":[{"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"a","type":"function",'
        b'"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],\n'
        b'"usage":{"prompt_tokens":3,"completion_tokens":1}}'
    )
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
    found = await reply(Wire(head + body))
    assert found == [TextDelta("Hi"), ToolCall("a", "f", "{}"), Usage(3, 1), Finished("tool_calls")]


async def test_a_stream_that_ends_with_the_connection_is_read() -> None:
    found = await reply(Wire(b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + HELLO))
    assert text(found) == "Grüße 👋 再见"


async def test_nothing_is_waited_for_once_the_closing_mark_came() -> None:
    async with asyncio.timeout(20):
        assert text(await reply((said("Hi"), ended(), DONE, Hang()))) == "Hi"


@pytest.mark.parametrize("before", [(), (said("Hi"),), (progress(1, 9),)])
async def test_leaving_a_reply_ends_its_request_at_once(before: Sequence[Piece]) -> None:
    async with FakeChatServer((*before, Hang())) as fake, asyncio.timeout(20):
        asked = model(fake, "llamacpp:m")
        streaming = asyncio.create_task(chunks(asked, ASK))
        await fake.asked.wait()
        streaming.cancel()
        await fake.left.wait()
        with pytest.raises(asyncio.CancelledError):
            await streaming


async def test_closing_the_stream_between_two_chunks_ends_its_request_at_once() -> None:
    async with FakeChatServer((said("Hi"), said("Ho"), Hang())) as fake, asyncio.timeout(20):
        async with aclosing(model(fake).stream(ASK)) as stream:
            assert await anext(stream) == TextDelta("Hi")
        await fake.left.wait()


async def test_a_proxy_is_not_asked_for_a_server_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert text(await reply((said("Hi"), ended(), DONE))) == "Hi"


async def test_a_second_request_goes_through_after_one_was_left() -> None:
    async with FakeChatServer((said("Hi"), Hang()), (said("Ho"), ended(), DONE)) as fake, asyncio.timeout(20):
        asked = model(fake)
        async with aclosing(asked.stream(ASK)) as stream:
            await anext(stream)
        assert text(await chunks(asked, ASK)) == "Ho"
