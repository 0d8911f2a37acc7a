"""Large pastes: held behind a placeholder while the message is written, put back exactly when it is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from wisp_tui.text.clean import clean

HELD_FROM = 4096
"""Bytes from which a paste is held."""
HELD_LINES = 60
"""Lines from which a paste is held."""

_PLACEHOLDER = re.compile(r"\[pasted [\d,]+ bytes? #(\d+)\]")


@dataclass(slots=True)
class Pastes:
    """The pastes of one session, by number."""

    _held: dict[int, str] = field(default_factory=dict[int, str])

    def take(self, text: str) -> str:
        """Return what goes into the prompt for a paste: the text itself, or a placeholder for what is large.

        Text that cannot be drawn as it is (it has control characters) is held too: it is sent as it came.
        """
        text = re.sub(r"\r(?!\n)", "\n", text)  # terminals send the end of a pasted line as a carriage return
        size = len(text.encode("utf-8", "surrogatepass"))
        if size < HELD_FROM and text.count("\n") < HELD_LINES and clean(text) == text:
            return text
        number = len(self._held) + 1
        self._held[number] = text
        return f"[pasted {size:,} {'byte' if size == 1 else 'bytes'} #{number}]"

    def expand(self, text: str) -> str:
        """Put the pastes back where their placeholders stand whole; others are left as they are."""
        return _PLACEHOLDER.sub(lambda found: self._held.get(int(found[1]), found[0]), text)
