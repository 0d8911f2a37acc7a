"""How long the app takes to its first frame, and to a model that is ready: beside a bare Textual app, in the same run.

    python -m tests.bench.startup [--runs 15] [--first]

Each run is a new process on a pseudo-terminal. Said are the medians of processor seconds from the process's start,
which other programs on the machine do not change, and their ratios; the aim is 1.2 times the bare app, at most 1.6.
With ``--first`` each start is the first one in its home: said is too when it has told what it found, and how long, in
processor time, the event loop was held up at most between the model being ready and that: a key waits no longer.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

BARE = """
import json, sys, time
from textual.app import App
from textual.widgets import Static

class Bare(App):
    def compose(self):
        yield Static("hello", markup=False)
    def on_ready(self):
        self.exit(time.process_time())

print(json.dumps({"frame": Bare().run()}), file=open(sys.argv[1], "w"))
"""

OURS = """
import json, os, sys, time
from wisp_tui.app.app import WispApp

times = {}

def begin():
    from wisp_tui.session import Session, ThreadOptions
    session = Session.open(os.environ)
    return session, session.new_thread(ThreadOptions(model=f"replay:{os.environ['SCRIPT']}"))

class Timed(WispApp):
    def on_ready(self):
        times["frame"] = time.process_time()
        self.set_interval(0.01, self.look)
    def look(self):
        if self.opened is None or self.thread.resolved is None:
            return
        if "model" not in times:
            times["model"] = time.process_time()
            self.run_worker(self.lag())
        if self.session.home.welcomed.exists():
            times["told"] = time.process_time()
            self.exit(0)
    async def lag(self):
        import asyncio
        before = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            times["stall"] = max(times.get("stall", 0), now - before)
            before = now

Timed(begin, os.environ, "wisp-dark").run()
print(json.dumps(times), file=open(sys.argv[1], "w"))
"""


def run(code: str, home: str) -> dict[str, float]:
    """Run a program on a terminal of its own; return what it wrote down."""
    ours, theirs = pty.openpty()
    result = Path(home) / "result.json"
    environment = {**os.environ, "WISP_HOME": home, "SCRIPT": f"{home}/script.jsonl", "TERM": "xterm-256color"}
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(result)], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    draining = threading.Thread(target=_drain, args=(ours,))
    draining.start()
    child.wait(timeout=60)
    draining.join()
    os.close(ours)
    return json.loads(result.read_text())


def _drain(handle: int) -> None:
    try:
        while os.read(handle, 65536):
            pass
    except OSError:
        return  # the child is gone, and with it its end of the terminal


def median(values: Sequence[float]) -> float:
    """Return the middle one."""
    return statistics.median(values)


def main() -> None:
    """Run both in turn, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--first", action="store_true", help="make each start the first one in its home")
    wanted = parser.parse_args()
    runs: int = wanted.runs
    bare: list[float] = []
    ours: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "script.jsonl").write_text('{"replay":1}\n{"reply":"x"}\n')
        for turn in range(runs + 1):
            mark = Path(home) / "welcomed"
            mark.unlink(missing_ok=True) if wanted.first else mark.touch(0o600)
            first, second = run(BARE, home), run(OURS, home)
            if turn:  # the first only fills the caches
                bare.append(first["frame"])
                ours.append(second)
    base = median(bare)
    print(f"bare Textual, first frame   {base:.3f} s")
    for name in ("frame", "model", "told") if wanted.first else ("frame", "model"):
        value = median([times[name] for times in ours])
        print(f"ours, {name:21} {value:.3f} s  {value / base:.2f} times")
    if wanted.first:
        print(f"longest stall until told    {median([times['stall'] for times in ours]) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
