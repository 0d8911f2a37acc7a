"""The panel's list of condensations, and the chart above it: how full each turn left the window."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from wisp_tui.app.gauge import fullness
from wisp_tui.app.panel.drawn import Drawn, padded
from wisp_tui.app.rows import Piece, Role
from wisp_tui.session.condensations import Condensation
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.sizes import count

MARK = "◂"
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_BUDGET = "╌"
ROOMY = 44
"""Cells from which a line says what the condensation wrote."""
_WIDEST = 3
"""Cells a turn's bar takes at most, the gap after it included."""


def draw_condensation(condensation: Condensation, width: int) -> Drawn:
    """Draw a condensation's line."""
    left = [
        Piece(f"{condensation.turn:>4} ", Role.MUTED),
        Piece(f"{MARK} ", Role.ACCENT),
        Piece(padded(condensation.what, 9) + " "),
        Piece(f"{condensation.before:>6,} → {condensation.fill:,}", Role.MUTED),
    ]
    if condensation.reason == "overflow":
        left.append(Piece("  overflow", Role.WARNING))
    if condensation.floor:
        left.append(Piece("  floor", Role.WARNING))
    if not condensation.over:
        return Drawn((*left, Piece("  …", Role.ACCENT)))
    right = written(condensation) if width >= ROOMY else ""
    return Drawn(tuple(left), (Piece(right, Role.FAINT),) if right else ())


def written(condensation: Condensation) -> str:
    """Say what a condensation wrote: ``5 facts, summary``."""
    facts = [count(len(condensation.facts), "fact")] if condensation.facts else []
    return ", ".join([*facts, *(["summary"] if condensation.summary is not None else [])])


@dataclass(frozen=True, slots=True)
class Chart:
    """How full each turn left the window: tokens by turn, the turns that condensed, the budget as a share."""

    fills: Mapping[TurnNumber, int]
    condensed: Collection[TurnNumber]
    window: int | None
    budget: float

    @property
    def whole(self) -> int:
        """The tokens that the chart is high."""
        return max(self.window or 0, *self.fills.values(), 1)


def fill_chart(chart: Chart, width: int, height: int) -> list[Drawn]:
    """Chart the latest turns in ``height`` rows, a bar a turn, with a line at the budget and marks below.

    Empty before there was a turn.
    """
    if not chart.fills or width <= 0:
        return []
    cells = max(min(_WIDEST, width // len(chart.fills)), 1)
    shown = sorted(chart.fills)[-(width // cells) :]
    marks = "".join((MARK if turn in chart.condensed else " ").ljust(cells) for turn in shown)
    first, last = f"turn {shown[0]}", f"{shown[-1]}"
    gap = max(len(shown) * cells - len(first) - len(last), 1)
    return [
        *(_row(chart, shown, level, height, cells) for level in range(height - 1, -1, -1)),
        Drawn((Piece(marks.rstrip(), Role.ACCENT),)),
        Drawn((Piece(first + " " * gap + last if len(shown) > 1 else first, Role.FAINT),)),
    ]


def _row(chart: Chart, shown: Sequence[TurnNumber], level: int, height: int, cells: int) -> Drawn:
    """Draw one row of the chart; ``level`` counts from the lowest."""
    budget = int((chart.window or 0) * chart.budget / chart.whole * height) if chart.window and height > 1 else -1
    empty = (_BUDGET if level == budget else " ", Role.FAINT)
    drawn: list[tuple[str, Role]] = []
    for turn in shown:
        high = max(round(chart.fills[turn] / chart.whole * height * 8), 1)
        eighths = max(min(high - level * 8, 8), 0)
        role = fullness(chart.fills[turn], chart.window or 0, chart.budget)
        bar = (_EIGHTHS[eighths], Role.LAYER_LITERAL if role is Role.MUTED else role) if eighths else empty
        drawn += [bar] * max(cells - 1, 1) + [empty] * (cells > 1)
    return Drawn(
        tuple(Piece("".join(glyph for glyph, _ in run), role) for role, run in groupby(drawn, key=lambda cell: cell[1]))
    )
