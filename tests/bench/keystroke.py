"""A keystroke's time to the screen while a reply streams, and the memory that a thousand turns on the screen take.

    python -m tests.bench.keystroke [--turns 1000]

Said are processor milliseconds from a key to the frame that shows it, which other programs on the machine do not
change, in an idle app and while a list streams; and the process's memory after a tenth, a half and all of the turns.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
from textual.pilot import Pilot

from wisp_tui.app.app import WispApp
from wisp_tui.events import ReplyDelta, ReplyEnded, TurnStarted
from wisp_tui.session import Session, ThreadOptions
from wisp_tui.text.ids import TurnNumber

KEYS = 60
RATE = 200.0
"""Tokens a second that the reply streams at."""
PARAGRAPH = "The harbour keeps a journal of what each boat **carried** in, and of what `it` took out again. " * 3


@asynccontextmanager
async def opened() -> AsyncGenerator[tuple[WispApp, Pilot[int]]]:
    """Open the app over an empty home."""
    with tempfile.TemporaryDirectory() as home:
        session = Session.open({"WISP_HOME": home}, Path(home))
        app = WispApp.over(session, session.new_thread(ThreadOptions(model="replay:none")))
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            yield app, pilot


async def keystrokes(app: WispApp) -> list[float]:
    """Press keys one by one; return the processor seconds each took to be drawn."""
    times: list[float] = []
    for number in range(KEYS):
        drawn = asyncio.Event()
        before = time.process_time()
        app.simulate_key("abcdefghij"[number % 10])
        app.screen.call_after_refresh(drawn.set)
        await drawn.wait()
        times.append(time.process_time() - before)
        await asyncio.sleep(0.05)
    return times


async def stream(app: WispApp) -> None:
    """Stream one list until cancelled."""
    session = app.thread.conversation.session
    number = 0
    while True:
        number += 1
        text = "\n- item " if number % 10 == 0 else "word "
        app.session.bus.publish(ReplyDelta(session, TurnNumber(1), text))
        await asyncio.sleep(1 / RATE)


def said(name: str, times: list[float]) -> str:
    """Write the median and the worst of some times."""
    ordered = sorted(times)
    return (
        f"{name:28} median {statistics.median(ordered) * 1000:5.1f} ms, "
        f"19 of 20 within {ordered[len(ordered) * 19 // 20] * 1000:5.1f} ms, worst {ordered[-1] * 1000:5.1f} ms"
    )


async def measure_keys() -> None:
    """Measure keys in an idle app and in a busy one."""
    async with opened() as (app, _):
        print(said("a key in an idle app", await keystrokes(app)), flush=True)
        streaming = asyncio.create_task(stream(app))
        print(said("a key while a list streams", await keystrokes(app)), flush=True)
        streaming.cancel()


async def measure_memory(turns: int) -> None:
    """Hold turns, and say what the process takes on the way."""
    process = psutil.Process()
    marks = {turns // 10, turns // 2, turns}
    async with opened() as (app, pilot):
        bus, session = app.session.bus, app.thread.conversation.session
        for number in range(1, turns + 1):
            turn = TurnNumber(number)
            bus.publish(TurnStarted(session, turn, f"question {number}"))
            bus.publish(ReplyDelta(session, turn, f"{PARAGRAPH}\n\n- one\n- two\n\n{PARAGRAPH}"))
            bus.publish(ReplyEnded(session, turn))
            if number % 10 == 0:
                await asyncio.sleep(0.1)
            if number in marks:
                await asyncio.sleep(1)
                await pilot.pause()
                gc.collect()
                widgets = len(app.main.conversation.children)
                mib = process.memory_info().rss / 1024 / 1024
                print(f"after {number:5,} turns   {mib:6.1f} MiB, {widgets} widgets in the conversation", flush=True)


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1000)
    turns = parser.parse_args().turns
    asyncio.run(measure_keys())
    asyncio.run(measure_memory(turns))


if __name__ == "__main__":
    main()
