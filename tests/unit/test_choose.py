"""Which model is used: what is named as it is named, and for ``auto`` the best there is, with the reason."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import apple_fm_sdk
from tests.fakes.ollama import FakeModel, FakeOllama
from wisp_tui.config.home import Home
from wisp_tui.config.settings import OllamaSettings, Settings
from wisp_tui.models import choose as choosing
from wisp_tui.models.base import ModelUnavailable
from wisp_tui.models.choose import RUNTIMES, Choice, PassedOver, choose, make_model
from wisp_tui.text.ids import ModelId

CLOSED = "http://127.0.0.1:9"
PLAIN = FakeModel("plain:1b", capabilities=("completion",))
OLD = FakeModel("old:8b", modified="2026-01-01T00:00:00.123456789Z")
NEW = FakeModel("new:8b", modified="2026-02-01T00:30:00.123456789+01:00")
LATER = FakeModel("later:8b", modified="2026-02-01T00:10:00.123456789-01:00")
CLOUD = FakeModel("huge:cloud", modified="2026-09-09T00:00:00Z", remote_host="https://ollama.com:443")
SMALL = "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(name="home")
def empty_home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.prepare()
    return home


def put(home: Home, name: str, modified: int) -> None:
    path = home.models / name
    path.write_bytes(b"GGUF")
    os.utime(path, (modified, modified))


@pytest.fixture(autouse=True)
def no_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")


def no_spec(name: str) -> None:
    return None


async def auto(home: Home, environment: Mapping[str, str] | None = None) -> Choice:
    return await choose(home, Settings(), environment or {"OLLAMA_HOST": CLOSED})


# Named


@pytest.mark.parametrize(
    "name",
    [
        "system",
        "ollama:granite4.1:8b",
        "llamacpp:x",
        "lmstudio:x",
        "openai:x",
        "embedded:smollm2",
        "replay:/tmp/s.jsonl",
    ],
)
def test_every_runtime_is_made_from_its_name_and_keeps_it(home: Home, name: str) -> None:
    model = make_model(ModelId(name), home, Settings(), {"OPENAI_BASE_URL": CLOSED})
    assert model.id == name


@pytest.mark.parametrize("name", ["granite4.1:8b", "granite", "", ":", "system:x", "Ollama:x"])
def test_a_name_of_no_runtime_is_refused_with_those_there_are(home: Home, name: str) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        make_model(ModelId(name), home, Settings(), {})
    assert all(runtime in caught.value.remedy for runtime in RUNTIMES)


@pytest.mark.parametrize("runtime", [runtime for runtime in RUNTIMES if runtime != "system"])
def test_a_runtime_without_a_model_is_refused(home: Home, runtime: str) -> None:
    with pytest.raises(ModelUnavailable, match="names no model"):
        make_model(ModelId(f"{runtime}:"), home, Settings(), {})


async def test_a_named_model_is_used_whatever_else_there_is(home: Home) -> None:
    async with FakeOllama() as fake:
        choice = await choose(home, Settings(model="ollama:other"), fake.environment, "ollama:nosuch:1b")
        assert (choice.model.id, choice.why) == ("ollama:nosuch:1b", "ollama:nosuch:1b was asked for")
        with pytest.raises(ModelUnavailable, match="no model nosuch:1b"):
            await choice.model.resolve()
        assert fake.paths == ["/api/show"]


async def test_the_configured_model_is_used_without_asking_anybody(home: Home) -> None:
    async with FakeOllama() as fake:
        choice = await choose(home, Settings(model="ollama:granite4.1:8b"), fake.environment)
        assert (choice.model.id, choice.why) == ("ollama:granite4.1:8b", "config.json names ollama:granite4.1:8b")
        assert fake.paths == []


async def test_auto_by_name_looks_past_the_configured_model(home: Home) -> None:
    async with FakeOllama() as fake:
        choice = await choose(home, Settings(model="ollama:other"), fake.environment, "auto")
        assert choice.model.id == "ollama:granite4.1:8b"


# Automatic


async def test_apples_model_comes_first(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    apple_fm_sdk.install(monkeypatch)
    async with FakeOllama() as fake:
        choice = await auto(home, fake.environment)
        assert (choice.model.id, choice.why) == ("system", "Apple's on-device model is available")


async def test_then_a_model_of_ollama_that_calls_tools_and_the_reason_says_both(home: Home) -> None:
    async with FakeOllama() as fake:
        choice = await auto(home, fake.environment)
    assert choice.model.id == "ollama:granite4.1:8b"
    assert choice.why == ("Ollama has granite4.1:8b, which calls tools; Apple's model is not available on Linux")


async def test_the_last_modified_is_taken_in_whatever_zones_the_times_are_written(home: Home) -> None:
    async with FakeOllama(OLD, LATER, NEW) as fake:
        assert (await auto(home, fake.environment)).model.id == "ollama:later:8b"


async def test_a_loaded_model_comes_before_a_newer_one(home: Home) -> None:
    async with FakeOllama(NEW, replace(OLD, loaded=5)) as fake:
        choice = await auto(home, fake.environment)
    assert choice.model.id == "ollama:old:8b"
    assert choice.why.startswith("Ollama has old:8b, which calls tools and is loaded")


async def test_models_without_tools_are_passed_over_and_named(home: Home) -> None:
    async with FakeOllama(replace(PLAIN, loaded=5), OLD) as fake:
        choice = await auto(home, fake.environment)
    assert choice.model.id == "ollama:old:8b"
    assert PassedOver("ollama:plain:1b", "plain:1b does not call tools") in choice.passed_over


@pytest.mark.parametrize("says_so_in_the_list", [True, False])
async def test_a_model_that_runs_elsewhere_is_never_chosen_for_a_person(home: Home, says_so_in_the_list: bool) -> None:
    async with FakeOllama(CLOUD, OLD) as fake:
        fake.lists_hosts = says_so_in_the_list
        choice = await auto(home, fake.environment)
        assert fake.paths.count("/api/show") == (1 if says_so_in_the_list else 2)
    assert choice.model.id == "ollama:old:8b"
    assert PassedOver("ollama:huge:cloud", "huge:cloud does not run on this machine") in choice.passed_over


async def test_a_model_that_cannot_be_shown_does_not_stop_the_search(home: Home) -> None:
    async with FakeOllama(NEW, OLD) as fake:
        fake.broken.add("new:8b")
        assert (await auto(home, fake.environment)).model.id == "ollama:old:8b"


async def test_then_the_newest_file_in_the_home(home: Home) -> None:
    put(home, "first.gguf", 1000)
    put(home, "second.v2.gguf", 2000)
    choice = await auto(home)
    assert choice.model.id == "embedded:second.v2"
    assert choice.why.startswith("the embedded model second.v2 is here; Apple's model is not available on Linux; ")
    assert "Ollama is not running at http://127.0.0.1:9" in choice.why


async def test_the_small_model_is_taken_only_where_it_is_alone(home: Home) -> None:
    put(home, SMALL, 2000)
    assert (await auto(home)).model.id == "embedded:smollm2"
    put(home, "better.gguf", 1000)
    assert (await auto(home)).model.id == "embedded:better"


async def test_ollama_without_a_model_for_it_leads_on_to_the_embedded(home: Home) -> None:
    put(home, SMALL, 2000)
    async with FakeOllama(PLAIN) as fake:
        choice = await auto(home, fake.environment)
    assert choice.model.id == "embedded:smollm2"
    assert "Ollama has no model that runs here and calls tools (1 looked at)" in choice.why


async def test_without_the_embedded_runtime_its_files_are_of_no_use(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home, SMALL, 2000)
    monkeypatch.setattr("importlib.util.find_spec", no_spec)
    with pytest.raises(ModelUnavailable, match="the embedded runtime is not installed"):
        await auto(home)


async def test_with_nothing_there_the_three_ways_to_a_model_are_said(home: Home) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        await auto(home)
    for reason in ("Apple's model is not available", "Ollama is not running", "there is no GGUF file"):
        assert reason in caught.value.reason
    for way in ("wisp models pull smollm2", "ollama pull", "GGUF file"):
        assert way in caught.value.remedy


@pytest.mark.parametrize("path", ["/api/tags", "/api/show"])
async def test_a_server_that_does_not_answer_is_not_waited_for(
    home: Home, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    put(home, SMALL, 2000)
    monkeypatch.setattr(choosing, "AUTO_SECONDS", 0.05)
    async with FakeOllama(silent={path}) as fake:
        choice = await auto(home, fake.environment)
    assert choice.model.id == "embedded:smollm2"
    assert f"Ollama at {fake.address} does not answer within a second" in choice.why


async def test_the_address_of_the_settings_is_asked(home: Home) -> None:
    async with FakeOllama() as fake:
        settings = Settings(ollama=OllamaSettings(host=fake.address))
        assert (await choose(home, settings, {"OLLAMA_HOST": CLOSED})).model.id == "ollama:granite4.1:8b"
