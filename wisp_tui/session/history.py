"""What the person has sent, kept in the home from one session to the next, to be taken up again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.config.home import PRIVATE_FILE
from wisp_tui.text.json import dump, load

KEPT = 1000
"""Messages read back; the file is shortened to as many once it holds twice that."""
LARGEST = 64 * 1024
"""Bytes of a message above which it is remembered in this session only."""


def history_file(home: Home) -> Path:
    """Say where the messages are kept: one a line, as JSON strings, newest last."""
    return home.root / "history.jsonl"


@dataclass(slots=True)
class PromptHistory:
    """The messages sent, oldest first, and the place in them that the person has gone back to."""

    path: Path | None
    """Where they are kept; None to keep nothing."""
    _texts: list[str] = field(default_factory=list[str])
    _place: int = 0
    _draft: str = ""
    """What was being written when the person went back, given again at the end."""

    @classmethod
    def read(cls, home: Home) -> PromptHistory:
        """Read what is kept; lines that are no JSON string are passed over."""
        path = history_file(home)
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            lines = []
        texts = [text for line in lines if (text := _text(line)) is not None]
        if len(texts) > 2 * KEPT:
            home.write(path, b"".join(dump(text) + b"\n" for text in texts[-KEPT:]))
        history = cls(path, texts[-KEPT:])
        history._place = len(history._texts)
        return history

    @property
    def texts(self) -> Sequence[str]:
        """The messages, oldest first."""
        return self._texts

    def add(self, text: str) -> None:
        """Remember a message. Raises OSError when it cannot be kept; it is then remembered in this session."""
        if not self._texts or self._texts[-1] != text:
            self._texts.append(text)
            self._place, self._draft = len(self._texts), ""
            line = dump(text) + b"\n"
            if self.path is not None and len(line) <= LARGEST:
                _append(self.path, line)
        self._place, self._draft = len(self._texts), ""

    def back(self, text: str) -> str | None:
        """Go to the message before; None at the oldest. ``text`` is what is being written now."""
        if self._place == 0:
            return None
        if self._place == len(self._texts):
            self._draft = text
        self._place -= 1
        return self._texts[self._place]

    def on(self) -> str | None:
        """Go to the message after, at the end to what was being written; None where there is nothing after."""
        if self._place >= len(self._texts):
            return None
        self._place += 1
        return self._draft if self._place == len(self._texts) else self._texts[self._place]

    def leave(self) -> None:
        """Go back to the end: the text was changed, so it is a new message."""
        self._place = len(self._texts)


def _text(line: bytes) -> str | None:
    try:
        value = load(line)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _append(path: Path, line: bytes) -> None:
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        size = os.fstat(handle).st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"  # a writer died in mid-line
        os.write(handle, b"\n" + line if torn else line)
    finally:
        os.close(handle)
