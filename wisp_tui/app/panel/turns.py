"""The panel's list of turns: when each was, what its request took of the window, what changed in it, its prompt."""

from __future__ import annotations

from wisp_tui.app.gauge import Piece, fullness
from wisp_tui.app.panel.drawn import Drawn, padded
from wisp_tui.app.rows import Role, drawable
from wisp_tui.context.view import TurnRow

_BAR = 8
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_CHANGES = {
    "condensed": ("−", Role.ERROR),
    "cut": ("✂", Role.WARNING),
    "referenced": ("↩", Role.ACCENT),
    "summarised": ("Σ", Role.LAYER_EARLIER),
}
WORDY = 72
"""Cells from which what changed is said in words."""


def draw_turn(row: TurnRow, width: int, window: int | None, budget: float) -> Drawn:
    """Draw a turn's line. ``budget`` is a share of the window."""
    time = f"{row.time:%H:%M:%S}" if row.time is not None else ""
    left = [Piece(f"{row.turn:>4} ", Role.MUTED)]
    if width >= 60:
        left.append(Piece(padded(time, 8) + "  ", Role.FAINT))
    left.append(Piece(f"{row.tokens:>7,} "))
    if window and width >= 36:
        left.append(Piece(share_bar(row.tokens / window, _BAR) + "  ", _bar_role(row.tokens, window, budget)))
    return Drawn((*left, Piece(drawable(row.prompt), Role.MUTED)), tuple(_changed(row, words=width >= WORDY)))


def draw_next(tokens: int, width: int, window: int | None, budget: float) -> Drawn:
    """Draw the line of the next request, which stands after the last turn."""
    left = [Piece("next ", Role.STRONG)]
    if width >= 60:
        left.append(Piece(" " * 10))
    left.append(Piece(f"{tokens:>7,} "))
    if window and width >= 36:
        left.append(Piece(share_bar(tokens / window, _BAR) + "  ", _bar_role(tokens, window, budget)))
    return Drawn((*left, Piece("the next request", Role.MUTED)))


def share_bar(share: float, cells: int) -> str:
    """Draw a share as a bar of eighths of a cell, filled up to ``cells``; something is never drawn as nothing."""
    eighths = max(min(round(share * cells * 8), cells * 8), 1 if share > 0 else 0)
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(cells)


def _bar_role(tokens: int, window: int, budget: float) -> Role:
    role = fullness(tokens, window, budget)
    return Role.LAYER_LITERAL if role is Role.MUTED else role


def _changed(row: TurnRow, *, words: bool) -> list[Piece]:
    pieces: list[Piece] = []
    for said in row.changed:
        word, _, amount = said.partition(" ")
        glyph, role = _CHANGES.get(word, (word, Role.MUTED))
        pieces.append(Piece(f"  {said}" if words else f" {glyph}{amount}", role))
    return pieces
