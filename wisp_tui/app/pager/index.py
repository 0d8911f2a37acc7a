"""Where lines are: the newlines of each page, counted a batch at a time, from the end where that is nearer."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from itertools import accumulate

from wisp_tui.app.pager.source import HELD, PAGE, Source

BATCH = 8
"""Pages counted at a time: half a millisecond."""


class LineIndex:
    """Finds lines, numbered from 0, and says which one an offset is on.

    It holds a number a page, not one a line. ``lines`` is how many there are, where that is known from elsewhere; with
    it the end is found at once, before all pages are counted.
    """

    def __init__(self, source: Source, lines: int | None = None) -> None:
        self._source = source
        self._ended = source.size == 0 or source.read(source.size - 1, source.size) == b"\n"
        self._counts = array("q", [-1]) * source.pages
        self._before = array("q", [0])
        """Newlines before each page, as far as it is counted from the start."""
        self._newlines = None if lines is None else max(lines - (not self._ended), 0)
        self._places: OrderedDict[int, array[int]] = OrderedDict()

    @property
    def whole(self) -> bool:
        """Whether all pages are counted."""
        return self.counted >= self._source.pages

    @property
    def counted(self) -> int:
        """How many pages are counted from the start."""
        return len(self._before) - 1

    @property
    def sure(self) -> bool:
        """Whether ``count`` is how many lines there are, not only how many are known."""
        return self.whole or self._newlines is not None

    @property
    def count(self) -> int:
        """How many lines there are; while that is not known, how many have been found."""
        if self.whole:
            return self._before[-1] + (not self._ended)
        if self._newlines is not None:
            return self._newlines + (not self._ended)
        return self._before[-1] + 1

    def step(self, pages: int = BATCH) -> bool:
        """Count the next pages; False when all are counted."""
        for page in range(self.counted, min(self.counted + pages, self._source.pages)):
            self._before.append(self._before[-1] + self._counted(page))
        return not self.whole

    def finish(self) -> None:
        """Count all pages now: some ten milliseconds at 16 MiB."""
        self.step(self._source.pages)

    def span(self, line: int) -> tuple[int, int] | None:
        """Say where a line starts and ends, without its newline; None when there is none of that number."""
        if not 0 <= line < self.count:
            return None
        start = -1 if line == 0 else self._newline(line - 1)
        end = self._newline(line)
        if start is None:
            return None
        return start + 1, self._source.size if end is None else end

    def line_at(self, offset: int) -> int:
        """Say which line an offset is on; a newline belongs to the line that it ends."""
        page = min(max(offset, 0) // PAGE, max(self._source.pages - 1, 0))
        if not self._source.pages:
            return 0
        return self._newlines_before(page) + bisect_left(self._places_of(page), offset - page * PAGE)

    def _newlines_before(self, page: int) -> int:
        if page >= len(self._before) and self._newlines is not None and page * 2 > self._source.pages:
            return self._newlines - sum(self._counted(later) for later in range(page, self._source.pages))
        while page >= len(self._before) and self.step():
            pass
        return self._before[page]

    def _newline(self, number: int) -> int | None:
        """Say where a newline is, counted from 0."""
        if number >= self._before[-1] and self._newlines is not None and not self.whole:
            if number >= self._newlines:
                return None
            if number * 2 > self._newlines:
                return self._newline_from_end(self._newlines - 1 - number)
        while number >= self._before[-1] and self.step():
            pass
        if number >= self._before[-1]:
            return None
        page = bisect_right(self._before, number) - 1
        return self._place(page, number - self._before[page])

    def _newline_from_end(self, after: int) -> int | None:
        """Say where the newline is that so many others come after."""
        for page in reversed(range(self._source.pages)):
            count = self._counted(page)
            if after < count:
                return self._place(page, count - 1 - after)
            after -= count
        return None

    def _place(self, page: int, number: int) -> int | None:
        """Say where a page's newline is; None where it was counted and is there no more."""
        places = self._places_of(page)
        return page * PAGE + places[number] if number < len(places) else None

    def _counted(self, page: int) -> int:
        if self._counts[page] < 0:
            self._counts[page] = self._source.page(page, keep=False).count(b"\n")
        return self._counts[page]

    def _places_of(self, page: int) -> array[int]:
        """Give the places of a page's newlines, kept for the pages that are looked at."""
        places = self._places.get(page)
        if places is None:
            pieces = self._source.page(page).split(b"\n")
            places = array("I", (after - 1 for after in accumulate(len(piece) + 1 for piece in pieces[:-1])))
            self._places[page] = places
            if len(self._places) > HELD:
                self._places.popitem(last=False)
        else:
            self._places.move_to_end(page)
        return places
