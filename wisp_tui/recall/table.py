"""Passages in SQLite, their words under FTS5: what every index of conversations is made of, in memory or in a file.

A conversation's passages are numbered from its own base, so that neighbours have neighbouring numbers and one
conversation is a range. Where the interpreter's SQLite has no FTS5 the passages are kept all the same, and looked
through.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import TypeAlias

from wisp_tui.context.record import EntryKind
from wisp_tui.recall.passages import Passage
from wisp_tui.recall.query import Query
from wisp_tui.recall.ranking import WEIGHTS, PassageId, Weights, ranked
from wisp_tui.text.ids import EntryId

CANDIDATES = 400
"""Passages whose words fit best, of which the best are chosen."""
SHORTEST_NEAR = 4
"""Letters of a word that may be mistyped."""
MOST_NEAR = 3
LIKE = 0.75
"""How like a mistyped word another has to be: twice the letters they share in order, of all of both."""
MODULE = "fts5(text, day, content='passage', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2')"
_SHIFT = 32
_OPEN, _CLOSE = "\x01", "\x02"
"""What encloses a match while it is read: passages are clean, so no text has them."""
_PASSAGES = """
CREATE TABLE IF NOT EXISTS passage(
    id INTEGER PRIMARY KEY, entry INTEGER NOT NULL, kind TEXT NOT NULL, address TEXT NOT NULL, about TEXT NOT NULL,
    author TEXT NOT NULL, day TEXT NOT NULL, first INTEGER NOT NULL, text TEXT NOT NULL
)
"""
_INDEX = "INSERT INTO words(rowid, text, day) VALUES (?, ?, ?)"
_UNINDEX = (
    "INSERT INTO words(words, rowid, text, day) SELECT 'delete', id, text, day FROM passage WHERE id BETWEEN ? AND ?"
)
_INSERT = "INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_REMOVE = "DELETE FROM passage WHERE id BETWEEN ? AND ?"
_SCORES = (
    "SELECT rowid, -bm25(words, 1.0, ?) AS score FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? "
    "ORDER BY score DESC, rowid DESC LIMIT ?"
)
_AUTHORS = "SELECT id, author FROM passage WHERE id IN (SELECT value FROM json_each(?))"
_MARKED = (
    "SELECT rowid, highlight(words, 0, ?, ?) FROM words "
    "WHERE words MATCH ? AND rowid IN (SELECT value FROM json_each(?))"
)
_ROWS = (
    "SELECT id, entry, kind, address, about, author, day, first, text FROM passage "
    "WHERE id IN (SELECT value FROM json_each(?))"
)
_TEXTS = "SELECT id, text FROM passage WHERE id BETWEEN ? AND ? ORDER BY id DESC"
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)"
_TERMS = "SELECT term FROM temp.vocabulary WHERE term >= ? AND term <= ?"
_LAST = "\U0010ffff"
_Row: TypeAlias = tuple[int, int, str, str, str, str, str, int, str]
Marks: TypeAlias = tuple[tuple[int, int], ...]
"""Where in a text the words stand: each one's first character and the one after its last."""


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that was found, in which conversation, and where in its text the words stand."""

    conversation: int
    passage: Passage
    score: float
    marks: Marks


class Table:
    """The passages of one or more conversations, in one connection."""

    def __init__(self, connection: sqlite3.Connection, *, module: str = MODULE) -> None:
        self._db = connection
        self._db.execute(_PASSAGES)
        self.ranks = False
        """Whether words are ranked: this SQLite has FTS5."""
        with suppress(sqlite3.OperationalError):
            self._db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS words USING {module}")
            self.ranks = True

    def add(self, conversation: int, place: int, passages: Iterable[Passage]) -> int:
        """Add passages to a conversation, from a place on (the first is 1); return the place after the last."""
        for passage in passages:
            ident = PassageId(conversation << _SHIFT | place)
            self._db.execute(_INSERT, _row(ident, passage))
            if self.ranks:
                self._db.execute(_INDEX, (ident, passage.text, passage.day))
            place += 1
        return place

    def remove(self, conversation: int) -> None:
        """Remove all of a conversation."""
        if self.ranks:
            self._db.execute(_UNINDEX, _range(conversation))
        self._db.execute(_REMOVE, _range(conversation))

    def near(self, word: str) -> list[str]:
        """Find words like one that no passage has, the likest first: written with another letter, one more or less."""
        if not self.ranks or len(word) < SHORTEST_NEAR:
            return []
        self._db.execute(_VOCABULARY)
        first = word[0]
        terms = [term for (term,) in self._db.execute(_TERMS, (first, first + _LAST))]
        return get_close_matches(word, terms, n=MOST_NEAR, cutoff=LIKE)

    def tidy(self) -> None:
        """Take what was removed out of the words too, where it may linger until they are merged."""
        if self.ranks:
            self._db.execute("INSERT INTO words(words) VALUES ('optimize')")

    def best(
        self, query: Query, limit: int, *, conversation: int | None = None, weights: Weights = WEIGHTS
    ) -> list[Found]:
        """Find the passages with a query's words, of one conversation or of all, the best first."""
        if not self.ranks or not query.words:
            return []
        return self.matching(query.match, query, limit, conversation=conversation, weights=weights)

    def matching(
        self,
        match: str,
        query: Query,
        limit: int,
        *,
        conversation: int | None = None,
        among: AbstractSet[int] | None = None,
        weights: Weights = WEIGHTS,
    ) -> list[Found]:
        """Find the passages that an FTS5 expression finds, ranked for a query. Raises sqlite3.Error.

        ``among`` are the conversations that are meant, None for all.
        """
        rows = self._db.execute(_SCORES, (weights.day, match, *_range(conversation), CANDIDATES))
        scores = {PassageId(row): score for row, score in rows if among is None or row >> _SHIFT in among}
        best = dict(ranked(scores, self._authors, query.said, limit, weights))
        marked = dict(self._db.execute(_MARKED, (_OPEN, _CLOSE, match, json.dumps(list(best))))) if best else {}
        return [_found(row, best, _enclosed(marked.get(row[0], ""))) for row in self._rows(best)]

    def plain(self, query: Query, limit: int, *, conversation: int | None = None) -> list[Found]:
        """Find the passages in which the words stand anywhere: those with most of them first, of those the newest."""
        counted: dict[PassageId, float] = {}
        for ident, text in self._db.execute(_TEXTS, _range(conversation)):
            folded = text.casefold()
            if number := sum(word in folded for word in query.words):
                counted[PassageId(ident)] = number
        best = dict(islice(sorted(counted.items(), key=lambda one: -one[1]), limit))
        shape = re.compile("|".join(map(re.escape, query.words)), re.IGNORECASE)
        return [_found(row, best, (found.span() for found in shape.finditer(row[-1]))) for row in self._rows(best)]

    def _authors(self, wanted: Iterable[PassageId]) -> Mapping[PassageId, AbstractSet[str]]:
        rows = self._db.execute(_AUTHORS, (json.dumps(list(wanted)),))
        return {PassageId(ident): frozenset(author.split()) for ident, author in rows}

    def _rows(self, best: Mapping[PassageId, float]) -> list[_Row]:
        """Read passages in the order given."""
        order = {ident: place for place, ident in enumerate(best)}
        rows: Iterable[_Row] = self._db.execute(_ROWS, (json.dumps(list(best)),))
        return sorted(rows, key=lambda row: order[PassageId(row[0])])


def _row(ident: PassageId, passage: Passage) -> _Row:
    return (
        ident,
        passage.entry,
        passage.kind.value,
        passage.address,
        passage.about,
        passage.author,
        passage.day,
        passage.first,
        passage.text,
    )


def _found(row: _Row, best: Mapping[PassageId, float], marks: Iterable[tuple[int, int]]) -> Found:
    ident, entry, kind, address, about, author, day, first, text = row
    passage = Passage(EntryId(entry), EntryKind(kind), address, about, first, text, author, day)
    return Found(ident >> _SHIFT, passage, best[PassageId(ident)], tuple(marks))


def _range(conversation: int | None) -> tuple[int, int]:
    if conversation is None:
        return 0, (1 << 63) - 1
    return conversation << _SHIFT, (conversation + 1 << _SHIFT) - 1


def _enclosed(marked: str) -> Iterator[tuple[int, int]]:
    """Give the places of what is enclosed, in the text without what encloses it."""
    for number, found in enumerate(re.finditer(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}", marked)):
        yield found.start() - 2 * number, found.end() - 2 * number - 2
