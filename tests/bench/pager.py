"""What the pager costs over a large output, beside ``less`` and Textual's ``Log`` in the same run.

    python -m tests.bench.pager [--pages 200] [--only-ours]

Processor time throughout, so that others may use the machine: opening 16 MiB and 16 KiB (ratio), a page down, the end
at once, a search for a line at the end, and the memory an open output adds. ``less`` has a terminal of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import gc
import os
import pty
import resource
import select
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Log

from tests.fakes.pager import PagerApp, settled
from tests.fakes.screen import until
from wisp_tui.app.pager.paged import Paged
from wisp_tui.app.pager.search import Needle
from wisp_tui.app.pager.source import FileSource
from wisp_tui.app.screens.pager import PagerScreen

WIDTH, HEIGHT = 120, 40
MIB = 1024 * 1024
LARGE, SMALL = 16 * MIB, 16 * 1024
LAST = "the very last line of all"


def made(directory: Path, size: int) -> tuple[Path, int]:
    """Write a log of about a size in bytes; return it and how many lines it has."""
    line = b"2026-03-01 12:%02d:%02d INFO worker[%d] request served in %d ms path=/api/v1/items/%d\n"
    parts: list[bytes] = []
    written = 0
    while written < size - 200:
        number = len(parts)
        parts.append(line % (number // 60 % 60, number % 60, number % 8, number * 37 % 900, number))
        written += len(parts[-1])
    parts.append(LAST.encode() + b"\n")
    path = directory / f"output-{size}"
    path.write_bytes(b"".join(parts))
    return path, len(parts)


def paged(path: Path, lines: int) -> Paged:
    """Show a file as the store's outputs are shown."""
    return Paged("run_command make test", FileSource(path), lines)


async def timed(pilot: Pilot[int], do: Callable[[], object], shown: Callable[[], object]) -> float:
    """Do something, and say how much processor time went by until it was on the screen."""
    started = time.process_time()
    do()
    while not shown():
        await asyncio.sleep(0)
    drawn = asyncio.Event()
    pilot.app.screen.call_after_refresh(drawn.set)
    await drawn.wait()
    return time.process_time() - started


async def opening(files: list[tuple[Path, int]], times: int) -> list[float]:
    """Open each file by turns in one app; return the median seconds until its first screen is drawn."""
    costs: list[list[float]] = [[] for _ in files]
    app = PagerApp(paged(*files[-1]))
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        await settled(pilot, app)
        for _ in range(times):
            for place, (path, lines) in enumerate(files):
                screen = PagerScreen(paged(path, lines))
                gc.collect()
                cost = await timed(
                    pilot, lambda screen=screen: app.push_screen(screen), lambda screen=screen: screen.view.size.height
                )
                costs[place].append(cost)
                await until(pilot, lambda screen=screen: screen.view.index.whole)
                screen.dismiss()
                await until(pilot, lambda: app.screen is app.pager)
    return [statistics.median(each) for each in costs]


async def moving(path: Path, lines: int, pages: int) -> dict[str, float]:
    """Page down, go to the end, and search for the last line from the first; return seconds by name."""
    costs: dict[str, float] = {}
    app = PagerApp(paged(path, lines))
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        await until(pilot, lambda: app.screen is app.pager and app.pager.view.size.height > 1)
        view = app.pager.view
        costs["end"] = await timed(pilot, lambda: app.pager.action_move("end"), lambda: True)
        await settled(pilot, app)
        app.pager.action_move("start")
        await pilot.pause()
        each = [await timed(pilot, lambda: app.pager.action_move("page_down"), lambda: True) for _ in range(pages)]
        costs["page"], costs["slowest page"] = statistics.median(each), max(each)
        view.toggle_wrap()
        await pilot.pause()
        wrapped = [await timed(pilot, lambda: app.pager.action_move("page_down"), lambda: True) for _ in range(pages)]
        costs["page, wrapped"] = statistics.median(wrapped)
        app.pager.action_move("start")
        await pilot.pause()

        def search() -> None:
            needle = Needle.of(LAST)
            view.look_for(needle)
            app.pager.finder.start(needle, 0, forward=True)

        costs["search for the last line"] = await timed(pilot, search, lambda: app.pager.finder.at is not None)
    return costs


def memory(path: Path, lines: int) -> int:
    """Say how many bytes of resident memory an open file adds that was read through; in a process of its own."""
    code = f"import asyncio; from tests.bench.pager import grown; asyncio.run(grown({str(path)!r}, {lines}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout)


async def grown(name: str, lines: int) -> None:
    """Print how much memory an open output adds to the pager on a small one, once it was read through and searched."""
    small, count = made(Path(tempfile.mkdtemp()), SMALL)
    app = PagerApp(paged(small, count))
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        await settled(pilot, app)
        gc.collect()
        before = psutil.Process().memory_info().rss
        screen = PagerScreen(paged(Path(name), lines))
        app.push_screen(screen)
        await until(pilot, lambda: screen.view.size.height > 1 and screen.view.index.whole)
        screen.finder.start(Needle.of("request"), 0, forward=True)
        await until(pilot, lambda: screen.finder.found.whole)
        for share in range(0, 100, 2):
            screen.view.point_at(lines * share // 100)
            await pilot.pause()
        after = psutil.Process().memory_info().rss
    print(max(after - before, 0))


async def log(path: Path, pages: int) -> dict[str, float]:
    """Open the file in Textual's Log, and page down in it."""

    class LogApp(App[int]):
        def compose(self) -> ComposeResult:
            yield Log()

    costs: dict[str, float] = {}
    app = LogApp()
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        await pilot.pause()
        view = app.query_one(Log)
        started = time.process_time()
        view.write(path.read_text("utf-8", "replace"), scroll_end=False)
        drawn = asyncio.Event()
        view.call_after_refresh(drawn.set)
        await drawn.wait()
        costs["open"] = time.process_time() - started
        view.scroll_home(animate=False)
        await pilot.pause()
        each = [
            await timed(pilot, lambda: view.scroll_page_down(animate=False), lambda: True)
            for _ in range(min(pages, 50))
        ]
        costs["page"] = statistics.median(each)
    return costs


def less(path: Path, pages: int) -> dict[str, float]:
    """Open the file in less on a terminal of its own and page down in it; processor seconds of less alone."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "LESS": ""}
    process = subprocess.Popen(["less", "-R", str(path)], stdin=child, stdout=child, stderr=child, env=environment)
    os.close(child)
    watched = psutil.Process(process.pid)

    def used() -> float:
        times = watched.cpu_times()
        return times.user + times.system

    def read() -> None:
        while select.select([parent], [], [], 0.2)[0] and os.read(parent, 1 << 16):
            pass

    read()
    costs = {"open": used()}
    for _ in range(pages):
        os.write(parent, b" ")
        select.select([parent], [], [], 1.0)
        os.read(parent, 1 << 16)
    read()
    costs["page"] = (used() - costs["open"]) / pages
    before = used()
    os.write(parent, b"g/" + LAST.encode() + b"\n")
    read()
    costs["search for the last line"] = used() - before
    os.write(parent, b"q")
    process.wait(timeout=20)
    os.close(parent)
    return costs


def _said(name: str, costs: dict[str, float]) -> str:
    return f"{name:8}" + ", ".join(f"{what} {cost * 1000:.1f} ms" for what, cost in costs.items())


async def main() -> None:
    """Measure, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--only-ours", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        large, lines = made(Path(home), LARGE)
        small, few = made(Path(home), SMALL)
        costs = await opening([(large, lines), (small, few)], 15)
        print(
            f"open: 16 MiB {costs[0] * 1000:.1f} ms, 16 KiB {costs[1] * 1000:.1f} ms, ratio {costs[0] / costs[1]:.2f} "
            "(at most 1.5)",
            flush=True,
        )
        ours = await moving(large, lines, options.pages)
        print(_said("ours", ours), "(a page: under 10 ms)", flush=True)
        print(f"memory: {memory(large, lines) / MIB:+.1f} MiB (at most 30)", flush=True)
        if not options.only_ours:
            if shutil.which("less"):
                print(_said("less", less(large, options.pages)), flush=True)
            print(_said("Log", await log(large, options.pages)), flush=True)
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"at most {used:.0f} MiB in all")


if __name__ == "__main__":
    asyncio.run(main())
