"""What was cut short, offered above the prompt: enter goes on with it, esc leaves it where it is."""

from __future__ import annotations

from datetime import datetime

from wisp_tui.app.rows import Role, Row, Wrap
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.session.offering import DISCARD, Offer, called
from wisp_tui.text.sizes import count


class OfferView(RowView):
    """Offers the latest conversation that was cut short."""

    def __init__(self, offer: Offer, now: datetime) -> None:
        super().__init__(offer_rows(offer, now), classes="offer")
        self.ident = offer.cut_short[0].ident


def offer_rows(offer: Offer, now: datetime) -> list[Row]:
    """Draw an offer: which conversation, and what can be done."""
    first, *others = offer.cut_short
    rows = [
        Row(called(first, now), (), Role.STRONG, "↺ ", "  ", Role.WARNING),
        Row(first.first, (), Role.MUTED, "  ❯ ", "    ", Role.FAINT, Wrap.ANYWHERE),
    ]
    if others:
        rows.append(Row(f"{count(len(others), 'other was', 'others were')} too: /sessions", (), Role.MUTED, "  ", "  "))
    keys = f"enter goes on with it · esc keeps it in /sessions · {DISCARD} removes it"
    return [*rows, Row(keys, (), Role.FAINT, "  ", "  ")]
