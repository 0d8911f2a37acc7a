"""The browser as a value that changes: which conversations are listed, in what order, and what was found in each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wisp_tui.session.saved.listing import Order, SavedName, in_order
from wisp_tui.session.saved.searching import FoundLine, words_of


@dataclass(slots=True)
class BrowserModel:
    """What is listed. ``words`` are those looked for, case-folded; empty while all are listed."""

    order: Order = Order.USED
    words: tuple[str, ...] = ()
    searching: bool = False
    """Whether more may still be found."""
    loaded: bool = False
    """Whether the list was read."""
    lines: Sequence[SavedName] = ()
    _all: list[SavedName] = field(default_factory=list[SavedName])
    _found: dict[str, list[FoundLine]] = field(default_factory=dict[str, list[FoundLine]])
    _fresh: bool = False
    """Whether what was found so far was found for other words, and gives way to the first that is found for these."""

    @property
    def total(self) -> int:
        """How many conversations are saved."""
        return len(self._all)

    @property
    def names(self) -> Sequence[str]:
        """All that is searched, the latest first: names, and ids of live copies."""
        pairs = ((item.name, item.copy) for item in in_order(self._all, Order.USED))
        return [name for pair in pairs for name in dict.fromkeys(pair) if name]

    @property
    def hits(self) -> int:
        """How many lines were found."""
        return sum(map(len, self._found.values()))

    def take(self, saved: Iterable[SavedName]) -> None:
        """Take what is saved now."""
        self._all, self.loaded = list(saved), True
        self._gather()

    def sort(self) -> None:
        """Go on to the next order."""
        orders = list(Order)
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]
        self._gather()

    def look_for(self, said: str) -> bool:
        """Look for other words; False when they are the same. What is listed stays until something is found."""
        words = words_of(said)
        if words == self.words:
            return False
        self.words, self.searching, self._fresh = words, bool(words), True
        if not words:
            self._found.clear()
            self._gather()
        return True

    def found(self, lines: Iterable[FoundLine]) -> None:
        """Take lines that were found for the words."""
        self._begin()
        names = {item.copy: item.name for item in self._all if item.copy}
        for line in lines:
            self._found.setdefault(names.get(line.name, line.name), []).append(line)
        self._gather()

    def ended(self) -> None:
        """Take note that all was searched."""
        self._begin()
        self.searching = False
        self._gather()

    def _begin(self) -> None:
        if self._fresh:
            self._found.clear()
            self._fresh = False

    def _gather(self) -> None:
        wanted = [item for item in self._all if not self.words or item.name in self._found or self._named(item)]
        self.lines = in_order(wanted, self.order)

    def _named(self, item: SavedName) -> bool:
        """Whether all the words are in what the list itself says of a conversation."""
        text = f"{item.name} {item.head.directory or ''} {item.head.model or ''} {item.first}".casefold()
        return all(word in text for word in self.words)

    def at(self, line: int) -> SavedName | None:
        """Return a line."""
        return self.lines[line] if 0 <= line < len(self.lines) else None

    def line_of(self, name: str | None) -> int | None:
        """Find a conversation's line."""
        return next((place for place, item in enumerate(self.lines) if item.name == name), None)

    def found_in(self, name: str) -> Sequence[FoundLine]:
        """Return the lines found in a conversation, in the order in which they were said."""
        return sorted(self._found.get(name, ()), key=lambda line: (line.entry, line.line))
