"""What every ``--help`` has in common: its width, and its examples and exit codes after the options."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 100
"""Columns that a page takes at most."""
HELP = {"help_option_names": ["-h", "--help"], "max_content_width": WIDTH}

Rows = Sequence[tuple[str, str]]
"""A section's entries: what is named, and what is said of it."""

DONE = ("0", "done")
REFUSED = ("64", "what was asked for cannot be done as asked; the message says why")
UNAVAILABLE = ("69", "the model cannot be used, or cannot do what was asked of it")
STOPPED = ("130", "Ctrl-C; 143 for SIGTERM, 129 for SIGHUP")


def page(*examples: tuple[str, str], codes: Rows = (DONE, REFUSED), **more: Rows) -> str:
    """Write the end of a page: examples, more sections by their titles, exit codes. As click keeps it, unwrapped."""
    sections = (("Examples", examples), *more.items(), ("Exit codes", codes))
    return "\n\n".join(_section(title, rows) for title, rows in sections if rows)


def _section(title: str, rows: Rows) -> str:
    width = max(len(name) for name, _ in rows)
    return "\n".join(
        ("\b", f"{title.replace('_', ' ')}:", *(f"  {name:{width}}  {said}".rstrip() for name, said in rows))
    )
