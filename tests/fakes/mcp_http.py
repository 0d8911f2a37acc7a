"""``wisp mcp --http``: within this process or as a process of its own, and clients of it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.fakes.mcp_client import NEWER, Caller, Person, into
from tests.fakes.wisp_process import WISP, environment
from wisp_tui.mcp.http import serving
from wisp_tui.mcp.listening import Where, listening
from wisp_tui.mcp.server import Face
from wisp_tui.mcp.token import Token
from wisp_tui.session import Session


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server is, and what it lets in by."""

    url: str
    secret: str

    @property
    def headers(self) -> dict[str, str]:
        """What lets a client in."""
        return {"Authorization": f"Bearer {self.secret}"}

    def web(self) -> httpx2.AsyncClient:
        """Make a client of plain HTTP that is let in."""
        return httpx2.AsyncClient(headers=self.headers, timeout=30)

    @asynccontextmanager
    async def caller(self, *, mode: str = NEWER, person: Person | None = None) -> AsyncGenerator[Caller]:
        """Connect the SDK's client."""
        heard = asyncio.Queue[object]()
        async with self.web() as web:
            transport = streamable_http_client(self.url, http_client=web)
            async with Client(
                transport, mode=mode, elicitation_callback=person, message_handler=into(heard), cache=None
            ) as client:
                yield Caller(client, heard)


@asynccontextmanager
async def served_http(session: Session) -> AsyncGenerator[Place]:
    """Serve over a session, within this process; both are closed at the end."""
    token = Token()
    try:
        with listening(Where(0)) as at, token.kept(session.home, at.port) as file:
            async with Face(session) as face, serving(face, at, token, lambda: None):
                yield Place(f"{at.address}/mcp", file.read_text().strip())
    finally:
        await session.close()


@dataclass(frozen=True, slots=True)
class Running:
    """A server's process."""

    place: Place
    process: subprocess.Popen[str]
    said: str


@contextmanager
def http_process(home: Path, model: str, *options: str) -> Generator[Running]:
    """Start ``wisp mcp --http`` at a free port; it is killed at the end of the block if it still runs."""
    server = subprocess.Popen(
        [*WISP, "mcp", "--http", "--port", "0", "-m", model, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(home),
        cwd=home.parent,
    )
    assert server.stdout is not None
    assert server.stderr is not None
    try:
        said = server.stdout.readline() + server.stdout.readline()
        assert said, server.stderr.read()
        file = Path(said.rsplit(" in ", 1)[1].strip())
        yield Running(Place(said.split(" at ")[1].split()[0], file.read_text().strip()), server, said)
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
        server.stderr.close()
