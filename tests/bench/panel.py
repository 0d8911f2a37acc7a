"""What the context panel costs on a context of many entries, beside one of few, in the same process.

    python -m tests.bench.panel [--entries 1000] [--few 20]

For both: milliseconds of processor time from the key until the panel is drawn, a page down, a step to the turn before,
and a look at the next request while a turn runs. Then each as a ratio of the many to the few.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from tests.fakes.condensing import ask, harbour
from tests.fakes.screen import StillApp, talk_screen, until
from wisp_tui.context.record import EntryKind
from wisp_tui.text.ids import TurnNumber

SIZE = (120, 40)
WINDOW = 1_000_000
TEXT = "It is in /var/lib/harbour/journal.db, line 42: its name, its cargo, and the port that it left. " * 5


def filled(app: StillApp, entries: int) -> None:
    """Add so many entries to the record, as prompts and replies of turns."""
    held = app.thread.conversation
    for number in range(entries):
        kind = EntryKind.REPLY if number % 2 else EntryKind.PROMPT
        held.record.add(kind, f"{number} {TEXT}", turn=TurnNumber(number // 2), time=held.clock.now())


async def cost(doing: Callable[[], Awaitable[object]], times: int) -> float:
    """Return the median of the processor milliseconds that something takes."""
    taken: list[float] = []
    for _ in range(times):
        started = time.process_time()
        await doing()
        taken.append((time.process_time() - started) * 1000)
    return statistics.median(taken)


async def measured(entries: int) -> dict[str, float]:
    """Measure each act over a context of so many entries."""
    with tempfile.TemporaryDirectory() as place:
        app = harbour(Path(place), window=WINDOW)
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: app.thread.resolved is not None)
            filled(app, entries)
            await ask(pilot, app, "first")
            await ask(pilot, app, "second")
            return await acts(pilot, app)


async def acts(pilot: Pilot[int], app: StillApp) -> dict[str, float]:
    """Open, page, step and look again."""
    screen = talk_screen(app)

    async def drawn() -> None:
        shown = asyncio.Event()
        screen.call_after_refresh(shown.set)
        await shown.wait()

    async def opened() -> None:
        screen.toggle_context()
        await drawn()

    async def closed() -> None:
        screen.hide_context()
        await drawn()

    async def paged() -> None:
        screen.panel.action_go("page_down")
        await drawn()

    async def looked() -> None:
        screen.panel.model.look_again()
        screen.panel.draw()
        await drawn()

    opening: list[float] = []
    for _ in range(7):
        opening.append(await cost(opened, 1))
        await closed()
    await opened()
    await pilot.pause()

    async def stepped() -> None:
        screen.panel.action_step("before")
        await drawn()
        screen.panel.action_step("after")
        await drawn()

    return {
        "open": statistics.median(opening),
        "page down": await cost(paged, 15),
        "look again": await cost(looked, 7),
        "two steps": await cost(stepped, 7),
    }


async def main() -> None:
    """Measure both, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--few", type=int, default=20)
    options = parser.parse_args()
    few, many = await measured(options.few), await measured(options.entries)
    for act, taken in many.items():
        print(
            f"{act:10}  {options.entries:,} entries {taken:6.1f} ms CPU, {options.few} entries {few[act]:6.1f} ms,"
            f" ratio {taken / few[act]:.1f}"
        )


if __name__ == "__main__":
    asyncio.run(main())
