"""Where the whole of an output is kept when the model is shown only part of it (spec, the same section)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wisp_tui.text.ids import CallId, SessionId

MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """An output in the store: its file, and the record beside it. ``cut`` is true when it was longer than 16 MiB."""

    session: SessionId
    call: CallId
    path: Path
    bytes: int
    lines: int
    sha256: str
    cut: bool


class OutputStore:
    """One session's directory of whole outputs, ``output/SESSION/`` in the home."""

    def __init__(self, directory: Path, session: SessionId) -> None:
        self.directory = directory
        self.session = session
