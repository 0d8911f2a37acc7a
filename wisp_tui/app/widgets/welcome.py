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
        super().__init__(welcome_rows(()), id="welcome")

    def tell(self, notes: Sequence[str]) -> None:
        """Show what there is to say of the model, below."""
        self.replace(welcome_rows(notes))


def welcome_rows(notes: Sequence[str]) -> list[Row]:
    """Draw the empty state; ``notes`` are about the model."""
    title = "wisp"
    rows = [
        Row(f"{title}  a local model, and everything it sees", (Span(0, len(title), Role.ACCENT),), Role.MUTED),
        BLANK,
        Row("Things to try", role=Role.FAINT),
    ]
    width = max(len(text) for text, _ in _TRIES)
    for text, what in _TRIES:
        line = f"{text:{width}}   {what}"
        rows.append(Row(line, (Span(width, len(line), Role.FAINT),), None, "❯ ", "  " + " " * (width + 3), Role.ACCENT))
    if notes:
        rows.append(BLANK)
        rows += [Row(note, role=Role.MUTED, prefix="· ", hang="  ", prefix_role=Role.FAINT) for note in notes]
    return rows
