"""``wisp mcp --http``: the clients of one machine served over streamable HTTP, until the process is to end."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol

from wisp_tui.mcp.door import PATH, Door
from wisp_tui.mcp.ending import ended_by_signals
from wisp_tui.mcp.listening import Listening, Where, listening
from wisp_tui.mcp.server import Face
from wisp_tui.mcp.token import Token
from wisp_tui.session import Session
from wisp_tui.text.clean import clean_line

BODY_BYTES = 4 << 20
"""The longest request."""
REQUEST_SECONDS = 30.0
"""How long a request may take to arrive."""
IDLE_SECONDS = 30 * 60.0
"""How long a session of the older era lasts in which nothing is asked and nothing listened to."""
SESSIONS = 64
"""Sessions of the older era at once."""
CONNECTIONS = 256
"""Connections at once."""
LAST_WORDS_SECONDS = 1.0
"""How long what is answered at the end may take to be written."""


def serve_http(environment: Mapping[str, str], model: str | None, where: Where) -> int:
    """Serve until a signal ends it; return the exit code. Raises HomeError, ConfigError, CannotListen, CannotKeep."""
    return asyncio.run(_serve(Session.open(environment), model, where))


async def _serve(session: Session, model: str | None, where: Where) -> int:
    token, ended = Token(), asyncio.Event()
    try:
        with listening(where) as at, token.kept(session.home, at.port) as file, faults_in_lines():
            async with Face(session, model) as face, serving(face, at, token, ended.set):
                with ended_by_signals(ended.set) as caught:
                    _say(at, file)
                    await ended.wait()
    finally:
        await session.close()
    return 128 + caught[0] if caught else 1


def _say(at: Listening, file: Path) -> None:
    with suppress(OSError):  # nobody reads it
        sys.stdout.write(
            f"wisp serves MCP at {at.address}{PATH} until it is ended (Ctrl-C)\n"
            f"a client sends the header Authorization: Bearer TOKEN, with the token in {clean_line(str(file))}\n"
        )
        sys.stdout.flush()


@asynccontextmanager
async def serving(face: Face, at: Listening, token: Token, failed: Callable[[], None]) -> AsyncGenerator[None]:
    """Serve clients over HTTP while the block runs. ``failed`` is called when that ends before it."""
    origins = [f"http://{host}" for host in at.hosts]
    sessions = StreamableHTTPSessionManager(
        face.server(),
        security_settings=TransportSecuritySettings(allowed_hosts=at.hosts, allowed_origins=origins),
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=SESSIONS,
        max_request_body_size=BODY_BYTES,
    )
    door = Door(sessions.handle_request, token, face.forget, IDLE_SECONDS)
    server = _Server(
        uvicorn.Config(
            door,
            http=_Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=1,
        )
    )
    async with sessions.run():
        running = asyncio.create_task(server.serve(list(at.sockets)))
        running.add_done_callback(lambda _: failed())
        try:
            yield
        finally:
            await face.finish()
            await door.close(LAST_WORDS_SECONDS)
    server.should_exit = True
    await running


class _Server(uvicorn.Server):
    """The HTTP server, to which signals are somebody else's business."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave the signals alone."""
        yield


class _Connection(H11Protocol):
    """A connection that is closed when a request takes too long to arrive, whoever sends it."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        super().connection_lost(exc)
        self._unwatch()

    @property
    def _arrived(self) -> bool:
        """Whether a request that is being answered has arrived whole."""
        return bool(self.cycle) and not self.cycle.more_body and not self.cycle.response_complete

    def _watch(self) -> None:
        if self._arrived:
            self._unwatch()
        elif self._late is None:
            self._late = self.loop.call_later(REQUEST_SECONDS, self._end)

    def _unwatch(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _end(self) -> None:
        self._late = None
        if not self._arrived:
            self.transport.close()


class _Line(logging.Formatter):
    """What a library logs, as one clean line: it may hold what a client sent."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        why = f": {type(error).__name__}: {error}" if error is not None else ""
        return clean_line(f"wisp mcp: {record.getMessage()}{why}")


@contextmanager
def faults_in_lines() -> Generator[None]:
    """Have the faults that libraries log said on standard error while the block runs, and nothing less of theirs."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Line())
    handler.setLevel(logging.ERROR)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
