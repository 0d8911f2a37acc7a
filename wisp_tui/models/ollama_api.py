"""Ollama's native HTTP interface: its lists as values, its replies as JSON lines, its faults as typed errors."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import httpx

from wisp_tui.models.base import ModelError, ModelUnavailable, ToolsUnsupported
from wisp_tui.models.fields import obj, objects, text, whole
from wisp_tui.models.ollama_address import is_local, shown_address
from wisp_tui.models.ollama_window import elided
from wisp_tui.models.overflow import read_overflow
from wisp_tui.text.clean import clean_line
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import JsonObject, dump, load_object
from wisp_tui.text.sizes import shorten

CONNECT_SECONDS = 2.0
REPLY_SECONDS = 900.0
"""How long a reply may stay silent: a large model is read from disk before its first token."""
LOOKUP_SECONDS = 10.0
"""How long a list may take."""
_LONGEST_LINE = 64 * 1024 * 1024
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Installed:
    """A model of ``/api/tags``. ``size`` is its file's, in bytes; ``modified`` in seconds since 1970, 0 if unknown."""

    name: str
    size: int | None
    modified: float
    remote: bool


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model of ``/api/ps``: in memory now, ``size`` bytes of it."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Stock:
    """What a server has: the models on disk, as it orders them, and those in memory."""

    installed: tuple[Installed, ...]
    loaded: tuple[Loaded, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What ``/api/show`` tells of a model. ``capabilities`` is None for a server too old to say."""

    capabilities: frozenset[str] | None
    info: JsonObject
    template: str
    remote: bool

    @property
    def takes_tools(self) -> bool:
        """Whether it takes tools: as the server says, else whether its template has a place for them."""
        return "tools" in self.capabilities if self.capabilities is not None else ".Tools" in self.template

    @property
    def thinks(self) -> bool:
        """Whether it can be asked to think."""
        return self.capabilities is not None and "thinking" in self.capabilities

    @property
    def chats(self) -> bool:
        """Whether it can hold a conversation: an embedding model cannot."""
        return self.capabilities is None or "completion" in self.capabilities or "tools" in self.capabilities


def canonical(name: str) -> str:
    """Write a model's name as Ollama lists it: with its tag, ``latest`` where none is given."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


class OllamaServer:
    """One Ollama server. Raises ModelUnavailable when it cannot be reached, ModelError when it answers with a fault."""

    def __init__(
        self, address: str, *, reply_seconds: float = REPLY_SECONDS, connect_seconds: float = CONNECT_SECONDS
    ) -> None:
        self.address = address
        self.shown = shown_address(address)
        """The address for the person."""
        self._reply_seconds = reply_seconds
        self._connect_seconds = connect_seconds
        self._client: httpx.AsyncClient | None = None

    async def stock(self) -> Stock:
        """List what is on disk and in memory."""
        installed, loaded = await self._ask("GET", "/api/tags"), await self._ask("GET", "/api/ps")
        return Stock(
            tuple(
                Installed(
                    name=name,
                    size=whole(item.get("size")),
                    modified=_moment(text(item.get("modified_at"))),
                    remote=bool(text(item.get("remote_host"))),
                )
                for item in objects(installed.get("models"))
                if (name := text(item.get("name")) or text(item.get("model")))
            ),
            tuple(
                Loaded(text(item.get("name")) or text(item.get("model")), whole(item.get("size")) or 0)
                for item in objects(loaded.get("models"))
            ),
        )

    async def show(self, name: str) -> Shown:
        """Describe a model, with all of its shape: a list that the server left out is asked for."""
        shown = await self._show(name, verbose=False)
        return await self._show(name, verbose=True) if elided(shown.info) else shown

    async def _show(self, name: str, *, verbose: bool) -> Shown:
        answer = await self._ask("POST", "/api/show", {"model": name, "verbose": verbose}, model=name)
        told = answer.get("capabilities")
        return Shown(
            capabilities=frozenset(str(item) for item in told) if isinstance(told, list) else None,
            info=obj(answer.get("model_info")),
            template=text(answer.get("template")),
            remote=bool(text(answer.get("remote_host"))),
        )

    async def chat(self, body: JsonObject, model: str) -> AsyncGenerator[JsonObject]:
        """Stream a reply's lines. Leaving it early closes the connection, which ends the generation."""
        timeout = httpx.Timeout(self._reply_seconds, connect=self._connect_seconds)
        began = False
        try:
            async with self._http.stream("POST", "/api/chat", content=dump(body), timeout=timeout) as response:
                if not response.is_success:
                    raise _fault(self.shown, model, response.status_code, await response.aread())
                async for line in _lines(response.aiter_bytes()):
                    yield _checked(self.shown, model, response.status_code, line)
                    began = True
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._unreachable(error, began=began) from error

    async def close(self) -> None:
        """Let go of the connections. Can be called twice."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    @property
    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = httpx.AsyncClient(
                base_url=self.address,
                headers={"content-type": "application/json"},
                timeout=httpx.Timeout(LOOKUP_SECONDS, connect=self._connect_seconds),
                limits=httpx.Limits(max_keepalive_connections=0),  # a kept one may be dead: the server was restarted
                verify=self.address.startswith("https:"),  # reading the certificates costs a tenth of a second
                trust_env=not is_local(self.address),  # a proxy for the web is none for a server on this machine
            )
        return self._client

    async def _ask(self, method: str, path: str, body: JsonObject | None = None, model: str = "") -> JsonObject:
        try:
            response = await self._http.request(method, path, content=None if body is None else dump(body))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._unreachable(error, began=False) from error
        if not response.is_success:
            raise _fault(self.shown, model, response.status_code, response.content)
        return _checked(self.shown, model, response.status_code, response.content)

    def _unreachable(self, error: httpx.HTTPError | httpx.InvalidURL, *, began: bool) -> ModelUnavailable:
        match error:
            case httpx.ConnectError() | httpx.ConnectTimeout() if is_local(self.address):
                return ModelUnavailable(
                    f"Ollama is not running at {self.shown}", "start it with `ollama serve` or open the app"
                )
            case httpx.ConnectError() | httpx.ConnectTimeout():
                return ModelUnavailable(
                    f"Ollama cannot be reached at {self.shown}", "see whether it runs there and lets other machines in"
                )
            case httpx.UnsupportedProtocol() | httpx.InvalidURL():
                return ModelUnavailable(
                    f"{self.shown} is not an address", "set ollama.host or OLLAMA_HOST to host:port"
                )
            case httpx.TimeoutException():
                return ModelUnavailable(f"Ollama at {self.shown} does not answer", "see `ollama ps`, or restart it")
            case _:
                when = "in the middle of the reply" if began else "before it answered"
                return ModelUnavailable(
                    f"Ollama at {self.shown} went away {when}", "see whether it still runs, then ask again"
                )


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """Split a body into its lines at newline bytes alone: other line ends may stand inside a JSON string."""
    rest = bytearray()
    async for piece in pieces:
        searched = len(rest)
        rest += piece
        if len(rest) > _LONGEST_LINE:
            raise ModelError(f"Ollama sent a line of over {_LONGEST_LINE:,} bytes")
        start = 0
        while (end := rest.find(b"\n", max(start, searched))) >= 0:
            if line := bytes(rest[start:end]).strip():
                yield line
            start = end + 1
        del rest[:start]
    if line := bytes(rest).strip():
        yield line


def _checked(address: str, model: str, status: int, line: bytes) -> JsonObject:
    """Read a line of an answer; an error in it is raised whatever the status was."""
    try:
        value = load_object(line)
    except ValueError:
        raise ModelError(f"Ollama at {address} sent a line that is not JSON: {_excerpt(line)}") from None
    if "error" in value:
        raise _fault(address, model, status, line)
    return value


def _fault(address: str, model: str, status: int, body: bytes) -> ModelError:
    """Make the error an answer stands for, by its words before its status."""
    try:
        error = load_object(body).get("error")
    except ValueError:
        return ModelUnavailable(
            f"{address} answered {status} and not as Ollama does: {_excerpt(body)}",
            "set ollama.host or OLLAMA_HOST to Ollama's address",
        )
    if isinstance(error, Mapping):
        error = error.get("message", error)
    words = clean_line(error if isinstance(error, str) else dump(error).decode())
    return _typed(words, model, status)


def _typed(words: str, model: str, status: int) -> ModelError:
    lowered = words.lower()
    if "does not support tools" in lowered:
        return ToolsUnsupported(ModelId(f"ollama:{model}"))
    if model and "not found" in lowered and ("model" in lowered or status == _NOT_FOUND):
        return ModelUnavailable(f"Ollama has no model {model}", f"`ollama pull {model}`")
    if "more system memory" in lowered:
        return ModelUnavailable(f"Ollama: {words}", "choose a smaller model, or set ollama.contextLength lower")
    if "unauthorized" in lowered:
        return ModelUnavailable(f"Ollama: {words}", "`ollama signin`")
    return read_overflow(words) or ModelError(f"Ollama: {words or f'an error without words (status {status})'}")


def _moment(written: str) -> float:
    """Read a time as the server writes it: ISO 8601, with nanoseconds, in whatever zone it was started in."""
    try:
        return datetime.fromisoformat(written).timestamp()
    except ValueError:
        return 0.0


def _excerpt(data: bytes) -> str:
    return shorten(clean_line(data.decode("utf-8", "replace")), 120)
