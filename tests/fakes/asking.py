"""How a test asks a model: everything it answers, or everything until it fails."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

import pytest

from wisp_tui.models.base import Chunk, Model, ModelError, Request, TextDelta, ToolCall


async def chunks(asked: Model, request: Request) -> list[Chunk]:
    """Run a request to its end."""
    async with aclosing(asked.stream(request)) as stream:
        return [chunk async for chunk in stream]


async def until_fault(asked: Model, request: Request) -> tuple[list[Chunk], ModelError]:
    """Run a request that fails; answer what came before, and the fault."""
    found: list[Chunk] = []
    try:
        async with aclosing(asked.stream(request)) as stream:
            async for chunk in stream:
                found += [chunk]
    except ModelError as error:
        return found, error
    pytest.fail(f"nothing went wrong: {found}")


def text(found: Sequence[Chunk]) -> str:
    """The reply's text, whole."""
    return "".join(chunk.text for chunk in found if isinstance(chunk, TextDelta))


def calls(found: Sequence[Chunk]) -> list[ToolCall]:
    """The reply's calls, in order."""
    return [chunk for chunk in found if isinstance(chunk, ToolCall)]
