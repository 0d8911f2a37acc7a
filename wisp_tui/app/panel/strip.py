"""The strip above the prompt while the context is condensed: why, how far it is, what was done, what is being done."""

from __future__ import annotations

from wisp_tui.app.gauge import TARGET, mark_place
from wisp_tui.app.panel.drawn import Drawn
from wisp_tui.app.rows import Piece, Role
from wisp_tui.session.condensations import Condensation
from wisp_tui.text.sizes import count, human_seconds

_HELD, _FALLEN, _FREE = "▒", "░", "·"


def strip_lines(condensation: Condensation, distilling: float, width: int, *, short: bool = False) -> list[Drawn]:
    """Draw the strip; ``distilling`` is the seconds that the running model call has taken. ``short``: one line only."""
    fallen = condensation.fill != condensation.before
    moved = f"{condensation.before:,} → {condensation.fill:,}" if fallen else f"{condensation.before:,} tokens"
    head = Piece("condensed" if condensation.over else "condensing", Role.STRONG)
    if short:
        doing = _doing(condensation, distilling)
        return [Drawn((Piece("◂ ", Role.ACCENT), head, Piece(f" {moved} ", Role.MUTED), *doing))]
    why = Piece(f" · {condensation.why}", Role.MUTED)
    goal = f"goal {condensation.goal:,} of {condensation.window:,}"
    numbers = (Piece(moved, Role.FAINT if condensation.over else None),)
    room = max(width - len(moved) - 3, 1)
    return [
        Drawn((Piece("◂ ", Role.ACCENT), head, why), (Piece(f"{TARGET} ", Role.STRONG), Piece(goal, Role.FAINT))),
        Drawn(tuple(falling_bar(condensation, room)), numbers),
        Drawn(tuple(_trail(condensation, distilling))),
    ]


def falling_bar(condensation: Condensation, cells: int) -> list[Piece]:
    """Draw the fill, what has gone of it, and the goal, on the window's scale."""
    whole = max(condensation.window, condensation.before, 1)
    held = round(condensation.fill / whole * cells)
    gone = max(round(condensation.before / whole * cells), held)
    drawn = _HELD * held + _FALLEN * (gone - held) + _FREE * (cells - gone)
    place = mark_place(condensation.goal / whole, cells)
    roles = [Role.LAYER_LITERAL] * held + [Role.FAINT] * (cells - held)
    pieces = [Piece(glyph, role) for glyph, role in zip(drawn, roles, strict=True)]
    pieces[place] = Piece(TARGET, Role.STRONG)
    return pieces


def _trail(condensation: Condensation, distilling: float) -> list[Piece]:
    pieces: list[Piece] = []
    for step in condensation.steps:
        took = f" {human_seconds(step.seconds)}" if step.seconds >= 0.1 else ""
        pieces += [Piece("✓ ", Role.GOOD), Piece(step.words, Role.MUTED), Piece(f"{took}   ", Role.FAINT)]
    return [*pieces, *_doing(condensation, distilling)]


def _doing(condensation: Condensation, distilling: float) -> list[Piece]:
    if condensation.distilling:
        what = f"distilling {count(condensation.distilling, 'turn')}"
        return [Piece("∙ ", Role.ACCENT), Piece(what), Piece(f" · {human_seconds(distilling)}", Role.MUTED)]
    if condensation.over:
        return [] if condensation.steps else [Piece("there is nothing more to condense", Role.WARNING)]
    return [] if condensation.steps else [Piece("∙ ", Role.ACCENT), Piece("measuring", Role.MUTED)]
