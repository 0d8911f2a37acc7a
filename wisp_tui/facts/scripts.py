"""Whether a text is written in letters that another does not use: a model that answers in another language."""

from __future__ import annotations

import unicodedata
from collections import Counter


def scripts(text: str) -> frozenset[str]:
    """Return the scripts of a text's letters, by the first word of their Unicode names."""
    return frozenset(_script(char) for char in set(text) if char.isalpha())


def foreign(text: str, known: frozenset[str]) -> bool:
    """Say whether more than half of a text's letters are of scripts not among those known."""
    letters = Counter(_script(char) for char in text if char.isalpha())
    strange = sum(number for script, number in letters.items() if script not in known)
    return strange * 2 > letters.total()


def _script(char: str) -> str:
    return "LATIN" if char.isascii() else unicodedata.name(char, "").partition(" ")[0]
