"""``wisp chat --list``: the saved conversations, aligned on a terminal, tabs when piped."""

from __future__ import annotations

import os
import sys

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import tell
from wisp_tui.config import Home
from wisp_tui.text.sizes import count


def show_saved() -> int:
    """Print the saved conversations, the latest first; those that cannot be resumed say so. Raises HomeError."""
    from wisp_tui.session.saving import Shelf

    home = Home.find(os.environ)
    home.prepare()
    saved = Shelf(home).list()
    if not saved:
        tell("no conversation is saved yet; /save NAME in one saves it")
        return Exit.DONE
    rows = [
        (item.name, f"{item.saved:%Y-%m-%d %H:%M}", count(item.turns, "turn"), item.first if item.resumable else _OLD)
        for item in saved
    ]
    aligned = sys.stdout.isatty()
    widths = [max(len(row[place]) for row in rows) for place in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)] if aligned else list(row[:3])
        sys.stdout.write(("  " if aligned else "\t").join([*cells, row[3]]) + "\n")
    return Exit.DONE


_OLD = "(saved by an older wisp: it cannot be resumed)"
