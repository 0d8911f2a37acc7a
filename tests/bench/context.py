"""What the pure heart of the context costs: composing, cutting, referencing, deciding, estimating, saving, resuming.

    python -m tests.bench.context [--rounds 15]

Each line is the median of several rounds, in milliseconds of processor time, beside the bound it is to stay under where
there is one.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random

from tests.fakes.talks import Called, Talk, Turned
from tests.fakes.texts import CLASSES
from wisp_tui.context.condensing import FailFast, Target, due
from wisp_tui.context.cuts import find_cuts
from wisp_tui.context.estimate import Estimator
from wisp_tui.context.fill import headroom, look
from wisp_tui.context.record import Entry, EntryKind, Origin, OutputPart
from wisp_tui.context.references import reference_for
from wisp_tui.context.sidecar import resume, write_links, write_transcript
from wisp_tui.context.view import context_view
from wisp_tui.models import ToolDefinition
from wisp_tui.text.ids import CallId, EntryId, EventId, TurnNumber
from wisp_tui.text.tokens import token_classes

COMPOSE, TYPICAL_CUT, WORST_CUT = 2.0, 5.0, 60.0
"""Milliseconds: composing 40 active entries, cutting ordinary text, cutting the worst."""
ENTRIES = (100, 1_000, 10_000)
ACTIVE = 40
KIB = 1024
TOOLS = tuple(
    ToolDefinition(
        f"tool_{number}",
        "Does one thing well, and says what it did in a line or two of plain words.",
        {
            "type": "object",
            "properties": {name: {"type": "string", "description": "What to do it to."} for name in "abc"},
        },
    )
    for number in range(8)
)

Measured = tuple[str, Callable[[], object], float | None]


def talk_of(entries: int) -> Talk:
    """Have a conversation of so many entries, of which the latest are active."""
    talk, random = Talk(window=None, policy=FailFast(), tools=TOOLS), Random(1)
    while len(talk.record) < entries:
        output = CLASSES["python"](random, 2000)
        talk.take(Turned(calls=((Called(output=output),),), reply=CLASSES["prose"](random, 300)))
        active = [entry.id for entry in talk.record.active if entry.kind is not EntryKind.INSTRUCTIONS]
        if len(active) > ACTIVE + 20:
            talk.record.drop(active[:-ACTIVE], by=EventId("0" * 16), turn=talk.turn)
    return talk


def output_of(text: str, tool: str = "run_command") -> Entry:
    part = OutputPart(CallId("3f9a2c1b"), tool, ok=True, lines=1, bytes=len(text), reads_only=False)
    return Entry(EntryId(7), EntryKind.OUTPUT, Origin.TURN, TurnNumber(1), text, None, output=part)


def composing(entries: int) -> Iterator[Measured]:
    """Compose and recompose, decide, show, save and resume a conversation of so many entries."""
    talk = talk_of(entries)
    record, composer, plan = talk.record, talk.composer, talk.plan(None)
    past = talk.sent[len(talk.sent) // 2][0]
    composition = composer.compose(record, plan)
    fill, estimator = look(record, composition, tokens=7000, exact=False), Estimator()
    transcript, links = write_transcript(record), write_links(record, sessions=[], sha256=composition.sha256)

    def decide() -> bool:
        room = headroom(record, lambda entry: estimator.text(entry.text))
        measured = look(record, composition, tokens=estimator.estimate(composition), exact=False)
        return due(measured, 131_072, Target(), room)

    yield f"compose, {len(record.active)} of {entries:,} active", lambda: composer.compose(record, plan), COMPOSE
    yield f"compose a past turn of {entries:,}", lambda: composer.compose(record, past), COMPOSE
    yield f"decide whether it is due, {entries:,}", decide, None
    yield f"show it as rows, {entries:,}", lambda: context_view(composition, tokens=fill.total), None
    yield f"save {entries:,}", lambda: (write_transcript(record), write_links(record, sessions=[], sha256=None)), None
    yield f"resume {entries:,}", lambda: resume("x", transcript, links), None


def cutting() -> Iterator[Measured]:
    """Find the copies of 64 KiB of output in 16 KiB of reply."""
    random = Random(1)

    def letters(size: int, of: str) -> str:
        return "".join(f"{random.choice(of)}\n" for _ in range(size // 2))

    def blocks(size: int, of: str) -> str:
        parts: list[str] = []
        while sum(map(len, parts)) < size:
            parts.append(letters(random.randrange(2, 18), of) + "\n")
        return "".join(parts)

    ordinary = {
        "prose that copies nothing": (CLASSES["prose"](random, 16 * KIB), CLASSES["python"](random, 64 * KIB)),
        "a copy of code": ("```\n" + (code := CLASSES["python"](random, 64 * KIB))[: 16 * KIB] + "\n```", code),
        "a copy of a log": ((log := CLASSES["logs"](random, 64 * KIB))[20 * KIB : 36 * KIB], log),
    }
    worst = {
        "one letter a line, all alike": ("a\n" * (8 * KIB), "a\n" * (32 * KIB)),
        "one of two letters a line": (letters(16 * KIB, "ab"), letters(64 * KIB, "ab")),
        "blocks of one of four letters": (blocks(16 * KIB, "abcd"), letters(64 * KIB, "abcd")),
        "a table of one-letter cells": ("a|b\n-|-\n" + "1|2\n" * (4 * KIB), "a|b\n-|-\n" + "1|2\n" * (16 * KIB)),
    }
    for texts, bound in ((ordinary, TYPICAL_CUT), (worst, WORST_CUT)):
        for name, (reply, text) in texts.items():
            entry = output_of(text, "read_file")
            yield f"cut: {name}", lambda reply=reply, entry=entry: find_cuts(reply, [entry]), bound


def estimating() -> Iterator[Measured]:
    """Estimate a text of each kind, and reference one."""
    random = Random(1)
    for kind in ("prose", "csv", "chinese"):
        data = CLASSES[kind](random, 64 * KIB).encode()
        yield f"estimate {len(data) // KIB} KiB of {kind}", lambda data=data: token_classes(data), None
    entry = output_of(CLASSES["logs"](random, 64 * KIB))
    yield "reference 64 KiB of output", lambda: reference_for(entry, "{}", memory=False), None


def measure(act: Callable[[], object], rounds: int) -> float:
    """Return the median of several rounds, in milliseconds of processor time."""
    act()
    took: list[float] = []
    for _ in range(rounds):
        started = time.process_time_ns()
        act()
        took.append((time.process_time_ns() - started) / 1e6)
    return statistics.median(took)


def main(arguments: Sequence[str]) -> int:
    """Measure it all; 1 when something is over its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds: int = parser.parse_args(arguments).rounds
    over = 0
    sources = [*(composing(entries) for entries in ENTRIES), cutting(), estimating()]
    for name, act, bound in (measured for source in sources for measured in source):
        took = measure(act, rounds)
        over += bound is not None and took > bound
        print(f"{name:<44} {took:9.2f} ms" + (f"   of {bound:g}" if bound is not None else ""))
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
