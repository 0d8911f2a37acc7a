"""A model that answers as a test says, and remembers every request it was sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from wisp_tui.models import (
    Capability,
    Chunk,
    Finished,
    ModelError,
    Request,
    Resolved,
    TextDelta,
    ToolCall,
    Usage,
)
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import JsonObject, dump

Answer: TypeAlias = "Sequence[Chunk | ModelError | Hang] | Callable[[Request], Sequence[Chunk | ModelError | Hang]]"

TOOLS = frozenset({Capability.TOOLS, Capability.SCHEMA, Capability.REFUSES_OVERFLOW})


@dataclass(frozen=True, slots=True)
class Hang:
    """Waits until the request is cancelled, or ``goes_on``; ``reached`` is set when the model is there."""

    reached: asyncio.Event
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)


def says(text: str, *, usage: Usage | None = None) -> Sequence[Chunk]:
    """Answer with a text."""
    return [TextDelta(text), *([usage] if usage else []), Finished("stop")]


def calls(*made: tuple[str, JsonObject], text: str = "") -> Sequence[Chunk]:
    """Answer with calls."""
    chunks: list[Chunk] = [TextDelta(text)] if text else []
    chunks += [ToolCall(f"w{place}", name, dump(arguments).decode()) for place, (name, arguments) in enumerate(made)]
    return [*chunks, Finished("tool_calls")]


@dataclass
class ScriptedModel:
    """Gives its answers in order; past the last it repeats it."""

    answers: list[Answer]
    window: int | None = 8192
    capabilities: frozenset[Capability] = TOOLS
    name: str = "fake:scripted"
    counter: Callable[[Request], int] | None = None
    requests: list[Request] = field(default_factory=list[Request])
    closed: int = 0

    @property
    def id(self) -> ModelId:
        return ModelId(self.name)

    async def resolve(self) -> Resolved:
        return Resolved(self.id, self.window, "scripted", self.capabilities)

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        place = min(len(self.requests), len(self.answers) - 1)
        self.requests.append(request)
        answer = self.answers[place]
        for chunk in answer(request) if callable(answer) else answer:
            match chunk:
                case ModelError():
                    raise chunk
                case Hang():
                    chunk.reached.set()
                    await chunk.goes_on.wait()
                case _:
                    yield chunk

    async def count(self, request: Request) -> int | None:
        return self.counter(request) if self.counter else None

    async def close(self) -> None:
        self.closed += 1
