"""Searching everything a conversation ever held, the best passages first: by SQLite's full-text index, in memory.

The index takes in what was added since when it is asked, on the thread that asks, so no turn waits for it that does not
search. Where the interpreter's SQLite has no FTS5, or where no whole word is found (as in scripts without spaces), the
words are looked for as they stand, and the answer says so.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress

from wisp_tui.context.record import ThreadRecord
from wisp_tui.recall.documents import Document, NothingThere, Past, of_text
from wisp_tui.recall.passages import Passage, passages
from wisp_tui.text.sizes import count, shorten

MOST_WORDS = 16
"""Words of a query that are looked for."""
MOST_FOUND = 20
"""Passages that are given."""
SHOWN_LINES = 3
"""Lines of a passage that are shown: those that have most of the words."""
LINE = 240
"""Characters of a line that is shown."""
_SUFFIX = 3
"""Letters at a word's end by which its forms may differ, in choosing the lines to show."""
_STEM = 4
_CREATE = "CREATE VIRTUAL TABLE passage USING fts5(text, tokenize='porter unicode61 remove_diacritics 2')"
_FIND = "SELECT rowid FROM passage WHERE passage MATCH ? ORDER BY rank, rowid DESC LIMIT ?"


class Index:
    """One conversation's index. It may be asked from any thread, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._record: ThreadRecord | None = None
        self._taken = 0
        self._passages: list[Passage] = []
        self._table: sqlite3.Connection | None = None

    def find(self, said: str, past: Past) -> Document:
        """Find the passages that have a query's words, the best first. Raises NothingThere."""
        words = _words(said)
        if not words:
            raise NothingThere("there are no words to look for; write recall matching WORDS")
        with self._lock:
            self._catch_up(past)
            ranked = self._ranked(words)
            found = ranked or self._plain(words)
        if not found:
            raise NothingThere(f"nothing this conversation held has {' or '.join(words)}")
        how = "the best first" if ranked else "looked for as they stand, those with most of the words first"
        heading = f"[{count(len(found), 'passage')} with {', '.join(words)}, {how}; recall the entry or output named]"
        return of_text(heading, "\n".join(line for passage in found for line in _shown(passage, words)), "index")

    def _catch_up(self, past: Past) -> None:
        """Take in the entries that were added since, or all of another conversation's."""
        if past.record is not self._record:
            self._record, self._taken, self._passages, self._table = past.record, 0, [], _table(self)
        for entry in list(past.record)[self._taken :]:
            for passage in passages(entry, past):
                self._passages.append(passage)
                if self._table is not None:
                    row = (len(self._passages), passage.text)
                    self._table.execute("INSERT INTO passage(rowid, text) VALUES (?, ?)", row)
            self._taken = entry.id

    def _ranked(self, words: Sequence[str]) -> list[Passage]:
        if self._table is None:
            return []
        query = " OR ".join(f'"{word}"' for word in words)
        return [self._passages[row - 1] for (row,) in self._table.execute(_FIND, (query, MOST_FOUND))]

    def _plain(self, words: Sequence[str]) -> list[Passage]:
        """Look for the words as they stand: the passages with most of them first, of those the newest."""
        counted = ((_has(passage.text.casefold(), words), passage) for passage in reversed(self._passages))
        found = sorted((pair for pair in counted if pair[0]), key=lambda pair: -pair[0])
        return [passage for _, passage in found[:MOST_FOUND]]


def _table(owner: Index) -> sqlite3.Connection | None:
    """Make an index that goes with its owner; None where this SQLite has no FTS5."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    weakref.finalize(owner, connection.close)
    with suppress(sqlite3.OperationalError):
        connection.execute(_CREATE)
        return connection
    return None


def _words(said: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"\w+", said.casefold())))[:MOST_WORDS]


def _has(text: str, words: Sequence[str]) -> int:
    return sum(word in text for word in words)


def _shown(passage: Passage, words: Sequence[str]) -> Iterator[str]:
    """Write the lines of a passage that have most of the words, in their order, each under what recalls it."""
    stems = [word[: max(len(word) - _SUFFIX, min(len(word), _STEM))] for word in words]
    lines = list(enumerate(passage.text.split("\n"), passage.first))
    scored = sorted(lines, key=lambda line: -_has(line[1].casefold(), stems))[:SHOWN_LINES]
    chosen = [line for line in scored if _has(line[1].casefold(), stems)] or lines[:1]
    for number, line in sorted(chosen):
        yield f"{passage.address} line {number} ({passage.about}): {shorten(line.strip(), LINE)}"
