"""How often a search finds what answers a question, over long dialogues with known evidence; and how long it takes.

    python -m tests.bench.retrieval FOLDER [--without] [--entries 10000] [--window 8192]

FOLDER has dialogues in JSON: ``sessions`` (``when``, ``turns`` with ``id``, ``speaker``, ``text``) and ``questions``
with the ids of the turns that are their ``evidence``. Each dialogue is a conversation's record, searched as ``recall
matching`` searches it. A question is a hit when a turn of its evidence is among the first five. Beside ours: plain FTS5
(Porter's stems, bm25, every word), and word overlap. ``--without`` takes one of ours away at a time.

Then what ``context.recall`` adds: the questions of which evidence is in what is sent at the end of a dialogue, without
what is recalled and with it, where as many of its last turns are shown as a condensation leaves in a window; and how
often the dialogue's own turns, which ask for nothing, have something recalled for them.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.fakes.dialogues import Dialogue, read_dialogues
from wisp_tui.context.record import EntryKind, ThreadRecord
from wisp_tui.recall import Index, Past
from wisp_tui.recall.query import Query
from wisp_tui.recall.ranking import WEIGHTS, Weights
from wisp_tui.recall.unasked import recalled_unasked
from wisp_tui.text.ids import EntryId, TurnNumber
from wisp_tui.text.tokens import estimate_tokens

FIRST = 5
KEPT = 0.5
"""Share of the window that literal turns have after a condensation, about: its target less instructions and blocks."""
MOST = 10.0
"""Milliseconds that a query may take."""
Search = Callable[[str], Sequence[int]]
"""Gives the places of the best turns for a question, from 1."""


def ours(dialogue: Dialogue, stop: frozenset[str] | None = None, weights: Weights = WEIGHTS) -> Search:
    """Search a dialogue as the memory tool does."""
    index, past = Index(), Past(dialogue.record())
    return lambda text: [
        found.passage.entry for found in index.best(Query.of(text, stop), past, FIRST, weights=weights)
    ]


def plain(dialogue: Dialogue) -> Search:
    """Search it by FTS5 alone."""
    table = sqlite3.connect(":memory:")
    table.execute("CREATE VIRTUAL TABLE turn USING fts5(text, tokenize='porter unicode61 remove_diacritics 2')")
    table.executemany("INSERT INTO turn VALUES (?)", [(turn.line,) for turn in dialogue.turns])

    def search(text: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(words_of(text)))
        return [
            row for (row,) in table.execute("SELECT rowid FROM turn WHERE turn MATCH ? ORDER BY rank LIMIT 5", (words,))
        ]

    return search


def overlap(dialogue: Dialogue) -> Search:
    """Search it by the number of words in common."""
    turns = [frozenset(words_of(turn.line)) for turn in dialogue.turns]

    def search(text: str) -> list[int]:
        words = frozenset(words_of(text))
        return sorted(range(1, len(turns) + 1), key=lambda place: -len(turns[place - 1] & words))[:FIRST]

    return search


def words_of(text: str) -> list[str]:
    """Part a text into its words."""
    return re.findall(r"\w+", text.casefold())


def hits(dialogue: Dialogue, search: Search) -> int:
    """Count the questions of which a turn of the evidence is among the first."""
    return sum(
        any(dialogue.turns[place - 1].id in question.evidence for place in search(question.text))
        for question in dialogue.questions
    )


def variants() -> Mapping[str, Callable[[Dialogue], Search]]:
    """Give ours without each of its parts."""
    return {
        "without the author": partial(ours, weights=replace(WEIGHTS, author=1.0)),
        "without neighbours": partial(ours, weights=replace(WEIGHTS, neighbour=0.0)),
        "without the day": partial(ours, weights=replace(WEIGHTS, day=0.0)),
        "without stop words": partial(ours, stop=frozenset()),
    }


def rows(dialogues: Sequence[Dialogue], *, without: bool) -> Iterator[str]:
    """Measure each way to search: its share of hits over all questions, then dialogue by dialogue."""
    ways = {"ours": ours, "plain FTS5": plain, "word overlap": overlap, **(variants() if without else {})}
    asked = sum(len(dialogue.questions) for dialogue in dialogues)
    yield f"{'':26}   all {' '.join(f'{dialogue.name:>6}' for dialogue in dialogues)}   of {asked:,} questions"
    for name, way in ways.items():
        found = [hits(dialogue, way(dialogue)) for dialogue in dialogues]
        each = (number / len(dialogue.questions) for number, dialogue in zip(found, dialogues, strict=True))
        yield f"{name:26} {sum(found) / asked:5.1%} {' '.join(f'{share:6.1%}' for share in each)}"


def spent(dialogues: Sequence[Dialogue], entries: int) -> list[float]:
    """Time the questions in one conversation of so many entries: milliseconds of processor time, sorted."""
    turns = [turn for dialogue in dialogues for turn in dialogue.turns]
    chance, record = random.Random(1), ThreadRecord()
    for place in range(entries):
        turn = turns[place] if place < len(turns) else chance.choice(turns)
        record.add(EntryKind.PROMPT, turn.line, turn=TurnNumber(place), time=turn.when)
    index, past = Index(), Past(record)
    taken: list[float] = []
    for question in [question for dialogue in dialogues for question in dialogue.questions]:
        began = time.process_time()
        index.best(Query.of(question.text), past, FIRST)
        taken.append((time.process_time() - began) * 1000)
    sys.stdout.write(f"{entries:,} entries taken in: {taken[0]:.0f} ms\n")
    return sorted(taken[1:])


def unasked(dialogues: Sequence[Dialogue], window: int) -> Iterator[str]:
    """Measure what is recalled unasked in a window of so many tokens."""
    asked = seen = had = added = plain = none = 0
    for dialogue in dialogues:
        record, index = dialogue.record(), Index()
        first, left = len(record) + 1, window * KEPT
        while first > 1 and (left := left - estimate_tokens(record.entry(EntryId(first - 1)).text)) > 0:
            first -= 1
        shown = [entry.text for entry in record if entry.id >= first]
        end, past = EntryId(len(record) + 1), Past(record)
        for question in dialogue.questions:
            found = recalled_unasked(question.text, end, past, index, shown)
            entries = {*range(first, end), *(int(of.removeprefix("entry ")) for of in found.of)}
            evidence = [number for number in entries if dialogue.turns[number - 1].id in question.evidence]
            asked += 1
            seen += any(number >= first for number in evidence)
            had += bool(evidence)
            added += len(found.text.encode())
        for text in shown[-50:]:
            none += bool(recalled_unasked(text, end, past, index, shown).text)
            plain += 1
    yield f"window of {window:,}: evidence is sent for {seen / asked:.1%}, with what is recalled {had / asked:.1%}"
    yield f"it adds {added / asked:.0f} bytes a question; to {none / plain:.0%} of turns that ask for nothing"


def main(arguments: list[str]) -> None:
    """Print what was found and how long it took; end with 1 when a query's median is over its bound."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without", action="store_true")
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--window", type=int, default=8192)
    options = parser.parse_args(arguments)
    dialogues = read_dialogues(options.folder)
    for row in rows(dialogues, without=options.without):
        sys.stdout.write(row + "\n")
    for row in unasked(dialogues, options.window):
        sys.stdout.write(row + "\n")
    taken = spent(dialogues, options.entries)
    middle, most = taken[len(taken) // 2], taken[len(taken) * 95 // 100]
    sys.stdout.write(f"a query: {middle:.1f} ms, 95 of 100 under {most:.1f} ms\n")
    sys.exit(1 if middle > MOST else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
