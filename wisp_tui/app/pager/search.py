"""Searching the whole output: over its bytes, a page at a time, so that it can be stopped and never waits for all.

A match is where a person sees one: sequences that colour are no part of the text, neither found nor in the way.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from wisp_tui.app.pager.source import PAGE, Source

_SEQUENCE = rb"\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x1b\x07\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)"
_REACH = 1024
"""Bytes past a page that a match may reach, with the sequences within it; and that a sequence may begin before it."""


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for. Capitals and small letters are the same unless it has a capital.

    ``plain`` finds it in bytes without escape sequences; ``coloured``, in others, it or a sequence (its group 1).
    """

    text: str
    folds: bool
    plain: re.Pattern[bytes]
    coloured: re.Pattern[bytes]
    literal: bytes
    """The bytes of a match that has no sequence in it, where they are always the same; else empty."""
    overlaps: bool
    """Whether two matches could share characters: then they are counted from the start of their line."""

    @classmethod
    def of(cls, text: str) -> Needle:
        """Prepare to look for a text of one line; it is taken as it stands. Raises ValueError when it is empty."""
        if not text:
            raise ValueError("there is nothing to look for")
        folds = text == text.lower()
        letters = [_letter(character, folds=folds) for character in text]
        apart = rb"(?:" + _SEQUENCE + rb")*"
        coloured = rb"(" + _SEQUENCE + rb")|" + apart.join(letters)
        same = text.lower() if folds else text
        literal = b"" if folds and not text.isascii() else same.encode("utf-8", "replace")
        overlaps = any(same.startswith(same[start:]) for start in range(1, len(same)))
        return cls(text, folds, re.compile(b"".join(letters)), re.compile(coloured), literal, overlaps)

    def in_bytes(self, data: bytes) -> Iterator[int]:
        """Say where matches start."""
        if self.folds:
            data = data.lower()
        if b"\x1b" not in data:
            if self.literal in data:
                yield from (found.start() for found in self.plain.finditer(data))
            return
        yield from (found.start() for found in self.coloured.finditer(data) if found[1] is None)

    def in_text(self, text: str) -> list[tuple[int, int]]:
        """Say where matches start and end in a text without sequences, in characters."""
        data = text.encode("utf-8", "replace")
        found = self.plain.finditer(data.lower() if self.folds else data)
        if text.isascii():
            return [match.span() for match in found]
        return [(len(data[: match.start()].decode()), len(data[: match.end()].decode())) for match in found]


def _letter(character: str, *, folds: bool) -> bytes:
    """Write the pattern of a character over bytes in which ASCII letters are small ones when it folds."""
    if not folds or character.isascii():
        return re.escape(character.encode("utf-8", "replace"))
    forms = sorted({form for form in (character, character.lower(), character.upper()) if len(form) == 1})
    return b"(?:" + b"|".join(re.escape(form.encode("utf-8", "replace").lower()) for form in forms) + b")"


class Search:
    """The matches of a needle: their number, a page at a time, and where those of a page are."""

    def __init__(self, source: Source, needle: Needle) -> None:
        self.needle = needle
        self._source = source
        self._counts = array("q", [-1]) * source.pages
        self._next = 0
        self._total = 0
        self._places: OrderedDict[int, array[int]] = OrderedDict()

    @property
    def whole(self) -> bool:
        """Whether every page was searched."""
        return self._next >= len(self._counts)

    @property
    def total(self) -> int:
        """How many matches there are; until it is whole, how many were found."""
        return self._total

    def step(self, pages: int = 1) -> bool:
        """Search the next pages; False when all were."""
        for _ in range(pages):
            if self._next < len(self._counts):
                self.places(self._next)
            while self._next < len(self._counts) and self._counts[self._next] >= 0:
                self._next += 1
        return not self.whole

    def ordinal(self, offset: int) -> int | None:
        """Say which match, from 1, starts at an offset; None while pages before it were not searched."""
        page = offset // PAGE
        if self._next < page:
            return None
        return sum(self._counts[:page]) + bisect_left(self.places(page), offset) + 1

    def places(self, page: int) -> array[int]:
        """Say where the matches start that begin in a page."""
        known = self._places.get(page)
        if known is not None:
            self._places.move_to_end(page)
            return known
        places = array("q") if self._counts[page] == 0 else self._search(page)
        if self._counts[page] < 0:
            self._counts[page] = len(places)
            self._total += len(places)
        self._places[page] = places
        if len(self._places) > 2:
            self._places.popitem(last=False)
        return places

    def known_empty(self, page: int) -> bool:
        """Whether a page is known to have no match."""
        return self._counts[page] == 0

    def _search(self, page: int) -> array[int]:
        start, end = page * PAGE, (page + 1) * PAGE
        base = self._begin(start)
        data = self._source.read(base, end + _REACH, keep=False)
        found = (base + place for place in self.needle.in_bytes(data))
        return array("q", (place for place in found if start <= place < end))

    def _begin(self, start: int) -> int:
        """Say where to begin: before a sequence that may be cut, and where matches that overlap are always the same."""
        if self.needle.overlaps:
            return self._source.rfind(b"\n", max(start - PAGE, 0), start) + 1 or max(start - PAGE, 0)
        before = self._source.read(start - 64, start, keep=False)
        escape = before.rfind(b"\x1b")
        return start - len(before) + escape if escape >= 0 else start


@dataclass(slots=True)
class Seek:
    """Looks for the next match from an offset, forward or back, going on at the other end; a page a step."""

    search: Search
    offset: int
    forward: bool
    pages: int
    found: int | None = None
    wrapped: bool = False
    _seen: int = 0

    def step(self) -> bool:
        """Search one page; False when a match was found, or there is none."""
        if not self.pages:
            return False
        origin = min(self.offset, self.pages * PAGE - 1) // PAGE
        while self._seen <= self.pages:
            page = origin + (self._seen if self.forward else -self._seen)
            around = not 0 <= page < self.pages
            self._seen += 1
            if not self.search.known_empty(page % self.pages):
                return not self._take(self.search.places(page % self.pages), around=around)
        return False

    def _take(self, places: array[int], *, around: bool) -> bool:
        """Take the nearest match of a page; the first page is looked at from the offset, at the end as a whole."""
        first = self._seen == 1
        if self.forward:
            place = bisect_left(places, self.offset) if first else 0
        else:
            place = bisect_left(places, self.offset) - 1 if first else len(places) - 1
        if 0 <= place < len(places):
            self.found = places[place]
            self.wrapped = around
            return True
        return False
