"""A thread with its own event loop, for a library that blocks the loop it is awaited in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class _Ended:
    """The work is over; ``error`` is what it raised."""

    error: BaseException | None


class Feed(Generic[Item]):
    """Runs one coroutine in a thread of its own, and brings what it gives to the loop that waits for it."""

    def __init__(self, work: Callable[[Feed[Item]], Coroutine[object, object, None]]) -> None:
        """Make a feed; ``work`` gives its items to ``give`` and stops early when ``left`` is true."""
        self._work = work
        self._waiting = asyncio.get_running_loop()
        self._items: asyncio.Queue[Item | _Ended] = asyncio.Queue()
        self._left = threading.Event()
        self._cancel: Callable[[], object] = lambda: None

    @property
    def left(self) -> bool:
        """Whether nobody waits for more."""
        return self._left.is_set()

    def give(self, item: Item) -> None:
        """Hand an item on, from the thread."""
        self._put(item)

    async def items(self) -> AsyncGenerator[Item]:
        """Start the work and yield what it gives; raises what it raised. Leaving early cancels it, without waiting."""
        threading.Thread(target=self._run, name="apple-model", daemon=True).start()
        try:
            while not isinstance(item := await self._items.get(), _Ended):
                yield item
            if item.error is not None:
                raise item.error
        finally:
            self._left.set()
            with suppress(RuntimeError):  # the thread's loop is closed: the work is over
                self._cancel()

    def _run(self) -> None:
        asyncio.run(self._worked())

    async def _worked(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(self._work(self))
        self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        if self.left:
            task.cancel()
        (error,) = await asyncio.gather(task, return_exceptions=True)
        self._put(_Ended(error))

    def _put(self, item: Item | _Ended) -> None:
        if not self._left.is_set():
            with suppress(RuntimeError):  # the program is quitting: nobody waits any more
                self._waiting.call_soon_threadsafe(self._items.put_nowait, item)
