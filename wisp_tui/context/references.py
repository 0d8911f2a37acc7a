"""The reference that stands for a tool's output after its turn (spec "Tool output as a reference after its turn")."""

from __future__ import annotations

from wisp_tui.context.record import Entry

LIMIT = 640
"""Bytes a reference may have at most."""


def reference_for(entry: Entry, arguments: str, *, memory: bool) -> str | None:
    """Build an output's reference, None when the output is no longer than it and so is always sent whole."""
    return None
