"""What goes wrong with an Ollama server, and what the person is told."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from tests.fakes.asking import chunks, text, until_fault
from tests.fakes.ollama import (
    Drop,
    Fails,
    FakeModel,
    FakeOllama,
    Gate,
    Hang,
    Raw,
    Script,
    done,
    said,
    thought,
)
from wisp_tui.config.settings import Settings
from wisp_tui.models import ollama_api
from wisp_tui.models.base import (
    ContextOverflow,
    EmptyReply,
    Message,
    ModelError,
    ModelUnavailable,
    Request,
    Role,
    TextDelta,
    ToolDefinition,
    ToolsUnsupported,
    Usage,
)
from wisp_tui.models.ollama import OllamaModel
from wisp_tui.text.ids import ModelId

ASK = Request((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Hello?")))
READ = ToolDefinition("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})


def model(fake: FakeOllama, name: str = "granite4.1:8b") -> OllamaModel:
    return OllamaModel(ModelId(f"ollama:{name}"), Settings(), fake.environment)


async def failure(*script: Script, name: str = "granite4.1:8b") -> ModelError:
    async with FakeOllama(scripts=script) as fake:
        return (await until_fault(model(fake, name), ASK))[1]


async def test_a_stream_without_text_and_calls_is_a_fault_and_its_usage_is_kept() -> None:
    async with FakeOllama(scripts=[[said(""), said(" \n"), done(prompt_eval_count=9)]]) as fake:
        found, error = await until_fault(model(fake), ASK)
        assert isinstance(error, EmptyReply)
        assert not error.thinking
        assert Usage(9, 3) in found


async def test_thinking_without_an_answer_is_said() -> None:
    error = await failure([thought("Hm."), done()])
    assert isinstance(error, EmptyReply)
    assert error.thinking


@pytest.mark.parametrize("status", [400, 404, 500])
async def test_a_missing_model_names_the_command_that_fetches_it(status: int) -> None:
    error = await failure(Fails(status, b'{"error":"model \\"granite4.1:8b\\" not found, try pulling it first"}'))
    assert isinstance(error, ModelUnavailable)
    assert error.remedy == "`ollama pull granite4.1:8b`"


async def test_a_model_that_is_not_installed_is_unavailable_before_anything_is_sent() -> None:
    error = await failure(name="nosuch:1b")
    assert isinstance(error, ModelUnavailable)
    assert (error.reason, error.remedy) == ("Ollama has no model nosuch:1b", "`ollama pull nosuch:1b`")


async def test_a_model_without_tools_says_so_and_they_are_not_dropped() -> None:
    async with FakeOllama(FakeModel("gemma3:4b", capabilities=("completion",))) as fake:
        with pytest.raises(ToolsUnsupported) as caught:
            await chunks(model(fake, "gemma3:4b"), replace(ASK, tools=(READ,)))
        assert caught.value.model == "ollama:gemma3:4b"
        assert text(await chunks(model(fake, "gemma3:4b"), ASK)) == "Hello there."


@pytest.mark.parametrize("status", [200, 400, 500])
async def test_an_error_is_read_whatever_its_status(status: int) -> None:
    error = await failure(Fails(status, b'{"error":"llama runner process has terminated: exit status 2"}'))
    assert str(error) == "Ollama: llama runner process has terminated: exit status 2"


async def test_an_error_in_the_middle_of_a_stream_ends_it_after_what_came() -> None:
    words = "an error was encountered while running the model"
    async with FakeOllama(scripts=[[said("Half"), {"error": words}]]) as fake:
        found, error = await until_fault(model(fake), ASK)
        assert found == [TextDelta("Half")]
        assert str(error) == f"Ollama: {words}"


async def test_an_error_given_as_an_object_is_read() -> None:
    error = await failure(Fails(400, b'{"error":{"message":"invalid format","code":400}}'))
    assert str(error) == "Ollama: invalid format"


async def test_the_words_of_an_overflow_are_one() -> None:
    error = await failure(Fails(400, b'{"error":"the input length exceeds the context length"}'))
    assert isinstance(error, ContextOverflow)


async def test_too_little_memory_says_what_to_change() -> None:
    words = b'{"error":"model requires more system memory (9.2 GiB) than is available (7.1 GiB)"}'
    error = await failure(Fails(500, words))
    assert isinstance(error, ModelUnavailable)
    assert "ollama.contextLength" in error.remedy


async def test_control_sequences_of_a_fault_do_not_reach_its_words() -> None:
    error = await failure(Fails(500, b'{"error":"a\\u001b]52;c;SGk=\\u0007\\u001b[2Jb"}'))
    assert str(error) == "Ollama: ab"


async def test_another_server_at_the_address_is_named() -> None:
    error = await failure(Fails(502, b"<html>Bad gateway</html>"))
    assert isinstance(error, ModelUnavailable)
    assert "502" in error.reason
    assert "OLLAMA_HOST" in error.remedy


async def test_a_line_that_is_not_json_is_said_with_its_start() -> None:
    error = await failure([said("x"), Raw(b"panic: runtime error\n")])
    assert "not JSON: panic: runtime error" in str(error)


async def test_a_server_that_is_down_says_how_to_start_it() -> None:
    async with FakeOllama() as fake:
        asked = model(fake)
    with pytest.raises(ModelUnavailable) as caught:
        await chunks(asked, ASK)
    assert caught.value.reason == f"Ollama is not running at {fake.address}"
    assert "ollama serve" in caught.value.remedy


async def test_a_server_on_another_machine_is_out_of_reach_and_its_password_is_not_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def elsewhere(address: str) -> bool:
        return False

    monkeypatch.setattr(ollama_api, "is_local", elsewhere)
    asked = OllamaModel(ModelId("ollama:m"), Settings(), {"OLLAMA_HOST": "http://me:secret@127.0.0.1:9"})
    with pytest.raises(ModelUnavailable) as caught:
        await asked.resolve()
    assert caught.value.reason == "Ollama cannot be reached at http://127.0.0.1:9"


async def test_a_redirect_is_not_taken_for_an_answer() -> None:
    error = await failure(Fails(302, b"<html>moved</html>"))
    assert isinstance(error, ModelUnavailable)
    assert "302" in error.reason


async def test_a_server_that_dies_in_mid_reply_leaves_what_came_and_says_so() -> None:
    async with FakeOllama(scripts=[[said("Half a"), Drop()]]) as fake:
        found, error = await until_fault(model(fake), ASK)
        assert found == [TextDelta("Half a")]
        assert isinstance(error, ModelUnavailable)
        assert "went away in the middle of the reply" in error.reason


async def test_a_stream_that_ends_before_the_reply_does_is_a_fault() -> None:
    assert "before the end of the reply" in str(await failure([said("Half a")]))


async def test_a_server_that_stays_silent_is_given_up_after_its_time() -> None:
    async with FakeOllama(scripts=[[Hang()]]) as fake:
        asked = OllamaModel(ModelId("ollama:granite4.1:8b"), Settings(), fake.environment, reply_seconds=0.1)
        with pytest.raises(ModelUnavailable, match="does not answer"):
            await chunks(asked, ASK)


async def test_the_first_words_come_before_the_reply_is_whole() -> None:
    opened = asyncio.Event()
    async with (
        FakeOllama(scripts=[[said("First"), Gate(opened), said(" then"), done()]]) as fake,
        aclosing(model(fake).stream(ASK)) as stream,
    ):
        assert await anext(stream) == TextDelta("First")
        opened.set()
        assert text([chunk async for chunk in stream]) == " then"


async def test_leaving_a_reply_closes_the_connection_so_that_the_server_stops() -> None:
    async with FakeOllama(scripts=[[said("First"), Hang()]]) as fake:
        asked = model(fake)
        async with aclosing(asked.stream(ASK)) as stream:
            assert await anext(stream) == TextDelta("First")
        async with asyncio.timeout(5):
            await fake.left.wait()
        await asked.close()
        await asked.close()


async def test_a_server_that_was_started_again_is_used_again() -> None:
    async with FakeOllama() as fake:
        asked = model(fake)
        assert text(await chunks(asked, ASK)) == "Hello there."
    async with fake:
        assert text(await chunks(asked, ASK)) == "Hello there."
