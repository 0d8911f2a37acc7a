"""A fake of Ollama's native interface on loopback: ``/api/tags``, ``/api/ps``, ``/api/show``, ``/api/chat`` as NDJSON.

It does what the server does, quirks included: it cuts a prompt that does not fit ``num_ctx`` from its front and says so
only in its count, takes 4,096 tokens where ``num_ctx`` is not sent, refuses tools and thinking by capability, demands a
call's arguments as an object, leaves long lists out of ``/api/show`` unless asked for everything, and writes its faults
as ``{"error": …}``. What the model says is scripted: each chat request takes the next ``Script``, the last one again
and again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, TypeAlias

from tests.fakes.http_server import Dropped, HttpRequest, HttpServer, Responder
from wisp_tui.models.fields import obj, objects, whole
from wisp_tui.text.json import Json, JsonObject, dump, load_object

DEFAULT_WINDOW = 4096
BYTES_A_TOKEN = 4

DENSE: JsonObject = {
    "general.architecture": "llama",
    "llama.block_count": 32,
    "llama.context_length": 131072,
    "llama.embedding_length": 4096,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
}
"""The shape of an ordinary model of eight billion parameters: 128 KiB of cache a token."""


@dataclass(frozen=True, slots=True)
class FakeModel:
    """A model that is installed. ``capabilities`` None is a server too old to say."""

    name: str = "granite4.1:8b"
    size: int = 5 * 1024**3
    modified: str = "2026-09-01T10:00:00.000000000+02:00"
    capabilities: tuple[str, ...] | None = ("completion", "tools")
    info: JsonObject = field(default_factory=lambda: DENSE)
    template: str = ""
    remote_host: str | None = None
    loaded: int | None = None
    """Bytes of it in memory; None when it is not loaded."""


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes sent as they are, as one chunk."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is closed here, without an end."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing more comes; ``FakeOllama.left`` is set when the client goes away."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What follows is sent once the event is set."""

    opened: asyncio.Event


@dataclass(frozen=True, slots=True)
class Fails:
    """Instead of a stream, a whole answer of this status and body."""

    status: int
    body: bytes


Piece: TypeAlias = "JsonObject | Raw | Drop | Hang | Gate"
Script: TypeAlias = "Sequence[Piece] | Fails"


def said(text: str) -> JsonObject:
    """A line with a fragment of the reply."""
    return {"message": {"role": "assistant", "content": text}, "done": False}


def thought(text: str) -> JsonObject:
    """A line with a fragment of thinking."""
    return {"message": {"role": "assistant", "content": "", "thinking": text}, "done": False}


def called(*calls: JsonObject) -> JsonObject:
    """A line with whole calls."""
    return {"message": {"role": "assistant", "content": "", "tool_calls": list(calls)}, "done": False}


def call(name: str, arguments: Json, **more: Json) -> JsonObject:
    """A call as the server writes it; ``more`` is beside its function, such as an id."""
    return {**more, "function": {"name": name, "arguments": arguments}}


def done(reason: str = "stop", **more: Json) -> JsonObject:
    """The last line. Counts are the fake's own unless given; ``prompt_eval_count=None`` leaves the count out."""
    return {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": reason, **more}


class FakeOllama:
    """The server, running while it is entered. ``chats`` are the bodies of the chat requests, as they came."""

    def __init__(
        self,
        *models: FakeModel,
        scripts: Sequence[Script] = (),
        split: int | None = None,
        silent: Collection[str] = (),
        formed: Script | None = None,
    ) -> None:
        """Make a server; ``split`` sends a stream in chunks of that many bytes, and ``silent`` paths never answer.

        ``formed`` is what it says each time that an answer of a given form is asked for (``format``).
        """
        self.models = {model.name: model for model in (models or (FakeModel(),))}
        """What is installed, by name; take all out for a server without models."""
        self.scripts: list[Script] = list(scripts) or [(said("Hello"), said(" there."), done())]
        self.chats: list[JsonObject] = []
        self.paths: list[str] = []
        self.kept: list[int] = []
        """How many messages of each chat request were left after it was cut to the window."""
        self.broken: set[str] = set()
        """Models that ``/api/show`` fails on."""
        self.lists_hosts = True
        """Whether the list tells where a remote model runs, or only ``/api/show`` does."""
        self.left = asyncio.Event()
        self._formed = formed
        self._split = split
        self._silent = silent
        self._server = HttpServer(self._handle)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment in which it is found."""
        return {"OLLAMA_HOST": self.address}

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.__aexit__(kind, error, trace)

    async def _handle(self, request: HttpRequest, responder: Responder) -> None:
        self.paths.append(request.path)
        if request.path in self._silent:
            await responder.until_left()
            return
        match request.method, request.path:
            case "GET", "/":
                await responder.answer(200, b"Ollama is running", "text/plain")
            case "GET", "/api/tags":
                await responder.answer(200, dump({"models": [self._listed(model) for model in self.models.values()]}))
            case "GET", "/api/ps":
                loaded = [model for model in self.models.values() if model.loaded is not None]
                await responder.answer(200, dump({"models": [self._listed(model, model.loaded) for model in loaded]}))
            case "POST", "/api/show":
                await self._show(load_object(request.body), responder)
            case "POST", "/api/chat":
                await self._chat(load_object(request.body), responder)
            case _:
                await responder.answer(404, b"404 page not found", "text/plain")

    def _listed(self, model: FakeModel, loaded: int | None = None) -> JsonObject:
        listed: dict[str, Json] = {
            "name": model.name,
            "model": model.name,
            "modified_at": model.modified,
            "size": model.size if loaded is None else loaded,
        }
        if model.remote_host is not None and self.lists_hosts:
            listed["remote_host"] = model.remote_host
        return listed

    def _find(self, body: JsonObject) -> FakeModel | None:
        name = str(body.get("model"))
        return self.models.get(name) or self.models.get(f"{name}:latest")

    async def _show(self, body: JsonObject, responder: Responder) -> None:
        model = self._find(body)
        if model is None:
            await responder.answer(404, dump({"error": f"model '{body.get('model')}' not found"}))
            return
        if model.name in self.broken:
            await responder.answer(500, dump({"error": "open blob: no such file or directory"}))
            return
        everything = body.get("verbose") is True
        shown: dict[str, Json] = {
            "template": model.template,
            "model_info": {
                name: [] if isinstance(value, list) and len(value) > 5 and not everything else value
                for name, value in model.info.items()
            },
        }
        if model.capabilities is not None:
            shown["capabilities"] = list(model.capabilities)
        if model.remote_host is not None:
            shown["remote_host"] = model.remote_host
        await responder.answer(200, dump(shown))

    async def _chat(self, body: JsonObject, responder: Responder) -> None:
        self.chats.append(body)
        model = self._find(body)
        if model is None:
            await responder.answer(404, dump({"error": f"model '{body.get('model')}' not found"}))
            return
        if (fault := _refusal(body, model)) is not None:
            await responder.answer(400, dump({"error": fault}))
            return
        count, kept = _cut(body)
        self.kept.append(kept)
        if self._formed is not None and body.get("format") is not None:
            script = self._formed
        else:
            script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        if isinstance(script, Fails):
            await responder.answer(script.status, script.body)
            return
        await responder.start()
        await self._play(script, count, responder)
        await responder.end()

    async def _play(self, script: Sequence[Piece], count: int, responder: Responder) -> None:
        output = 0
        for piece in script:
            match piece:
                case Raw(data):
                    await responder.send(data)
                case Drop():
                    raise Dropped
                case Hang():
                    await responder.until_left()
                    self.left.set()
                    raise Dropped
                case Gate(opened):
                    await opened.wait()
                case _:
                    output += 1
                    await self._send(_line(piece, count, output), responder)

    async def _send(self, line: bytes, responder: Responder) -> None:
        step = self._split or len(line)
        for start in range(0, len(line), step):
            await responder.send(line[start : start + step])


def _refusal(body: JsonObject, model: FakeModel) -> str | None:
    capabilities = model.capabilities or ("tools",)
    if body.get("tools") and "tools" not in capabilities:
        return f"registry.ollama.ai/library/{model.name} does not support tools"
    if body.get("think") and "thinking" not in capabilities:
        return f'"{model.name}" does not support thinking'
    for message in objects(body.get("messages")):
        for made in objects(message.get("tool_calls")):
            if not isinstance(obj(made.get("function")).get("arguments"), dict):
                return (
                    "json: cannot unmarshal string into Go struct field "
                    "ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments"
                )
    return None


def _cut(body: JsonObject) -> tuple[int, int]:
    """Cut the request to its window as the server does: the oldest messages go, those of the system stay."""
    limit = whole(obj(body.get("options")).get("num_ctx")) or DEFAULT_WINDOW
    kept = list(objects(body.get("messages")))
    while len(kept) > 1 and _tokens(kept) > limit:
        oldest = next((place for place, message in enumerate(kept[:-1]) if message.get("role") != "system"), None)
        if oldest is None:
            break
        del kept[oldest]
    return min(_tokens(kept), limit), len(kept)


def _tokens(messages: Sequence[Mapping[str, Json]]) -> int:
    return max(1, sum(len(dump(message)) for message in messages) // BYTES_A_TOKEN)


def _line(piece: Mapping[str, Json], count: int, output: int) -> bytes:
    line: dict[str, Json] = {"model": "fake", "created_at": "2026-09-01T10:00:00Z", **piece}
    if piece.get("done") is True:
        counted: dict[str, Json] = {"prompt_eval_count": count, "eval_count": output}
        line = {name: value for name, value in (line | counted | dict(piece)).items() if value is not None}
    return dump(line) + b"\n"
