"""What is sent to an Ollama server: the window always, and everything as it names it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.asking import chunks, text
from tests.fakes.ollama import (
    FakeModel,
    FakeOllama,
)
from wisp_tui.config.settings import OllamaSettings, Settings
from wisp_tui.models.base import (
    Message,
    Options,
    Request,
    Role,
    ToolCall,
    ToolDefinition,
)
from wisp_tui.models.ollama import OllamaModel
from wisp_tui.models.tool_calls import CUT_OFF
from wisp_tui.text.ids import ModelId

ASK = Request((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Hello?")))
READ = ToolDefinition("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
THINKER = FakeModel("qwen3:8b", capabilities=("completion", "tools", "thinking"))


def model(fake: FakeOllama, name: str = "granite4.1:8b", **ollama: object) -> OllamaModel:
    return OllamaModel(
        ModelId(f"ollama:{name}"), Settings(ollama=OllamaSettings.model_validate(ollama)), fake.environment
    )


async def test_every_request_carries_the_window_it_was_resolved_with() -> None:
    async with FakeOllama() as fake:
        asked = model(fake)
        window = (await asked.resolve()).window
        await chunks(asked, ASK)
        assert [body["options"] for body in fake.chats] == [{"num_ctx": window}]


async def test_greedy_a_limit_and_a_schema_are_sent_as_ollama_names_them() -> None:
    schema = {"type": "object", "properties": {"facts": {"type": "array"}}}
    async with FakeOllama() as fake:
        request = replace(ASK, options=Options(schema=schema, max_tokens=300, greedy=True))
        await chunks(model(fake, context_length=8192), request)
        assert fake.chats[0]["options"] == {"num_ctx": 8192, "num_predict": 300, "temperature": 0}
        assert fake.chats[0]["format"] == schema


@pytest.mark.parametrize(("set_to", "sent"), [("5m", "5m"), ("-1", -1), ("0", 0), ("300", 300)])
async def test_keep_alive_without_a_unit_is_sent_as_a_number(set_to: str, sent: object) -> None:
    async with FakeOllama() as fake:
        await chunks(model(fake, keep_alive=set_to), ASK)
        assert fake.chats[0]["keep_alive"] == sent


@pytest.mark.parametrize("think", [True, False, "low"])
async def test_think_is_sent_to_a_model_that_thinks(think: object) -> None:
    async with FakeOllama(THINKER) as fake:
        await chunks(model(fake, THINKER.name, think=think), ASK)
        assert fake.chats[0]["think"] == think


async def test_think_is_not_sent_to_a_model_that_does_not_think_nor_when_it_is_not_set() -> None:
    async with FakeOllama(FakeModel(), THINKER) as fake:
        await chunks(model(fake, think=True), ASK)
        await chunks(model(fake, THINKER.name), ASK)
        assert not any("think" in body for body in fake.chats)


async def test_calls_go_back_as_objects_each_result_after_its_call_and_named() -> None:
    history = (
        Message(Role.USER, "Read both."),
        Message(Role.ASSISTANT, "", (ToolCall("a", "read_file", '{"path":"x"}'), ToolCall("b", "read_file", "{}"))),
        Message(Role.TOOL, "two", answers="b", tool_name="read_file"),
        Message(Role.TOOL, "one", answers="a", tool_name="read_file"),
        Message(Role.USER, "And?"),
        Message(Role.USER, "Well?"),
    )
    async with FakeOllama() as fake:
        await chunks(model(fake), Request(history, (READ,)))
        assert fake.chats[0]["messages"] == [
            {"role": "user", "content": "Read both."},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "a", "function": {"name": "read_file", "arguments": {"path": "x"}}},
                    {"id": "b", "function": {"name": "read_file", "arguments": {}}},
                ],
            },
            {"role": "tool", "content": "one", "tool_name": "read_file", "tool_call_id": "a"},
            {"role": "tool", "content": "two", "tool_name": "read_file", "tool_call_id": "b"},
            {"role": "user", "content": "And?\n\nWell?"},
        ]
        assert fake.chats[0]["tools"] == [
            {
                "type": "function",
                "function": {"name": "read_file", "description": "Read a file.", "parameters": READ.parameters},
            }
        ]


async def test_a_call_whose_arguments_were_cut_off_can_be_sent_back() -> None:
    broken = ToolCall("a", "write_file", '{"path":"a","text":"ab', fault=CUT_OFF)
    history = (Message(Role.USER, "Write."), Message(Role.ASSISTANT, "", (broken,)), Message(Role.TOOL, "no", (), "a"))
    async with FakeOllama() as fake:
        assert text(await chunks(model(fake), Request(history))) == "Hello there."


async def test_a_lone_surrogate_in_the_history_can_be_sent() -> None:
    async with FakeOllama() as fake:
        assert text(await chunks(model(fake), Request((Message(Role.USER, "a\ud800b"),)))) == "Hello there."
