"""What goes wrong with a chat-completions server, and what the person is told."""

from __future__ import annotations

import asyncio
import logging
from base64 import b64encode
from collections.abc import Sequence

import pytest

from tests.fakes.asking import chunks, text, until_fault
from tests.fakes.chat_server import (
    DONE,
    PROPS,
    Drop,
    Fails,
    FakeChatServer,
    Gate,
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
)
from wisp_tui.config.settings import Settings
from wisp_tui.models.base import (
    Capability,
    Chunk,
    ContextOverflow,
    Message,
    ModelError,
    ModelUnavailable,
    Request,
    Role,
    TextDelta,
    ToolDefinition,
    ToolsUnsupported,
)
from wisp_tui.models.chat_completions import ChatCompletionsModel, chat_model
from wisp_tui.models.chat_connection import Patience
from wisp_tui.models.chat_servers import ServerKind, find_server
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import Json, JsonObject, dump

ASK = Request((Message(Role.USER, "Hello?"),))
WITH_TOOLS = Request(ASK.messages, (ToolDefinition("read_file", "Read a file.", {"type": "object"}),))
SECRET = "sk-secret-0123456789"
LLAMA_OVERFLOW: JsonObject = {
    "error": {
        "code": 400,
        "type": "exceed_context_size_error",
        "message": "the request exceeds the available context size",
        "n_prompt_tokens": 14429,
        "n_ctx": 8192,
    }
}


def settings(fake: FakeChatServer, runtime: str = "openai", **more: Json) -> Settings:
    return Settings.model_validate({runtime: {"host": fake.address, **more}})


def model(fake: FakeChatServer, name: str = "openai:m") -> ChatCompletionsModel:
    return chat_model(ModelId(name), settings(fake, name.partition(":")[0]), {})


def impatient(fake: FakeChatServer, patience: Patience) -> ChatCompletionsModel:
    server = find_server(ServerKind.OPENAI, settings(fake), {})
    return ChatCompletionsModel(ModelId("openai:m"), server, "m", patience=patience)


async def failure(*scripts: Script, request: Request = ASK, name: str = "openai:m") -> tuple[list[Chunk], ModelError]:
    async with FakeChatServer(*scripts) as fake:
        return await until_fault(model(fake, name), request)


def forms(body: JsonObject) -> list[Script]:
    """Every form in which servers send one error: with three statuses, and as an event of a stream."""
    data = dump(body)
    return [
        Fails(200, data),
        Fails(400, data),
        Fails(500, data),
        [Raw(event(body))],
        [Raw(b"event: error\n" + event(body)), DONE],
        [Raw(b"error: " + data + b"\n\n")],
        [progress(0, 14429), Raw(event(body))],
        Wire(b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + data),
    ]


@pytest.mark.parametrize("script", forms(LLAMA_OVERFLOW))
async def test_an_overflow_is_read_from_the_body_before_the_status(script: Script) -> None:
    _, error = await failure(script)
    assert isinstance(error, ContextOverflow)
    assert (error.limit, error.count) == (8192, 14429)


@pytest.mark.parametrize("status", [200, 400, 413, 500])
@pytest.mark.parametrize(
    "body",
    [
        {
            "error": {
                "message": "maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
            }
        },
        {"error": "This model's maximum context length is 8,192 tokens, but you requested 9,000 tokens"},
        {
            "object": "error",
            "message": "This model's maximum context length is 8192 tokens. However, you requested 9000",
        },
        {"detail": "The input (9000 tokens) is longer than the model's context length (8192 tokens)."},
        {"detail": [{"loc": ["body"], "msg": "Provided 9,000 tokens, but the maximum allowed is 8,192"}]},
        {"error": {"code": "context_length_exceeded", "message": "too much", "n_ctx": 8192, "n_prompt_tokens": 9000}},
    ],
)
async def test_an_overflow_is_known_in_any_form_of_error(status: int, body: JsonObject) -> None:
    _, error = await failure(Fails(status, dump(body)))
    assert isinstance(error, ContextOverflow)
    assert (error.limit, error.count) == (8192, 9000)


async def test_words_about_overflow_in_a_reply_are_a_reply() -> None:
    words = "This model's maximum context length is 4097 tokens. However, your messages resulted in 5000 tokens."
    async with FakeChatServer((said(words), ended(), DONE)) as fake:
        assert text(await chunks(model(fake), ASK)) == words


@pytest.mark.parametrize(
    "words",
    [
        "m does not support tools",
        "registry/m:latest does not support tools",
        "tools param requires --jinja flag",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "This model does not support function calling.",
        "No endpoints found that support tool use.",
    ],
)
@pytest.mark.parametrize("status", [400, 404, 500])
async def test_a_model_without_tools_is_said_as_that(words: str, status: int) -> None:
    _, error = await failure(Fails(status, dump({"error": {"message": words}})), request=WITH_TOOLS)
    assert isinstance(error, ToolsUnsupported)
    assert error.model == "openai:m"


async def test_a_model_without_tools_is_asked_only_once() -> None:
    async with FakeChatServer(Fails(400, b'{"error":{"message":"m does not support tools"}}')) as fake:
        asked = model(fake)
        assert Capability.TOOLS in (await asked.resolve()).capabilities
        for _ in range(2):
            _, error = await until_fault(asked, WITH_TOOLS)
            assert isinstance(error, ToolsUnsupported)
        assert len(fake.chats) == 1
        assert Capability.TOOLS not in (await asked.resolve()).capabilities


async def test_tools_are_never_sent_to_a_template_that_drops_them() -> None:
    props: JsonObject = {**PROPS, "chat_template_caps": {"supports_tools": False}}
    async with FakeChatServer(answers={"/props": props}) as fake:
        asked = model(fake, "llamacpp:m")
        assert Capability.TOOLS not in (await asked.resolve()).capabilities
        _, error = await until_fault(asked, WITH_TOOLS)
        assert isinstance(error, ToolsUnsupported)
        assert fake.chats == []
        assert text(await chunks(asked, ASK)) == "Hello there."


async def test_a_connection_that_breaks_before_the_reply_is_made_again_once() -> None:
    async with FakeChatServer([Drop()], [said("Hi"), ended(), DONE]) as fake:
        assert text(await chunks(model(fake), ASK)) == "Hi"
        assert len(fake.chats) == 2


@pytest.mark.parametrize(
    "broken",
    [
        [Drop()],
        [progress(1, 9), Drop()],
        [delta(content=None), Drop()],
        [Raw(b'data: {"error":{"code":500,"message":"the reply could not be parsed"}}\n\n'), Drop()],
        [Raw(b'data: {"error":{"message":"boom"}}\n\n')],
        [fragment(0, "a", "f", '{"x"'), Raw(b'data: {"error":{"code":500,"message":"no parse"}}\n\n'), Drop()],
    ],
)
async def test_a_stream_that_breaks_with_nothing_said_is_asked_for_once_more(broken: Sequence[Piece]) -> None:
    async with FakeChatServer(broken, [said("Hi"), ended(), DONE]) as fake:
        assert text(await chunks(model(fake), ASK)) == "Hi"
    async with FakeChatServer(broken) as fake:
        await until_fault(model(fake), ASK)
        assert len(fake.chats) == 2


@pytest.mark.parametrize(
    "script",
    [
        [said("Hel"), said("lo"), Drop()],
        [said("Hello"), Raw(b'data: {"choices":[{"del'), Drop()],
        [said("Hello")],
        [said("Hello"), Raw(b'data: {"choices":[{"del')],
        Wire(b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + event(said("Hello"))),
        Wire(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n" + event(said("Hello"))),
        Wire(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"),
    ],
)
async def test_a_server_that_goes_away_in_mid_reply_is_said_with_what_came_before(script: Script) -> None:
    async with FakeChatServer(script) as fake:
        found, error = await until_fault(model(fake), ASK)
        assert isinstance(error, ModelUnavailable)
        assert "went away in mid-reply" in error.reason
        assert error.remedy
        if found:
            assert text(found) == "Hello"
            assert len(fake.chats) == 1, "what was said must not be said twice"


@pytest.mark.parametrize("script", [[said("Hi"), ended(), Drop()], [said("Hi"), ended(), Raw(b"data: {"), Drop()]])
async def test_a_connection_that_breaks_after_the_reply_takes_nothing_from_it(script: Script) -> None:
    async with FakeChatServer(script) as fake:
        assert text(await chunks(model(fake), ASK)) == "Hi"


@pytest.mark.parametrize(("name", "remedy"), [("llamacpp:m", "llama-server"), ("lmstudio:m", "lms server start")])
async def test_a_server_that_is_down_is_said_with_what_to_do(name: str, remedy: str) -> None:
    async with FakeChatServer() as fake:
        asked = model(fake, name)
    for failing in (asked.resolve(), until_fault(asked, ASK)):
        try:
            error: object = await failing
        except ModelUnavailable as unavailable:
            error = unavailable
        else:
            assert isinstance(error, tuple)
            error = error[1]
        assert isinstance(error, ModelUnavailable)
        assert fake.address in error.reason
        assert "cannot be reached" in error.reason
        assert remedy in error.remedy
        assert f"{name.partition(':')[0]}.host" in error.remedy


@pytest.mark.parametrize("before", [(), (said("Hi"),), (delta(reasoning="hm"),)])
async def test_a_server_that_falls_silent_ends_in_a_fault_and_is_not_asked_again(before: Sequence[Piece]) -> None:
    async with FakeChatServer((*before, Hang())) as fake, asyncio.timeout(20):
        found, error = await until_fault(impatient(fake, Patience(first=0.2, between=0.1)), ASK)
        assert isinstance(error, ModelUnavailable)
        assert "has said nothing for 0." in error.reason
        assert len(found) == len(before)
        assert len(fake.chats) == 1
        await fake.left.wait()


async def test_a_long_prompt_is_waited_for_longer_than_the_rest_of_a_reply() -> None:
    async with FakeChatServer((delta(content=None), Hang())) as fake, asyncio.timeout(20):
        _, error = await until_fault(impatient(fake, Patience(first=0.3, between=0.01)), ASK)
        assert "0.3 s" in str(error)


async def test_a_server_that_stays_connected_after_the_reply_is_not_waited_for_long() -> None:
    async with FakeChatServer((said("Hi"), ended(), Hang())) as fake, asyncio.timeout(20):
        found = await chunks(impatient(fake, Patience(first=600, between=600, closing=0.1)), ASK)
        assert text(found) == "Hi"


async def test_an_answer_after_a_long_silence_is_taken() -> None:
    opened = asyncio.Event()
    async with FakeChatServer((Gate(opened), said("Late"), ended(), DONE)) as fake:
        asked = asyncio.create_task(chunks(model(fake), ASK))
        await fake.asked.wait()
        assert not asked.done()
        opened.set()
        assert text(await asked) == "Late"


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b'{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}', "asks for a key"),
        (403, b"", "asks for a key"),
        (404, b'{"error":{"message":"The model `m` does not exist"}}', "has no model m"),
        (404, b"<html><h1>Not Found</h1></html>", "serves no chat completions"),
        (429, b'{"error":{"message":"Rate limit reached: 9000 tokens per minute"}}', "takes no more requests now"),
        (503, b'{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}', "is still loading"),
        (502, b"<html>Bad Gateway</html>", "cannot answer now"),
    ],
)
async def test_a_refusal_says_what_to_do(status: int, body: bytes, words: str) -> None:
    _, error = await failure(Fails(status, body))
    assert isinstance(error, ModelUnavailable)
    assert words in error.reason
    assert error.remedy


@pytest.mark.parametrize(
    "script",
    [
        Fails(500, b'{"error":{"message":"out of \x1b[31mmemory\\u001b[0m"}}'.replace(b"\x1b[31m", b"\\u001b[31m")),
        Fails(500, b"out of \x1b[31mmemory"),
        Fails(500, b'"out of memory"'),
        Fails(500, b'{"message":"out of memory"}'),
    ],
)
async def test_any_other_error_is_given_in_the_servers_words_made_clean(script: Script) -> None:
    _, error = await failure(script)
    assert type(error) is ModelError
    assert "\x1b" not in str(error)
    assert "500" in str(error)
    if script != Fails(500, b'"out of memory"'):
        assert "out of memory" in str(error)


@pytest.mark.parametrize(
    "script",
    [
        Wire(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 20\r\n\r\n<html>welcome</html>"),
        [Raw(b"data: what?\n\n"), DONE],
        Fails(200, b'{"models'),
    ],
)
async def test_an_answer_that_is_no_chat_reply_is_said_as_that(script: Script) -> None:
    _, error = await failure(script)
    assert "answered with no chat reply" in str(error)


@pytest.mark.parametrize("status", [301, 307, 400, 401, 500])
async def test_a_key_never_shows_even_where_the_server_repeats_it(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    body = dump({"error": {"message": f"Incorrect API key provided: {SECRET}. Context window exceeded by {SECRET}?"}})
    async with FakeChatServer(Fails(status, body)) as fake:
        asked = chat_model(ModelId("openai:m"), settings(fake, keyVariable="MY_KEY"), {"MY_KEY": SECRET})
        _, error = await until_fault(asked, ASK)
        assert fake.seen[-1].headers["authorization"] == f"Bearer {SECRET}"
    told = f"{error} {error!r} {error.__cause__!r} {error.__context__!r} {asked!r} {caplog.text}"
    assert SECRET not in told
    assert SECRET not in repr(find_server(ServerKind.OPENAI, settings(fake, key=SECRET), {}))


async def test_a_password_in_the_address_is_sent_and_never_shows(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with FakeChatServer(Fails(500, b"no")) as fake:
        address = fake.address.replace("//", "//me:hunter22@")
        asked = chat_model(ModelId("openai:m"), Settings.model_validate({"openai": {"host": address}}), {})
        _, error = await until_fault(asked, ASK)
        assert fake.seen[-1].headers["authorization"] == f"Basic {b64encode(b'me:hunter22').decode()}"
    _, down = await until_fault(asked, ASK)
    assert "hunter22" not in f"{error} {error.__cause__!r} {down} {down.__cause__!r} {caplog.text}"


async def test_a_reply_that_broke_keeps_what_was_said_until_then() -> None:
    found, _ = await failure([said("One"), said(" two"), Drop()])
    assert found == [TextDelta("One"), TextDelta(" two")]
