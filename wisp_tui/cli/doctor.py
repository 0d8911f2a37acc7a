"""``wisp doctor``: whether wisp can work here, and what to do where it cannot."""

from __future__ import annotations

import asyncio
import os
import shutil
import textwrap
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import UsageFault
from wisp_tui.cli.pages import HELP, page
from wisp_tui.cli.tables import on_terminal, print_json

if TYPE_CHECKING:
    from wisp_tui.session.doctor import Check

INDENT = 21
"""Columns before what a line says: the state and the name."""


@click.command("doctor", context_settings=HELP, epilog=page(codes=(("0", "nothing is a fault"), ("1", "something is"))))
@click.option("--json", "as_json", is_flag=True, help="Write a JSON object.")
def command(*, as_json: bool) -> int:
    """Look whether wisp can work here, and what to do.

    Looks at the home and who may read it, the settings, the audit log, the stored outputs and what the next start
    removes of them, the models with their windows and how those are known, the sandbox, the terminal and how wide it
    draws signs, the clipboard. It changes nothing. Each line is `ok`, a `note`, a `warning` or a `fault`.
    """
    from wisp_tui import __version__
    from wisp_tui.config import Home
    from wisp_tui.session.doctor import State, examine
    from wisp_tui.session.doctor.machine import Screen
    from wisp_tui.session.doctor.widths import measure

    try:
        directory = Path.cwd()
    except FileNotFoundError as error:
        raise UsageFault("the working directory is gone; change to one that is there") from error
    now = datetime.now().astimezone()
    widths = measure() if os.environ.get("TERM", "") not in {"", "dumb"} else None
    screen = replace(Screen.of(), widths=widths)
    checks = asyncio.run(examine(Home.find(os.environ), os.environ, directory, screen, now))
    well = all(check.state is not State.FAULT for check in checks)
    if as_json:
        print_json({"version": __version__, "ok": well, "checks": [check.fields for check in checks]})
    else:
        for check in checks:
            _print(check)
    return Exit.DONE if well else Exit.FAILED


def _print(check: Check) -> None:
    from wisp_tui.text.clean import clean_line

    _line(f"{check.state.value:7}  {check.name:10}  ", clean_line(check.said))
    for line in (*check.lines, *([f"→ {check.remedy}"] if check.remedy else [])):
        _line(" " * INDENT, clean_line(line))


def _line(before: str, said: str) -> None:
    """Print a line, its words kept together and under each other on a terminal, whole in a pipe."""
    if not on_terminal():
        click.echo(before + said)
        return
    width = max(shutil.get_terminal_size().columns, 2 * INDENT)
    for line in textwrap.wrap(said, width - INDENT, break_long_words=False, break_on_hyphens=False) or [""]:
        click.echo(before + line)
        before = " " * INDENT
