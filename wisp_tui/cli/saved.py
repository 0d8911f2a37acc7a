"""``wisp chat --list``: the saved conversations, aligned on a terminal, tabs when piped."""

from __future__ import annotations

import os

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import tell
from wisp_tui.cli.tables import print_rows
from wisp_tui.config import Home
from wisp_tui.text.sizes import count


def show_saved() -> int:
    """Print the saved conversations, the latest first; those that cannot be resumed say so. Raises HomeError."""
    from wisp_tui.session.saved.listing import OLDER
    from wisp_tui.session.saving import Shelf

    home = Home.find(os.environ)
    home.prepare()
    saved = Shelf(home).list()
    if not saved:
        tell("no conversation is saved yet; /save NAME in one saves it")
        return Exit.DONE
    print_rows(
        (item.name, f"{item.saved:%Y-%m-%d %H:%M}", count(item.turns, "turn"), item.first if item.resumable else OLDER)
        for item in saved
    )
    return Exit.DONE
