"""What is asked of a chat-completions server about a model, and how its window is known."""

from __future__ import annotations

import pytest

from tests.fakes.chat_server import PROPS, Fails, FakeChatServer, Hang
from wisp_tui.config.settings import Settings
from wisp_tui.models.base import Capability, Message, ModelUnavailable, Request, Role
from wisp_tui.models.chat_completions import ChatCompletionsModel, chat_model
from wisp_tui.models.chat_connection import Patience
from wisp_tui.models.chat_servers import ServerKind, find_server
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import Json, JsonObject

ASK = Request((Message(Role.USER, "Hello?"),))
COUNT = "/v1/chat/completions/input_tokens"


def model(fake: FakeChatServer, name: str, window: int | None = None) -> ChatCompletionsModel:
    host: dict[str, Json] = {"host": fake.address, "contextLength": window}
    return chat_model(ModelId(name), Settings.model_validate({name.partition(":")[0]: host}), {})


def listing(**entry: Json) -> JsonObject:
    return {"data": [{"id": "other", "max_context_length": 1}, {"id": "M", **entry}]}


async def test_llama_cpp_says_its_window_and_whether_its_template_takes_tools() -> None:
    async with FakeChatServer(answers={"/props": PROPS, COUNT: {"input_tokens": 3}}) as fake:
        found = await model(fake, "llamacpp:m", window=2048).resolve()
    assert (found.id, found.window, found.window_source) == ("llamacpp:m", 8192, "llama.cpp says so")
    assert found.capabilities == {
        Capability.TOOLS, Capability.SCHEMA, Capability.COUNTS, Capability.REFUSES_OVERFLOW,
    }  # fmt: skip


async def test_an_older_llama_cpp_counts_nothing_and_its_window_is_the_configured_one() -> None:
    async with FakeChatServer(answers={"/props": Fails(404, b"")}) as fake:
        asked = model(fake, "llamacpp:m", window=2048)
        found = await asked.resolve()
        assert (found.window, found.window_source) == (2048, "llamacpp.contextLength in config.json")
        assert Capability.COUNTS not in found.capabilities
        assert await asked.count(ASK) is None


async def test_llama_cpp_counts_a_request_exactly() -> None:
    async with FakeChatServer(answers={COUNT: {"input_tokens": 31, "object": "response.input_tokens"}}) as fake:
        assert await model(fake, "llamacpp:m").count(ASK) == 31


@pytest.mark.parametrize("name", ["openai:m", "lmstudio:m"])
async def test_other_servers_are_not_asked_to_count(name: str) -> None:
    async with FakeChatServer(answers={COUNT: {"input_tokens": 31}}) as fake:
        assert await model(fake, name).count(ASK) is None
        assert fake.seen == []


async def test_what_was_answered_is_kept() -> None:
    async with FakeChatServer(answers={"/props": PROPS}) as fake:
        asked = model(fake, "llamacpp:m")
        first = await asked.resolve()
        before = len(fake.seen)
        assert await asked.resolve() is first
        assert len(fake.seen) == before


@pytest.mark.parametrize(
    ("entry", "window", "source"),
    [
        ({"loaded_context_length": 4096, "max_context_length": 131072, "state": "loaded"}, 4096, "LM Studio says so"),
        (
            {"max_context_length": 131072, "state": "not-loaded"},
            131072,
            "the most LM Studio says it takes; it may be loaded with less",
        ),
        ({"state": "loaded"}, None, "the server does not say; set lmstudio.contextLength in config.json"),
    ],
)
async def test_lm_studio_says_its_window_in_its_own_listing(
    entry: dict[str, Json], window: int | None, source: str
) -> None:
    async with FakeChatServer(answers={"/api/v0/models": listing(**entry)}) as fake:
        found = await model(fake, "lmstudio:m").resolve()
    assert (found.window, found.window_source) == (window, source)


async def test_lm_studio_is_asked_again_until_the_model_is_loaded() -> None:
    async with FakeChatServer(
        answers={"/api/v0/models": listing(max_context_length=131072, state="not-loaded")}
    ) as fake:
        asked = model(fake, "lmstudio:m")
        assert (await asked.resolve()).window == 131072
        fake.answers["/api/v0/models"] = listing(loaded_context_length=4096, max_context_length=131072, state="loaded")
        assert (await asked.resolve()).window == 4096


async def test_a_configured_window_counts_before_the_most_an_unloaded_model_could_have() -> None:
    async with FakeChatServer(
        answers={"/api/v0/models": listing(max_context_length=131072, state="not-loaded")}
    ) as fake:
        found = await model(fake, "lmstudio:m", window=8192).resolve()
    assert (found.window, found.window_source) == (8192, "lmstudio.contextLength in config.json")


@pytest.mark.parametrize(
    ("capabilities", "tools"), [(["tool_use"], True), ([], False), (["vision"], False), (None, True)]
)
async def test_lm_studio_says_which_models_use_tools(capabilities: Json, *, tools: bool) -> None:
    async with FakeChatServer(answers={"/api/v0/models": listing(capabilities=capabilities)}) as fake:
        found = await model(fake, "lmstudio:m").resolve()
    assert (Capability.TOOLS in found.capabilities) is tools


async def test_a_model_lm_studio_does_not_have_is_said_with_those_it_has() -> None:
    async with FakeChatServer(answers={"/api/v0/models": listing()}) as fake:
        with pytest.raises(ModelUnavailable, match="has no model nope; it has other, M"):
            await model(fake, "lmstudio:nope").resolve()


@pytest.mark.parametrize("field", ["max_model_len", "context_length", "context_window"])
async def test_any_server_that_states_a_models_window_is_believed(field: str) -> None:
    async with FakeChatServer(answers={"/v1/models": listing(**{field: 16384})}) as fake:
        found = await model(fake, "openai:m", window=2048).resolve()
    assert (found.window, found.window_source) == (16384, "the server says so")


@pytest.mark.parametrize("answer", [{"data": [{"id": "m"}]}, {"data": None}, {}, Fails(404, b"no"), Fails(500, b"{")])
async def test_a_window_nobody_states_is_the_configured_one_or_unknown(answer: JsonObject | Fails) -> None:
    async with FakeChatServer(answers={"/v1/models": answer}) as fake:
        unknown = await model(fake, "openai:m").resolve()
        assert (unknown.window, unknown.capabilities) == (None, {Capability.TOOLS, Capability.SCHEMA})
        assert "set openai.contextLength" in unknown.window_source
        configured = await model(fake, "openai:m", window=2048).resolve()
        assert (configured.window, configured.window_source) == (2048, "openai.contextLength in config.json")


@pytest.mark.parametrize(
    ("name", "path", "failure", "words"),
    [
        ("openai:m", "/v1/models", Fails(401, b'{"error":"no key"}'), "asks for a key"),
        ("llamacpp:m", "/props", Fails(401, b'{"error":{"message":"Invalid API Key"}}'), "asks for a key"),
        ("llamacpp:m", "/props", Fails(503, b'{"error":{"message":"Loading model","code":503}}'), "still loading"),
    ],
)
async def test_a_server_that_cannot_be_used_yet_is_said_at_once(
    name: str, path: str, failure: Fails, words: str
) -> None:
    async with FakeChatServer(answers={path: failure}) as fake:
        asked = model(fake, name)
        with pytest.raises(ModelUnavailable, match=words) as caught:
            await asked.resolve()
        assert caught.value.remedy
        fake.answers[path] = PROPS
        assert (await asked.resolve()).id == name, "a failure is not kept"


async def test_a_server_that_does_not_answer_a_question_is_given_up() -> None:
    async with FakeChatServer(answers={"/v1/models": Hang()}) as fake:
        hangs = find_server(ServerKind.OPENAI, Settings.model_validate({"openai": {"host": fake.address}}), {})
        asked = ChatCompletionsModel(ModelId("openai:m"), hangs, "m", patience=Patience(question=0.2))
        with pytest.raises(ModelUnavailable, match=r"has said nothing for 0\.2 s"):
            await asked.resolve()
