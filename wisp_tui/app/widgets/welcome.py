"""What an empty conversation shows: what this is, and three things to try."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.app.rows import BLANK, Role, Row, Span
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.text.tries import TRIES


class Welcome(RowView):
    """The empty state."""

    def __init__(self) -> None:
        super().__init__(id="welcome")
        self._told: Sequence[Row] = ()
        self._found: Sequence[Row] = ()
        self._known: Sequence[str] = ()
        self._left = False

    @property
    def left(self) -> bool:
        """Whether the conversation has begun."""
        return self._left

    def leave(self) -> bool:
        """Go away, for good; say whether it was there until now."""
        was_there, self._left = not self._left, True
        if was_there:
            self.remove()
        return was_there

    def tell(self, rows: Sequence[Row]) -> None:
        """Show what was said so far, below."""
        self._told = rows
        self.rewrapped()
        self.replace(self._rows)

    def greet(self, found: Sequence[Row], known: Sequence[str]) -> None:
        """Show what was found, at a first start; what was said so far and contains one of ``known`` is in it."""
        self._found, self._known = found, known
        self.tell(self._told)

    def rewrapped(self) -> None:
        """Write for the new width."""
        told = [row for row in self._told if not any(clause in row.text for clause in self._known)]
        self._rows = welcome_rows(told, self.wrapped_for, self._found)


def welcome_rows(told: Sequence[Row], width: int, found: Sequence[Row] = ()) -> list[Row]:
    """Draw the empty state for a width; ``told`` is mostly about the model, ``found`` what a first start found."""
    title = "wisp"
    rows = [
        Row(f"{title}  a local model, and everything it sees", (Span(0, len(title), Role.HEADING),), Role.MUTED),
        BLANK,
        *([*found, BLANK] if found else []),
        Row("Things to try", role=Role.FAINT),
    ]
    column = max(len(text) for text, _ in TRIES) + 3
    beside = width >= column + 2 + max(len(what) for _, what in TRIES)
    for text, what in TRIES:
        line = f"{text:{column}}{what}" if beside else text
        rows.append(Row(line, (Span(column, len(line), Role.FAINT),), None, "❯ ", "  ", Role.ACCENT))
        if not beside and not found:
            rows.append(Row(what, role=Role.FAINT, prefix="  ", hang="  "))
    if told:
        rows.append(BLANK)
        rows += told
    return rows
