"""A line of one row with pieces at its left and right ends, in the roles that rows have."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from wisp_tui.app.rows import Piece
from wisp_tui.app.widgets.looks import Looks


class Bar(Widget):
    """One row. What does not fit is cut from the right end of the left part; the right part gives way first."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._looks = Looks(self)
        self._left: Sequence[Piece] = ()
        self._right: Sequence[Piece] = ()

    def show(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """Draw these."""
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.refresh()

    @property
    def text(self) -> str:
        """What is shown, its two ends apart by a space."""
        ends = ("".join(piece.text for piece in end) for end in (self._left, self._right))
        return " ".join(end for end in ends if end)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Take one row."""
        return 1

    def render_line(self, y: int) -> Strip:
        """Draw the row."""
        width = self.size.width
        if y:
            return Strip.blank(width, self._looks.of())
        left, right = cut(self._left, width), self._right
        used = sum(cell_len(piece.text) for piece in left)
        if used + 2 + sum(cell_len(piece.text) for piece in right) > width:
            right = ()
        gap = width - used - sum(cell_len(piece.text) for piece in right)
        pieces = [*left, Piece(" " * gap), *right]
        return Strip([Segment(piece.text, self._looks.of(piece.role)) for piece in pieces if piece.text], width)

    def notify_style_update(self) -> None:
        """Forget styles: the theme or a class has changed."""
        self._looks.forget()
        super().notify_style_update()


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
