"""Which model to use: making one from its id, and choosing one for ``auto``.

A model that was named is made as named, and never replaced by another. ``auto`` takes the first of: Apple's model, an
Ollama model on this machine that calls tools, an embedded model. What was chosen and why is said in words.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wisp_tui.config.home import Home
from wisp_tui.config.settings import Settings
from wisp_tui.models.base import Model, ModelError, ModelUnavailable
from wisp_tui.models.disabled import WHY, is_disabled, refuse_disabled
from wisp_tui.text.ids import ModelId

if TYPE_CHECKING:
    from wisp_tui.models.ollama_api import Installed, OllamaServer

AUTO = "auto"
RUNTIMES = ("system", "ollama", "llamacpp", "lmstudio", "openai", "embedded", "replay")
"""Every runtime there is, by the name before the colon of a model's id. ``system`` stands alone."""

AUTO_SECONDS = 0.9
"""How long ``auto`` waits for Ollama."""
CONNECT_SECONDS = 0.5
_THREE_WAYS = (
    "`wisp models pull smollm2` fetches a small model that runs anywhere; "
    "Ollama (`ollama pull granite4.1:8b`) has larger ones; "
    "a GGUF file in the home's models directory is used as embedded:NAME"
)


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A model, or a whole runtime, that ``auto`` did not take, and why, in a clause."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The model to use, not yet resolved; ``why`` is a sentence for the person."""

    model: Model
    why: str
    passed_over: tuple[PassedOver, ...] = ()


def make_model(model: ModelId, home: Home, settings: Settings, environment: Mapping[str, str]) -> Model:
    """Make a model from its id, without asking its runtime. Raises ModelUnavailable when no such runtime exists."""
    runtime, _, name = model.partition(":")
    if runtime in RUNTIMES and runtime != "system" and not name:
        raise ModelUnavailable(f"{model!r} names no model", f"write {runtime}:NAME; `wisp models` lists what there is")
    match runtime:
        case "system" if not name:
            from wisp_tui.models.apple import AppleModel

            return AppleModel()
        case "ollama":
            from wisp_tui.models.ollama import OllamaModel

            return OllamaModel(model, settings, environment)
        case "llamacpp" | "lmstudio" | "openai":
            from wisp_tui.models.chat_completions import chat_model

            return chat_model(model, settings, environment)
        case "embedded":
            from wisp_tui.models.embedded import EmbeddedModel

            return EmbeddedModel(model, home, settings, environment)
        case "replay":
            from wisp_tui.models.replay import ReplayModel

            return ReplayModel(model)
        case _:
            raise ModelUnavailable(
                f"{model!r} names no runtime there is", f"write RUNTIME:NAME, with one of {_known()}"
            )


def _known() -> str:
    return ", ".join(RUNTIMES[:-1]) + f" or {RUNTIMES[-1]}"


async def choose(home: Home, settings: Settings, environment: Mapping[str, str], named: str | None = None) -> Choice:
    """Choose the model of a new conversation: ``named`` (``-m``), else the configured one, else what ``auto`` finds.

    Raises ModelUnavailable when the name is of no runtime, or when ``auto`` finds nothing; its remedy says what to do.
    """
    if named is not None and named != AUTO:
        refuse_disabled(named, settings)
        return Choice(make_model(ModelId(named), home, settings, environment), f"{named} was asked for")
    if named is None and settings.model != AUTO:
        refuse_disabled(settings.model, settings)
        model = make_model(ModelId(settings.model), home, settings, environment)
        return Choice(model, f"config.json names {settings.model}")
    return await _automatic(home, settings, environment)


@dataclass(frozen=True, slots=True)
class _Found:
    """What a runtime offers ``auto``: a model's id, or None; ``why`` says in a clause why it is fit, or why none is.

    ``passed_over`` has the models of the runtime that were not taken.
    """

    id: ModelId | None
    why: str
    passed_over: tuple[PassedOver, ...] = ()


async def _automatic(home: Home, settings: Settings, environment: Mapping[str, str]) -> Choice:
    ollama = asyncio.create_task(_ollama(settings, environment))  # asked meanwhile
    try:
        whys: list[str] = []
        passed: list[PassedOver] = []
        for runtime, look in (
            ("system", _apple),
            ("ollama", lambda: ollama),
            ("embedded", lambda: _embedded(home, settings)),
        ):
            found = _Found(None, f"{runtime}: {WHY}") if is_disabled(runtime, settings) else await look()
            passed += found.passed_over
            if found.id is not None:
                model = make_model(found.id, home, settings, environment)
                return Choice(model, "; ".join((found.why, *whys)), tuple(passed))
            whys.append(found.why)
            passed.append(PassedOver(runtime, found.why))
    finally:
        ollama.cancel()
    raise ModelUnavailable("no model was found: " + "; ".join(whys), _THREE_WAYS)


async def _apple() -> _Found:
    from wisp_tui.models.apple import SYSTEM, AppleModel

    try:
        await AppleModel().resolve()
    except ModelUnavailable as error:
        return _Found(None, error.reason)
    return _Found(SYSTEM, "Apple's on-device model is available")


async def _ollama(settings: Settings, environment: Mapping[str, str]) -> _Found:
    from wisp_tui.models.ollama_address import ollama_address
    from wisp_tui.models.ollama_api import OllamaServer

    server = OllamaServer(ollama_address(settings.ollama.host, environment), connect_seconds=CONNECT_SECONDS)
    try:
        async with asyncio.timeout(AUTO_SECONDS):
            return await _calls_tools(server, settings)
    except ModelError as error:
        return _Found(None, _reason(error))
    except TimeoutError:
        return _Found(None, f"Ollama at {server.shown} does not answer within a second")
    finally:
        await server.close()


async def _calls_tools(server: OllamaServer, settings: Settings) -> _Found:
    """Find an installed model that runs on this machine and calls tools: a loaded one, else the last modified."""
    from wisp_tui.models.ollama_api import canonical

    stock = await server.stock()
    in_memory = {canonical(model.name) for model in stock.loaded}
    passed: list[PassedOver] = []
    for model in sorted(stock.installed, key=lambda each: (canonical(each.name) not in in_memory, -each.modified)):
        named = ModelId(f"ollama:{model.name}")
        why_not = WHY if is_disabled(named, settings) else await _why_not(server, model)
        if why_not is None:
            state = " and is loaded" if canonical(model.name) in in_memory else ""
            return _Found(named, f"Ollama has {model.name}, which calls tools{state}", tuple(passed))
        passed.append(PassedOver(named, why_not))
    if not passed:
        return _Found(None, "Ollama has no model installed")
    return _Found(None, f"Ollama has no model that runs here and calls tools ({len(passed)} looked at)", tuple(passed))


async def _why_not(server: OllamaServer, model: Installed) -> str | None:
    """Say why a model of Ollama is not for ``auto``, None when it is."""
    if model.remote:
        return f"{model.name} does not run on this machine"
    try:
        shown = await server.show(model.name)
    except ModelError as error:
        return _reason(error)
    if shown.remote:
        return f"{model.name} does not run on this machine"
    return None if shown.takes_tools else f"{model.name} does not call tools"


def _reason(error: ModelError) -> str:
    return error.reason if isinstance(error, ModelUnavailable) else str(error)


async def _embedded(home: Home, settings: Settings) -> _Found:
    """Find a GGUF file in the home: the newest, but a pulled one only where there is no other, which is better."""
    from wisp_tui.models.gguf import gguf_files
    from wisp_tui.models.pullable import PULLABLE

    small = {plan.file: plan.name for plan in PULLABLE.values()}
    there = await asyncio.to_thread(gguf_files, home)
    files = [file for file in there if not is_disabled(f"embedded:{small.get(file.path.name, file.name)}", settings)]
    if not files:
        why = f"every GGUF file in {home.models}: {WHY}" if there else f"there is no GGUF file in {home.models}"
        return _Found(None, why)
    if importlib.util.find_spec("xllamacpp") is None:
        return _Found(None, "the embedded runtime is not installed (`pip install 'wisp-tui[embedded]'`)")
    best = min(files, key=lambda file: (file.path.name in small, -file.modified, file.name))
    name = small.get(best.path.name, best.name)
    return _Found(ModelId(f"embedded:{name}"), f"the embedded model {name} is here")
