"""Ollama, through its native interface: ``ollama:NAME``.

The window is sized from the model's shape and the memory there is (``ollama_window``), and sent with every request as
``num_ctx``: a server left to itself takes a small one, and cuts the front of what does not fit without a word. It never
refuses a request that is too long, so ``Capability.REFUSES_OVERFLOW`` is absent; a reported ``Usage.input`` far below
what was sent is the only sign of a cut, and whoever sent the request compares the two.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace

import psutil

from wisp_tui.config.settings import Settings
from wisp_tui.models.base import Capability, Chunk, ModelUnavailable, Request, Resolved
from wisp_tui.models.messages import merged
from wisp_tui.models.ollama_address import is_local, ollama_address
from wisp_tui.models.ollama_api import REPLY_SECONDS, Installed, Loaded, OllamaServer, Shown, canonical
from wisp_tui.models.ollama_window import Memory, Window, elided, read_shape, size_window
from wisp_tui.models.ollama_wire import ReplyReader, chat_body
from wisp_tui.text.ids import ModelId


def measured_memory() -> Memory:
    """Measure this machine's memory: what is free without swapping, and what is installed."""
    memory = psutil.virtual_memory()
    return Memory(free=memory.available, installed=memory.total)


@dataclass(frozen=True, slots=True)
class _Known:
    """What resolving found, kept for every request."""

    resolved: Resolved
    window: int


class OllamaModel:
    """One model of an Ollama server."""

    def __init__(
        self,
        id: ModelId,  # noqa: A002 - the protocol's name for it
        settings: Settings,
        environment: Mapping[str, str],
        *,
        memory: Callable[[], Memory] = measured_memory,
        reply_seconds: float = REPLY_SECONDS,
    ) -> None:
        """Make a model without asking the server. ``reply_seconds`` bounds how long a reply may stay silent."""
        self._id = id
        self._name = id.partition(":")[2]
        self._settings = settings.ollama
        self._memory = memory
        address = ollama_address(settings.ollama.host, environment)
        self._server = OllamaServer(address, reply_seconds=reply_seconds)
        self._known: _Known | None = None

    @property
    def id(self) -> ModelId:
        """``ollama:NAME``."""
        return self._id

    async def resolve(self) -> Resolved:
        """Ask the server what the model is and size its window. Raises ModelUnavailable."""
        return (await self._resolve()).resolved

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        """Run a request; see ``Model.stream``."""
        known = await self._resolve()
        thinks = Capability.THINKING in known.resolved.capabilities
        request = replace(request, messages=merged(request.messages))
        body = chat_body(request, self._name, known.window, self._settings, thinks=thinks)
        reader = ReplyReader()
        async with aclosing(self._server.chat(body, self._name)) as lines:
            async for line in lines:
                for chunk in reader.read(line):
                    yield chunk
        reader.end()

    async def count(self, request: Request) -> int | None:
        """Give None: Ollama has no way to count a request without running it."""
        return None

    async def close(self) -> None:
        """Let go of the connections; the model stays loaded for as long as Ollama keeps it."""
        await self._server.close()

    async def _resolve(self) -> _Known:
        if self._known is None:
            shown = await self._server.show(self._name)
            if not shown.chats:
                raise ModelUnavailable(
                    f"{self._name} makes embeddings and cannot chat", "choose another: `wisp models` lists them"
                )
            window = await self._window(shown, await self._server.installed(), await self._server.loaded())
            self._known = _Known(
                Resolved(self._id, window.tokens, window.reason, _capabilities(shown), _remark(shown)), window.tokens
            )
        return self._known

    async def _window(self, shown: Shown, installed: tuple[Installed, ...], loaded: tuple[Loaded, ...]) -> Window:
        if elided(shown.info):
            shown = replace(shown, info=(await self._server.show(self._name, verbose=True)).info)
        shape, name = read_shape(shown.info), canonical(self._name)
        configured = self._settings.context_length
        if shown.remote and configured is None and shape.maximum is not None:
            return Window(shape.maximum, f"{shape.maximum:,}: it runs at another host, which holds the whole window")
        weights = next((model.size for model in installed if canonical(model.name) == name), None)
        held = sum(model.size for model in loaded if canonical(model.name) == name)
        memory = replace(self._memory(), held=held) if is_local(self._server.address) else None
        return size_window(shape, weights, memory, configured)


def _capabilities(shown: Shown) -> frozenset[Capability]:
    found = {Capability.SCHEMA}
    if shown.takes_tools:
        found.add(Capability.TOOLS)
    if shown.capabilities is not None and "thinking" in shown.capabilities:
        found.add(Capability.THINKING)
    return frozenset(found)


def _remark(shown: Shown) -> str | None:
    if shown.remote:
        return "this model does not run on this machine: Ollama sends what you write to another host"
    return None
