"""A search that runs beside the screen: what it finds comes in batches, and it ends when it is wanted no longer."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, deque
from collections.abc import AsyncGenerator, Sequence

from wisp_tui.session.saved.searching import MOST_LINES, Finder, FoundLine

BATCH_SECONDS = 0.1
"""Seconds between two batches."""


async def batches(finder: Finder, words: Sequence[str], names: Sequence[str]) -> AsyncGenerator[list[FoundLine]]:
    """Give what is found as it comes, a conversation's first lines; blocks nothing.

    Close it, or cancel whoever waits for it, and the search ends soon.
    """
    loop = asyncio.get_running_loop()
    stopped, arrived = threading.Event(), asyncio.Event()
    lines, taken = deque[FoundLine](), Counter[str]()

    def search() -> None:
        for line in finder.find(words, names, stopped.is_set):
            taken[line.name] += 1
            if taken[line.name] <= MOST_LINES:
                lines.append(line)
                loop.call_soon_threadsafe(arrived.set)

    searching = asyncio.ensure_future(asyncio.to_thread(search))
    searching.add_done_callback(lambda _: arrived.set())
    try:
        while not searching.done() or lines:
            await arrived.wait()
            arrived.clear()
            if lines:
                yield [lines.popleft() for _ in range(len(lines))]
                await asyncio.wait({searching}, timeout=BATCH_SECONDS)
                if searching.done():
                    arrived.set()
        searching.result()
    finally:
        stopped.set()
