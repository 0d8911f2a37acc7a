"""What the audit log costs: an append, beside a bare write of the same line; finding an event in a full set of logs.

Run it with ``python -m tests.bench.audit``. Times depend on the machine: compare them within one run only.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from wisp_tui.audit import AuditLog, find_event, log_files, read_events
from wisp_tui.events import Bus
from wisp_tui.text.ids import EventId, SessionId
from wisp_tui.text.json import Json, JsonObject

FILES = 5
FILE_BYTES = 10 * 1024 * 1024
APPENDS = 2_000
SOURCES = [path.read_text("utf-8") for path in sorted(Path(__file__).parents[2].glob("wisp_tui/**/*.py"))]


def details(chance: random.Random) -> JsonObject:
    """Make details as a conversation has them: short ones mostly, and outputs of source, listings and digests."""
    match chance.randrange(8):
        case 0:
            source = chance.choice(SOURCES)
            start = chance.randrange(max(len(source) - 4_000, 1))
            return {"tool": "read_file", "output": source[start : start + chance.randrange(200, 8_000)]}
        case 1:
            lines = [f"{chance.randbytes(20).hex()}  docs/page-{number}.md" for number in range(chance.randrange(60))]
            return {"tool": "run_command", "output": "\n".join(lines)}
        case 2:
            rows: list[Json] = [{"name": f"x{number}", "size": chance.randrange(9_999)} for number in range(20)]
            return {"sha256": chance.randbytes(32).hex(), "tokens": rows}
        case _:
            return {"text": " ".join(chance.choices(chance.choice(SOURCES).split(), k=chance.randrange(1, 90)))}


def milliseconds(work: Callable[[], object], times: int = 7) -> float:
    """Measure some work in processor time, which other programs do not lengthen: the median of several runs."""
    taken: list[float] = []
    for _ in range(times):
        started = time.process_time()
        work()
        taken.append((time.process_time() - started) * 1000)
    return statistics.median(taken)


def filled(directory: Path) -> list[EventId]:
    """Fill a set of logs and return the ids of its events, oldest first."""
    chance = random.Random(1)
    log = AuditLog(directory, Bus(), version="bench", max_bytes=FILE_BYTES, keep=FILES)
    while len(log_files(directory)) < FILES or log_files(directory)[-1].stat().st_size < FILE_BYTES - 20_000:
        for _ in range(100):
            log.write(SessionId("bench"), "tool.result", details(chance))
    return [event.id for event in read_events(directory)]


def appends(directory: Path) -> tuple[float, float]:
    """Return the microseconds of an append to the log, and of a bare write of its line."""
    chance, log = random.Random(2), AuditLog(directory, Bus(), version="bench")
    made = [details(chance) for _ in range(APPENDS)]
    lines = [log.write(SessionId("bench"), "tool.result", detail).line() for detail in made]
    audited = milliseconds(lambda: [log.write(SessionId("bench"), "tool.result", detail) for detail in made], times=3)
    file = os.open(directory / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    bare = milliseconds(lambda: [os.write(file, line) for line in lines], times=3)
    os.close(file)
    return audited * 1000 / APPENDS, bare * 1000 / APPENDS


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        audited, bare = appends(Path(name))
        print(f"append: {audited:.0f} µs an event, {audited / bare:.1f} times a bare write of its line ({bare:.1f} µs)")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        ids = filled(directory)
        size = sum(path.stat().st_size for path in log_files(directory))
        print(f"logs: {len(log_files(directory))} files, {size / 1024**2:.0f} MiB, {len(ids):,} events")
        for what, wanted in (
            ("newest", ids[-1]),
            ("in the middle", ids[len(ids) // 2]),
            ("oldest", ids[0]),
            ("of nobody", EventId("f" * 16)),
        ):
            print(f"find the event {what}: {milliseconds(lambda wanted=wanted: find_event(directory, wanted)):.2f} ms")
        print(f"decode every event: {milliseconds(lambda: [*read_events(directory)], times=3):.0f} ms")


if __name__ == "__main__":
    main()
