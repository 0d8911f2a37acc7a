"""The gauge: the model's window as one bar, a stretch a layer, with marks at the target and the budget.

Each layer has a glyph of its own, so that the bar reads the same where there are no colours. Values only.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from wisp_tui.app.rows import Piece, Role
from wisp_tui.context.view import Gauge, Segment

AMBER = 0.8
"""Share of the window above which a fill is shown as a warning."""

_LOOKS: dict[str, tuple[str, Role]] = {
    "instructions": ("█", Role.LAYER_INSTRUCTIONS),
    "tools": ("▌", Role.LAYER_TOOLS),
    "earlier": ("▓", Role.LAYER_EARLIER),
    "literal": ("▒", Role.LAYER_LITERAL),
    "now": ("░", Role.LAYER_NOW),
    "request": ("▚", Role.LAYER_REQUEST),
    "headroom": ("╌", Role.MUTED),
    "free": ("·", Role.FAINT),
}
FREE, TARGET, BUDGET = "·", "┊", "│"


def layer_role(layer: str) -> Role:
    """Give a layer's colour."""
    return _LOOKS[layer][1] if layer in _LOOKS else Role.MUTED


def layer_glyph(layer: str) -> str:
    """Give a layer's glyph."""
    return _LOOKS[layer][0] if layer in _LOOKS else " "


def fullness(used: int, window: int, budget: float) -> Role:
    """Say how a fill is to be taken: as it should be, nearly full, or past the budget (a share of the window)."""
    share = used / window if window else 0.0
    if share > budget:
        return Role.ERROR
    return Role.WARNING if share > AMBER else Role.MUTED


def gauge_bar(gauge: Gauge | None, cells: int) -> list[Piece]:
    """Draw the window in ``cells`` cells; empty for a window nobody knows.

    A layer that holds anything has at least one cell, so that each is seen. A mark that the fill has passed is drawn
    over it, the budget's as an error.
    """
    if gauge is None or cells <= 0:
        return [Piece(FREE * max(cells, 0), Role.FAINT)]
    drawn = [_LOOKS[name] for name, width in _widths(gauge.segments, cells) for _ in range(width)]
    filled = sum(segment.share for segment in gauge.segments if segment.name not in {"headroom", "free"})
    for share, glyph, passed in ((gauge.target, TARGET, Role.STRONG), (gauge.budget, BUDGET, Role.ERROR)):
        drawn[mark_place(share, cells)] = glyph, passed if filled > share else Role.MUTED
    return [Piece("".join(glyph for glyph, _ in run), role) for role, run in groupby(drawn, key=lambda cell: cell[1])]


def mark_place(share: float, cells: int) -> int:
    """Say in which cell of a bar a mark stands."""
    return min(max(int(share * cells), 0), cells - 1)


def _widths(segments: Sequence[Segment], cells: int) -> list[tuple[str, int]]:
    """Give each segment its cells, ``cells`` in all: its share rounded, and all but what is free at least one."""
    widths = [max(int(segment.share * cells), 0 if segment.name == "free" else 1) for segment in segments]
    by_remainder = sorted(range(len(segments)), key=lambda place: -(segments[place].share * cells % 1))
    for place in by_remainder:
        if sum(widths) < cells and segments[place].share * cells >= 1:
            widths[place] += 1
    while (surplus := sum(widths) - cells) > 0:
        widest = max(range(len(widths)), key=lambda place: (widths[place], place))
        widths[widest] -= min(surplus, max(widths[widest] // 2, 1))
    if widths:
        widths[-1] += cells - sum(widths)
    return [(segment.name, width) for segment, width in zip(segments, widths, strict=True)]
