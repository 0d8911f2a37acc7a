"""What models there are: every runtime asked side by side and briefly, and no broken one in the way of the others."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace

from wisp_tui.config.home import Home
from wisp_tui.config.settings import OllamaSettings, Settings
from wisp_tui.models.apple import SYSTEM, AppleModel
from wisp_tui.models.base import Capability, Model, ModelError, ModelUnavailable, Resolved
from wisp_tui.models.chat_completions import ChatCompletionsModel
from wisp_tui.models.chat_connection import Connection, Patience, Refused
from wisp_tui.models.chat_faults import model_error
from wisp_tui.models.chat_servers import Server, ServerKind, configured_window, find_server
from wisp_tui.models.disabled import WHY, is_disabled, remedy
from wisp_tui.models.fields import objects, text
from wisp_tui.models.gguf import GgufFile, gguf_files, trained_window
from wisp_tui.models.ollama import describe, measured_memory
from wisp_tui.models.ollama_address import is_local, ollama_address
from wisp_tui.models.ollama_api import Installed, OllamaServer, Stock
from wisp_tui.models.ollama_window import Memory
from wisp_tui.models.pullable import PULLABLE
from wisp_tui.text.ids import ModelId

CONNECT_SECONDS = 0.5
LIST_SECONDS = 1.3
"""How long the whole list may take; a server that has not answered by then is listed as that, or not at all."""

_ASKED_AT_MOST = 8
"""Models of one chat server that are asked one by one; a hosted server lists hundreds."""
_LATE = "it did not answer in time"
_BRIEF = Patience(connect=CONNECT_SECONDS, question=LIST_SECONDS)


@dataclass(frozen=True, slots=True)
class Listed:
    """A model, or a runtime none of whose models can be seen: then ``name`` is the runtime's alone.

    ``size`` is the model file's, in bytes; ``window`` in tokens, ``window_source`` how it is known. ``capabilities`` is
    None where nobody was asked. ``fault`` says why it cannot be used, with what to do in ``remedy``; None when it can.
    """

    name: ModelId
    runtime: str
    size: int | None = None
    window: int | None = None
    window_source: str = ""
    capabilities: frozenset[Capability] | None = None
    fault: str | None = None
    remedy: str = ""
    remark: str | None = None

    @property
    def usable(self) -> bool:
        """Whether a conversation can be held with it now."""
        return self.fault is None


async def list_models(home: Home, settings: Settings, environment: Mapping[str, str]) -> list[Listed]:
    """List what there is, runtime by runtime: Apple, Ollama, the chat servers, the embedded models.

    A chat server that is not configured is listed only when it answers at its usual address.
    """
    found = await asyncio.gather(
        _apple(),
        _ollama(settings, environment),
        *(_chat_server(kind, settings, environment) for kind in ServerKind),
        asyncio.to_thread(_embedded, home, settings),
    )
    return [_allowed(listed, settings) for part in found for listed in part]


def _allowed(listed: Listed, settings: Settings) -> Listed:
    """Say of a model that it is turned off, where it is and nothing else is wrong with it."""
    if listed.fault is not None or not is_disabled(listed.name, settings):
        return listed
    return replace(listed, fault=WHY, remedy=remedy(listed.name, settings))


def _known(listed: Listed, resolved: Resolved) -> Listed:
    return replace(
        listed,
        window=resolved.window,
        window_source=resolved.window_source,
        capabilities=resolved.capabilities,
        remark=resolved.remark,
    )


def _broken(listed: Listed, error: ModelError) -> Listed:
    if isinstance(error, ModelUnavailable):
        return replace(listed, fault=error.reason, remedy=error.remedy)
    return replace(listed, fault=str(error))


async def _resolved(listed: Listed, model: Model) -> Listed:
    try:
        return _known(listed, await model.resolve())
    except ModelError as error:
        return _broken(listed, error)
    finally:
        await model.close()


async def _in_time(rows: Sequence[tuple[Listed, Coroutine[object, object, Listed]]], deadline: float) -> list[Listed]:
    """Wait for what is asked about each row until ``deadline``; of a row that is late nothing more is known."""
    tasks = [asyncio.create_task(asked) for _, asked in rows]
    try:
        if tasks:
            await asyncio.wait(tasks, timeout=max(0.0, deadline - asyncio.get_running_loop().time()))
    finally:
        late = [task for task in tasks if task.cancel()]
        await asyncio.gather(*late, return_exceptions=True)
    return [
        replace(row, window_source=_LATE) if task in late else task.result()
        for (row, _), task in zip(rows, tasks, strict=True)
    ]


async def _apple() -> list[Listed]:
    row = Listed(SYSTEM, "system")
    return await _in_time([(row, _resolved(row, AppleModel()))], _deadline())


def _deadline() -> float:
    return asyncio.get_running_loop().time() + LIST_SECONDS


async def _ollama(settings: Settings, environment: Mapping[str, str]) -> list[Listed]:
    deadline, runtime = _deadline(), Listed(ModelId("ollama"), "ollama")
    server = OllamaServer(ollama_address(settings.ollama.host, environment), connect_seconds=CONNECT_SECONDS)
    try:
        async with asyncio.timeout_at(deadline):
            stock = await server.stock()
        if not stock.installed:
            return [replace(runtime, fault="Ollama has no model installed", remedy="`ollama pull granite4.1:8b`")]
        memory = measured_memory() if is_local(server.address) else None
        rows = [_installed(model) for model in stock.installed]
        asked = [(row, _shown(row, server, stock, settings.ollama, memory)) for row in rows]
        return await _in_time(asked, deadline)
    except TimeoutError:
        return [replace(runtime, fault=f"Ollama at {server.shown} did not answer in time")]
    except ModelError as error:
        return [_broken(runtime, error)]
    finally:
        await server.close()


def _installed(model: Installed) -> Listed:
    return Listed(ModelId(f"ollama:{model.name}"), "ollama", size=model.size)


async def _shown(
    row: Listed, server: OllamaServer, stock: Stock, settings: OllamaSettings, memory: Memory | None
) -> Listed:
    name = row.name.partition(":")[2]
    try:
        shown = await server.show(name)
        return _known(row, describe(name, shown, stock, settings, memory).resolved)
    except ModelError as error:
        return _broken(row, error)


async def _chat_server(kind: ServerKind, settings: Settings, environment: Mapping[str, str]) -> list[Listed]:
    deadline, runtime = _deadline(), Listed(ModelId(kind.value), kind.value)
    configured = _is_configured(kind, settings, environment)
    try:
        server = find_server(kind, settings, environment)
    except ModelUnavailable as error:
        return [_broken(runtime, error)] if configured else []
    try:
        async with asyncio.timeout_at(deadline):
            names = await _names(server)
    except (ModelError, Refused, TimeoutError) as error:
        return [_unanswered(runtime, server, error)] if configured else []
    if not names and configured:
        return [replace(runtime, fault=f"{server.where} lists no models", remedy="load one there")]
    rows = [Listed(ModelId(f"{kind}:{name}"), kind.value) for name in names]
    if len(rows) > _ASKED_AT_MOST:
        return [replace(row, window_source="asked when it is used") for row in rows]
    window = configured_window(kind, settings)
    models = [
        ChatCompletionsModel(row.name, server, name, window=window, patience=_BRIEF)
        for row, name in zip(rows, names, strict=True)
    ]
    return await _in_time([(row, _resolved(row, model)) for row, model in zip(rows, models, strict=True)], deadline)


def _is_configured(kind: ServerKind, settings: Settings, environment: Mapping[str, str]) -> bool:
    match kind:
        case ServerKind.LLAMACPP:
            return settings.llamacpp.host is not None
        case ServerKind.LMSTUDIO:
            return settings.lmstudio.host is not None
        case ServerKind.OPENAI:
            return settings.openai.host is not None or bool(environment.get("OPENAI_BASE_URL"))


async def _names(server: Server) -> list[str]:
    connection = Connection(server, _BRIEF)
    try:
        answer = await connection.ask("GET", f"{server.api}/models")
    finally:
        await connection.drop()
    return [name for item in objects(answer.get("data")) if (name := text(item.get("id")))]


def _unanswered(runtime: Listed, server: Server, error: ModelError | Refused | TimeoutError) -> Listed:
    match error:
        case Refused():
            return _broken(runtime, model_error(error.fault, server, runtime.name, tools=False))
        case ModelError():
            return _broken(runtime, error)
        case _:
            return replace(runtime, fault=f"{server.where} did not answer in time")


def _embedded(home: Home, settings: Settings) -> list[Listed]:
    files, names = gguf_files(home), {plan.file: plan.name for plan in PULLABLE.values()}
    rows = [_file(file, names.get(file.path.name, file.name), settings) for file in files]
    pulled = {file.path.name for file in files}
    return rows + [
        Listed(
            ModelId(f"embedded:{plan.name}"),
            "embedded",
            size=plan.size,
            fault="not pulled",
            remedy=f"`wisp models pull {plan.name}`",
        )
        for plan in PULLABLE.values()
        if plan.file not in pulled
    ]


def _file(file: GgufFile, name: str, settings: Settings) -> Listed:
    asked, trained = settings.embedded.context_length, trained_window(file.path)
    is_capped = trained is not None and trained < asked
    row = Listed(
        ModelId(f"embedded:{name}"),
        "embedded",
        size=file.size,
        window=trained if is_capped else asked,
        window_source="as it was trained" if is_capped else "embedded.contextLength",
    )
    if importlib.util.find_spec("xllamacpp") is None:
        missing = "the embedded runtime is not installed"
        return replace(row, fault=missing, remedy="`pip install 'wisp-tui[embedded]'`")
    return row
