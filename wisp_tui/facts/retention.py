"""What of the turns that leave can still be found afterwards: their identifiers, paths and numbers. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress

_WORD = re.compile(r"(?:\d{1,3}(?:,\d{3})+(?!\d)|[A-Za-z0-9_~@./+:#%-])+", re.ASCII)
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*%?", re.ASCII)
_FILE = re.compile(r"[\w.+-]*[A-Za-z_][\w+-]*\.[A-Za-z]\w{0,9}", re.ASCII)
_SIGNS = re.compile(r"_|\d|[A-Za-z][.:]+[A-Za-z]|[a-z][A-Z]|^[A-Z]{2,}$|^--[a-z]", re.ASCII)
"""What makes a word an identifier: an underscore, a digit, a joint, a hump, capitals alone, the dashes of an option."""


@dataclass(frozen=True, slots=True)
class Retention:
    """What was looked for, in the order in which the turns have it, and whether it was found."""

    found: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def total(self) -> int:
        """How many were looked for."""
        return len(self.found) + len(self.missing)

    @property
    def share(self) -> float:
        """The share found, from 0 to 1; 1 when there was nothing to look for."""
        return len(self.found) / self.total if self.total else 1.0


def retention(leaving: Iterable[str], kept: Iterable[str]) -> Retention:
    """Look for every identifier, path and number of the texts that leave in the texts that are kept.

    Case does not count, nor the commas of a number. A path is found whole, under its last two components, or under its
    last one alone when no other path looked for ends in the same.
    """
    wanted = tuple(dict.fromkeys(word for text in leaving for word in _words(text) if _is_sign(word)))
    held = {word.casefold() for text in kept for word in _words(text)}
    endings = {_tail(word, 1) for word in held}
    held |= {_tail(word, 2) for word in held}
    rivals = Counter(_tail(path, 1) for path in {word.casefold() for word in wanted if "/" in word})

    def is_held(word: str) -> bool:
        last = _tail(word, 1)
        if "/" not in word:
            return word in endings
        return word in held or _tail(word, 2) in held or (rivals[last] == 1 and last in held)

    places = [is_held(word.casefold()) for word in wanted]
    return Retention(tuple(compress(wanted, places)), tuple(compress(wanted, (not place for place in places))))


def _words(text: str) -> Iterable[str]:
    """Find the words of a text, without what only surrounds them and without the commas of numbers."""
    for match in _WORD.finditer(text):
        word = match[0].rstrip(".:-+#@/~").lstrip(":#@%+")
        word = word if word.startswith(("./", "../", "/", "~/", "--")) else word.lstrip(".-~/")
        if word:
            yield word.replace(",", "")


def _is_sign(word: str) -> bool:
    """Say whether a word is a number, a file's name, an identifier or a path."""
    return any((_NUMBER.fullmatch(word), _FILE.fullmatch(word), _SIGNS.search(word))) or _is_path(word)


def _is_path(word: str) -> bool:
    return "/" in word and len(word) > 1 and any(char.isalpha() for char in word)


def _tail(word: str, components: int) -> str:
    return "/".join(word.split("/")[-components:])
