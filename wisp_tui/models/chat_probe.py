"""What a chat-completions server says of a model: its window, what it can do, and how each is known."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from wisp_tui.models.base import Capability, ModelUnavailable
from wisp_tui.models.chat_connection import Connection, Refused
from wisp_tui.models.chat_servers import ServerKind
from wisp_tui.models.fields import obj, objects, positive, text, whole
from wisp_tui.text.json import Json, JsonObject

_LOADING = 503
_UNASKED = frozenset({401, 403})
_WINDOW_NAMES = ("max_model_len", "context_length", "context_window", "max_context_length")
_ANY_MESSAGE: JsonObject = {"messages": [{"role": "user", "content": "."}]}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a model. ``final`` is false where a later answer may say more, as once it is loaded."""

    window: int | None
    source: str
    capabilities: frozenset[Capability]
    final: bool = True


async def probe(connection: Connection, name: str, configured: int | None) -> Known:
    """Ask a server about a model, in its kind's own way. ``configured`` is the settings' window, in tokens.

    What the server says of the window counts before the settings. Raises ModelUnavailable when the server cannot be
    reached or does not have the model, Refused when it wants a key or is not ready.
    """
    match connection.server.kind:
        case ServerKind.LLAMACPP:
            return await _llamacpp(connection, name, configured)
        case ServerKind.LMSTUDIO:
            return await _lmstudio(connection, name, configured)
        case ServerKind.OPENAI:
            return await _any_server(connection, name, configured)


async def _llamacpp(connection: Connection, name: str, configured: int | None) -> Known:
    server = connection.server
    props = await _asked(connection, f"{server.root}/props?model={quote(name, safe='')}")
    caps = props.get("chat_template_caps")
    capabilities = {Capability.SCHEMA, Capability.REFUSES_OVERFLOW}
    if obj(caps).get("supports_tools", True) is True:
        capabilities.add(Capability.TOOLS)
    if await counts(connection):
        capabilities.add(Capability.COUNTS)
    window = positive(obj(props.get("default_generation_settings")).get("n_ctx")) or positive(props.get("n_ctx"))
    return _known(window, "llama.cpp says so", configured, server.kind, frozenset(capabilities))


async def counts(connection: Connection) -> bool:
    """Answer whether a llama.cpp server counts the tokens of a chat: older ones do not."""
    answer = await _asked(connection, f"{connection.server.api}/chat/completions/input_tokens", _ANY_MESSAGE)
    return whole(answer.get("input_tokens")) is not None


async def _lmstudio(connection: Connection, name: str, configured: int | None) -> Known:
    server = connection.server
    listing = objects((await _asked(connection, f"{server.root}/api/v0/models")).get("data"))
    entry = _named(listing, name)
    if listing and entry is None:
        raise _not_there(server.where, listing, name)
    found = entry or {}
    capabilities = {Capability.SCHEMA}
    told = found.get("capabilities")
    if not isinstance(told, list | tuple) or "tool_use" in told:
        capabilities.add(Capability.TOOLS)
    loaded, most = positive(found.get("loaded_context_length")), positive(found.get("max_context_length"))
    is_loaded = loaded is not None or text(found.get("state")) == "loaded"
    source = "LM Studio says so" if loaded else "the most LM Studio says it takes; it may be loaded with less"
    known = _known(loaded or configured or most, source, configured, server.kind, frozenset(capabilities))
    return known if is_loaded or not listing else Known(known.window, known.source, known.capabilities, final=False)


async def _any_server(connection: Connection, name: str, configured: int | None) -> Known:
    listing = objects((await _asked(connection, f"{connection.server.api}/models")).get("data"))
    entry = _named(listing, name) or {}
    told = next((size for field in _WINDOW_NAMES if (size := positive(entry.get(field)))), None)
    window = told or positive(obj(entry.get("meta")).get("n_ctx"))
    capabilities = frozenset({Capability.TOOLS, Capability.SCHEMA})
    return _known(window, "the server says so", configured, connection.server.kind, capabilities)


def _known(
    window: int | None, source: str, configured: int | None, kind: ServerKind, capabilities: frozenset[Capability]
) -> Known:
    if window is not None and window != configured:
        return Known(window, source, capabilities)
    if configured is not None:
        return Known(configured, f"{kind}.contextLength in config.json", capabilities)
    return Known(None, f"the server does not say; set {kind}.contextLength in config.json", capabilities)


async def _asked(connection: Connection, url: str, body: JsonObject | None = None) -> JsonObject:
    """Ask, taking a refusal as no answer: many servers of a kind do not have every path of it.

    Raises Refused where the refusal is about the model or the key: it would be the same for every request.
    """
    try:
        return await connection.ask("GET" if body is None else "POST", url, body)
    except Refused as refusal:
        if refusal.fault.status in _UNASKED or refusal.fault.status == _LOADING:
            raise
        return {}


def _named(listing: tuple[JsonObject, ...], name: str) -> JsonObject | None:
    return next((entry for entry in listing if _same(entry.get("id"), name)), None)


def _same(listed: Json, name: str) -> bool:
    return text(listed).casefold() == name.casefold()


def _not_there(where: str, listing: tuple[JsonObject, ...], name: str) -> ModelUnavailable:
    names = [text(entry.get("id")) for entry in listing]
    return ModelUnavailable(f"{where} has no model {name}", f"it has {', '.join(names[:8])}; `lms get` fetches more")
