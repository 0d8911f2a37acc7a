"""Finding words in the whole conversation: how often they are there, which match is shown, which comes next.

Values only: a conversation's items are looked at by their rows, as they are drawn or would be.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from wisp_tui.app.pager.search import Needle
from wisp_tui.app.rows import Row
from wisp_tui.session.items import Item


class Spot(NamedTuple):
    """A place in a conversation: an item by its number, a row of it, a character of the row; all from 0."""

    item: int
    row: int
    start: int


class Finding:
    """The matches of some words in items that grow; they are counted an item at a time, so that nothing waits.

    ``rows_of`` gives an item's rows. The first match shown is the nearest one at or above ``origin``; the count goes
    from there to the start, then from the end down to it.
    """

    def __init__(self, items: Sequence[Item], rows_of: Callable[[Item], Sequence[Row]]) -> None:
        self._items = items
        self._rows_of = rows_of
        self._texts: dict[Item, tuple[str, ...]] = {}
        self._found: dict[Item, tuple[tuple[int, int], ...]] = {}
        self._left: Iterator[int] = iter(())
        self._origin = Spot(0, 0, 0)
        self.needle: Needle | None = None
        """What is looked for."""
        self.here: Spot | None = None
        """The match that is shown."""
        self.total = 0
        """How many matches there are; until it is ``whole``, how many were found."""
        self.whole = True
        """Whether every item was looked at."""
        self.went_round = False
        """Whether the match that is shown was come to past the first or the last one."""

    def look_for(self, text: str, origin: Spot) -> None:
        """Begin to look for a text, nearest to a place; for nothing, when it is empty."""
        self.needle = Needle.of(text) if text else None
        self._origin, self.here, self.total, self.went_round = origin, None, 0, False
        self._found.clear()
        self.whole = self.needle is None
        if self.whole:
            self._left = iter(())
            return
        above = range(min(origin.item, len(self._items) - 1), -1, -1)
        below = range(len(self._items) - 1, origin.item, -1)
        self._left = iter(chain(above, below))

    def forget(self) -> None:
        """Forget the items' texts too: they are drawn for another width now, or are others."""
        self._texts.clear()
        self.look_for("", Spot(0, 0, 0))

    def step(self) -> bool:
        """Count the next item; False when there was none."""
        place = next(self._left, None)
        if place is None:
            self.whole = True
            if self.here is None and self.total:
                self._turn_to(self._all(), -1)  # all of them stand below the origin, on its own item
            return False
        found = self._count(self._items[place])
        if self.here is None and found:
            spots = [Spot(place, *match) for match in found]
            near = bisect_right(spots, self._origin) if place == self._origin.item else len(spots)
            if near:
                self.here, self.went_round = spots[near - 1], place > self._origin.item
        return True

    def changed(self, items: Iterable[Item]) -> None:
        """Look again at items that have changed or were added."""
        for item in items:
            self._texts.pop(item, None)
            if self.needle is not None:
                self._count(item)

    def go(self, *, older: bool) -> Spot | None:
        """Go to the match before the one that is shown, or after it; past the last it goes on at the other end."""
        spots = self._all()
        if not spots:
            return None
        at = self.here or self._origin
        if older:
            place = bisect_left(spots, at) - 1
            self.went_round = place < 0
        else:
            place = bisect_right(spots, at)
            self.went_round = place == len(spots)
        return self._turn_to(spots, place % len(spots))

    @property
    def ordinal(self) -> int | None:
        """Which match is shown, from 1, the oldest first; None while not all are counted."""
        return bisect_right(self._all(), self.here) if self.whole and self.here is not None else None

    def _turn_to(self, spots: Sequence[Spot], place: int) -> Spot:
        self.here = spots[place]
        return self.here

    def _all(self) -> list[Spot]:
        return [Spot(place, *match) for place, item in enumerate(self._items) for match in self._found.get(item, ())]

    def _count(self, item: Item) -> tuple[tuple[int, int], ...]:
        """Find the matches of an item: each one's row and first character."""
        needle = self.needle
        texts = self._texts.get(item)
        if texts is None:
            texts = self._texts[item] = tuple(row.text for row in self._rows_of(item))
        found = tuple(
            (row, start)
            for row, text in enumerate(texts)
            for start, _ in (needle.in_text(text) if needle is not None else ())
        )
        self.total += len(found) - len(self._found.pop(item, ()))
        if found:
            self._found[item] = found
        return found
