"""The queued messages, above the prompt; nothing while none waits."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.app.rows import Role, Row, Span, Wrap
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.app.words import queue_line

SHOWN = 4


class QueueView(RowView):
    """Shows what waits to be sent."""

    def show(self, texts: Sequence[str], *, held: bool) -> None:
        """Draw these messages, the last ones when there are many."""
        self.display = bool(texts)
        rows = [Row(f"{len(texts) - SHOWN} more", role=Role.FAINT, prefix="  ")] if len(texts) > SHOWN else []
        rows += [
            Row(queue_line(text, 100), (), Role.MUTED, "┆ ", "┆ ", Role.FAINT, Wrap.CLIP) for text in texts[-SHOWN:]
        ]
        if texts:
            word = "held" if held else "queued"
            hint = "  up takes the last back" + (", enter in an empty prompt sends" if held else "")
            last = rows.pop()
            text = f"{last.text}  {word}{hint}"
            spans = (Span(len(last.text), len(text), Role.FAINT),)
            rows.append(Row(text, spans, last.role, last.prefix, last.hang, last.prefix_role, last.wrap))
        self.replace(rows)
