"""The embedded runtime itself: llama.cpp in a child process, with the small model."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import httpx
import psutil
import pytest
import pytest_asyncio

from tests.fakes.asking import chunks, text, until_fault
from wisp_tui.config.home import Home
from wisp_tui.config.settings import Settings
from wisp_tui.models.base import (
    Capability,
    Chunk,
    ContextOverflow,
    Finished,
    Message,
    ModelError,
    ModelUnavailable,
    Options,
    PromptProgress,
    Request,
    Role,
    TextDelta,
    ToolDefinition,
    ToolsUnsupported,
    Usage,
)
from wisp_tui.models.embedded import EmbeddedModel
from wisp_tui.models.embedded_process import Launch, start_child
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import JsonObject, load_object

pytestmark = [pytest.mark.embedded, pytest.mark.asyncio(loop_scope="module")]

pytest.importorskip("xllamacpp")

ROOT = Path(__file__).resolve().parents[2]
WINDOW = 1024
BRIEF = Options(max_tokens=12, greedy=True)


def asking(words: str, options: Options = BRIEF) -> Request:
    return Request((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, words)), options=options)


def embedded(home: Home, name: str = "embedded:smollm2", **settings: int) -> EmbeddedModel:
    chosen = {"contextLength": WINDOW, "threads": 1, **settings}
    return EmbeddedModel(ModelId(name), home, Settings.model_validate({"embedded": chosen}))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, small_model: Path) -> Home:
    """A home with the small model in it."""
    made = Home(tmp_path_factory.mktemp("embedded") / "home")
    made.prepare()
    (made.models / small_model.name).symlink_to(small_model)
    return made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(home: Home) -> AsyncGenerator[EmbeddedModel]:
    """The small model, its child started once and again after a test that ended it."""
    made = embedded(home)
    yield made
    await made.close()


def child_of(pid: int) -> psutil.Process:
    """The one child process of a process."""
    (child,) = psutil.Process(pid).children()
    return child


def usage(found: list[Chunk]) -> Usage:
    (said,) = (chunk for chunk in found if isinstance(chunk, Usage))
    return said


async def test_a_greedy_reply_streams_and_is_the_same_each_time(model: EmbeddedModel) -> None:
    first, second = [await chunks(model, asking("Say hello.")) for _ in range(2)]
    assert len([chunk for chunk in first if isinstance(chunk, TextDelta)]) > 2
    assert text(first).strip()
    assert text(first) == text(second)
    assert isinstance(first[0], PromptProgress)
    assert first[-1] == Finished("length", cut_off=True)
    assert (usage(second).cached or 0) > 0, "the prompt that was read is read again"


async def test_a_count_is_what_the_runtime_then_reports(model: EmbeddedModel) -> None:
    for words in ("Say hello.", "数え上げて ください 👋", "x = [1, 2, 3]\n" * 20):
        request = asking(words, Options(max_tokens=4, greedy=True))
        assert await model.count(request) == usage(await chunks(model, request)).input


async def test_it_says_its_window_what_it_can_do_and_what_it_is(model: EmbeddedModel, home: Home) -> None:
    found = await model.resolve()
    assert (found.window, found.window_source) == (WINDOW, "embedded.contextLength")
    assert found.capabilities == {Capability.SCHEMA, Capability.COUNTS, Capability.REFUSES_OVERFLOW}
    assert found.remark is not None
    assert "very small" in found.remark
    assert "Ollama" in found.remark
    assert str(home.models) in found.remark


async def test_a_window_above_what_the_model_was_trained_at_is_said_to_be_less(home: Home) -> None:
    model = embedded(home, contextLength=16_384)
    try:
        found = await model.resolve()
    finally:
        await model.close()
    assert found.window == 8192
    assert found.window_source == "the model was trained at 8,192; embedded.contextLength asks for 16,384"


async def test_a_request_that_does_not_fit_is_refused_with_its_size_and_the_window(model: EmbeddedModel) -> None:
    request = asking("word " * 1500)
    found, error = await until_fault(model, request)
    assert found == []
    assert isinstance(error, ContextOverflow)
    assert error.limit == WINDOW
    assert error.count == await model.count(request)
    assert text(await chunks(model, asking("Say hello.")))


async def test_a_reply_that_fills_the_window_says_it_was_cut_off(home: Home) -> None:
    model = embedded(home, contextLength=512)
    endless: JsonObject = {"type": "array", "items": {"type": "integer"}, "minItems": 100}
    try:
        found = await chunks(model, asking("word " * 440, Options(schema=endless, greedy=True)))
    finally:
        await model.close()
    assert found[-1] == Finished("length", cut_off=True)
    said = usage(found)
    assert (said.input or 0) + (said.output or 0) == 512


async def test_a_second_request_works_after_one_was_left_in_mid_reply(model: EmbeddedModel) -> None:
    long = asking("Tell a very long story.", Options(max_tokens=900, greedy=True))
    async with asyncio.timeout(60), aclosing(model.stream(long)) as stream:
        async for chunk in stream:
            if isinstance(chunk, TextDelta):
                break
    async with asyncio.timeout(60):
        assert text(await chunks(model, asking("Say hello.")))


async def test_a_second_request_works_after_one_was_left_while_its_prompt_was_read(model: EmbeddedModel) -> None:
    async with asyncio.timeout(60), aclosing(model.stream(asking("word " * 900))) as stream:
        assert isinstance(await anext(stream), PromptProgress)
    async with asyncio.timeout(60):
        assert text(await chunks(model, asking("Say hello.")))


async def test_a_schema_is_held(model: EmbeddedModel) -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "colour": {"type": "string", "maxLength": 12},
            "numbers": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
        },
        "required": ["colour", "numbers"],
        "additionalProperties": False,
    }
    found = await chunks(model, asking("A colour and two numbers.", Options(schema=schema, max_tokens=80, greedy=True)))
    reply = load_object(text(found))
    assert set(reply) == {"colour", "numbers"}
    assert isinstance(reply["colour"], str)


async def test_tools_are_refused_and_not_dropped(model: EmbeddedModel) -> None:
    await model.resolve()
    request = Request(asking("Hi").messages, (ToolDefinition("f", "F.", {"type": "object"}),), BRIEF)
    _, error = await until_fault(model, request)
    assert isinstance(error, ToolsUnsupported)


async def test_closing_ends_the_child_at_once_also_in_mid_reply(model: EmbeddedModel) -> None:
    stream = model.stream(asking("Tell a very long story.", Options(max_tokens=900)))
    async with aclosing(stream):
        while not isinstance(await anext(stream), TextDelta):
            pass
        child = child_of(os.getpid())
        async with asyncio.timeout(2):
            await model.close()
        assert not child.is_running()
    await model.close()


async def test_a_child_that_dies_in_mid_reply_is_said_and_started_again(model: EmbeddedModel) -> None:
    await model.count(asking("Hi"))
    child = child_of(os.getpid())
    found: list[Chunk] = []

    async def until_it_dies() -> None:
        async with aclosing(model.stream(asking("Tell a very long story.", Options(max_tokens=900)))) as stream:
            async for chunk in stream:
                found.append(chunk)
                if isinstance(chunk, TextDelta):
                    child.kill()

    with pytest.raises(ModelError, match=r"ended while it worked \(signal 9\); the next request starts it again"):
        await until_it_dies()
    assert text(found)
    assert text(await chunks(model, asking("Say hello.")))


async def test_nobody_without_the_key_is_served(model: EmbeddedModel) -> None:
    await model.count(asking("Hi"))
    child = child_of(os.getpid())
    (listening,) = (link for link in child.net_connections("tcp") if link.status == psutil.CONN_LISTEN)
    assert listening.laddr.ip == "127.0.0.1"
    address = f"http://127.0.0.1:{listening.laddr.port}"
    assert not any(len(word) > 30 and "/" not in word for word in child.cmdline()), "no key among its arguments"
    async with httpx.AsyncClient(trust_env=False) as stranger:
        for path in ("/props", "/v1/models", "/slots", "/tokenize", "/v1/chat/completions"):
            answer = await stranger.post(address + path, content=b"{}", headers={"Origin": "http://page.example"})
            assert answer.status_code == httpx.codes.UNAUTHORIZED, path
            assert answer.headers.get("access-control-allow-origin") not in {"*", "http://page.example"}


async def test_a_damaged_file_is_said_with_what_is_wrong_with_it(home: Home, small_model: Path) -> None:
    with small_model.open("rb") as whole:
        (home.models / "half.gguf").write_bytes(whole.read(4_000_000))
    (home.models / "junk.gguf").write_bytes(b"\x1b[2Jnot a model" * 100)
    (home.models / "empty.gguf").write_bytes(b"")
    before = psutil.Process().children()
    for name in ("half", "junk", "empty"):
        with pytest.raises(ModelUnavailable) as caught:
            await embedded(home, f"embedded:{name}").resolve()
        assert f"{name}.gguf cannot be loaded" in caught.value.reason
        assert "\x1b" not in str(caught.value)
        assert caught.value.remedy
    assert psutil.Process().children() == before, "a child that failed is left running"


PARENT = """
import asyncio, sys
from pathlib import Path
from wisp_tui.config.home import Home
from wisp_tui.config.settings import Settings
from wisp_tui.models.base import Message, Options, Request, Role, TextDelta
from wisp_tui.models.embedded import EmbeddedModel
from wisp_tui.models.embedded_process import Launch, start_child

async def main():
    settings = Settings.model_validate({"embedded": {"contextLength": 1024, "threads": 1}})
    model = EmbeddedModel("embedded:smollm2", Home(Path(sys.argv[1])), settings)
    request = Request((Message(Role.USER, "Tell a very long story."),), options=Options(max_tokens=900))
    async for chunk in model.stream(request):
        if isinstance(chunk, TextDelta):
            print("busy", flush=True)

asyncio.run(main())
"""


async def test_the_child_ends_when_its_parent_is_killed_also_in_mid_reply(home: Home) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PARENT, str(home.root)]
    parent = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, env=environment)
    assert parent.stdout is not None
    assert await parent.stdout.readline() == b"busy\n"
    child = child_of(parent.pid)
    assert child.is_running()
    parent.send_signal(signal.SIGKILL)
    await parent.wait()
    await asyncio.to_thread(child.wait, 10)
    assert not child.is_running()


async def test_the_runtime_keeps_small_models_from_going_round_in_circles(small_model: Path) -> None:
    child = await start_child(Launch(small_model, WINDOW, 1), os.environ)
    try:
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {child.key}"}) as client:
            answer = await client.get(f"{child.address}/props")
        settings = load_object(answer.content)["default_generation_settings"]
        assert isinstance(settings, dict)
        sampling = settings["params"]
        assert isinstance(sampling, dict)
        assert round(float(str(sampling["repeat_penalty"])), 2) == 1.1
        assert sampling["repeat_last_n"] == 256
    finally:
        await child.end()
