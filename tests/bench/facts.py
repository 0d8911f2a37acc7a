"""What facts cost with 5,000 of them: blocks, commands, the shared store; and how soon what waits is seen.

    python -m tests.bench.facts [--facts 5000] [--rounds 15]

Each line is the median of several rounds, in milliseconds of processor time (of the clock for what waits), beside the
bound it is to stay under.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from tests.fakes.facts import ACT, KINDS, PLACE, START, TOOL, moment, said
from tests.fakes.model import ScriptedModel, says
from tests.fakes.screen import app_with, talk_screen, until
from wisp_tui.app.kept.facts import fact_lines
from wisp_tui.config import Home
from wisp_tui.facts import (
    CALLER,
    NOTED,
    Changed,
    FactBook,
    FactLedger,
    Scope,
    Source,
    adopted,
    blocks_of,
    caps_for,
    delete,
    history,
    move_by_person,
    read_statement,
    record,
    rows_by_kind,
    state,
    table,
)
from wisp_tui.keeping import PermanentFacts
from wisp_tui.pending import FactRequest, Pending, this_process
from wisp_tui.text.ids import EntryId, SessionId

BLOCKS, COMMAND, READ, SEEN = 5.0, 50.0, 250.0, 150.0
"""Milliseconds: the blocks' bound, a command's, that of a process that starts, that from a file to its being seen."""
CAPS = caps_for(8192)


def own(count: int, source: Source = NOTED) -> FactBook:
    """Make a conversation's own facts, one for each entry."""
    facts = (
        said(f"tests name {number} = value number {number} of many", source, entry=number) for number in range(count)
    )
    return record(FactBook(), facts, moment()).book


def kept(count: int, home: Home) -> PermanentFacts:
    """Fill the shared store, in one change."""

    def edit(ledger: FactLedger) -> Changed:
        changed = Changed(FactBook(permanent=ledger))
        for number in range(count):
            statement = read_statement(f"entity name {number} = value number {number} of many", KINDS, PLACE)
            changed = state(ACT, changed.book, statement, moment(number))
        return changed

    store = PermanentFacts(home)
    store.change(ACT, edit)
    return store


def median(act: Callable[[], object], rounds: int) -> float:
    """Return the median of an act's processor time, in milliseconds; the first time is not counted."""
    spent: list[float] = []
    for _ in range(rounds + 1):
        began = time.process_time()
        act()
        spent.append((time.process_time() - began) * 1000)
    return statistics.median(spent[1:])


def costs(facts: int, rounds: int, home: Home) -> Iterator[tuple[str, float, float]]:
    """Measure each thing: its name, its milliseconds, its bound."""
    store = kept(facts, home)
    permanent = FactBook(permanent=store.load())
    mine, half = own(facts), frozenset(EntryId(number) for number in range(0, facts, 2))
    conflicts = record(
        mine, (said(f"tests name {number} = other", TOOL) for number in range(facts // 10)), moment(1)
    ).book
    everything = mine.replaced([permanent.permanent])
    statement = read_statement("entity release codename = BLUE HERON", KINDS, PLACE)
    turn = [said(f"tests new {number} = value", TOOL, turn=3, entry=9) for number in range(12)]

    def blocks(book: FactBook, active: frozenset[EntryId] = frozenset()) -> float:
        return median(lambda: blocks_of(book, None, active, CAPS), rounds)

    numbers = itertools.count()

    def stating(ledger: FactLedger) -> Changed:
        newer = replace(statement, value=f"value {next(numbers)}")
        return state(ACT, mine.replaced([ledger]), newer, moment(2))

    yield "blocks, the person's", blocks(permanent), BLOCKS
    yield "blocks, the model's", blocks(mine), BLOCKS
    yield "blocks, half still shown", blocks(mine, half), BLOCKS
    yield "blocks, a tenth in conflict", blocks(conflicts), BLOCKS
    yield "blocks, twice as many in two scopes", blocks(everything), BLOCKS
    yield "12 facts of a turn", median(lambda: record(mine, turn, moment(2)), rounds), COMMAND
    yield "/fact SUBJECT = VALUE", median(lambda: state(ACT, everything, statement, moment(2)), rounds), COMMAND
    yield "/fact delete ID", median(lambda: delete(ACT, mine, "c77", moment(2)), rounds), COMMAND
    yield (
        "/fact ID permanent",
        median(lambda: move_by_person(ACT, mine, "c77", Scope.PERMANENT, moment(2)), rounds),
        COMMAND,
    )
    yield "/inspect facts", median(lambda: table(mine), rounds), COMMAND
    yield "/inspect facts, a tenth in conflict", median(lambda: table(conflicts), rounds), COMMAND
    yield "one fact's history", median(lambda: history(mine, mine.fact("c77")), rounds), COMMAND
    yield "the panel's lines", median(lambda: fact_lines(rows_by_kind(mine, KINDS), (), ""), rounds), COMMAND
    yield (
        "the panel's lines, a tenth in conflict",
        median(lambda: fact_lines(rows_by_kind(conflicts, KINDS, everything=True), (), ""), rounds),
        COMMAND,
    )
    yield "facts.json read anew", median(lambda: PermanentFacts(home).load(), rounds), READ
    yield "facts.json taken over", median(lambda: adopted(mine, permanent.permanent), rounds), COMMAND
    yield "facts.json changed", median(lambda: store.change(ACT, stating), rounds), COMMAND


async def seen(rounds: int, home: Home) -> float:
    """Return the median time from a request's file appearing to its being seen by a watcher, in milliseconds."""
    asking, asker, spent = Pending(home), this_process(SessionId("0123456789abcdef")), list[float]()
    facts = own(rounds, CALLER).thread.facts.values()
    async with aclosing(Pending(home).watch()) as snapshots:
        await anext(snapshots)
        for fact in facts:
            await asyncio.to_thread(asking.ask, FactRequest("", asker, START, fact))
            began = time.perf_counter()
            await anext(snapshots)
            spent.append((time.perf_counter() - began) * 1000)
    return statistics.median(spent)


async def shown(rounds: int, place: Path) -> float:
    """Return the median time from a request's file appearing to the panel showing it, in milliseconds."""
    app = app_with(place, ScriptedModel([says("Yes.")]))
    asking, asker, spent = Pending(app.session.home), this_process(SessionId("0123456789abcdef")), list[float]()
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.thread.resolved is not None)
        await pilot.press("f8")
        ledger = talk_screen(app).facts_panel.ledger
        for count, fact in enumerate(own(rounds, CALLER).thread.facts.values(), 1):
            await asyncio.to_thread(asking.ask, FactRequest("", asker, START, fact))
            began = time.perf_counter()
            while ledger.count < count:
                await asyncio.sleep(0.001)
            spent.append((time.perf_counter() - began) * 1000)
    return statistics.median(spent)


def main(arguments: list[str]) -> None:
    """Print a line for each thing measured; end with 1 when one is over its bound."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--facts", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args(arguments)
    over = False
    with tempfile.TemporaryDirectory() as place:
        home = Home(Path(place) / "home")
        home.prepare()
        found = list(costs(options.facts, options.rounds, home))
        found.append(("a request seen", asyncio.run(seen(max(options.rounds, 20), home)), SEEN))
        found.append(("a request on the panel", asyncio.run(shown(max(options.rounds, 20), Path(place) / "app")), SEEN))
    for name, spent, bound in found:
        over = over or spent > bound
        sys.stdout.write(f"{name:40} {spent:8.2f} ms, under {bound:g}{'' if spent <= bound else '  OVER'}\n")
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
