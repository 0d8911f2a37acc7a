"""What every HTTP request passes before the protocol's own transport: its path, its token, and whether we are leaving.

It also knows which sessions of the older era are over, which the transport tells nobody: by the same rule as it does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wisp_tui.mcp.server import SESSION_HEADER
from wisp_tui.mcp.token import Token

PATH = "/mcp"
_LOCKED = "a client sends the token: Authorization: Bearer TOKEN; wisp mcp says where it is\n"


@dataclass(slots=True)
class _Use:
    """A session's requests under way, and when the last one ended."""

    running: int = 0
    ended: float = 0.0


@dataclass(slots=True)
class Door:
    """Lets requests in to ``inside``. A session is ``over`` when nothing was asked in it for ``idle`` seconds."""

    inside: ASGIApp
    token: Token
    over: Callable[[str], Awaitable[None]]
    idle: float
    clock: Callable[[], float] = time.monotonic
    _sessions: dict[str, _Use] = field(default_factory=dict[str, _Use])
    _posts: int = 0
    _quiet: asyncio.Event = field(default_factory=asyncio.Event)
    _closing: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or say why it is not."""
        headers = Headers(scope=scope)
        refused = self._refusal(scope["path"], headers)
        if refused is not None:
            await refused(scope, receive, send)
            return
        session = headers.get(SESSION_HEADER)
        with self._under_way(scope["method"], session):
            status = await _status(self.inside, scope, receive, send)
        await self._forget(session if scope["method"] == "DELETE" and status == 200 else None)

    def _refusal(self, path: str, headers: Headers) -> Response | None:
        if path != PATH:
            return PlainTextResponse(f"MCP is at {PATH}\n", 404)
        if not self.token.opens(headers.get("authorization")):
            return PlainTextResponse(_LOCKED, 401, {"WWW-Authenticate": "Bearer"})
        if self._closing:
            return PlainTextResponse("wisp mcp is ending\n", 503)
        return None

    @contextmanager
    def _under_way(self, method: str, session: str | None) -> Generator[None]:
        use = self._sessions.setdefault(session, _Use()) if session is not None else _Use()
        posted = method == "POST"
        use.running += 1
        self._posts += posted
        try:
            yield
        finally:
            use.running -= 1
            use.ended = self.clock()
            self._posts -= posted
            if self._closing and not self._posts:
                self._quiet.set()

    async def _forget(self, ended: str | None) -> None:
        """Forget the session that has ended, and those that ended because nothing was asked in them."""
        long_ago = self.clock() - self.idle
        gone = [key for key, use in self._sessions.items() if not use.running and use.ended < long_ago]
        for key in (*gone, *([ended] if ended is not None else [])):
            self._sessions.pop(key, None)
            await self.over(key)

    async def close(self, seconds: float) -> None:
        """Let nobody in any more, and give what was asked this many seconds to be answered."""
        self._closing = True
        if not self._posts:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._quiet.wait()
        except TimeoutError:
            return  # a reader that is too slow for its answer


async def _status(inside: ASGIApp, scope: Scope, receive: Receive, send: Send) -> int | None:
    """Have a request answered; return the answer's status."""
    status: int | None = None

    async def watch(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        await send(message)

    await inside(scope, receive, watch)
    return status
