"""Patterns of commands: what a standing approval covers, and what the person's own policy allows and denies.

A pattern is the words of a command as a shell would read them. With `` *`` at its end it covers any arguments after
them; without, that command and no other. It is shown before it is granted, and covers what it shows.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

_ANY = " *"


class BadPattern(ValueError):
    """A pattern that cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """The first words of a command, and whether more may follow."""

    words: tuple[str, ...]
    more: bool = False

    @classmethod
    def read(cls, text: str) -> Pattern:
        """Read a pattern as it is written. Raises BadPattern."""
        text = text.strip()
        more = text.endswith(_ANY)
        try:
            words = tuple(shlex.split(text[: -len(_ANY)] if more else text))
        except ValueError as error:
            raise BadPattern(f"{text!r} is no pattern: {error}") from error
        if not words or text == "*":
            raise BadPattern(f"{text!r} is no pattern: it names no program")
        return cls(words, more)

    def __str__(self) -> str:
        return shlex.join(self.words) + (_ANY if self.more else "")

    def covers(self, words: Sequence[str]) -> bool:
        """Whether a command is one that the pattern shows."""
        return tuple(words[: len(self.words)]) == self.words if self.more else tuple(words) == self.words

    def touches(self, words: Sequence[str]) -> bool:
        """Whether a command begins as the pattern does: what a denial is held against, wider than an approval."""
        return tuple(words[: len(self.words)]) == self.words
