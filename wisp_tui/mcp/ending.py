"""The signals that end a server, whichever way it is reached."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_by_signals(end: Callable[[], None]) -> Generator[list[int]]:
    """Call ``end`` at the first signal; a second one ends the process as it would have. Yields those that came."""
    loop, caught = asyncio.get_running_loop(), list[int]()
    handled = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]

    def release() -> None:
        while handled:
            loop.remove_signal_handler(handled.pop())

    def stop(number: int) -> None:
        release()
        caught.append(number)
        end()

    for number in handled:
        loop.add_signal_handler(number, stop, number)
    try:
        yield caught
    finally:
        release()
