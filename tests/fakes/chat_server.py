"""A fake chat-completions server on loopback: what it streams is scripted, byte for byte where a quirk needs it.

Each request to ``/v1/chat/completions`` takes the next script, the last one again and again. Other paths answer what
``answers`` holds for them, else 404, as servers of one kind lack the paths of another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeAlias

from tests.fakes.http_server import Dropped, HttpRequest, HttpServer, Responder
from tests.fakes.ollama import Drop, Fails, Gate, Hang, Raw
from wisp_tui.text.json import Json, JsonObject, dump, load_object

__all__ = ["DONE", "Drop", "Fails", "FakeChatServer", "Gate", "Hang", "Raw", "Wire", "ended", "event", "said", "used"]


@dataclass(frozen=True, slots=True)
class Wire:
    """A whole answer as raw bytes, head and all; the connection closes after it."""

    data: bytes


Piece: TypeAlias = "JsonObject | Raw | Drop | Hang | Gate"
Script: TypeAlias = "Sequence[Piece] | Fails | Wire"

DONE = Raw(b"data: [DONE]\n\n")
"""The closing mark."""

PROPS: JsonObject = {
    "default_generation_settings": {"n_ctx": 8192},
    "chat_template_caps": {"supports_tools": True},
}
"""What a llama.cpp server says of a model that takes tools."""


def event(value: Json) -> bytes:
    """One event as a server writes it."""
    return b"data: " + dump(value) + b"\n\n"


def delta(**fields: Json) -> JsonObject:
    """An event with one choice's delta."""
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


def said(text: str) -> JsonObject:
    """An event with a fragment of the reply."""
    return delta(content=text)


def fragment(index: int | None, call: str | None = None, name: str | None = None, arguments: Json = None) -> JsonObject:
    """An event with a fragment of a call, without what is None."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    fields: dict[str, Json] = {"function": function} if function else {}
    fields |= {key: value for key, value in (("index", index), ("id", call)) if value is not None}
    return delta(tool_calls=[fields])


def ended(reason: str = "stop") -> JsonObject:
    """An event that says why the reply is over."""
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


def progress(done: int, total: int) -> JsonObject:
    """An event that says how far the prompt is read, as llama.cpp writes it."""
    return {**delta(content=None), "prompt_progress": {"total": total, "cache": 0, "processed": done}}


def used(prompt: int, reply: int, **more: Json) -> JsonObject:
    """An event of usage alone."""
    return {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": reply, **more}}


class FakeChatServer:
    """The server, running while it is entered."""

    def __init__(self, *scripts: Script, answers: Mapping[str, JsonObject | Fails | Hang] | None = None) -> None:
        self.scripts: list[Script] = list(scripts) or [(said("Hello"), said(" there."), ended(), DONE)]
        self.answers = dict(answers or {})
        self.seen: list[HttpRequest] = []
        """Every request, in order."""
        self.left = asyncio.Event()
        """Set when a client goes away while a script hangs."""
        self.asked = asyncio.Event()
        """Set when a chat request has come."""
        self._server = HttpServer(self._handle)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def chats(self) -> list[JsonObject]:
        """The bodies of the chat requests, in order."""
        return [load_object(request.body) for request in self.seen if request.path == "/v1/chat/completions"]

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.__aexit__(kind, error, trace)

    async def _handle(self, request: HttpRequest, responder: Responder) -> None:
        self.seen.append(request)
        if request.path == "/v1/chat/completions":
            self.asked.set()
            script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
            await self._play(script, responder)
            return
        match self.answers.get(request.path.partition("?")[0]):
            case Fails() as failure:
                await responder.answer(failure.status, failure.body)
            case Hang():
                await responder.until_left()
            case None:
                await responder.answer(404, b'{"error":{"code":404,"message":"File Not Found"}}')
            case answer:
                await responder.answer(200, dump(answer))

    async def _play(self, script: Script, responder: Responder) -> None:
        match script:
            case Fails(status, body):
                await responder.answer(status, body)
            case Wire(data):
                responder.writer.write(data)
                await responder.writer.drain()
            case _:
                if not script or not isinstance(script[0], Drop):
                    await responder.start(200, "text/event-stream")
                for piece in script:
                    await self._send(piece, responder)
                await responder.end()

    async def _send(self, piece: Piece, responder: Responder) -> None:
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
                await responder.send(event(piece))
