"""A fact's texts: made one safe line when they are recorded, cut when they are shown (spec "In the request")."""

from __future__ import annotations

import re
import unicodedata

from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import shorten, shorten_start

VALUE_CHARACTERS = 160
"""Characters of a value in a block."""
NAME_CHARACTERS = 60
"""Characters of a name in a block."""
STORED_VALUE = 2_000
STORED_NAME = 300
"""Characters kept of a value and a name: what is longer is no fact, and its source holds all of it."""

_JOINERS = "\u200c\u200d"
"""The two invisible characters that words and emoji need."""
_POSED_SOURCE = re.compile(r"[—–―](?=\s*from\b)", re.IGNORECASE)


def one_line(text: str) -> str:
    """Make text one line without control, direction or other invisible characters: it cannot leave its line or hide."""
    if text.isascii() and text.isprintable() and "  " not in text and text == text.strip():
        return text
    line = clean_line(text)
    if line.isascii():
        return line
    kept = (char for char in line if char in _JOINERS or unicodedata.category(char) not in {"Cf", "Co"})
    return " ".join("".join(kept).split())


def stored_value(text: str) -> str:
    """Return a value as it is recorded."""
    return shorten(one_line(text), STORED_VALUE)


def folded(value: str) -> str:
    """Return a value as it is compared between sources: case folded, white space collapsed."""
    return " ".join(value.casefold().split())


def is_path(text: str) -> bool:
    """Say whether a text is a path, whose end says more than its start."""
    return text.startswith(("/", "~/", "./", "../")) and " " not in text.partition("/")[0]


def shown_value(value: str) -> str:
    """Return a value as a block shows it: at most 160 characters, and nothing in it that poses as a source."""
    cut = shorten_start(value, VALUE_CHARACTERS) if is_path(value) else shorten(value, VALUE_CHARACTERS)
    return unposed(cut)


def shown_name(name: str, *, path: bool = False) -> str:
    """Return a name as a block shows it: at most 60 characters, a path from its end."""
    cut = shorten_start(name, NAME_CHARACTERS) if path or is_path(name) else shorten(name, NAME_CHARACTERS)
    return unposed(cut)


def unposed(text: str) -> str:
    """Turn each dash before ``from`` into a hyphen: in a block, only what this program writes names a source."""
    return text if text.isascii() else _POSED_SOURCE.sub("-", text)
