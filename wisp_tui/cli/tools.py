"""``wisp tools``: the tools a model can be given, as a list, as JSON or as a Markdown page."""

from __future__ import annotations

import os

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import UsageFault
from wisp_tui.cli.pages import HELP, page
from wisp_tui.cli.tables import print_json, print_rows


@click.command(
    "tools",
    context_settings=HELP,
    epilog=page(
        ("wisp tools --markdown > tools.md", ""), ("wisp config set tools.disabled run_command", "turn one off")
    ),
)
@click.option("--json", "as_json", is_flag=True, help="Write a JSON array.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Write a Markdown page.")
def command(*, as_json: bool, as_markdown: bool) -> int:
    """List the tools a model can be given.

    Those that come with wisp, and your own. Each with what a call may do (it reads, it asks you, or neither) and what
    it is for.
    """
    from wisp_tui.config import Home, load_settings
    from wisp_tui.tools.listing import described, how, markdown
    from wisp_tui.tools.registry import available

    if as_json and as_markdown:
        raise UsageFault("--json and --markdown exclude each other")
    home = Home.find(os.environ)
    settings = load_settings(home.config)
    tools, disabled = available(settings, home), settings.tools.disabled
    if as_json:
        print_json([described(tool.spec, disabled=name in disabled) for name, tool in tools.items()])
    elif as_markdown:
        click.echo(markdown(tools, disabled))
    else:
        print_rows(
            (name, "disabled" if name in disabled else how(tool.spec), tool.spec.clause) for name, tool in tools.items()
        )
    return Exit.DONE
