"""The list of completions, above the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.app.rows import Role, Row, Span, Wrap
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.session.commands import commands

SHOWN = 7


class CompletionList(RowView):
    """Shows candidates, the chosen one marked; nothing while there are none."""

    def show(self, candidates: Sequence[str], chosen: int, *, above: int) -> None:
        """Draw candidates over the conversation, ``above`` rows from the bottom of the screen."""
        self.display = bool(candidates)
        if not candidates:
            return
        self.styles.margin = (0, 2, above, 2)
        start = min(max(chosen - SHOWN // 2, 0), max(len(candidates) - SHOWN, 0))
        shown = candidates[start : start + SHOWN]
        width = max(len(candidate) for candidate in shown)
        known = commands()
        rows = [
            _row(candidate, known[candidate].help if candidate in known else "", width, chosen=start + place == chosen)
            for place, candidate in enumerate(shown)
        ]
        if len(candidates) > len(shown):
            rows.append(Row(f"{len(candidates) - len(shown)} more", role=Role.FAINT, prefix="  "))
        self.replace(rows)


def _row(candidate: str, what: str, width: int, *, chosen: bool) -> Row:
    text = f"{candidate:{width}}  {what}".rstrip()
    spans = (Span(0, len(candidate), Role.ACCENT if chosen else Role.TOOL), Span(width, len(text), Role.MUTED))
    return Row(text, spans, None, "❯ " if chosen else "  ", "  ", Role.ACCENT, Wrap.CLIP)
