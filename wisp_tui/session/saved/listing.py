"""The saved conversations as a list shows them, read from the beginnings of their files."""

from __future__ import annotations

import stat
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.session.saved.files import files_of, transcripts
from wisp_tui.session.saved.heads import Head, read_head

OLDER = "(saved by an older wisp: it cannot be resumed)"
_UNREADABLE = Head(0, "")


class Order(Enum):
    """By what the list is sorted; the value is said of it."""

    USED = "last used first"
    NAME = "by name"
    TURNS = "most turns first"
    SIZE = "largest first"


@dataclass(frozen=True, slots=True)
class SavedName:
    """A saved conversation as a list shows it. Its texts are clean."""

    name: str
    saved: datetime
    """When it was saved last."""
    head: Head
    resumable: bool
    size: int = 0
    """Bytes of its files; its outputs are not among them."""
    cut_short: bool = False
    """Whether the process that held it ended before it was saved."""
    copy: str = ""
    """The id of the live copy that it goes on from then; it is its name too where it was never saved."""

    @property
    def named(self) -> bool:
        """Whether it is saved under its name, and not only had by the id of its live copy."""
        return self.name != self.copy

    @property
    def turns(self) -> int:
        """How many turns it has."""
        return self.head.turns

    @property
    def first(self) -> str:
        """How its first prompt begins."""
        return self.head.first


def saved_names(home: Home) -> list[SavedName]:
    """List what is saved, the latest first. What cannot be read is listed as what cannot be resumed."""
    found = (saved_name(home, path) for path in transcripts(home))
    return in_order([item for item in found if item is not None], Order.USED)


def in_order(saved: list[SavedName], order: Order) -> list[SavedName]:
    """Sort a list."""
    match order:
        case Order.USED:
            return sorted(saved, key=lambda item: item.saved, reverse=True)
        case Order.NAME:
            return sorted(saved, key=lambda item: (item.name.casefold(), item.name))
        case Order.TURNS:
            return sorted(saved, key=lambda item: (-item.turns, item.name))
        case Order.SIZE:
            return sorted(saved, key=lambda item: (-item.size, item.name))


def saved_name(home: Home, transcript: Path) -> SavedName | None:
    """Read what the list says of one conversation; None where there is none any more."""
    files = files_of(home, transcript.stem)
    try:
        found = files.transcript.stat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    head, size, resumable = _UNREADABLE, found.st_size, False
    with suppress(OSError):
        head = read_head(files.transcript)
    for links in (files.links, files.waiting):
        with suppress(OSError):
            size += links.stat().st_size
            resumable = True
    saved = datetime.fromtimestamp(found.st_mtime, UTC).astimezone()
    return SavedName(transcript.stem, saved, head, resumable, size)
