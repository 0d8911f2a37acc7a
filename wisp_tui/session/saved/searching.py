"""Looking for words in everything that was said in all saved conversations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wisp_tui.config import Home
from wisp_tui.context.record import EntryKind
from wisp_tui.session.saved.entries import SavedEntry, pieces, read_piece
from wisp_tui.session.saved.files import files_of
from wisp_tui.text.clean import clean
from wisp_tui.text.sizes import shorten

MOST_LINES = 24
"""Lines that are shown of one conversation."""
ENTRY_LINES = 3
"""Lines that are shown of one entry: those with most of the words."""
LINE = 240
"""Characters of a line that is shown."""
BEFORE = 60
"""Characters of a long line that stand before the first word found in it."""
BLOCK = 1024 * 1024
"""Bytes that are looked at in one go: other threads run in between."""

Stop = Callable[[], bool]
"""Says whether a search is wanted no longer; asked often."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line that has what was looked for. ``excerpt`` is clean."""

    name: str
    """The saved conversation."""
    entry: int
    kind: EntryKind | None
    line: int
    """The line of the entry, from 1."""
    excerpt: str
    output: str = ""
    """The id of the stored output that it is a line of instead: one that was held back."""


class Finder(Protocol):
    """Looks through saved conversations."""

    def find(self, words: Sequence[str], names: Sequence[str], stop: Stop) -> Iterator[FoundLine]:
        """Give the lines found, a conversation after the other as they are found; blocks, so it runs in a thread.

        ``words`` are case-folded. What has all of them is found; of a question, where nothing has all, what has some.
        ``names`` are the conversations that are looked through, the likeliest first. Raises nothing: what cannot be
        read has nothing in it.
        """
        ...


def words_of(said: str) -> tuple[str, ...]:
    """Take the words out of what a person wrote, case-folded, each once."""
    return tuple(dict.fromkeys(re.findall(r"\w+", said.casefold())))


@dataclass(frozen=True, slots=True)
class PlainFinder:
    """Reads the files of each conversation: needs nothing beside them, and takes a while over many."""

    home: Home

    def find(self, words: Sequence[str], names: Sequence[str], stop: Stop) -> Iterator[FoundLine]:
        """Look through the files, the entries that are sent no longer first: they are the older ones."""
        for name in names:
            files = files_of(self.home, name)
            left = MOST_LINES
            for path in (files.links, files.transcript):
                for found in _in_file(name, path, words, stop):
                    if left:
                        left -= 1
                        yield found
            if stop():
                return


def _in_file(name: str, path: Path, words: Sequence[str], stop: Stop) -> Iterator[FoundLine]:
    plain = [word.encode() for word in words if word.isascii()]
    try:
        if not _may_have(path, plain, stop):
            return
        data = path.read_bytes()
    except OSError:
        return
    for start, end, number in pieces(data):
        if stop():
            return
        piece = data[start:end]
        lowered = piece.lower() if plain else b""
        if all(word in lowered for word in plain) and (entry := read_piece(piece, number)) is not None:
            yield from in_entry(name, entry, words)


def _may_have(path: Path, words: Sequence[bytes], stop: Stop) -> bool:
    """Say whether all the words stand in a file, a block at a time: most files are done with here."""
    missing, before = set(words), b""
    reach = max(map(len, words), default=1) - 1
    with path.open("rb") as file:
        while missing and (block := file.read(BLOCK)):
            if stop():
                return False
            lowered = before + block.lower()
            missing = {word for word in missing if word not in lowered}
            before = lowered[len(lowered) - reach :] if reach else b""
    return not missing


def in_entry(name: str, entry: SavedEntry, words: Sequence[str]) -> Iterator[FoundLine]:
    """Give the lines of an entry that have most of the words, in their order; none where it lacks one of them."""
    folded = entry.text.casefold()
    if entry.kind is EntryKind.INSTRUCTIONS or not all(word in folded for word in words):
        return
    lines = list(enumerate(clean(entry.text).split("\n"), 1))
    counted = [(sum(word in line.casefold() for word in words), number, line) for number, line in lines]
    best = sorted((one for one in counted if one[0]), key=lambda one: -one[0])[:ENTRY_LINES]
    for _, number, line in sorted(best, key=lambda one: one[1]):
        yield FoundLine(name, entry.id, entry.kind, number, _excerpt(line.strip(), words))


def _excerpt(line: str, words: Sequence[str]) -> str:
    """Cut a long line around the first word that is found in it."""
    folded = line.casefold()
    first = min((place for word in words if (place := folded.find(word)) >= 0), default=0)
    start = max(first - BEFORE, 0) if len(line) > LINE else 0
    return ("…" if start else "") + shorten(line[start:], LINE)
