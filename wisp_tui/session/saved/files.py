"""Which files a saved conversation is, which names it can have, and the lock under which its files change."""

from __future__ import annotations

import errno
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.keeping.locking import Busy, locked

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LOCK = ".lock"
"""The file, beside the conversations, whose lock is held while their files change."""


class BadName(Exception):
    """A conversation cannot be saved under this name, or none of this name is saved; the message says which."""


class Taken(BadName):
    """Another conversation is saved under the name."""


@dataclass(frozen=True, slots=True)
class SavedFiles:
    """The files of one saved conversation: ``NAME.json``, its links ``NAME.store``, and new links that wait for it."""

    transcript: Path
    links: Path
    waiting: Path
    """The links of a save or a renaming that is not finished; they count where the others do not match."""

    @property
    def all(self) -> tuple[Path, Path, Path]:
        """Every file there can be."""
        return self.transcript, self.links, self.waiting


def files_of(home: Home, name: str) -> SavedFiles:
    """Return the files of a name. Raises BadName for what can be none: a name is never a path."""
    if not NAME.fullmatch(name):
        raise BadName(
            f"{name!r:.80} is no name for a conversation: up to 64 letters, digits, dots, dashes and underscores"
        )
    folder = home.transcripts
    return SavedFiles(folder / f"{name}.json", folder / f"{name}.store", folder / f".{name}.store.new")


def transcripts(home: Home) -> Iterator[Path]:
    """Give the transcript of each saved conversation, in no order; none for a pipe, which would be waited for."""
    return (path for path in home.transcripts.glob("*.json") if NAME.fullmatch(path.stem) and path.is_file())


@contextmanager
def alone(home: Home) -> Generator[None]:
    """Keep every other process from changing the saved conversations meanwhile. Raises OSError."""
    home.transcripts.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = home.transcripts / LOCK
    try:
        with locked(path):
            yield
    except Busy as error:
        raise OSError(errno.EBUSY, str(error), str(path)) from error
