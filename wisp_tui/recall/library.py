"""The index over all conversations of a home: a file in the cache directory, never the source of truth.

It is taken in from the conversations' own files, what is new of each, and can be deleted at any time: it is made again.
To search it::

    library = Library(search_index(home))
    library.take_in(volumes)                      # blocks: in a thread; what did not change costs a stat
    hits = library.find("release codename", 20)   # the best first: name, entry, line, excerpt, marks

``session.saved.indexing`` gives a home's volumes, and a ``Finder`` for the browser. Several processes may use one file
at once. Where it cannot be used ``NoIndex`` says why; the conversations' files can still be looked through. A library
that takes in holds its own lock meanwhile: search with another one.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.outputs import NoSuchOutput
from wisp_tui.recall.documents import Past, stored_output
from wisp_tui.recall.excerpts import excerpts
from wisp_tui.recall.index_file import IndexFile, NoIndex, change
from wisp_tui.recall.passages import Passage, passages
from wisp_tui.recall.query import Query
from wisp_tui.recall.table import Found, Marks, Table
from wisp_tui.text.ids import EntryId

VERSION = 1
"""Of what the file holds; a file of another version is made again."""
MOST_OUTPUT = 4 * 1024 * 1024
"""Characters of one output that are taken in: its first ones."""
_CREATE = """
CREATE TABLE IF NOT EXISTS conversation(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, entries INTEGER NOT NULL,
    next INTEGER NOT NULL, digest TEXT NOT NULL
)
"""
_HELD = "CREATE TABLE IF NOT EXISTS held(conversation INTEGER NOT NULL, path TEXT NOT NULL)"
_ADD = "INSERT INTO conversation(name, stamp, entries, next, digest) VALUES (?, '', 0, 1, '')"
_TAKEN = "UPDATE conversation SET stamp = ?, entries = ?, next = ?, digest = ? WHERE id = ?"
_KNOWN = "SELECT name, id, stamp, entries, next, digest FROM conversation"
Stop: TypeAlias = Callable[[], bool]
"""Says whether more is wanted no longer; asked often."""


@dataclass(frozen=True, slots=True)
class Volume:
    """One conversation as its files have it. ``stamp`` changes whenever they do; a renaming keeps it."""

    name: str
    stamp: str
    read: Callable[[], Past]
    """Reads it whole. Raises OSError; ValueError where it cannot be read, or is another process's to take in."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that was found. ``marks`` are where in the excerpt the words stand."""

    name: str
    """The conversation."""
    entry: EntryId
    kind: EntryKind
    address: str
    """What recalls it: ``entry 7``, or ``output 3f9a2c1b`` where the line is of a stored output."""
    line: int
    """Its number in the entry or the stored output, from 1."""
    excerpt: str
    marks: Marks

    @property
    def output(self) -> str:
        """The id of the stored output that the line is of; empty where it is of the entry."""
        what, which = self.address.split(" ")
        return which if what == "output" else ""


class Library:
    """The conversations of a home, in the index ``path``. It may be used from any thread, one at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = IndexFile(path, VERSION, _make)

    def close(self) -> None:
        """Let go of the file. It is opened again when it is used."""
        self._file.close()

    def take_in(self, volumes: Iterable[Volume], stop: Stop = lambda: False) -> list[str]:
        """Take in what is new of these conversations, and remove all others. Raises NoIndex.

        Returns the names that are not up to date: those that cannot be read, and those left when ``stop`` said so.
        """
        listed = {volume.name: volume for volume in volumes}
        with self._file.using() as db:
            known = _known(db)
            taking = _Taking(db, Table(db), stop, [row for name, row in known.items() if name not in listed])
            left: list[str] = []
            for name, volume in listed.items():
                if not _is_current(db, known.get(name), volume):
                    try:
                        taking.bring_up(volume)
                    except (OSError, ValueError, _Stopped):
                        left.append(name)
            if not stop():
                taking.remove_gone()
            return left

    def find(
        self, said: str, limit: int, names: Collection[str] | None = None, *, every_word: bool = False
    ) -> list[Hit]:
        """Find lines of passages with all of the words, the best first; with any of them, where none has all.

        ``names`` are the conversations that are meant, None for all. With ``every_word`` a passage has to have all of
        them, of the last one its beginning. Raises NoIndex.
        """
        query = Query.of(said)
        if not query.words:
            return []
        with self._file.using() as db:
            table = Table(db)
            if not table.ranks:
                raise NoIndex("this Python's SQLite has no FTS5")
            called = {row.id: name for name, row in _known(db).items() if names is None or name in names}
            for match in (query.match_said,) if every_word else (query.match_all, query.match):
                found = table.matching(match, query, limit, among=called.keys())
                if hits := [hit for one in found for hit in _hits(one, called[one.conversation])]:
                    return hits[:limit]
            return []

    def names(self) -> frozenset[str]:
        """Name the conversations it has. Raises NoIndex."""
        with self._file.using() as db:
            return frozenset(_known(db))


class _Stopped(Exception):
    """No more is wanted."""


@dataclass(frozen=True, slots=True)
class _Row:
    """What the file knows of a conversation: what it was taken in of, up to which entry and place."""

    id: int
    stamp: str = ""
    entries: int = 0
    next: int = 1
    digest: str = ""

    def begins(self, entries: Sequence[Entry]) -> bool:
        """Say whether a conversation begins with the entries that were taken in."""
        return len(entries) >= self.entries and _digest(entries[: self.entries]) == self.digest


@dataclass(frozen=True, slots=True)
class _Taking:
    """Takes conversations in. ``gone`` are those of a name that is no more: some go on under another."""

    db: sqlite3.Connection
    table: Table
    stop: Stop
    gone: list[_Row]

    def bring_up(self, volume: Volume) -> None:
        """Bring a conversation up to date. Raises OSError, ValueError, _Stopped; nothing is changed then."""
        if self.stop():
            raise _Stopped
        moved = next((row for row in self.gone if row.stamp == volume.stamp), None)
        past = volume.read() if moved is None else None
        with change(self.db):
            row = _known(self.db).get(volume.name)
            if _is_current(self.db, row, volume):
                return  # another process did it meanwhile
            if row is None and past is not None:
                moved = self._begun(list(past.record))
            if row is None and moved is not None:
                self.db.execute("UPDATE conversation SET name = ? WHERE id = ?", (volume.name, moved.id))
                row = moved
            if past is not None:
                self._take(volume, past, row)
        if moved is not None:
            self.gone.remove(moved)

    def remove_gone(self) -> None:
        """Remove the conversations that are no more, and what is left of them in the file."""
        if not self.gone:
            return
        with change(self.db):
            for row in self.gone:
                self._forget(row)
        self.table.tidy()
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _begun(self, entries: Sequence[Entry]) -> _Row | None:
        """Find the conversation that goes on under another name: it was saved, or recovered."""
        return next((row for row in self.gone if row.entries > 1 and row.begins(entries)), None)

    def _take(self, volume: Volume, past: Past, row: _Row | None) -> None:
        """Take in what is new of a conversation, where it goes on from what was taken in; else all of it."""
        entries = list(past.record)
        if row is not None and not (row.begins(entries) and _outputs_are_there(self.db, row)):
            self._forget(row)
            row = None
        if row is None:
            row = _Row(self.db.execute(_ADD, (volume.name,)).lastrowid or 0)
        place = row.next
        for entry in entries[row.entries :]:
            if self.stop():
                raise _Stopped
            place = self.table.add(row.id, place, _bounded(entry, past))
            if (path := _stored(entry, past)) is not None:
                self.db.execute("INSERT INTO held VALUES (?, ?)", (row.id, str(path)))
        self.db.execute(_TAKEN, (volume.stamp, len(entries), place, _digest(entries), row.id))

    def _forget(self, row: _Row) -> None:
        self.table.remove(row.id)
        self.db.execute("DELETE FROM held WHERE conversation = ?", (row.id,))
        self.db.execute("DELETE FROM conversation WHERE id = ?", (row.id,))


def _make(db: sqlite3.Connection) -> None:
    db.execute(_CREATE)
    db.execute(_HELD)
    Table(db)


def _known(db: sqlite3.Connection) -> Mapping[str, _Row]:
    return {name: _Row(*rest) for name, *rest in db.execute(_KNOWN)}


def _is_current(db: sqlite3.Connection, row: _Row | None, volume: Volume) -> bool:
    return row is not None and row.stamp == volume.stamp and _outputs_are_there(db, row)


def _outputs_are_there(db: sqlite3.Connection, row: _Row) -> bool:
    """Say whether the outputs that were taken in are still kept: what is swept leaves the index too."""
    held = db.execute("SELECT path FROM held WHERE conversation = ?", (row.id,))
    return all(Path(path).exists() for (path,) in held)


def _digest(entries: Iterable[Entry]) -> str:
    digest = hashlib.sha256()
    for entry in entries:
        digest.update(f"{entry.kind.value}\n{len(entry.text)}\n{entry.text}\n".encode("utf-8", "replace"))
    return digest.hexdigest()


def _bounded(entry: Entry, past: Past) -> Iterator[Passage]:
    left = MOST_OUTPUT
    for passage in passages(entry, past):
        if left <= 0:
            return
        left -= len(passage.text)
        yield passage


def _stored(entry: Entry, past: Past) -> Path | None:
    """Find the file of an output that was held back."""
    if entry.output is None or not entry.output.kept or past.store is None:
        return None
    try:
        return stored_output(entry.output.call, past).path
    except NoSuchOutput:
        return None


def _hits(found: Found, name: str) -> Iterator[Hit]:
    passage = found.passage
    for shown in excerpts(found):
        yield Hit(name, passage.entry, passage.kind, passage.address, shown.line, shown.text, shown.marks)
