"""``wisp chat --list``: the conversations that can be gone on with, aligned on a terminal, tabs when piped."""

from __future__ import annotations

import os

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import tell
from wisp_tui.cli.tables import print_rows
from wisp_tui.config import Home
from wisp_tui.text.sizes import count


def show_saved() -> int:
    """Print what is saved and what was cut short, the latest first; what cannot be resumed says so.

    Raises HomeError.
    """
    from wisp_tui.session.saved.listing import OLDER
    from wisp_tui.session.saved.saying import CUT_SHORT
    from wisp_tui.session.saving import Shelf

    home = Home.find(os.environ)
    home.prepare()
    saved = Shelf(home).offered()
    if not saved:
        tell("no conversation is saved yet; /save NAME in one saves it")
        return Exit.DONE
    print_rows(
        (
            item.name,
            f"{item.saved:%Y-%m-%d %H:%M}",
            count(item.turns, "turn"),
            f"{CUT_SHORT} · {item.first}" if item.cut_short else item.first if item.resumable else OLDER,
        )
        for item in saved
    )
    return Exit.DONE
