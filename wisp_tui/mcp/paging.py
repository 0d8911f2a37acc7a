"""Pages: 50 rows or 16 KiB, whichever comes first, and at least a row; text in pages of 16 KiB, whole lines first.

What is paged is read once and only the page that is asked for is held, however long the rest is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

ROWS = 50
BYTES = 16 * 1024
_Row = TypeVar("_Row")


class NoSuchPage(Exception):
    """A page past the last was asked for."""

    def __init__(self, asked: int, pages: int) -> None:
        super().__init__(f"there is no page {asked}: the last is {pages}")


@dataclass(frozen=True, slots=True)
class Page(Generic[_Row]):
    """A page of rows. ``total`` counts the rows of all pages."""

    rows: tuple[_Row, ...]
    number: int
    pages: int
    total: int

    @property
    def next(self) -> int | None:
        """The number of the page after it; None for the last."""
        return self.number + 1 if self.number < self.pages else None


def page_of(rows: Iterable[_Row], number: int, size: Callable[[_Row], int]) -> Page[_Row]:
    """Take a page of rows, each of so many bytes. Raises NoSuchPage."""
    wanted: list[_Row] = []
    pages, on_page, used, total = 1, 0, 0, 0
    for row in rows:
        needed = size(row)
        if on_page and (on_page == ROWS or used + needed > BYTES):
            pages, on_page, used = pages + 1, 0, 0
        if pages == number:
            wanted.append(row)
        on_page, used, total = on_page + 1, used + needed, total + 1
    if number > pages:
        raise NoSuchPage(number, pages)
    return Page(tuple(wanted), number, pages, total)


def text_page(lines: Iterable[str], number: int) -> Page[str]:
    """Take a page of a text that comes line by line, without their ends. Raises NoSuchPage. ``total`` is in bytes.

    The pages joined are the text, byte for byte.
    """
    wanted: list[str] = []
    pages, used, total = 1, 0, 0
    for piece in _pieces(lines):
        needed = len(piece.encode("utf-8", "replace"))
        if used and used + needed > BYTES:
            pages, used = pages + 1, 0
        if pages == number:
            wanted.append(piece)
        used, total = used + needed, total + needed
    if number > pages:
        raise NoSuchPage(number, pages)
    return Page(tuple(wanted), number, pages, total)


def _pieces(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines with their ends, one longer than a page in pieces that fit one."""
    first = True
    for line in lines:
        whole = line if first else f"\n{line}"
        first = False
        if len(whole) * 4 <= BYTES or len(whole.encode("utf-8", "replace")) <= BYTES:
            yield whole
        else:
            yield from _cut(whole)


def _cut(line: str) -> Iterator[str]:
    data, start = line.encode("utf-8", "replace"), 0
    while start < len(data):
        piece = data[start : start + BYTES].decode("utf-8", "ignore")
        yield piece
        start += len(piece.encode())
