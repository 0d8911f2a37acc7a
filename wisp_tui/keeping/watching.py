"""When a directory changed: as soon as the system says so, and now and then in case it does not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from watchfiles import watch

STEP_MILLISECONDS = 10
"""How long changes are gathered once one was seen."""
LOOK_MILLISECONDS = 500
"""How long it takes at most until somebody looks, also where the file system tells nothing."""


async def ticks(directory: Path, stop: asyncio.Event | None = None) -> AsyncGenerator[None]:
    """Yield whenever a file of a directory may have changed, and at least every half second, until ``stop`` is set.

    Yields once at the start. What is seen after a tick is compared with what was seen before: a tick proves nothing.
    Raises FileNotFoundError for a directory that is not there.
    """
    ended = threading.Event()
    changes = watch(
        directory,
        watch_filter=None,
        debounce=STEP_MILLISECONDS * 4,
        step=STEP_MILLISECONDS,
        rust_timeout=LOOK_MILLISECONDS,
        yield_on_timeout=True,
        stop_event=ended,
        raise_interrupt=False,
        recursive=False,
    )
    thread = ThreadPoolExecutor(1, thread_name_prefix="watch")  # its own: a watcher would hold a shared one's for good
    loop = asyncio.get_running_loop()
    try:
        look = loop.run_in_executor(thread, next, changes, None)  # before the first tick: nothing falls between
        yield
        while (stop is None or not stop.is_set()) and await look is not None:
            look = loop.run_in_executor(thread, next, changes, None)
            yield
    finally:
        ended.set()
        thread.shutdown(wait=False)
