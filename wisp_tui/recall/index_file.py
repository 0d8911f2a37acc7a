"""A private SQLite file that is only a cache: made when missing, made again when damaged or of another version."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Generator
from pathlib import Path

BUSY_SECONDS = 5.0
"""How long another process's writing is waited for."""
_LOST = "no such"
"""What SQLite says of a table that somebody took away."""


class NoIndex(Exception):
    """The index cannot be used; the message says why."""


class _OtherVersion(sqlite3.DatabaseError):
    """The file is of another version."""


class IndexFile:
    """One process's use of the file, from any thread, one at a time. ``make`` makes its tables; it may find them there.

    Files are 0600 from creation, in a directory 0700; a link in the file's place is refused.
    """

    def __init__(self, path: Path, version: int, make: Callable[[sqlite3.Connection], None]) -> None:
        self.path = path
        self._version = version
        self._make = make
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def close(self) -> None:
        """Let go of the file. It is opened again when it is used."""
        with self._lock:
            self._close()

    @contextlib.contextmanager
    def using(self) -> Generator[sqlite3.Connection]:
        """Use the file. Raises NoIndex; after a fault of the file's own it is made anew when it is used again."""
        with self._lock:
            try:
                opened = self._opened()
            except sqlite3.DatabaseError as error:
                opened = self._anew(error)
            try:
                yield opened
            except sqlite3.DatabaseError as error:
                if _is_elsewhere(error):
                    raise NoIndex(f"the search index {self.path} cannot be used: {error}") from error
                self._discard()
                raise NoIndex(f"the search index {self.path} was damaged, and is made again: {error}") from error

    def _opened(self) -> sqlite3.Connection:
        """Open the file, unless the one that is open is still the one of that name. Raises NoIndex, sqlite3.Error."""
        if self._db is not None and self._file == _identity(self.path):
            return self._db
        self._close()
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
            self.path.chmod(0o600)
        except OSError as error:
            raise NoIndex(f"the search index {self.path} cannot be written: {error.strerror or error}") from error
        self._db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        self._file = _identity(self.path)
        self._prepare(self._db)
        return self._db

    def _prepare(self, db: sqlite3.Connection) -> None:
        db.execute("PRAGMA trusted_schema = OFF")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version not in {0, self._version}:
            raise _OtherVersion(f"it is of version {version}")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")  # what is removed is not left in the file's free pages
        with change(db):
            self._make(db)
            db.execute(f"PRAGMA user_version = {self._version}")

    def _anew(self, error: sqlite3.Error) -> sqlite3.Connection:
        """Begin anew after a fault of the file's own. Raises NoIndex for any other."""
        if _is_elsewhere(error):
            self._close()
            raise NoIndex(f"the search index {self.path} cannot be used: {error}") from error
        self._discard()
        try:
            return self._opened()
        except sqlite3.DatabaseError as again:
            self._close()
            raise NoIndex(f"the search index {self.path} cannot be made: {again}") from again

    def _discard(self) -> None:
        self._close()
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                Path(f"{self.path}{suffix}").unlink()

    def _close(self) -> None:
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
        self._db = self._file = None


@contextlib.contextmanager
def change(db: sqlite3.Connection) -> Generator[None]:
    """Change the file whole or not at all."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _is_elsewhere(error: sqlite3.Error) -> bool:
    """Say whether a fault is not the file's own: it is busy, the disk is full or may not be written."""
    return isinstance(error, sqlite3.OperationalError) and _LOST not in str(error)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
