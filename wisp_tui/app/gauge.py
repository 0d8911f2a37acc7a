"""The gauge: the model's window as one bar, a stretch a layer, with marks at the target and the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wisp_tui.app.rows import Role

_LAYERS: dict[str, tuple[str, Role]] = {
    "instructions": ("█", Role.LAYER_INSTRUCTIONS),
    "tools": ("█", Role.LAYER_TOOLS),
    "earlier": ("▓", Role.LAYER_EARLIER),
    "literal": ("▒", Role.LAYER_LITERAL),
    "now": ("░", Role.LAYER_NOW),
    "request": ("░", Role.LAYER_REQUEST),
}
FREE, TARGET, BUDGET = "·", "┊", "│"


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of one role."""

    text: str
    role: Role | None = None


def layer_role(layer: str) -> Role:
    """Give a layer's colour."""
    return _LAYERS[layer][1] if layer in _LAYERS else Role.MUTED


def gauge(
    layers: Sequence[tuple[str, int]], window: int | None, cells: int, *, target: float, budget: float
) -> list[Piece]:
    """Draw the window in ``cells`` cells; sizes are tokens, the marks shares of the window.

    A layer that holds anything has at least one cell, so that each is seen; what is over the window fills the bar.
    Without a window the bar is empty.
    """
    if not window or cells <= 0:
        return [Piece(FREE * max(cells, 0), Role.FAINT)]
    drawn: list[Piece] = []
    for layer, width in _shares([(name, size) for name, size in layers if size > 0 and name in _LAYERS], window, cells):
        glyph, role = _LAYERS[layer]
        drawn.append(Piece(glyph * width, role))
    used = sum(len(piece.text) for piece in drawn)
    rest = list(FREE * (cells - used))
    for share, mark in ((target, TARGET), (budget, BUDGET)):
        place = min(int(share * cells), cells - 1) - used
        if 0 <= place < len(rest):
            rest[place] = mark
    if rest:
        drawn.append(Piece("".join(rest), Role.FAINT))
    return drawn


def _shares(layers: Sequence[tuple[str, int]], window: int, cells: int) -> list[tuple[str, int]]:
    """Give each layer its cells: its share rounded down, at least one, the largest remainders filling the total."""
    total = sum(size for _, size in layers)
    scale = cells / max(window, total)
    widths = {name: max(int(size * scale), 1) for name, size in layers}
    wanted = min(max(round(total * scale), len(layers)), cells)
    by_remainder = sorted(layers, key=lambda layer: layer[1] * scale - int(layer[1] * scale), reverse=True)
    for name, size in by_remainder:
        if sum(widths.values()) < wanted and size * scale >= 1:
            widths[name] += 1
    while sum(widths.values()) > cells and any(width > 1 for width in widths.values()):
        widths[max(widths, key=lambda name: widths[name])] -= 1
    return [(name, widths[name]) for name, _ in layers][:cells]
