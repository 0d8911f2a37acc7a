"""docs/keys.md, written from the registry of actions: ``python -m wisp_tui.app.keydoc > docs/keys.md``."""

from __future__ import annotations

import sys

from wisp_tui.app.actions import Place, actions_of, key_name

HEAD = """\
# Keys

This page is made from the registry that binds the keys (`python -m wisp_tui.app.keydoc > docs/keys.md`); a test
compares the two. F1 shows the same list in the app.

A terminal, tmux or an editor around it may keep a key for itself. What has a slash command can be had without its key,
and `ctrl-p` finds what has neither. Alt-enter arrives as enter in tmux and shift-enter only from terminals that speak
the kitty protocol; ctrl-j is a new line everywhere.
"""


def keys_page() -> str:
    """Write the page."""
    parts = [HEAD]
    for place in Place:
        rows = [
            f"| {', '.join(f'`{key_name(key)}`' for key in action.keys)} | {action.help} "
            f"| {f'`{action.slash}`' if action.slash else ''} |"
            for action in actions_of(place)
        ]
        if rows:
            parts.append("\n".join([f"## {place.value}\n", "| key | does | command |", "|---|---|---|", *rows]) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(keys_page())
