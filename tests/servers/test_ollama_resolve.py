"""What an Ollama server tells of a model: its window, how it came about, what it can do, and why it cannot be used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.ollama import DENSE, FakeModel, FakeOllama
from wisp_tui.config.settings import OllamaSettings, Settings
from wisp_tui.models.base import Capability, ModelUnavailable, Resolved
from wisp_tui.models.ollama import OllamaModel, describe
from wisp_tui.models.ollama_api import Shown, Stock
from wisp_tui.models.ollama_window import Memory
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import JsonObject

GIB = 1024**3
GRANITE = FakeModel()


async def resolved(*models: FakeModel, name: str = GRANITE.name, configured: int | None = None) -> Resolved:
    async with FakeOllama(*models) as fake:
        settings = Settings(ollama=OllamaSettings(context_length=configured))
        memory = Memory(free=20 * GIB, installed=32 * GIB)
        asked = OllamaModel(ModelId(f"ollama:{name}"), settings, fake.environment, memory=lambda: memory)
        return await asked.resolve()


async def test_the_window_is_sized_from_shape_weights_and_memory_and_says_how() -> None:
    found = await resolved(GRANITE)
    assert found.window == 36_864
    assert found.window_source == "36,864 of 131,072: 10 GiB of a 10 GiB budget"


async def test_memory_that_ollama_holds_for_the_model_counts_as_free() -> None:
    found = await resolved(replace(GRANITE, loaded=6 * GIB))
    assert found.window == 61_440


async def test_a_configured_window_wins() -> None:
    found = await resolved(GRANITE, configured=16_384)
    assert (found.window, found.window_source) == (16_384, "16,384 of 131,072: configured")


async def test_what_a_model_can_do_is_what_its_server_says() -> None:
    found = await resolved(replace(GRANITE, capabilities=("completion", "tools", "thinking")))
    assert found.capabilities == {Capability.TOOLS, Capability.SCHEMA, Capability.THINKING}
    assert (await resolved(replace(GRANITE, capabilities=("completion",)))).capabilities == {Capability.SCHEMA}


@pytest.mark.parametrize(("template", "takes"), [("{{ if .Tools }}…{{ end }}", True), ("{{ .Prompt }}", False)])
async def test_a_server_too_old_to_say_shows_tools_in_the_template(template: str, takes: bool) -> None:
    found = await resolved(replace(GRANITE, capabilities=None, template=template))
    assert (Capability.TOOLS in found.capabilities) is takes


async def test_what_the_server_says_counts_before_the_template() -> None:
    found = await resolved(replace(GRANITE, capabilities=("completion",), template="{{ .Tools }}"))
    assert Capability.TOOLS not in found.capabilities


async def test_ollama_never_claims_to_refuse_what_it_cuts() -> None:
    assert Capability.REFUSES_OVERFLOW not in (await resolved(GRANITE)).capabilities


async def test_a_name_without_a_tag_is_the_latest() -> None:
    found = await resolved(FakeModel("mistral:latest", loaded=6 * GIB), name="mistral")
    assert found.window == 61_440


async def test_lists_that_the_server_leaves_out_are_asked_for() -> None:
    heads: list[int] = [0, 0, 0, 8] * 8
    info: JsonObject = {**DENSE, "llama.attention.head_count_kv": heads, "llama.ssm.state_size": 128}
    async with FakeOllama(replace(GRANITE, info=info)) as fake:
        memory = Memory(free=20 * GIB, installed=32 * GIB)
        asked = OllamaModel(ModelId("ollama:granite4.1:8b"), Settings(), fake.environment, memory=lambda: memory)
        assert (await asked.resolve()).window == 131_072
        assert fake.paths.count("/api/show") == 2


async def test_the_server_is_asked_once() -> None:
    async with FakeOllama() as fake:
        asked = OllamaModel(ModelId("ollama:granite4.1:8b"), Settings(), fake.environment)
        assert await asked.resolve() == await asked.resolve()
        assert sorted(fake.paths) == ["/api/ps", "/api/show", "/api/tags"]


async def test_an_embedding_model_is_refused_with_what_it_is() -> None:
    with pytest.raises(ModelUnavailable, match="makes embeddings and cannot chat"):
        await resolved(FakeModel("nomic:v1", capabilities=("embedding",)), name="nomic:v1")


async def test_a_model_of_another_host_is_said_to_be_one() -> None:
    found = await resolved(FakeModel("big:cloud", size=400, remote_host="https://ollama.com:443"), name="big:cloud")
    assert found.window == 131_072
    assert found.remark is not None
    assert "another host" in found.remark


def test_a_server_of_another_machine_gets_the_default_window_with_the_reason() -> None:
    shown = Shown(capabilities=None, info=DENSE, template="", remote=False)
    found = describe("m", shown, Stock((), ()), OllamaSettings(), memory=None)
    assert found.window == 8192
    assert found.resolved.window_source == (
        "8,192 of 131,072: the default, since Ollama runs on another machine, whose memory is not known"
    )
