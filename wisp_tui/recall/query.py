"""What a search looks for: the words of a query that tell passages apart.

The stop words are English; words of other languages are looked for as they are.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache

from wisp_tui.config.shipped import shipped

MOST_WORDS = 16
"""Words of a query that are looked for."""
LONGEST = 64
"""Characters of a word that are looked for."""
_WORD = re.compile(r"\w+")
_PHRASE = re.compile(r'"([^"]+)"')


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: the ``words`` that count, ``phrases`` put in quotes, and every word that was ``said``."""

    words: tuple[str, ...]
    phrases: tuple[str, ...]
    said: frozenset[str]

    @classmethod
    def of(cls, text: str, stop: AbstractSet[str] | None = None) -> Query:
        """Read a query; ``stop`` are words to pass over in place of those shipped. They count where nothing else is."""
        passed = stop_words() if stop is None else stop
        said = tuple(dict.fromkeys(word[:LONGEST] for word in _WORD.findall(text.casefold())))
        words = tuple(word for word in said if word not in passed) or said
        phrases = (" ".join(_WORD.findall(found)) for found in _PHRASE.findall(text.casefold()))
        return cls(words[:MOST_WORDS], tuple(phrase for phrase in phrases if " " in phrase), frozenset(said))

    @property
    def match(self) -> str:
        """Write it as FTS5 reads it: any of the words, and the phrases."""
        return " OR ".join(f'"{term}"' for term in (*self.phrases, *self.words))

    @property
    def match_all(self) -> str:
        """Write it as FTS5 reads it: every one of the words, the last of which may still be being written."""
        return " AND ".join(f'"{word}"' for word in self.words) + " *"

    @property
    def match_said(self) -> str:
        """Write it as FTS5 reads it: every one of the words, in what was said and not in the day it was said on."""
        return f"- day : ({self.match_all})"


@cache
def stop_words() -> frozenset[str]:
    """Read the words that nearly every passage has."""
    return frozenset(shipped("resources", "stop-words.txt").read_text("utf-8").split())
