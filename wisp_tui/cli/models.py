"""``wisp models``: what models there are, and ``wisp models pull``: getting the small one."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.tables import on_terminal, print_rows

if TYPE_CHECKING:
    from wisp_tui.models.catalogue import Listed
    from wisp_tui.text.json import JsonObject

HEADINGS = ("NAME", "RUNTIME", "SIZE", "WINDOW", "CAN", "")


@click.group("models", invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--json", "as_json", is_flag=True, help="Write a JSON array.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> int:
    """List the models there are.

    Each with its runtime, size, window and how that is known, what it can do, and why it cannot be used if it cannot.
    Columns are aligned on a terminal and parted by tabs in a pipe.
    """
    if context.invoked_subcommand is not None:
        return Exit.DONE
    from wisp_tui.config import Home, load_settings
    from wisp_tui.models.catalogue import list_models
    from wisp_tui.text.json import dump

    home = Home.find(os.environ)
    found = asyncio.run(list_models(home, load_settings(home.config), os.environ))
    if as_json:
        click.echo(dump([described(listed) for listed in found]))
    elif on_terminal():
        print_rows([HEADINGS, *map(shown, found)])
    else:
        print_rows(map(fields, found))
    return Exit.DONE


@command.command("pull", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def pull(name: str, yes: bool) -> int:
    """Fetch the model NAME into wisp's home, after asking. What was cut off goes on where it ended."""
    from wisp_tui.cli.pulling import pull_model

    return pull_model(name, os.environ, yes=yes)


def described(listed: Listed) -> JsonObject:
    """Write a model for ``--json``. Sizes are in bytes, windows in tokens; null is unknown."""
    return {
        "name": listed.name,
        "runtime": listed.runtime,
        "size": listed.size,
        "window": listed.window,
        "windowSource": listed.window_source,
        "capabilities": _capabilities(listed),
        "usable": listed.usable,
        "fault": listed.fault,
        "remedy": listed.remedy or None,
        "remark": listed.remark,
    }


def fields(listed: Listed) -> tuple[str, ...]:
    """Write a model for a script: name, runtime, bytes, window, how it is known, capabilities, why it is of no use."""
    return (
        listed.name,
        listed.runtime,
        "" if listed.size is None else str(listed.size),
        "" if listed.window is None else str(listed.window),
        listed.window_source,
        ",".join(_capabilities(listed) or ()),
        listed.fault or "",
    )


def shown(listed: Listed) -> tuple[str, ...]:
    """Write a model for a person: the columns of ``HEADINGS``, the last one why it cannot be used and what to do."""
    from wisp_tui.text.sizes import human_bytes

    window = "" if listed.window is None else f"{listed.window:,}"
    source = f"({listed.window_source})" if window and listed.window_source else listed.window_source
    remedy = f"; {listed.remedy}" if listed.fault and listed.remedy else ""
    return (
        listed.name,
        listed.runtime,
        "" if listed.size is None else human_bytes(listed.size),
        f"{window} {source}",
        ", ".join(_capabilities(listed) or ()),
        f"{listed.fault}{remedy}" if listed.fault else listed.remark or "",
    )


def _capabilities(listed: Listed) -> list[str] | None:
    return None if listed.capabilities is None else sorted(capability.value for capability in listed.capabilities)
