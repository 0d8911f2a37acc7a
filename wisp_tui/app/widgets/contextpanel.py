"""The context panel: what the next request carries, entry by entry, by layer."""

from __future__ import annotations

from itertools import groupby

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from wisp_tui.app.gauge import layer_role
from wisp_tui.app.rows import BLANK, Role, Row, Span, Wrap
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.context.composer import Composition, Form, Part
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import shorten

WIDTH = 44
_MARKS = {Form.CUT: "✂ cut", Form.REFERENCE: "↩ reference"}


class ContextPanel(VerticalScroll):
    """Beside the conversation on a wide screen, over it on a narrow one."""

    can_focus = False

    def compose(self) -> ComposeResult:
        """Draw rows."""
        yield RowView()

    def show(self, conversation: Conversation) -> None:
        """Draw what the next request would carry now."""
        rows = context_rows(conversation.next_context(), conversation.window)
        self.query_one(RowView).replace(rows)


def context_rows(composition: Composition, window: int | None) -> list[Row]:
    """Draw a composition: a heading for each layer with its size, a row for each part."""
    of = f" of {window:,}" if window else ""
    rows = [_row("next request", f"{composition.tokens:,}{of}", Role.STRONG, Role.MUTED), BLANK]
    for layer, parts in groupby(composition.parts, key=lambda part: part.layer):
        held = list(parts)
        total = sum(part.tokens for part in held)
        rows.append(_row(layer.value, f"{total:,}", layer_role(layer.value), Role.MUTED))
        rows += [_part(part) for part in held]
    return rows


def _part(part: Part) -> Row:
    ident = f"{part.entry:>4} " if part.entry is not None else "     "
    mark = f" {_MARKS[part.form]}" if part.form in _MARKS else ""
    about = "" if part.form is Form.BLOCK else f" {clean_line(part.text)}"
    return _row(shorten(f"{ident}{part.kind}{mark}{about}", WIDTH - 14), f"{part.tokens:,}", None, Role.FAINT)


def _row(left: str, right: str, role: Role | None, right_role: Role) -> Row:
    width = WIDTH - 5  # less the edge, the padding and the scrollbar
    text = f"{left}{' ' * max(width - len(left) - len(right), 1)}{right}"
    start = len(text) - len(right)
    spans = [Span(start, len(text), right_role)]
    if role is not None:
        spans.append(Span(0, len(left), role))
    return Row(text, tuple(spans), wrap=Wrap.CLIP)
