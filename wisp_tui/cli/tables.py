"""Lists as a command prints them: columns aligned on a terminal, parted by tabs in a pipe."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from wisp_tui.text.json import Json

_CONTROLS = re.compile("[\x7f-\x9f]")
"""The controls that JSON lets stand as they are."""


def on_terminal() -> bool:
    """Say whether standard output is a person's screen."""
    return os.isatty(1)


def print_rows(rows: Iterable[Sequence[str]]) -> None:
    """Print rows on standard output, each cell cleaned to one line that nothing reorders; ones of one length each."""
    from wisp_tui.text.clean import clean_line, drawable
    from wisp_tui.text.columns import aligned

    cleaned = [tuple(clean_line(drawable(cell)) for cell in row) for row in rows]
    for line in aligned(cleaned) if on_terminal() else map("\t".join, cleaned):
        click.echo(line)


def print_line(line: str) -> None:
    """Print a line on standard output, clean and with nothing that reorders it."""
    from wisp_tui.text.clean import clean_line, drawable

    click.echo(clean_line(drawable(line)))


def print_broken(lines: Iterable[str]) -> None:
    """Print lines on standard output; on a terminal broken before it does, what goes on indented further.

    No row of the screen that is somebody else's text begins where a line does.
    """
    from wisp_tui.text.columns import broken

    width = shutil.get_terminal_size().columns - 1
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
        for row in broken(line, width, indent) if on_terminal() else (line,):
            click.echo(row)


def print_json(value: Json) -> None:
    """Print a value on standard output as one line of JSON, every control character of it escaped."""
    from wisp_tui.text.json import dump

    click.echo(escaped(dump(value).decode()))


def escaped(written: str) -> str:
    """Escape the control characters that JSON lets stand as they are: the same JSON, safe on a terminal."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", written)
