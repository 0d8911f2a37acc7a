"""What the assessment costs without its call: off, and where its rules settle a request.

    python -m tests.bench.assessing [--rounds 15]

Each line is the median of several rounds, in milliseconds of processor time, beside the bound it is to stay under. Off,
a request is planned as it was without any assessment, and nothing of it is imported.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from tests.bench.context import Measured, measure
from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import MOMENT, session_with
from wisp_tui.config import Settings
from wisp_tui.context.record import CallPart, EntryKind
from wisp_tui.facts import Assertion, FactBook, Moment, Source, TemporalClass, Topic, record
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.text.ids import CallId, TurnNumber

RULES, RANKED, PLANNED = 10.0, 60.0, 10.0
"""Milliseconds: the rules of a request, 5,000 facts ranked, a request planned after 10,000 entries of one task."""
REPEATS = 100
PACKAGE = "wisp_tui.assessment"


def opened(folder: Path, *, enabled: bool) -> Thread:
    """Open a conversation."""
    folder.mkdir()
    settings = Settings.model_validate({"assessment": {"enabled": enabled}})
    return session_with(folder, ScriptedModel([says("Yes.")]), settings=settings).new_thread(ThreadOptions())


def filled(thread: Thread, entries: int) -> None:
    """Add so many entries of calls to a conversation, all of its one task."""
    held = thread.conversation
    assert held.facts is not None
    task = Assertion(Topic("task", ""), "port it", TemporalClass.DYNAMIC, Source.of_tool("bench"))
    held.facts.book = record(held.facts.book, [task], Moment(MOMENT - timedelta(days=1))).book
    for place in range(entries):
        call = CallPart(CallId(f"{place:08x}"), "read_file")
        held.record.add(EntryKind.CALL, "{}", turn=TurnNumber(1), time=MOMENT, call=call)


def off(folder: Path) -> Iterator[Measured]:
    """Plan requests without an assessment, beside what planning was before there was one."""
    from wisp_tui.context.composer import Plan

    held = opened(folder / "off", enabled=False).conversation
    if PACKAGE in sys.modules:
        raise SystemExit(f"{PACKAGE} is imported with the assessment off")

    def before() -> None:
        for _ in range(REPEATS):
            Plan(held.offered, held.block_source(held, squeezed=False), None, held.memory)

    def now() -> None:
        for _ in range(REPEATS):
            held.plan(None)

    yield f"plan {REPEATS} requests without an assessment", before, None
    yield f"plan {REPEATS} requests, the assessment off", now, None


def rules(folder: Path) -> Iterator[Measured]:
    """Read requests, rule on them, rank facts, plan what comes of it."""
    from wisp_tui.assessment import Situation, Task, TaskSetter, Wording, ranked, rule

    offered = ("read_file", "edit_file", "run_command", "current_date", "system_info", "inspect", "memory")
    requests = {
        "a line": "Say what docs/overview.md is about, and fix its heading",
        "1,500 characters of prose": "Tell me about the harbour and the boats that lie in it today. " * 25,
        "a pasted log of 1 MB": "2026-03-01 14:05:12 INFO src/a/b.rs:12 synced /srv/x 3f9a2c\n" * 17_000,
        "one letter, 1 MB": "a" * 1_000_000,
    }
    task = Task("port it", TaskSetter.MODEL)
    for name, text in requests.items():
        yield f"rule on {name}", lambda text=text: rule(Situation(Wording(text), offered, task)), RULES
    for size in (100, 5_000):
        book = FactBook()
        said = [
            Assertion(Topic("file", f"docs/{n}.md"), f"{n} lines of prose", TemporalClass.DYNAMIC, Source.of_tool("x"))
            for n in range(size)
        ]
        book = record(book, said, Moment(MOMENT)).book
        yield f"rank {size:,} facts", lambda book=book: ranked(book, requests["a line"]), RANKED
    held = opened(folder / "on", enabled=True)
    filled(held, 10_000)
    yield "plan the next request after 10,000 entries", lambda: held.conversation.plan(None), PLANNED


def main(arguments: Sequence[str]) -> int:
    """Measure it all; 1 when something is over its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds: int = parser.parse_args(arguments).rounds
    over = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in (off(Path(folder)), rules(Path(folder))):
            for name, act, bound in source:
                took = measure(act, rounds)
                over += bound is not None and took > bound
                print(f"{name:<44} {took:9.2f} ms" + (f"   of {bound:g}" if bound is not None else ""))
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
