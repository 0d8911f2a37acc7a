"""What an empty conversation shows: what this is, and three things to try."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.app.rows import BLANK, Role, Row, Span
from wisp_tui.app.widgets.rowview import RowView

_TRIES = (
    ("what is in this folder, and what is it for?", "the model reads files and, if you allow it, runs commands"),
    ("/tokens", "how much of the model's window the next request takes"),
    ("/help", "every command; F1 lists the keys"),
)


class Welcome(RowView):
    """The empty state."""

    def __init__(self) -> None:
        super().__init__(id="welcome")
        self._told: Sequence[Row] = ()
        self._left = False

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

    def rewrapped(self) -> None:
        """Write for the new width."""
        self._rows = welcome_rows(self._told, self.wrapped_for)


def welcome_rows(told: Sequence[Row], width: int) -> list[Row]:
    """Draw the empty state for a width; ``told`` is mostly about the model."""
    title = "wisp"
    rows = [
        Row(f"{title}  a local model, and everything it sees", (Span(0, len(title), Role.HEADING),), Role.MUTED),
        BLANK,
        Row("Things to try", role=Role.FAINT),
    ]
    column = max(len(text) for text, _ in _TRIES) + 3
    beside = width >= column + 2 + max(len(what) for _, what in _TRIES)
    for text, what in _TRIES:
        line = f"{text:{column}}{what}" if beside else text
        rows.append(Row(line, (Span(column, len(line), Role.FAINT),), None, "❯ ", "  ", Role.ACCENT))
        if not beside:
            rows.append(Row(what, role=Role.FAINT, prefix="  ", hang="  "))
    if told:
        rows.append(BLANK)
        rows += told
    return rows
