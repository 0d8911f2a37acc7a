"""A line of the panel as it is drawn: pieces at its left and at its right end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from wisp_tui.app.rows import Piece


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line. What does not fit is cut from the left part's end; the right part is drawn whole."""

    left: tuple[Piece, ...] = ()
    right: tuple[Piece, ...] = ()

    @property
    def text(self) -> str:
        """What it says, its two ends apart by a space."""
        ends = ("".join(piece.text for piece in end) for end in (self.left, self.right))
        return " ".join(end for end in ends if end)


def cells(pieces: Sequence[Piece]) -> int:
    """Say how wide pieces are."""
    return sum(cell_len(piece.text) for piece in pieces)


def cut(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Cut pieces to a width in cells, the last cell an ellipsis when anything was cut."""
    kept: list[Piece] = []
    room = width
    for piece in pieces:
        size = cell_len(piece.text)
        if size > room:
            if room > 0:
                kept.append(Piece(set_cell_size(piece.text, room - 1).rstrip() + "…", piece.role))
            return kept
        kept.append(piece)
        room -= size
    return kept


def laid_out(drawn: Drawn, width: int) -> list[Piece]:
    """Give the pieces of a line of exactly ``width`` cells, where it has room for its right part at all."""
    right = list(drawn.right) if cells(drawn.right) < width else []
    left = cut(drawn.left, max(width - cells(right) - (1 if right else 0), 0))
    return [*left, Piece(" " * max(width - cells(left) - cells(right), 0)), *right]


def padded(text: str, width: int) -> str:
    """Cut or fill a text to a width in cells, an ellipsis at its end where it was cut."""
    if cell_len(text) <= width:
        return text + " " * (width - cell_len(text))
    return set_cell_size(set_cell_size(text, max(width - 1, 0)).rstrip() + "…", width)
