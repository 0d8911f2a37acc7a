"""The search index over a home's conversations, kept up to date behind those that run: never in the way of a turn."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from wisp_tui.config import Home
from wisp_tui.config.cache import cache_folder, search_index
from wisp_tui.recall import Past
from wisp_tui.recall.index_file import NoIndex
from wisp_tui.recall.library import Library
from wisp_tui.session.saved.indexing import volumes

AFTER_SECONDS = 1.0
"""How long is waited for more to take in with what there is."""


class Indexing:
    """Takes in what is new after turns, on a thread of its own, several turns' at once where they are quick.

    It is a cache: where it cannot be kept nothing is said, and a search looks in the conversations' files.
    """

    def __init__(self, home: Home, running: Callable[[], Mapping[str, Past]], *, after: float = AFTER_SECONDS) -> None:
        self._home = home
        self._running = running
        self._after = after
        self._stopping = threading.Event()
        self._task: asyncio.Task[None] | None = None
        self._more = False
        with suppress(OSError):  # there from the start, so that no command of a conversation can make it
            cache_folder().mkdir(mode=0o700, parents=True, exist_ok=True)

    @property
    def busy(self) -> bool:
        """Whether there is something to take in, or it is being taken in."""
        return self._task is not None and not self._task.done()

    def soon(self) -> None:
        """Take in what is new in a moment. Returns at once."""
        self._more = True
        if not self.busy:
            self._task = asyncio.create_task(self._take_in())

    async def close(self) -> None:
        """Stop: what is being taken in is left for the next time."""
        self._stopping.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _take_in(self) -> None:
        while self._more:
            await asyncio.sleep(self._after)
            self._more = False
            await asyncio.to_thread(self._bring_up, self._running())

    def _bring_up(self, running: Mapping[str, Past]) -> None:
        library = Library(search_index(self._home))
        with suppress(NoIndex, OSError):
            library.take_in(volumes(self._home, running), self._stopping.is_set)
        library.close()
