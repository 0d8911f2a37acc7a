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

from wisp_tui.config.settings import OllamaSettings, Settings
from wisp_tui.models.base import Capability, Chunk, ModelError, ModelUnavailable, Request, Resolved
from wisp_tui.models.messages import merged
from wisp_tui.models.ollama_address import is_local, ollama_address
from wisp_tui.models.ollama_api import REPLY_SECONDS, OllamaServer, Shown, Stock, canonical
from wisp_tui.models.ollama_window import Memory, Window, read_shape, size_window
from wisp_tui.models.ollama_wire import ReplyReader, chat_body
from wisp_tui.text.ids import ModelId


def measured_memory() -> Memory:
    """Measure this machine's memory: what is free without swapping, and what is installed."""
    memory = psutil.virtual_memory()
    return Memory(free=memory.available, installed=memory.total)


@dataclass(frozen=True, slots=True)
class Described:
    """An Ollama model once its server was asked; ``window`` is the one that is sent, in tokens."""

    resolved: Resolved
    window: int


class OllamaModel:
    """One model of an Ollama server."""

    def __init__(
        self,
        model: ModelId,
        settings: Settings,
        environment: Mapping[str, str],
        *,
        memory: Callable[[], Memory] = measured_memory,
        reply_seconds: float = REPLY_SECONDS,
    ) -> None:
        """Make a model without asking the server. ``reply_seconds`` bounds how long a reply may stay silent."""
        self._id = model
        self._name = model.partition(":")[2]
        self._settings = settings.ollama
        self._memory = memory
        address = ollama_address(settings.ollama.host, environment)
        self._server = OllamaServer(address, reply_seconds=reply_seconds)
        self._described: Described | None = None

    @property
    def id(self) -> ModelId:
        """``ollama:NAME``."""
        return self._id

    async def resolve(self) -> Resolved:
        """Ask the server what the model is and size its window. Raises ModelUnavailable."""
        return (await self._describe()).resolved

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        """Run a request; see ``Model.stream``."""
        described = await self._describe()
        thinks = Capability.THINKING in described.resolved.capabilities
        request = replace(request, messages=merged(request.messages))
        body = chat_body(request, self._name, described.window, self._settings, thinks=thinks)
        reader = ReplyReader()
        async with aclosing(self._server.chat(body, self._name)) as lines:
            async for line in lines:
                for chunk in reader.read(line):
                    yield chunk
                if reader.ended:
                    return
        raise ModelError("Ollama ended the stream before the end of the reply")

    async def count(self, request: Request) -> int | None:
        """Give None: Ollama has no way to count a request without running it."""
        return None

    async def close(self) -> None:
        """Let go of the connections; the model stays loaded for as long as Ollama keeps it."""
        await self._server.close()

    async def _describe(self) -> Described:
        if self._described is None:
            shown, stock = await self._server.show(self._name), await self._server.stock()
            memory = self._memory() if is_local(self._server.address) else None
            self._described = describe(self._name, shown, stock, self._settings, memory)
        return self._described


def describe(name: str, shown: Shown, stock: Stock, settings: OllamaSettings, memory: Memory | None) -> Described:
    """Say what a model is, from what its server tells and the memory of the server's machine, None where unknown.

    Raises ModelUnavailable for a model that cannot chat.
    """
    if not shown.chats:
        raise ModelUnavailable(f"{name} makes embeddings and cannot chat", "choose another: `wisp models` lists them")
    window = _window(canonical(name), shown, stock, settings, memory)
    capabilities = {Capability.SCHEMA}
    if shown.takes_tools:
        capabilities.add(Capability.TOOLS)
    if shown.thinks:
        capabilities.add(Capability.THINKING)
    remark = "it does not run on this machine: Ollama sends what you write to another host" if shown.remote else None
    model = ModelId(f"ollama:{name}")
    return Described(Resolved(model, window.tokens, window.reason, frozenset(capabilities), remark), window.tokens)


def _window(name: str, shown: Shown, stock: Stock, settings: OllamaSettings, memory: Memory | None) -> Window:
    shape = read_shape(shown.info)
    if shown.remote and settings.context_length is None and shape.maximum is not None:
        return Window(shape.maximum, f"{shape.maximum:,}: it runs at another host, which holds the whole window")
    weights = next((model.size for model in stock.installed if canonical(model.name) == name), None)
    held = sum(model.size for model in stock.loaded if canonical(model.name) == name)
    return size_window(shape, weights, replace(memory, held=held) if memory else None, settings.context_length)
