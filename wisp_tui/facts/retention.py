"""What of the turns that leave can still be found afterwards: their identifiers, paths and numbers. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

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
    wanted = tuple(dict.fromkeys(word for text in leaving for word in _words(text)))
    endings = Counter(_tail(path, 1) for path in {word.casefold() for word in wanted if "/" in word})
    held: set[str] = set()
    for word in (word.casefold() for text in kept for word in _words(text)):
        held |= {word, _tail(word, 2), _tail(word, 1)}
    found, missing = list[str](), list[str]()
    for word in wanted:
        (found if _is_held(word.casefold(), held, endings) else missing).append(word)
    return Retention(tuple(found), tuple(missing))


def _is_held(word: str, held: set[str], endings: Counter[str]) -> bool:
    if word in held:
        return True
    if "/" not in word:
        return False
    return _tail(word, 2) in held or (endings[_tail(word, 1)] == 1 and _tail(word, 1) in held)


def _words(text: str) -> Iterable[str]:
    """Find the words of a text that are a path, a number or an identifier, without what only surrounds them."""
    for match in _WORD.finditer(text):
        word = match[0].rstrip(".:-+#@/~").lstrip(":#@%+")
        word = word if word.startswith(("./", "../", "/", "~/", "--")) else word.lstrip(".-~/")
        word = word.replace(",", "")
        if _NUMBER.fullmatch(word) or _FILE.fullmatch(word) or _SIGNS.search(word) or _is_path(word):
            yield word


def _is_path(word: str) -> bool:
    return "/" in word and len(word) > 1 and any(char.isalpha() for char in word)


def _tail(word: str, components: int) -> str:
    return "/".join(word.split("/")[-components:])
