"""What the live copy of a conversation costs, beside a turn and beside a whole save.

    python -m tests.bench.autosave [--rounds 5]

Milliseconds of processor time, medians. A turn has a call with 2,000 bytes of output and a reply of 300 words that
streams word by word; its model answers at once, so that the ratio is the worst there can be.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.fakes.model import ScriptedModel, calls
from tests.fakes.session import session_with
from wisp_tui.config import Home, Settings
from wisp_tui.context.journal import look, read_journal
from wisp_tui.context.record import CallPart, EntryKind, OutputPart
from wisp_tui.context.sidecar import Saved
from wisp_tui.models import Finished, TextDelta
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.livecopy import LiveCopy
from wisp_tui.text.ids import CallId, TurnNumber

TURNS = 40
SIZES = (100, 1_000, 10_000)


def opened(folder: Path, *, autosave: bool) -> tuple[Session, Thread]:
    """Open a conversation whose turns each call a tool and reply."""
    (folder / "work").mkdir(parents=True)
    (folder / "work" / "notes.md").write_text("some words of a file, a line of them\n" * 54)
    reply = [*(TextDelta(f"word{number} ") for number in range(300)), Finished("stop")]
    turn = [calls(("read_file", {"path": "notes.md"})), reply]
    model = ScriptedModel([*turn * (2 * TURNS)], window=None)
    session = session_with(folder, model, settings=Settings.model_validate({"sandbox": {"enabled": False}}))
    return session, session.new_thread(ThreadOptions(autosave=autosave))


async def turns(folder: Path, *, autosave: bool) -> float:
    """Run turns, and return the milliseconds of one."""
    session, thread = opened(folder, autosave=autosave)
    await thread.submit("read it")
    started = time.process_time()
    for number in range(TURNS):
        await thread.submit(f"read it again, {number}")
    spent = time.process_time() - started
    await session.close()
    return spent / TURNS * 1000


def long_talk(thread: Thread, entries: int) -> None:
    """Fill a conversation's record."""
    record = thread.conversation.record
    now = thread.conversation.clock.now()
    for number in range(len(record), entries, 4):
        turn, call = TurnNumber(number // 4 + 1), CallId(f"{number:08x}")
        record.add(EntryKind.PROMPT, "a prompt of some words", turn=turn, time=now)
        part = OutputPart(call, "read_file", ok=True, lines=50, bytes=2000, reads_only=True)
        record.add(EntryKind.CALL, '{"path":"notes.md"}', turn=turn, time=now, call=CallPart(call, "read_file"))
        record.add(EntryKind.OUTPUT, "some words of a file, a line of them\n" * 54, turn=turn, time=now, output=part)
        record.add(EntryKind.REPLY, "some words of a reply " * 30, turn=turn, time=now)


def median(rounds: int, measured: Callable[[], object]) -> float:
    """Return the median of several rounds, in milliseconds."""
    spent: list[float] = []
    for _ in range(rounds):
        started = time.process_time()
        measured()
        spent.append((time.process_time() - started) * 1000)
    return statistics.median(spent)


def sizes(folder: Path, entries: int, rounds: int) -> str:
    """Measure one change, a whole copy, a save, a look and a recovery of a conversation of so many entries."""
    session, thread = opened(folder, autosave=True)
    held = thread.conversation
    long_talk(thread, entries)
    copy = held.live
    assert isinstance(copy, LiveCopy)
    path = next(session.home.live.glob("*.jsonl"))

    def add() -> None:
        for _ in range(100):
            held.record.add(EntryKind.REPLY, "some words " * 60, turn=TurnNumber(1), time=held.clock.now())

    one = median(rounds, add) / 100
    data = path.read_bytes()

    def recover() -> Saved:
        return read_journal(data)[0].saved()

    figures = (
        one,
        median(rounds, copy.restart),
        median(rounds, lambda: session.shelf.save(held, "bench")),
        median(rounds, lambda: look(data)),
        median(rounds, recover),
    )
    copy.close(remove=True)
    assert isinstance(session.home, Home)
    return "".join(f"{figure:14.3f}" for figure in figures)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        without = [asyncio.run(turns(folder / f"a{number}", autosave=False)) for number in range(rounds)]
        having = [asyncio.run(turns(folder / f"b{number}", autosave=True)) for number in range(rounds)]
        off, on = statistics.median(without), statistics.median(having)
        print(f"a turn: {off:.2f} ms without a live copy, {on:.2f} ms with one, {on / off:.3f} times")
        print(f"{'entries':>8}{'one change':>14}{'whole copy':>14}{'whole save':>14}{'look':>14}{'recover':>14}")
        for entries in SIZES:
            print(f"{entries:8,}{sizes(folder / f'c{entries}', entries, rounds)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
