"""The walls around one conversation's commands: the machine's sandbox, found once, and what each command may reach."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wisp_tui.sandbox.base import Changes, Reach, Sandbox, Wrapped
from wisp_tui.sandbox.choose import Found
from wisp_tui.sandbox.refusal import Explanation, explain

Find = Callable[[], Awaitable[Found]]
"""Finds the machine's sandbox."""


class SharedSandbox:
    """The sandbox of the machine, looked for once a process, by whoever needs it first."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._found: Found | None = None
        self._finding = asyncio.Lock()

    @property
    def known(self) -> Found | None:
        """What was found; None while nobody has looked."""
        return self._found

    async def found(self) -> Found:
        """Find it, or say what was found before."""
        async with self._finding:
            if self._found is None:
                self._found = await self._find()
            return self._found


@dataclass(frozen=True, slots=True)
class Enclosure:
    """The walls around one command."""

    sandbox: Sandbox
    reach: Reach

    def wrap(self, argv: Sequence[str], directory: Path, environment: Mapping[str, str]) -> Wrapped:
        """Wrap a command that is to be started in ``directory``."""
        return self.sandbox.wrap(argv, directory, environment, self.reach)

    def explain(self, printed: str, status: int, directory: Path) -> Explanation | None:
        """Tell whether the walls made a command fail that printed this; None when nothing points to them."""
        return explain(printed, status, self.reach, directory) if self.sandbox.contains else None


class Walls:
    """What one conversation's commands are kept within. ``gather`` says what they may reach as the machine is now."""

    def __init__(self, shared: SharedSandbox, gather: Callable[[], Reach]) -> None:
        self._shared = shared
        self._gather = gather
        self._first: Reach | None = None

    @property
    def known(self) -> Found | None:
        """The sandbox that was found; None while nobody has looked."""
        return self._shared.known

    async def found(self) -> Found:
        """Find the sandbox, and fix what may be written in it. The first call of a conversation runs a command."""
        found = await self._shared.found()
        if self._first is None:
            self._first = await asyncio.to_thread(self._gather)
        return found

    @property
    def wide(self) -> str | None:
        """Why the walls keep out little, in a sentence; None when they do not, or nobody has looked."""
        return self._first.wide if self._first is not None else None

    async def around(self, changes: Changes = Changes.FILES) -> Enclosure:
        """Put up the walls for one command, which is to change no more than ``changes``.

        What is kept from it is looked for anew, and what it may write is what it was at first and still is: a command
        that put a link in the place of a directory it may write has not widened the walls for the next.
        """
        found = await self.found()
        now = await asyncio.to_thread(self._gather)
        first = self._first.writable if self._first is not None else ()
        reach = replace(now, writable=tuple(path for path in now.writable if path in first))
        reads = changes is Changes.NOTHING and found.sandbox.has_scratch
        return Enclosure(found.sandbox, reach.reading if reads else reach.keeping(changes))
