"""What judging costs: a line at the median and at worst, reading against judging; and what a sandbox costs.

Run as ``python -m tests.bench.judging``. Times are of the processor; the numbers to read are those per line, and the
ratios of one run. The sandbox's are of the clock, over starting the same shell without one.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import tree_sitter_bash
from tree_sitter import Language, Parser

from tests.fakes.judging import HARBOUR, judge, labelled
from wisp_tui.approval.rules import load_rules
from wisp_tui.approval.shell import read
from wisp_tui.config.settings import SandboxSettings
from wisp_tui.sandbox import Bubblewrap, reach_of
from wisp_tui.sandbox.choose import trial

ROUNDS = 5
STARTS = 30


def timed(work: Callable[[str], object], lines: Sequence[str]) -> list[float]:
    """Milliseconds of processor time for each line, the least of several rounds."""
    best = [float("inf")] * len(lines)
    for _ in range(ROUNDS):
        for at, line in enumerate(lines):
            began = time.process_time_ns()
            work(line)
            best[at] = min(best[at], (time.process_time_ns() - began) / 1e6)
    return best


def report(name: str, times: Sequence[float]) -> None:
    """Print a row: median, 99th of a hundred, worst, and the sum."""
    ordered = sorted(times)
    print(
        f"{name:28} median {statistics.median(ordered):6.3f} ms   p99 {ordered[len(ordered) * 99 // 100]:6.3f} ms   "
        f"worst {ordered[-1]:6.3f} ms   all {sum(ordered) / 1e3:6.3f} s"
    )


def judging() -> None:
    """Time the labelled set: parsed, read, judged."""
    lines = [row.command for row in labelled()]
    language = Language(tree_sitter_bash.language())
    parser, one = Parser(language), judge()
    began = time.process_time()
    load_rules.__wrapped__()
    print(f"{len(lines)} lines; the rules are read in {(time.process_time() - began) * 1e3:.1f} ms")
    report("parsed by the grammar", timed(lambda line: parser.parse(line.encode()), lines))
    report("read into commands", timed(lambda line: read(line, language), lines))
    report("judged", timed(lambda line: one.judge(line, HARBOUR), lines))


def starting() -> None:
    """Time a shell that does nothing, in a sandbox and out of it."""
    environment = {"PATH": os.defpath, "HOME": str(Path.home())}
    if fault := trial(Bubblewrap(), environment):
        print(f"no sandbox: {fault}")
        return
    with tempfile.TemporaryDirectory() as directory:
        reach = reach_of(Path(directory), SandboxSettings(), Path(directory) / "own", environment)
        plain = ("/bin/sh", "-c", ":")
        wrapped = Bubblewrap().wrap(plain, Path(directory), environment, reach)
        times = {name: _starts(argv, environment) for name, argv in (("plain", plain), ("in it", wrapped.argv))}
    print(
        f"{'a shell that does nothing':28} plain {times['plain']:6.2f} ms   in bubblewrap {times['in it']:6.2f} ms   "
        f"more {times['in it'] - times['plain']:6.2f} ms"
    )


def _starts(argv: Sequence[str], environment: dict[str, str]) -> float:
    took: list[float] = []
    for _ in range(STARTS):
        began = time.perf_counter()
        subprocess.run(argv, env=environment, check=True)
        took.append((time.perf_counter() - began) * 1e3)
    return statistics.median(took)


if __name__ == "__main__":
    judging()
    starting()
