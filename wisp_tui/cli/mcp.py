"""``wisp mcp``: the same conversations for another program, over the Model Context Protocol (docs/mcp.md)."""

from __future__ import annotations

import click

from wisp_tui.cli.completing import models_of
from wisp_tui.cli.main import Faces
from wisp_tui.cli.pages import HELP, page


@click.command(
    "mcp",
    context_settings=HELP,
    epilog=page(("wisp mcp -m ollama:granite4.1:8b", "what a client's configuration starts")),
)
@click.option(
    "-m",
    "--model",
    metavar="MODEL",
    help="The model of threads that name none, RUNTIME:NAME.",
    shell_complete=models_of,
)
@click.pass_obj
def command(faces: Faces, *, model: str | None) -> int:
    """Serve conversations to other programs.

    Over the Model Context Protocol on standard input and output, until the client is done (docs/mcp.md).
    """
    return faces.serve_mcp(model)
