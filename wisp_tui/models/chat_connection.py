"""One server's HTTP connection: requests made, answers read within limits, faults given their types."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

import httpx

from wisp_tui.models.base import ModelError, ModelUnavailable
from wisp_tui.models.chat_faults import ServerFault, not_reached, read_fault
from wisp_tui.models.chat_servers import Server
from wisp_tui.text.json import JsonObject, dump, load_object
from wisp_tui.text.sizes import human_seconds

_MOST_OF_A_FAULT = 256 * 1024
_OK = 200


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server may be silent, in seconds.

    ``first`` is before its reply: it reads the prompt then, which takes minutes where a long one meets a slow
    processor. ``between`` is within the reply, ``closing`` after its end, ``question`` for a small one, in all.
    """

    connect: float = 5.0
    first: float = 600.0
    between: float = 120.0
    closing: float = 5.0
    question: float = 10.0


class Refused(Exception):
    """The server answered with an error. Its words stay out of the message: they may repeat the key."""

    def __init__(self, fault: ServerFault) -> None:
        super().__init__(f"the server answered {fault.status}")
        self.fault = fault


class Lost(Exception):
    """The connection broke. ``error`` is what to raise when the request is not made again."""

    def __init__(self, error: ModelError) -> None:
        super().__init__(str(error))
        self.error = error


class Silent(ModelUnavailable):
    """The server said nothing for too long."""


class Connection:
    """The HTTP client of one server, made when it is first needed, and again after it was dropped."""

    def __init__(self, server: Server, patience: Patience) -> None:
        self.server = server
        self.patience = patience
        self._client: httpx.AsyncClient | None = None

    async def ask(self, method: str, url: str, body: JsonObject | None = None) -> JsonObject:
        """Ask a small question and read the whole answer.

        Raises Refused for an answer that is an error or no JSON object, ModelUnavailable when there is none.
        """
        limit = self.patience.question
        try:
            async with asyncio.timeout(limit):
                response = await self._open().request(method, url, content=None if body is None else dump(body))
        except TimeoutError:
            raise self._silent(limit) from None
        except httpx.HTTPError as error:
            raise self._unreached(error) from error
        fault = read_fault(response.content, response.status_code)
        try:
            answer = load_object(response.content)
        except ValueError:
            raise Refused(fault) from None
        if response.status_code != _OK or answer.get("error") is not None:
            raise Refused(fault)
        return answer

    @asynccontextmanager
    async def stream(self, url: str, body: JsonObject) -> AsyncGenerator[httpx.Response]:
        """Send a request and give its answer to be read; leaving early ends the request.

        Raises Refused, read from the answer's body, ModelUnavailable, or Lost when it broke before one.
        """
        client = self._open()
        request = client.build_request("POST", url, content=dump(body))
        limit = self.patience.connect + self.patience.first
        try:
            async with asyncio.timeout(limit):
                response = await client.send(request, stream=True)
        except TimeoutError:
            raise self._silent(limit) from None
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as error:
            raise Lost(self._unreached(error)) from error
        except httpx.HTTPError as error:
            raise self._unreached(error) from error
        try:
            if response.status_code != _OK:
                raise Refused(read_fault(await self._start(response), response.status_code))
            yield response
        finally:
            await response.aclose()

    async def pieces(self, response: httpx.Response, limit: Callable[[], float]) -> AsyncGenerator[bytes]:
        """Read an answer piece by piece; ``limit`` says how many seconds the next one may take.

        Raises Silent when it takes longer, Lost when the connection breaks.
        """
        parts = response.aiter_bytes()
        while True:
            seconds = limit()
            try:
                async with asyncio.timeout(seconds):
                    piece = await anext(parts, None)
            except TimeoutError:
                raise self._silent(seconds) from None
            except httpx.HTTPError as error:
                raise Lost(self.gone()) from error
            if piece is None:
                return
            yield piece

    def gone(self) -> ModelUnavailable:
        """Say that the server went away before its reply was whole."""
        return ModelUnavailable(
            f"{self.server.where} went away in mid-reply", "see whether it still runs, then ask again"
        )

    async def drop(self) -> None:
        """Close every connection; the next request opens a new one."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _open(self) -> httpx.AsyncClient:
        if self._client is None:
            headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
            if self.server.key:
                headers["Authorization"] = f"Bearer {self.server.key}"
            # Read limits are kept here, not by the client: they differ before and within a reply. Idle connections are
            # let go before servers do it (llama.cpp after 5 s), so that none is used that is already closed.
            self._client = httpx.AsyncClient(
                headers=headers,
                auth=None if self.server.key else self.server.login,
                timeout=httpx.Timeout(self.patience.connect, read=None, write=30.0),
                limits=httpx.Limits(keepalive_expiry=2.0),
                trust_env=not self.server.is_local,
                verify=self.server.api.startswith("https:"),  # loading certificates that nothing needs takes 30 ms
            )
        return self._client

    async def _start(self, response: httpx.Response) -> bytes:
        """Read a refusal's body, no more of it than says why, and what came of it where the rest does not."""
        body = b""
        try:
            async with aclosing(self.pieces(response, lambda: self.patience.question)) as pieces:
                async for piece in pieces:
                    body += piece
                    if len(body) > _MOST_OF_A_FAULT:
                        break
        except (Lost, Silent):
            return body
        return body

    def _silent(self, seconds: float) -> Silent:
        return Silent(
            f"{self.server.where} has said nothing for {human_seconds(seconds)}",
            "see whether it is busy or stuck, then ask again",
        )

    def _unreached(self, error: httpx.HTTPError) -> ModelUnavailable:
        return not_reached(self.server, _why(error))


def _why(error: httpx.HTTPError) -> str:
    """Say what went wrong in words of our own: the library's can be empty, or name addresses with passwords in them."""
    match error:
        case httpx.ConnectTimeout():
            return "no answer to the connection"
        case httpx.ConnectError():
            return "no connection"
        case httpx.RemoteProtocolError() | httpx.ReadError() | httpx.WriteError():
            return "it closed the connection without an answer"
        case _:
            return type(error).__name__
