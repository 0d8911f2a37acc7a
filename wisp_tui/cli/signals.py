"""How a signal ends a command: once, cleanly; a second one ends it at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Generator, Sequence
from contextlib import contextmanager

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def was_cut_short(stopped: asyncio.Future[int]) -> bool:
    """Say whether a signal ended it that is nobody's word for its end: Ctrl-C is the person's."""
    return stopped.done() and stopped.result() != 128 + signal.SIGINT


@contextmanager
def stop_signals(ending: Sequence[signal.Signals] = _ENDING) -> Generator[asyncio.Future[int]]:
    """Give a future that the first signal sets to the exit code: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.

    From then on until the end of the block a second one ends the process at once, also where its clean end hangs. A
    signal that was ignored at the start (``nohup``) stays ignored.
    """
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()
    interrupting = signal.getsignal(signal.SIGINT)
    caught = [number for number in ending if signal.getsignal(number) is not signal.SIG_IGN]

    def release() -> None:
        while caught:
            loop.remove_signal_handler(caught.pop())

    def stop(number: signal.Signals) -> None:
        interrupts = signal.SIGINT in caught
        release()
        if interrupts:  # Python's own handler raises in the midst of the clean end, which then ends in a traceback
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        if not stopped.done():
            stopped.set_result(128 + number)

    for number in caught:
        loop.add_signal_handler(number, stop, number)
    try:
        yield stopped
    finally:
        release()
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, interrupting)
        stopped.cancel()
