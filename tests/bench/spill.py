"""What keeping a command's output costs: 1 GiB through run_command against the same read from a pipe and dropped.

Run as ``python -m tests.bench.spill [MIB]``. Each way runs in a process of its own, so that its peak memory is its own;
the numbers to read are the ratios of one run.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.fakes.tools import Bench
from wisp_tui.outputs import ToolBudget
from wisp_tui.tools.run_command import RunCommand

_SOURCES = {
    "short lines": "yes 'compiled Sources/File.swift in 0.3 s' | head -c {size}",
    "one-character lines": "yes | head -c {size}",
    "no line ends": "head -c {size} /dev/zero | tr '\\0' x",
}
_CHUNK = 64 * 1024


def dropped(command: str) -> None:
    """Read the output from a pipe and keep none of it: what any reader has to pay."""
    with subprocess.Popen(["/bin/bash", "-c", command], stdout=subprocess.PIPE, bufsize=0) as process:
        if process.stdout is None:
            raise RuntimeError("no pipe")
        while process.stdout.read(_CHUNK):
            pass


def kept(command: str) -> None:
    """Run the command as a model does, at the largest budget."""
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(Path(place), budget=ToolBudget(131_072))
        output = asyncio.run(bench.call(RunCommand(), command=command))
        if not output.kept or not bench.budget.fits(output.text):
            raise RuntimeError(output.text[-500:])


def nothing(command: str) -> None:
    """Import what the others import, and run nothing: the memory there is before."""
    del command


WAYS: dict[str, Callable[[str], None]] = {"nothing": nothing, "dropped": dropped, "kept": kept}


def measured(way: str, command: str) -> tuple[float, float]:
    """Run a way in a process of its own; answer its seconds and its peak memory in MiB."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.spill", "--way", way, command], check=True, capture_output=True, text=True
    )
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak)


def main(arguments: list[str]) -> None:
    """Print a line for each kind of output."""
    if arguments[:1] == ["--way"]:
        began = time.perf_counter()
        WAYS[arguments[1]](arguments[2])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)
        sys.stdout.write(f"{time.perf_counter() - began} {peak}\n")
        return
    mib = int(arguments[0]) if arguments else 1024
    _, base = measured("nothing", "true")
    for name, source in _SOURCES.items():
        command = source.format(size=mib * 1024 * 1024)
        drop, _ = min(measured("dropped", command) for _ in range(3))
        keep, peak = min(measured("kept", command) for _ in range(3))
        sys.stdout.write(
            f"{name}: {mib} MiB kept in {keep / drop:.2f} times the time of dropping it "
            f"({mib / keep:,.0f} MiB/s), at {peak - base:.1f} MiB of memory over an idle process\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
