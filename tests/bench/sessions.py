"""What the browser of saved conversations costs over hundreds of them, beside a few, in the same process.

    python -m tests.bench.sessions [--saved 300] [--few 10] [--entries 400]

For both: milliseconds of processor time, of all threads, from the key until the list and the end of the first one are
drawn; a line down; and a letter in the search box until it is drawn, the search that it starts running beside it: the
first, when the index is made, and those after. Each as a ratio too. Then, over the many: the files alone searched in a
thread, with the longest time that the keyboard has to wait meanwhile; a first and a late search by the index; and a
look at the end of a conversation of ten thousand entries, beside one of ten.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from tests.fakes.model import ScriptedModel, says
from tests.fakes.screen import StillApp, app_over, until
from tests.fakes.session import session_with
from wisp_tui.app.screens.sessions import SessionsScreen
from wisp_tui.context.record import EntryKind
from wisp_tui.session import Session, ThreadOptions
from wisp_tui.session.saved.glimpse import glimpse
from wisp_tui.session.saved.indexing import IndexedFinder
from wisp_tui.session.saved.listing import saved_name
from wisp_tui.session.saved.searching import PlainFinder, words_of
from wisp_tui.text.ids import TurnNumber

SIZE = (120, 40)
SEARCHES = 20
"""Searches after which the index has taken all in: each takes in for a second."""
TEXT = "It is in /var/lib/harbour/journal.db, line 42: its name, its cargo, and the port that it left. " * 8


def home_of(place: Path, saved: int, entries: int) -> Session:
    """Save so many conversations of so many entries, a rare word in one of ten."""
    place.mkdir()
    session = session_with(place, ScriptedModel([says("Yes.")]))
    for number in range(saved):
        write(session, f"talk-{number}", entries, "heron " if number % 10 == 0 else "")
    return session


def write(session: Session, name: str, entries: int, word: str = "") -> None:
    """Save one conversation."""
    thread = session.new_thread(ThreadOptions())
    held = thread.conversation
    for number in range(entries):
        kind = EntryKind.REPLY if number % 2 else EntryKind.PROMPT
        held.record.add(kind, f"{number} {word}{name} {TEXT}", turn=TurnNumber(number // 2), time=held.clock.now())
    thread.shelf.save(held, name)
    session.threads.remove(thread)


async def cost(doing: Callable[[], Awaitable[object]]) -> float:
    """Return the processor milliseconds of this thread and all others that something takes."""
    started = time.process_time()
    await doing()
    return (time.process_time() - started) * 1000


async def measured(place: Path, saved: int, entries: int) -> dict[str, float]:
    """Open the browser, move, and write a letter."""
    app = app_over(home_of(place, saved, entries))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.thread.resolved is not None)
        return await acts(pilot, app)


async def acts(pilot: Pilot[int], app: StillApp) -> dict[str, float]:
    """Take each act several times."""

    async def drawn() -> None:
        shown = asyncio.Event()
        app.screen.call_after_refresh(shown.set)
        await shown.wait()

    async def opened() -> None:
        app.action_sessions()
        while not (isinstance(app.screen, SessionsScreen) and app.screen.model.loaded and app.screen.glimpse.read):
            await asyncio.sleep(0)
        await drawn()

    opening: list[float] = []
    for _ in range(5):
        opening.append(await cost(opened))
        app.action_sessions()
        await pilot.pause()
    await opened()
    screen = app.screen
    assert isinstance(screen, SessionsScreen)

    async def down() -> None:
        screen.action_go("down")
        await drawn()

    moves = [await cost(down) for _ in range(9)]
    screen.words.focus()
    await pilot.pause()

    async def letter() -> None:
        app.simulate_key("heron"[len(screen.words.value) % 5])
        await drawn()

    letters: list[float] = []
    for _ in range(10):
        letters.append(await cost(letter))
        await until(pilot, lambda: not screen.model.searching, seconds=600)
    return {
        "open": statistics.median(opening),
        "line down": statistics.median(moves),
        "letter": max(letters[:1]),
        "next letters": statistics.median(letters[1:]),
    }


async def longest_stall(session: Session) -> tuple[float, float]:
    """Search in a thread; return the longest time the loop was not at hand, and how long all took, in milliseconds."""
    names = [item.name for item in session.shelf.list()]
    searching = asyncio.ensure_future(
        asyncio.to_thread(lambda: list(PlainFinder(session.home).find(("heron",), names, lambda: False)))
    )
    started = before = time.perf_counter()
    stalls: list[float] = []
    while not searching.done():
        await asyncio.sleep(0.001)
        now = time.perf_counter()
        stalls.append((now - before) * 1000)
        before = now
    return max(stalls), (time.perf_counter() - started) * 1000


def searched(session: Session) -> tuple[float, float]:
    """Search by the index again and again, as it takes all in; return the processor milliseconds of first and last."""
    names, words = [item.name for item in session.shelf.list()], words_of("heron")
    taken: list[float] = []
    for _ in range(SEARCHES):
        started = time.process_time()
        found = list(IndexedFinder(session.home).find(words, names, lambda: False))
        taken.append((time.process_time() - started) * 1000)
        assert found
    return taken[0], taken[-1]


def looked(session: Session, entries: int) -> float:
    """Look at the end of one conversation of so many entries; return the processor milliseconds."""
    write(session, f"one-{entries}", entries)
    shown = saved_name(session.home, session.home.transcripts / f"one-{entries}.json")
    assert shown is not None
    taken: list[float] = []
    for _ in range(9):
        started = time.process_time()
        glimpse(session.home, shown)
        taken.append((time.process_time() - started) * 1000)
    return statistics.median(taken)


async def main() -> None:
    """Measure, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--saved", type=int, default=300)
    parser.add_argument("--few", type=int, default=10)
    parser.add_argument("--entries", type=int, default=400)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_CACHE_HOME"] = f"{place}/cache"
        few = await measured(Path(place) / "few", options.few, options.entries)
        many = await measured(Path(place) / "many", options.saved, options.entries)
        for act, taken in many.items():
            ratio = f"ratio {taken / few[act]:.1f}"
            print(
                f"{act:13} {options.saved} saved {taken:7.1f} ms CPU, {options.few} saved {few[act]:7.1f} ms, {ratio}"
            )
        session = session_with(Path(place) / "many", ScriptedModel([says("Yes.")]))
        size = sum(item.size for item in session.shelf.list()) / 2**20
        stall, whole = await longest_stall(session)
        print(f"the files alone: {size:.0f} MiB in {whole:.0f} ms, the keyboard waits {stall:.1f} ms at most")
        first, last = searched(session)
        print(f"the index: {first:.0f} ms CPU for the first search, {last:.1f} ms for the {SEARCHES}th")
        ten, thousands = looked(session, 10), looked(session, 10_000)
        print(f"a look at the end: 10 entries {ten:.2f} ms CPU, 10,000 {thousands:.2f} ms, ratio {thousands / ten:.1f}")


if __name__ == "__main__":
    asyncio.run(main())
