"""A small HTTP/1.1 server on loopback for fakes of model servers: it reads requests and streams what it is given."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Dropped(Exception):
    """Raised by a handler to close the connection where it stands, in the middle of what it sends."""


@dataclass(slots=True)
class Responder:
    """Sends one answer: whole, or chunk by chunk."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    _chunked: bool = field(default=False, init=False)

    async def answer(self, status: int, body: bytes, content_type: str = "application/json") -> None:
        """Send a whole answer."""
        head = f"HTTP/1.1 {status} X\r\ncontent-type: {content_type}\r\ncontent-length: {len(body)}\r\n\r\n"
        self.writer.write(head.encode() + body)
        await self.writer.drain()

    async def start(self, status: int = 200, content_type: str = "application/x-ndjson") -> None:
        """Begin an answer that is sent in chunks."""
        self._chunked = True
        head = f"HTTP/1.1 {status} X\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n"
        self.writer.write(head.encode())
        await self.writer.drain()

    async def send(self, data: bytes) -> None:
        """Send one chunk."""
        self.writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await self.writer.drain()

    async def end(self) -> None:
        """End a chunked answer properly."""
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()

    async def until_left(self) -> None:
        """Wait until the client closes the connection."""
        while await self.reader.read(4096):
            pass


class HttpServer:
    """Listens on a free port of 127.0.0.1 while it is entered; every connection carries one request."""

    def __init__(self, handle: Callable[[HttpRequest, Responder], Awaitable[None]]) -> None:
        self._handle = handle
        self._server: asyncio.Server | None = None
        self._running: set[asyncio.Task[None]] = set()
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            request = await _read(reader)
            if request is not None:
                await self._handle(request, Responder(reader, writer))
        except (Dropped, ConnectionError):
            writer.transport.abort()
        finally:
            writer.close()
            self._running.discard(task)


async def _read(reader: asyncio.StreamReader) -> HttpRequest | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return HttpRequest(method, path, headers, body)
