"""One task beside everything else that follows what other processes change, from its start until it is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass


@dataclass(slots=True)
class Following:
    """``follow`` runs at most once at a time, and ends by itself or when this is closed."""

    follow: Callable[[], Coroutine[object, object, None]]
    _task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Follow from now on, unless it does already."""
        if self._task is None:
            self._task = asyncio.create_task(self.follow())

    async def close(self) -> None:
        """Stop following, and wait until it has."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
            self._task = None
