"""The gauge at its largest: the bar, where its marks are, and what each stretch of it takes."""

from __future__ import annotations

from rich.cells import cell_len

from wisp_tui.app.gauge import BUDGET, TARGET, Piece, gauge_bar, layer_glyph, layer_role, mark_place
from wisp_tui.app.panel.drawn import Drawn
from wisp_tui.app.rows import Role
from wisp_tui.context.view import Gauge

ENTRY = 21
"""Cells that an entry of the legend takes at least."""
GAP = 3


def gauge_lines(gauge: Gauge | None, width: int, *, legend: bool = True) -> list[Drawn]:
    """Draw the gauge in ``width`` cells: the bar alone, or with its marks named and its legend."""
    bar = Drawn(tuple(gauge_bar(gauge, width)))
    if gauge is None or not legend or width < ENTRY:
        return [bar]
    return [bar, _marks(gauge, width), *_legend(gauge, width)]


def _marks(gauge: Gauge, width: int) -> Drawn:
    """Name the marks below the bar, each at the left of where it stands, in as many words as there is room for."""
    pieces: list[Piece] = []
    used = 0
    for name, share, glyph in (("target", gauge.target, TARGET), ("budget", gauge.budget, BUDGET)):
        end = mark_place(share, width)
        tokens = _tokens(gauge, share)
        said = next((words for words in (f"{name} {tokens} ", f"{tokens} ", "") if used + cell_len(words) <= end), None)
        if said is not None:
            pieces += [Piece(" " * (end - used - cell_len(said))), Piece(said + glyph, Role.FAINT)]
            used = end + 1
    return Drawn(tuple(pieces))


def _tokens(gauge: Gauge, share: float) -> str:
    return f"{round(share * max(gauge.window, gauge.used)):,}"


def _legend(gauge: Gauge, width: int) -> list[Drawn]:
    columns = max(min((width + GAP) // (ENTRY + GAP), 4), 1)
    entry = (width + GAP) // columns - GAP
    lines: list[Drawn] = []
    for start in range(0, len(gauge.segments), columns):
        pieces: list[Piece] = []
        for segment in gauge.segments[start : start + columns]:
            number = f"{segment.tokens:,}"
            name = segment.name.ljust(max(entry - 2 - len(number), 0))
            gap = [Piece(" " * GAP)] if pieces else []
            pieces += [*gap, Piece(f"{layer_glyph(segment.name)} ", layer_role(segment.name))]
            pieces += [Piece(name, Role.MUTED), Piece(number)]
        lines.append(Drawn(tuple(pieces)))
    return lines
