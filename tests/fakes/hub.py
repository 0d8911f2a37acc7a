"""A hub of models on loopback: its API, and its files behind a redirect to another server, as public hubs have them."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import unquote

from tests.fakes.http_server import Dropped, HttpRequest, HttpServer, Responder
from wisp_tui.text.json import Json, JsonObject, dump

COMMIT = "0123456789abcdef0123456789abcdef01234567"
TOKEN = "hf_secret_word"


def gguf(size: int = 200_000, fill: bytes = b"model ") -> bytes:
    """The content of a model's file: the mark of its kind, then anything."""
    return (b"GGUF" + fill * (size // len(fill) + 1))[:size]


@dataclass
class Stored:
    """One file of the repository. ``sha256`` is what is announced, None for nothing."""

    data: bytes
    sha256: str | None = None

    @classmethod
    def proven(cls, data: bytes) -> Stored:
        return cls(data, hashlib.sha256(data).hexdigest())


class FakeHub:
    """Serves one repository, ``acme/tiny``, while it is entered. Its files come from a second server."""

    def __init__(self, **files: Stored) -> None:
        self.files = {name.replace("__", "."): file for name, file in files.items()}
        self.fails: dict[str, int] = {}
        """A status to answer with, by how the path begins."""
        self.stop_at: int | None = None
        """Drops the next download after so many bytes."""
        self.hangs = False
        """Whether it stays silent there instead."""
        self.silent = asyncio.Event()
        self.when_silent: Callable[[], None] = self.silent.set
        self.etag = '"one"'
        self.ranges = True
        self.loops = False
        self.gated = False
        self.answer: bytes | None = None
        """What the API answers instead."""
        self.asked: list[HttpRequest] = []
        self.fetched: list[HttpRequest] = []
        self._hub = HttpServer(self._handle)
        self._store = HttpServer(self._give)

    @property
    def url(self) -> str:
        """The hub's address."""
        return f"http://127.0.0.1:{self._hub.port}"

    @property
    def store_url(self) -> str:
        """The address of the server that has the files."""
        return f"http://127.0.0.1:{self._store.port}"

    async def __aenter__(self) -> Self:
        await self._hub.__aenter__()
        await self._store.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._hub.__aexit__(kind, error, trace)
        await self._store.__aexit__(kind, error, trace)

    async def _handle(self, request: HttpRequest, responder: Responder) -> None:
        self.asked.append(request)
        path = unquote(request.path.partition("?")[0])
        status = next((status for begin, status in self.fails.items() if path.startswith(begin)), None)
        allowed = not self.gated or request.headers.get("authorization") == f"Bearer {TOKEN}"
        if status is not None:
            await responder.answer(status, b"<html>no</html>", "text/html")
        elif self.loops:
            await _redirect(responder, request.path)
        elif path.startswith("/api/models/acme/tiny"):
            await responder.answer(200, dump(self._told()) if self.answer is None else self.answer)
        elif (found := re.fullmatch(r"/acme/tiny/resolve/[^/]+/(.+)", path)) and found[1] in self.files:
            if allowed:
                await _redirect(responder, f"{self.store_url}/cdn/{found[1]}?sign=x")
            else:
                await responder.answer(403, b"gated")
        else:
            await responder.answer(404, b"no")

    def _told(self) -> JsonObject:
        siblings: list[Json] = [{"rfilename": "README.md", "size": 10, "blobId": "ab"}]
        for name, file in self.files.items():
            lfs: JsonObject = {"lfs": {"sha256": file.sha256.upper(), "size": len(file.data)}} if file.sha256 else {}
            siblings.append({"rfilename": name, "size": len(file.data), **lfs})
        return {"id": "acme/tiny", "sha": COMMIT, "siblings": siblings, "tags": ["gguf", "license:apache-2.0"]}

    async def _give(self, request: HttpRequest, responder: Responder) -> None:
        self.fetched.append(request)
        data = self.files[unquote(request.path.partition("?")[0]).removeprefix("/cdn/")].data
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
        current = request.headers.get("if-range", self.etag) == self.etag
        start = int(found[1]) if found and self.ranges and current else 0
        end = int(found[2]) + 1 if found and found[2] else len(data)
        ranged = found is not None and self.ranges and current
        held = f"content-range: bytes {start}-{end - 1}/{len(data)}\r\n" if ranged else ""
        head = (
            f"HTTP/1.1 {206 if ranged else 200} X\r\n{held}etag: {self.etag}\r\ncontent-length: {end - start}\r\n\r\n"
        )
        stop, self.stop_at = self.stop_at, None
        responder.writer.write(head.encode() + data[start : end if stop is None else stop])
        await responder.writer.drain()
        if stop is not None:
            if self.hangs:
                self.when_silent()
                await responder.until_left()
            raise Dropped


async def _redirect(responder: Responder, where: str) -> None:
    responder.writer.write(f"HTTP/1.1 302 X\r\nlocation: {where}\r\ncontent-length: 0\r\n\r\n".encode())
    await responder.writer.drain()
