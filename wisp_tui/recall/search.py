"""Searching everything a conversation ever held, the best passages first: an index in memory that is its own.

The index takes in what was added since when it is asked, on the thread that asks, so no turn waits for it that does not
search. Where the interpreter's SQLite has no FTS5, or where no whole word is found (as in scripts without spaces), the
words are looked for as they stand, and the answer says so.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Iterator

from wisp_tui.context.record import ThreadRecord
from wisp_tui.recall import table
from wisp_tui.recall.documents import Document, NothingThere, Past, of_text
from wisp_tui.recall.excerpts import excerpts
from wisp_tui.recall.passages import passages
from wisp_tui.recall.query import Query
from wisp_tui.recall.ranking import WEIGHTS, Weights
from wisp_tui.recall.table import Found, Table
from wisp_tui.text.sizes import count

MOST_FOUND = 20
"""Passages that are given."""
_ONLY = 1
"""The number of the one conversation an index has."""


class Index:
    """One conversation's index. It may be asked from any thread, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._record: ThreadRecord | None = None
        self._taken = 0
        self._next = 1
        self._table = _table(self)

    def find(self, said: str, past: Past) -> Document:
        """Find the passages that have a query's words, the best first. Raises NothingThere."""
        query = Query.of(said)
        if not query.words:
            raise NothingThere("there are no words to look for; write recall matching WORDS")
        asked = query.words
        found = self.best(query, past, MOST_FOUND)
        how = "the best first"
        if not found:
            found = self._plain(query)
            how = "looked for as they stand, those with most of the words first"
        if not found:
            query, found = self._near(query)
            how = "words like those asked for, the best first"
        if not found:
            raise NothingThere(f"nothing this conversation held has {' or '.join(asked)}")
        words = ", ".join(query.words)
        heading = f"[{count(len(found), 'passage')} with {words}, {how}; recall the entry or output named]"
        return of_text(heading, "\n".join(line for one in found for line in _shown(one)), "index")

    def best(self, query: Query, past: Past, limit: int, weights: Weights = WEIGHTS) -> list[Found]:
        """Find passages by whole words, ranked; none where this SQLite ranks nothing."""
        with self._lock:
            self._catch_up(past)
            return self._table.best(query, limit, weights=weights)

    def _plain(self, query: Query) -> list[Found]:
        with self._lock:
            return self._table.plain(query, MOST_FOUND)

    def _near(self, query: Query) -> tuple[Query, list[Found]]:
        """Find passages by words like those of a query, of which none is there: they were mistyped."""
        with self._lock:
            like = Query.of(" ".join(near for word in query.words for near in self._table.near(word)))
            match = " OR ".join(f'"{word}" *' for word in like.words)  # these are stems, which stem to less
            return like, self._table.matching(match, like, MOST_FOUND) if match else []

    def _catch_up(self, past: Past) -> None:
        """Take in the entries that were added since, or all of another conversation's."""
        if past.record is not self._record:
            self._record, self._taken, self._next = past.record, 0, 1
            self._table.remove(_ONLY)
        for entry in list(past.record)[self._taken :]:
            self._next = self._table.add(_ONLY, self._next, passages(entry, past))
            self._taken = entry.id


def _table(owner: Index) -> Table:
    """Make a table in memory that goes with its owner."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    weakref.finalize(owner, connection.close)
    return Table(connection, module=table.MODULE)


def _shown(found: Found) -> Iterator[str]:
    """Write the lines of a passage that have most of the words, in their order, each under what recalls it."""
    passage = found.passage
    for shown in excerpts(found):
        yield f"{passage.address} line {shown.line} ({passage.about}): {shown.text}"
