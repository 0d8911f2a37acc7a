"""What the walls cost: the same commands with and without the machine's sandbox, taking turns in one run.

Run it as ``python -m tests.bench.walls``.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

from tests.fakes.tools import Bench
from tests.fakes.walls import walls
from wisp_tui.config.settings import SandboxSettings
from wisp_tui.sandbox import SharedSandbox, Walls, find_sandbox, reach_of
from wisp_tui.tools.run_command import RunCommand

ROUNDS = 40


async def seconds(bench: Bench, command: str) -> float:
    """How long a call takes from its start to its result."""
    began = time.perf_counter()
    await bench.call(RunCommand(), command=command)
    return time.perf_counter() - began


async def main() -> None:
    """Measure, and print the medians and their difference."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place).resolve()
        reach = partial(reach_of, directory, SandboxSettings(), directory / "home", os.environ)
        shared = SharedSandbox(find_sandbox)
        began = time.perf_counter()
        found = await shared.found()
        print(f"{found.why}; found in {(time.perf_counter() - began) * 1000:.0f} ms")
        bare, walled = Bench(directory, walls=walls()), Bench(directory, walls=Walls(shared, reach))
        times = [(await seconds(bare, "true"), await seconds(walled, "true")) for _ in range(ROUNDS)]
    without, within = (median(column) * 1000 for column in zip(*times, strict=True))
    print(f"a command: {without:.1f} ms without walls, {within:.1f} ms within: {within - without:.1f} ms more")


if __name__ == "__main__":
    asyncio.run(main())
