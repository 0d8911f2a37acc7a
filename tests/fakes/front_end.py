"""A front end of ``wisp chat --json``: writes lines to it, reads its lines, in this process or over a child's pipes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from wisp_tui.cli.json_chat import hold
from wisp_tui.cli.streams import read_lines
from wisp_tui.session import Session, ThreadOptions
from wisp_tui.text.json import Json, JsonObject, dump, load_object

PATIENCE = 20.0
"""Seconds after which a line that does not come fails the test."""


@dataclass(slots=True)
class Driver:
    """One side of a conversation. ``lines`` holds every object that came, in order; ``raw`` the lines as they were."""

    source: AsyncIterator[bytes]
    write: Callable[[bytes], object]
    close: Callable[[], object]
    lines: list[JsonObject] = field(default_factory=list[JsonObject])
    raw: list[bytes] = field(default_factory=list[bytes])

    def type(self, text: str) -> None:
        """Write a line as a person types it."""
        self.write(text.encode() + b"\n")

    def send(self, type: str, **fields: Json) -> None:  # noqa: A002 - the contract's own name
        """Write an object."""
        self.write(dump({"type": type, **fields}) + b"\n")

    def end_input(self) -> None:
        """Close the input."""
        self.close()

    async def line(self) -> JsonObject:
        """Read the next object."""
        async with asyncio.timeout(PATIENCE):
            line = await anext(self.source, None)
        if line is None:
            raise AssertionError(f"the output ended after {self.lines[-3:]}{self.last_words()}")
        self.raw.append(line)
        self.lines.append(load_object(self.raw[-1]))
        return self.lines[-1]

    def last_words(self) -> str:
        """Return what the other side said when its output ended too early."""
        return ""

    async def until(self, type: str, **fields: Json) -> JsonObject:  # noqa: A002
        """Read until an object of a type comes, with these fields."""
        while True:
            found = await self.line()
            if found["type"] == type and all(found.get(name) == value for name, value in fields.items()):
                return found

    async def rest(self) -> list[JsonObject]:
        """Read until the output ends, and return everything that ever came."""
        async with asyncio.timeout(PATIENCE):
            async for line in self.source:
                self.raw.append(line)
                self.lines.append(load_object(line))
        return self.lines

    def of(self, type: str, **fields: Json) -> list[JsonObject]:  # noqa: A002
        """Return what came of a type, with these fields."""
        return [
            line
            for line in self.lines
            if line["type"] == type and all(line.get(name) == value for name, value in fields.items())
        ]

    @property
    def types(self) -> list[Json]:
        """The types of what came, in order."""
        return [line["type"] for line in self.lines]


@dataclass(slots=True)
class Held(Driver):
    """A conversation held in this process."""

    task: asyncio.Task[int] | None = None

    async def ended(self) -> int:
        """Read everything and return the exit code."""
        assert self.task is not None
        await self.rest()
        async with asyncio.timeout(PATIENCE):
            return await self.task


@asynccontextmanager
async def holding(session: Session, options: ThreadOptions | None = None) -> AsyncGenerator[Held]:
    """Hold a conversation of a session over two pipes."""
    their_input, my_output = os.pipe()
    my_input, their_output = os.pipe()
    open_ends = {my_output, my_input}

    def close(end: int) -> None:
        if end in open_ends:
            open_ends.remove(end)
            os.close(end)

    async def run() -> int:
        try:
            return await hold(session, options or ThreadOptions(), source=their_input, sink=their_output)
        finally:
            os.close(their_output)

    task = asyncio.create_task(run())
    try:
        yield Held(read_lines(my_input), lambda data: os.write(my_output, data), lambda: close(my_output), task=task)
    finally:
        close(my_output)
        task.cancel()
        await asyncio.wait({task}, timeout=PATIENCE)
        close(my_input)
        os.close(their_input)
