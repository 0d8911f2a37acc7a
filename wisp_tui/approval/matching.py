"""Which files a shell's pattern stands for now, found with a bound on how much is looked at. Reads names only."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

MOST = 5000
"""Names that are looked at for one pattern."""


class TooMany(Exception):
    """A pattern stands for more than is looked at."""


@dataclass(frozen=True, slots=True)
class Match:
    """A file that a pattern stands for. ``linked``: a link is on the way to it."""

    path: str
    linked: bool


def matches(above: str, parts: Sequence[str]) -> Iterator[Match]:
    """Find what stands below a directory for a pattern's parts, the hidden left out, as the shell does.

    A part with brackets, which shells read in ways of their own, stands for every name. Raises TooMany.
    """
    yield from _Search().below(Match(above, linked=os.path.realpath(above) != above), parts)


@dataclass(slots=True)
class _Search:
    looked_at: int = 0

    def below(self, at: Match, parts: Sequence[str]) -> Iterator[Match]:
        if not parts:
            yield at
            return
        for match in self._named(at, "*" if "[" in parts[0] else parts[0]):
            yield from self.below(match, parts[1:])

    def _named(self, at: Match, part: str) -> Iterator[Match]:
        if "*" not in part and "?" not in part:
            self._count()
            path = Path(at.path, part)
            if path.is_symlink() or path.exists():
                yield Match(str(path), at.linked or path.is_symlink())
            return
        try:
            entries = os.scandir(at.path)
        except OSError:
            return  # what may not be looked into is not found by the shell either
        with entries:
            for entry in entries:
                self._count()
                if not entry.name.startswith(".") and fnmatchcase(entry.name, part):
                    yield Match(entry.path, at.linked or entry.is_symlink())

    def _count(self) -> None:
        self.looked_at += 1
        if self.looked_at > MOST:
            raise TooMany
