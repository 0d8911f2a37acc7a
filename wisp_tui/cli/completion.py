"""``wisp completion``: the script with which a shell completes ``wisp`` and ``wisp-tui``."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import UsageFault
from wisp_tui.cli.pages import HELP, page

SHELLS = ("bash", "zsh", "fish")
PROGRAMS = ("wisp", "wisp-tui")


@click.command(
    "completion",
    context_settings=HELP,
    epilog=page(
        ('eval "$(wisp completion bash)"', "in ~/.bashrc"),
        ('eval "$(wisp completion zsh)"', "in ~/.zshrc"),
        ("wisp completion fish | source", "in ~/.config/fish/config.fish"),
    ),
)
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def command(*, shell: str | None) -> int:
    """Print the script that completes wisp in a shell.

    For the SHELL named, else the one of $SHELL. It completes commands, options, and the names of settings, models,
    tools, saved conversations, facts that wait and approvals.
    """
    wanted = shell or Path(os.environ.get("SHELL", "")).name
    if wanted not in SHELLS:
        raise UsageFault(f"there is no script for {wanted or 'no shell'}; name one of {', '.join(SHELLS)}")
    for program in PROGRAMS:
        click.echo(script(wanted, program))
    return Exit.DONE


def script(shell: str, program: str) -> str:
    """Write the script for one program. It asks the program itself what there is."""
    from wisp_tui.cli.chat import command as chat
    from wisp_tui.cli.main import wisp

    completer = get_completion_class(shell)
    if completer is None:
        raise UsageFault(f"there is no script for {shell}")
    variable = f"_{program}_COMPLETE".replace("-", "_").upper()
    source = completer(wisp if program == PROGRAMS[0] else chat, {}, program, variable)
    return source.source_template % source.source_vars()
