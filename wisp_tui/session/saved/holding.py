"""Which whole outputs go with a conversation when it is deleted: those that it refers to, and no other one does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.outputs import NoSuchOutput, OutputStore, StoredOutput
from wisp_tui.outputs.store import is_session
from wisp_tui.session.saved.files import files_of, transcripts
from wisp_tui.session.saved.listing import SavedName
from wisp_tui.text.ids import SessionId

_KEPT = re.compile(rb'"output":\{"call":"([0-9a-f]{8})",[^{}]*"kept":true')
"""Where an entry refers to an output of the store, in a saved conversation and in a live copy alike."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs that a conversation refers to and that are still kept."""

    own: tuple[StoredOutput, ...] = ()
    """Those that no other conversation refers to."""
    shared: int = 0
    """How many others refer to too."""

    @property
    def bytes(self) -> int:
        """How large its own are."""
        return sum(output.bytes for output in self.own)


def outputs_of(home: Home, shown: SavedName, spared: Collection[str] = ()) -> Outputs:
    """Find the outputs of a conversation. ``spared`` are the calls that the running conversation refers to.

    Reads the files of every conversation that shares one of them, so it takes a while: in a thread. Raises OSError.
    """
    files = list(_files(home, shown))
    calls = {call.decode() for path in files for call in _KEPT.findall(_read(path))}
    kept = [output for call in sorted(calls) for output in _stored(home, shown, call)]
    wanted = {output.call.encode() for output in kept if output.call not in spared}
    for path in _others(home, files):
        if wanted:
            wanted -= set(_KEPT.findall(_read(path)))
    own = tuple(output for output in kept if output.call.encode() in wanted)
    return Outputs(own, len(kept) - len(own))


def _stored(home: Home, shown: SavedName, call: str) -> Iterator[StoredOutput]:
    for session in filter(is_session, shown.head.sessions):
        with suppress(NoSuchOutput):
            yield OutputStore(home.output, SessionId(session)).find(call)
            return


def _files(home: Home, shown: SavedName) -> Iterator[Path]:
    if shown.named:
        yield from files_of(home, shown.name).all
    if shown.copy:
        yield home.live / f"{shown.copy}.jsonl"


def _others(home: Home, own: Collection[Path]) -> Iterator[Path]:
    saved = (file for path in transcripts(home) for file in files_of(home, path.stem).all)
    yield from (path for path in (*saved, *home.live.glob("*.jsonl")) if path not in own)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
