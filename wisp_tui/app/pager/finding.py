"""A search beside the screen: the next match first, then how many there are, a few milliseconds at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from time import perf_counter

from wisp_tui.app.pager.search import Needle, Search, Seek
from wisp_tui.app.pager.source import Source

SLICE = 0.004
"""Seconds of work before the screen has its turn."""


class Outcome(Enum):
    """How far a search is."""

    NONE = auto()
    """Nothing is looked for."""
    LOOKING = auto()
    FOUND = auto()
    ABSENT = auto()
    """There is no match at all."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is to be said of a search: the match that is shown is ``ordinal`` of ``total``.

    ``ordinal`` is None, and ``total`` not final while ``whole`` is false, until the pages before were searched.
    """

    outcome: Outcome = Outcome.NONE
    text: str = ""
    ordinal: int | None = None
    total: int = 0
    whole: bool = False
    wrapped: bool = False
    """Whether the match was found past an end of the output, going on at the other."""


class Finder:
    """Looks for a needle in a source. ``hit`` is called with each match that was asked for, in the order of asking.

    ``changed`` is called whenever there is something new to say. The work is done by ``run``.
    """

    def __init__(self, source: Source, hit: Callable[[int], None], changed: Callable[[], None]) -> None:
        self._source = source
        self._hit = hit
        self._changed = changed
        self._search: Search | None = None
        self._seek: Seek | None = None
        self._wanted: deque[bool] = deque()
        self._origin = 0
        self._wrapped = False
        self._wake = asyncio.Event()
        self.at: int | None = None
        """Where the match is that was found last."""

    @property
    def needle(self) -> Needle | None:
        """What is looked for."""
        return self._search.needle if self._search is not None else None

    @property
    def looking(self) -> bool:
        """Whether a match that was asked for is not found yet."""
        return self._seek is not None or bool(self._wanted)

    @property
    def found(self) -> Found:
        """How far it is."""
        search = self._search
        if search is None:
            return Found()
        outcome = Outcome.LOOKING if self.looking else Outcome.ABSENT if self.at is None else Outcome.FOUND
        ordinal = None if self.at is None else search.ordinal(self.at)
        return Found(outcome, search.needle.text, ordinal, search.total, search.whole, self._wrapped)

    def start(self, needle: Needle, offset: int, *, forward: bool) -> None:
        """Look for a needle from an offset of the source, in place of what was looked for."""
        self.clear()
        self._search = Search(self._source, needle)
        self._origin = offset
        self.again(forward=forward)

    def again(self, *, forward: bool) -> None:
        """Look for the next match, or the one before."""
        if self._search is not None:
            self._wanted.append(forward)
            self._wake.set()

    def clear(self) -> None:
        """Stop, and look for nothing."""
        self._search = self._seek = self.at = None
        self._wanted.clear()
        self._wrapped = False

    async def run(self) -> None:
        """Do the work until cancelled, giving way to the screen after each slice."""
        while True:
            if self._work():
                await asyncio.sleep(0)
            else:
                await self._wake.wait()
                self._wake.clear()

    def _work(self) -> bool:
        """Work for a slice: for what was asked for, then on the count. False when nothing is left to do."""
        until = perf_counter() + SLICE
        while self._search is not None and perf_counter() < until:
            if self._seek is None and self._wanted:
                self._seek = self._sought(self._search, forward=self._wanted.popleft())
            if self._seek is not None:
                if not self._seek.step():
                    self._settle(self._seek)
            elif not self._search.step():
                self._changed()
                return False
        self._changed()
        return self._search is not None

    def _sought(self, search: Search, *, forward: bool) -> Seek:
        offset = self._origin if self.at is None else self.at + forward
        return Seek(search, offset, forward, self._source.pages)

    def _settle(self, seek: Seek) -> None:
        self._seek = None
        self.at, self._wrapped = seek.found, seek.wrapped
        if seek.found is not None:
            self._hit(seek.found)
