"""Where plain chat's lines come from; here, an input that is read line by line, without line editing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from wisp_tui.cli.faults import tell
from wisp_tui.cli.streams import read_lines

MARK = "> "
"""What stands before a message."""


class LineInput(Protocol):
    """Lines as the person gives them, one wanted at a time."""

    async def message(self) -> str | None:
        """Wait for the next message; None at the end of the input."""
        ...

    async def answer(self, mark: str) -> str | None:
        """Wait for the answer to what was just asked; None when it is declined. What was typed before is dropped."""
        ...

    async def above(self, write: Callable[[], None]) -> None:
        """Have something written while a line may be being typed."""
        ...

    def close(self) -> None:
        """Read no more."""
        ...


class ReadInput:
    """Reads a descriptor line by line, ahead of who takes the lines up. Made and used on one event loop.

    ``marked``: a person types there, so each wanted line is announced on standard error.
    """

    def __init__(self, source: int, *, marked: bool) -> None:
        self._marked = marked
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read(source))

    async def message(self) -> str | None:
        """Wait for the next line; None at the end of the input."""
        self._announce(MARK)
        return await self._next()

    async def answer(self, mark: str) -> str | None:
        """Wait for a line written after this was called."""
        while not self._lines.empty():
            if self._lines.get_nowait() is None:
                self._lines.put_nowait(None)
                return None
        self._announce(mark)
        return await self._next()

    async def above(self, write: Callable[[], None]) -> None:
        """Write at once: nothing here is drawn again."""
        write()

    def close(self) -> None:
        """Read no more."""
        self._reading.cancel()

    def _announce(self, mark: str) -> None:
        if self._marked:
            tell(mark, end="")

    async def _next(self) -> str | None:
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)  # the end stays the end, whoever asks next
        return line

    async def _read(self, source: int) -> None:
        async for line in read_lines(source):
            self._lines.put_nowait(line.decode("utf-8", "replace"))
        self._lines.put_nowait(None)
