"""What models there are: each with what is known of it, each fault with what to do, and none in another's way."""

from __future__ import annotations

import asyncio
import platform
import struct
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.fakes import apple_fm_sdk
from tests.fakes.http_server import HttpRequest, HttpServer, Responder
from tests.fakes.ollama import FakeModel, FakeOllama
from wisp_tui.config.home import Home
from wisp_tui.config.settings import OllamaSettings, ServerSettings, Settings
from wisp_tui.models import catalogue
from wisp_tui.models.base import Capability
from wisp_tui.models.catalogue import Listed, list_models
from wisp_tui.models.chat_servers import Server, ServerKind, find_server
from wisp_tui.text.json import Json, dump

CLOSED = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def no_mac_and_no_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine that runs the tests out of them: servers that happen to run where they usually do."""

    def found(kind: ServerKind, settings: Settings, environment: Mapping[str, str]) -> Server:
        server = find_server(kind, settings, environment)
        return Server(kind, f"{CLOSED}/v1") if ":8080" in server.api or ":1234" in server.api else server

    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(catalogue, "find_server", found)


@pytest.fixture(name="home")
def empty_home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.prepare()
    return home


async def listed(home: Home, settings: Settings | None = None, address: str = CLOSED) -> dict[str, Listed]:
    found = await list_models(home, settings or Settings(), {"OLLAMA_HOST": address})
    assert len({row.name for row in found}) == len(found)
    return {row.name: row for row in found}


def chat_server(answers: Mapping[str, Json], *, silent: str = "") -> HttpServer:
    async def handle(request: HttpRequest, responder: Responder) -> None:
        path = request.path.partition("?")[0]
        if path == silent:
            await responder.until_left()
        elif path in answers:
            await responder.answer(200, dump(answers[path]))
        else:
            await responder.answer(404, b'{"error":{"message":"not found","code":404}}')

    return HttpServer(handle)


def llamacpp(port: int) -> Settings:
    return Settings(llamacpp=ServerSettings(host=f"http://127.0.0.1:{port}"))


LLAMA: Mapping[str, Json] = {
    "/v1/models": {"data": [{"id": "qwen.gguf"}]},
    "/props": {"default_generation_settings": {"n_ctx": 16384}, "chat_template_caps": {"supports_tools": False}},
}


async def test_with_nothing_there_each_runtime_says_why_and_what_to_do(home: Home) -> None:
    found = await listed(home)
    assert {name: (row.fault, row.remedy) for name, row in found.items()} == {
        "system": ("Apple's model is not available on Linux", "use another model: `wisp models` lists them"),
        "ollama": ("Ollama is not running at http://127.0.0.1:9", "start it with `ollama serve` or open the app"),
        "embedded:smollm2": ("not pulled", "`wisp models pull smollm2`"),
    }
    assert not any(row.usable for row in found.values())


async def test_apples_model_is_listed_with_its_window(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    apple_fm_sdk.install(monkeypatch)
    row = (await listed(home))["system"]
    assert (row.usable, row.window, row.window_source) == (True, 4096, "as macOS says")


async def test_models_of_ollama_have_size_window_and_what_they_can_do(home: Home) -> None:
    thinker = FakeModel("qwen3:8b", capabilities=("completion", "tools", "thinking"))
    settings = Settings(ollama=OllamaSettings(context_length=16_384))
    async with FakeOllama(FakeModel(), thinker) as fake:
        found = await listed(home, settings, fake.address)
    row = found["ollama:granite4.1:8b"]
    assert (row.runtime, row.size, row.usable) == ("ollama", 5 * 1024**3, True)
    assert (row.window, row.window_source) == (16_384, "16,384 of 131,072: configured")
    assert row.capabilities == {Capability.TOOLS, Capability.SCHEMA}
    capabilities = found["ollama:qwen3:8b"].capabilities
    assert capabilities is not None
    assert Capability.THINKING in capabilities


async def test_an_embedding_model_is_listed_as_one_that_cannot_chat(home: Home) -> None:
    async with FakeOllama(FakeModel("nomic:v1", capabilities=("embedding",))) as fake:
        row = (await listed(home, address=fake.address))["ollama:nomic:v1"]
    assert row.fault == "nomic:v1 makes embeddings and cannot chat"


async def test_one_model_that_cannot_be_shown_does_not_hide_the_others(home: Home) -> None:
    async with FakeOllama(FakeModel("a:1b"), FakeModel("b:1b")) as fake:
        fake.broken.add("a:1b")
        found = await listed(home, address=fake.address)
    assert found["ollama:a:1b"].fault == "Ollama: open blob: no such file or directory"
    assert not found["ollama:a:1b"].window_source
    assert found["ollama:b:1b"].usable


async def test_an_ollama_without_models_says_how_to_get_one(home: Home) -> None:
    async with FakeOllama() as fake:
        fake.models.clear()
        row = (await listed(home, address=fake.address))["ollama"]
    assert (row.fault, row.remedy) == ("Ollama has no model installed", "`ollama pull granite4.1:8b`")


async def test_a_chat_server_is_asked_for_each_of_its_models(home: Home) -> None:
    async with chat_server(LLAMA) as server:
        row = (await listed(home, llamacpp(server.port)))["llamacpp:qwen.gguf"]
    assert (row.runtime, row.window, row.usable) == ("llamacpp", 16_384, True)
    assert row.capabilities == {Capability.SCHEMA, Capability.REFUSES_OVERFLOW}


async def test_a_server_with_many_models_is_asked_for_their_names_alone(home: Home) -> None:
    many: Json = {"data": [{"id": f"m{number}"} for number in range(9)]}
    async with chat_server({**LLAMA, "/v1/models": many}) as server:
        found = await listed(home, llamacpp(server.port))
    rows = [row for name, row in found.items() if name.startswith("llamacpp:")]
    assert [row.window_source for row in rows] == ["asked when it is used"] * 9
    assert all(row.usable for row in rows)


async def test_a_configured_server_that_is_down_is_listed_with_its_fault(home: Home) -> None:
    row = (await listed(home, llamacpp(9)))["llamacpp"]
    assert row.fault is not None
    assert "cannot be reached" in row.fault


async def test_another_server_at_a_configured_address_is_a_fault_and_elsewhere_nothing(home: Home) -> None:
    async with chat_server({}) as server:
        assert (await listed(home, llamacpp(server.port)))["llamacpp"].fault is not None
    async with chat_server({"/v1/models": {"hello": "world"}}) as server:
        row = (await listed(home, llamacpp(server.port)))["llamacpp"]
    assert row.fault == f"llama.cpp at http://127.0.0.1:{server.port} lists no models"


async def test_a_malformed_address_is_a_fault_of_its_own_runtime(home: Home) -> None:
    settings = Settings(lmstudio=ServerSettings(host="http://["), ollama=OllamaSettings(host="a b:c"))
    found = await listed(home, settings)
    assert found["lmstudio"].fault is not None
    assert found["ollama"].fault is not None
    assert "embedded:smollm2" in found


async def test_the_openai_runtime_is_listed_only_where_an_address_is_set(home: Home) -> None:
    assert "openai" not in await listed(home)
    assert "openai" in await listed(home, Settings(openai=ServerSettings(host=CLOSED)))


@pytest.mark.parametrize("silent", ["/api/tags", "/api/ps"])
async def test_a_silent_ollama_is_listed_as_late_beside_the_others(
    home: Home, monkeypatch: pytest.MonkeyPatch, silent: str
) -> None:
    monkeypatch.setattr(catalogue, "LIST_SECONDS", 0.6)
    async with FakeOllama(silent={silent}) as fake, chat_server(LLAMA) as server:
        found = await listed(home, llamacpp(server.port), fake.address)
    assert found["ollama"].fault == f"Ollama at {fake.address} did not answer in time"
    assert found["llamacpp:qwen.gguf"].usable


async def test_models_that_were_not_described_in_time_are_listed_without_their_windows(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "LIST_SECONDS", 0.6)
    async with FakeOllama(silent={"/api/show"}) as fake, chat_server(LLAMA, silent="/props") as server:
        found = await listed(home, llamacpp(server.port), fake.address)
    for name in ("ollama:granite4.1:8b", "llamacpp:qwen.gguf"):
        assert (found[name].usable, found[name].window) == (True, None)
        assert found[name].window_source == "it did not answer in time"


async def test_servers_are_asked_side_by_side(home: Home) -> None:
    both = asyncio.Barrier(2)

    async def meet(request: HttpRequest, responder: Responder) -> None:
        if request.path in {"/api/tags", "/v1/models"}:
            async with asyncio.timeout(1):
                await both.wait()
        await responder.answer(200, dump({"models": [], "data": [{"id": "x"}]}))

    async with HttpServer(meet) as one, HttpServer(meet) as other:
        found = await listed(home, llamacpp(other.port), f"http://127.0.0.1:{one.port}")
    assert found["ollama"].fault == "Ollama has no model installed"
    assert "llamacpp:x" in found


async def test_files_in_the_home_have_size_and_the_window_they_will_get(home: Home) -> None:
    name = b"llama.context_length"
    header = struct.pack("<4sIQQQ", b"GGUF", 3, 0, 1, len(name)) + name + struct.pack("<II", 4, 2048)
    (home.models / "tiny.gguf").write_bytes(header)
    (home.models / "odd.gguf").write_bytes(b"x" * 100)
    found = await listed(home)
    tiny, odd = found["embedded:tiny"], found["embedded:odd"]
    assert (tiny.window, tiny.window_source) == (2048, "as it was trained")
    assert (odd.size, odd.window, odd.window_source) == (100, 8192, "embedded.contextLength")
    assert found["embedded:smollm2"].fault == "not pulled"


async def test_a_pulled_model_is_listed_by_its_short_name_once(home: Home) -> None:
    (home.models / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"x")
    found = await listed(home)
    assert [name for name in found if name.startswith("embedded:")] == ["embedded:smollm2"]
    assert found["embedded:smollm2"].usable


async def test_without_the_embedded_runtime_its_models_say_how_to_install_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_spec(name: str) -> None:
        return None

    monkeypatch.setattr("importlib.util.find_spec", no_spec)
    (home.models / "tiny.gguf").write_bytes(b"x")
    row = (await listed(home))["embedded:tiny"]
    assert (row.fault, row.remedy) == ("the embedded runtime is not installed", "`pip install 'wisp-tui[embedded]'`")
