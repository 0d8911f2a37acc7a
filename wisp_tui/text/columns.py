"""Rows as columns, aligned for a person's eyes; and lines broken before a terminal breaks them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write rows of one length with their columns aligned, two spaces between them. Wide characters count two cells."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def broken(text: str, width: int, hang: str = "  ") -> Iterator[str]:
    """Break text into lines that fit a terminal's columns; what goes on below begins with ``hang``.

    A terminal would go on at its first column, where a text chosen for its width could pose as a line of another kind.
    What is not ASCII is taken to be as wide as it may be: two columns.
    """
    for line in text.split("\n"):
        rest, indent = line, ""
        while (end := _fitting(rest, max(width - len(indent), 2))) < len(rest):
            yield indent + rest[:end]
            rest, indent = rest[end:], hang
        yield indent + rest


def _fitting(text: str, width: int) -> int:
    """Return how many characters of a text fit; at least one, where there is one."""
    if len(text) <= width and text.isascii():
        return len(text)
    for place, char in enumerate(text[: width + 1]):
        width -= 1 if char.isascii() else 2
        if width < 0:
            return max(place, 1)
    return len(text)
