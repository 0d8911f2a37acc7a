"""``wisp models``: what models there are; getting the small one, turning one off, trying what one can do."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.completing import models_of
from wisp_tui.cli.faults import UsageFault
from wisp_tui.cli.pages import DONE, HELP, REFUSED, STOPPED, UNAVAILABLE, page
from wisp_tui.cli.tables import on_terminal, print_json, print_rows

if TYPE_CHECKING:
    from wisp_tui.models.catalogue import Listed
    from wisp_tui.text.json import JsonObject


@click.group(
    "models",
    invoke_without_command=True,
    context_settings=HELP,
    epilog=page(
        ("wisp models", "what there is"),
        ("wisp models --json | jq '.[] | select(.usable).name'", ""),
        ("wisp models pull smollm2", "get a small model that runs anywhere"),
        ("wisp models check ollama:granite4.1:8b", "try what it can do"),
    ),
)
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
    from wisp_tui.models.listing import HEADINGS, shown

    home = Home.find(os.environ)
    found = asyncio.run(list_models(home, load_settings(home.config), os.environ))
    if as_json:
        print_json([described(listed) for listed in found])
    elif on_terminal():
        print_rows([HEADINGS, *map(shown, found)])
    else:
        print_rows(map(fields, found))
    return Exit.DONE


@command.command(
    "pull",
    context_settings=HELP,
    epilog=page(
        ("wisp models pull smollm2", "a small model that runs anywhere"),
        ("wisp models pull OWNER/REPO", "what models.hub has: its file, or which there are"),
        ("wisp models pull OWNER/REPO:Q4_K_M", "one of them, by its name or its end"),
        ("wisp models pull https://HUB/OWNER/REPO", "of another hub"),
        codes=(DONE, ("1", "the answer was no, or it could not be fetched"), REFUSED, STOPPED),
    ),
)
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def pull(name: str, yes: bool) -> int:
    """Fetch the model NAME into wisp's home, after asking.

    NAME is `smollm2`, or any GGUF file of a hub of models: OWNER/REPO, OWNER/REPO:FILE, or an address. The hub is the
    setting models.hub, else HF_ENDPOINT; its token is HF_TOKEN. What was cut off goes on where it ended.
    """
    from wisp_tui.cli.pulling import pull_model

    return pull_model(name, os.environ, yes=yes)


@command.command(
    "check",
    context_settings=HELP,
    epilog=page(codes=(DONE, ("1", "a trial failed"), REFUSED, UNAVAILABLE, STOPPED)),
)
@click.argument("name", required=False, shell_complete=models_of)
@click.option(
    "--seconds", type=click.FloatRange(min=1), default=120.0, show_default=True, help="How long each trial may take."
)
@click.option("--json", "as_json", is_flag=True, help="Write a JSON object.")
def check(name: str | None, seconds: float, as_json: bool) -> int:
    """Try whether the model NAME does what its runtime says.

    It is asked for a reply, a call of a tool, and a reply that holds a schema, each within a time.

    Without NAME it is the one that a new conversation would begin with. What the runtime says it cannot do is skipped.
    What came of it is recorded in the audit log: `wisp logs model.checked`.
    """
    from wisp_tui.cli.checking import check_model

    return check_model(name, seconds, as_json=as_json)


@command.command("disable", context_settings=HELP, epilog=page())
@click.argument("name", shell_complete=models_of)
def disable(name: str) -> int:
    """Never use the model NAME, or a whole runtime such as `ollama`.

    `auto` passes over it, and by name it is refused. It is the setting models.disabled.
    """
    return _switch(name, off=True)


@command.command("enable", context_settings=HELP, epilog=page())
@click.argument("name", shell_complete=models_of)
def enable(name: str) -> int:
    """Use the model or runtime NAME again that was disabled."""
    return _switch(name, off=False)


def _switch(name: str, *, off: bool) -> int:
    """Add a name to ``models.disabled``, or take it out."""
    from wisp_tui.cli.changing import change_setting
    from wisp_tui.config import Home
    from wisp_tui.config.editing import usable
    from wisp_tui.config.settings import read_config
    from wisp_tui.models.choose import RUNTIMES
    from wisp_tui.text.json import dump

    if name.partition(":")[0] not in RUNTIMES:
        raise UsageFault(f"{name!r} names no runtime there is, nor a model of one: {', '.join(RUNTIMES)}")
    before = usable(read_config(Home.find(os.environ).config)).models.disabled
    if (name in before) == off:
        raise UsageFault(f"{name} is {'disabled already' if off else 'not disabled'}")
    after = [*before, name] if off else [item for item in before if item != name]
    return change_setting("models.disabled", [dump(after).decode()])


def described(listed: Listed) -> JsonObject:
    """Write a model for ``--json``. Sizes are in bytes, windows in tokens; null is unknown."""
    from wisp_tui.models.listing import capabilities

    return {
        "name": listed.name,
        "runtime": listed.runtime,
        "size": listed.size,
        "window": listed.window,
        "windowSource": listed.window_source,
        "capabilities": capabilities(listed),
        "usable": listed.usable,
        "fault": listed.fault,
        "remedy": listed.remedy or None,
        "remark": listed.remark,
    }


def fields(listed: Listed) -> tuple[str, ...]:
    """Write a model for a script: name, runtime, bytes, window, how it is known, capabilities, why it is of no use."""
    from wisp_tui.models.listing import capabilities

    return (
        listed.name,
        listed.runtime,
        "" if listed.size is None else str(listed.size),
        "" if listed.window is None else str(listed.window),
        listed.window_source,
        ",".join(capabilities(listed) or ()),
        listed.fault or "",
    )
