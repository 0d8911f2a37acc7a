"""The saved conversations of a home in the search index: which there are, how each is read, how they are searched.

The index is a cache (``recall.library``): whatever cannot be had from it is looked for in the files themselves.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.config.cache import search_index
from wisp_tui.context.journal import NotAJournal, read_journal
from wisp_tui.context.sidecar import CannotResume, Saved, resume
from wisp_tui.keeping.locking import is_held
from wisp_tui.outputs import OutputStore
from wisp_tui.outputs.store import is_session
from wisp_tui.recall import Past
from wisp_tui.recall.index_file import NoIndex
from wisp_tui.recall.library import Hit, Library, Volume
from wisp_tui.session.live import lock_of
from wisp_tui.session.saved.files import files_of, transcripts
from wisp_tui.session.saved.searching import MOST_LINES, FoundLine, PlainFinder, Stop

MOST_HITS = 200
"""Lines that are shown of all conversations."""
QUESTION = 4
"""Words of a question, at least."""
PATIENCE = 1.0
"""Seconds a search takes in what is new; what is left then is looked for in the files."""
_LIVE = re.compile(r"[0-9a-f]{16}")
_NOBODY: Mapping[str, Past] = {}


@dataclass(frozen=True, slots=True)
class IndexedFinder:
    """Looks for all of the words in the index, the best first; in the files of what it has not, or where it finds none.

    A question may have words that its answer has not: where nothing has all of one, what has some of them comes.
    """

    home: Home

    def find(self, words: Sequence[str], names: Sequence[str], stop: Stop) -> Iterator[FoundLine]:
        """Give the lines found, those of the conversation with the best one first."""
        library, until = Library(search_index(self.home)), time.monotonic() + PATIENCE
        said, left, some = " ".join(words), list(names), False
        with closing(library):
            try:
                behind = set(library.take_in(volumes(self.home), lambda: stop() or time.monotonic() > until))
                hits = library.find(said, MOST_HITS, set(names) - behind, every_word=True)
            except (NoIndex, OSError):  # it is a cache: the files themselves have everything
                yield from PlainFinder(self.home).find(words, left, stop)
                return
            yield from _by_conversation(hits)
            left = [name for name in names if name in behind] if hits else left
            for line in PlainFinder(self.home).find(words, left, stop):
                some = True
                yield line
            if len(words) >= QUESTION and not hits and not some and not stop():
                with suppress(NoIndex):
                    yield from _by_conversation(library.find(said, MOST_HITS, names))


def volumes(home: Home, running: Mapping[str, Past] = _NOBODY) -> Iterator[Volume]:
    """Give what there is to take in: what is saved, under its name, and live copies, under their ids. Raises OSError.

    ``running`` are the conversations of this process by the ids of their live copies: they are taken from memory.
    """
    for path in transcripts(home):
        stamps = "/".join(_stamp(file) for file in files_of(home, path.stem).all)
        yield Volume(path.stem, stamps, partial(_saved, home, path.stem))
    for path in home.live.glob("*.jsonl"):
        if _LIVE.fullmatch(path.stem):
            held = running.get(path.stem)
            yield Volume(path.stem, _stamp(path), partial(_live, home, path) if held is None else partial(_same, held))


def _saved(home: Home, name: str) -> Past:
    """Read a saved conversation as a search sees it. Raises OSError, ValueError."""
    files = files_of(home, name)
    data = files.transcript.read_bytes()
    for links in (files.links, files.waiting):
        with suppress(CannotResume, FileNotFoundError):
            return _past(home, resume(name, data, links.read_bytes()))
    raise ValueError(f"{name} cannot be read whole")


def _live(home: Home, path: Path) -> Past:
    """Read one that was cut short. Raises OSError; ValueError where another process has it, and takes it in."""
    if is_held(lock_of(path)):
        raise ValueError(f"{path.stem} runs")
    try:
        return _past(home, read_journal(path.read_bytes())[0].saved())
    except NotAJournal as error:
        raise ValueError(str(error)) from error


def _same(past: Past) -> Past:
    return past


def _past(home: Home, saved: Saved) -> Past:
    own = saved.sessions[-1] if saved.sessions else None
    store = OutputStore(home.output, own) if own is not None and is_session(own) else None
    return Past(saved.record, store, sessions=saved.sessions)


def _stamp(path: Path) -> str:
    """Tell one content of a file from another."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return "-"
    return f"{found.st_ino}:{found.st_mtime_ns}:{found.st_size}"


def _by_conversation(hits: Sequence[Hit]) -> Iterator[FoundLine]:
    """Put a conversation's lines together, where its best one stands."""
    grouped: dict[str, list[Hit]] = {}
    for hit in hits:
        grouped.setdefault(hit.name, []).append(hit)
    for name, found in grouped.items():
        for hit in found[:MOST_LINES]:
            yield FoundLine(name, hit.entry, hit.kind, hit.line, hit.excerpt, hit.output)
