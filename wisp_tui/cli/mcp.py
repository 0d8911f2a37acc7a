"""``wisp mcp``: the same conversations for another program, over the Model Context Protocol (docs/mcp.md)."""

from __future__ import annotations

import click

from wisp_tui.cli.main import Faces


@click.command("mcp", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-m", "--model", metavar="MODEL", help="The model of threads that name none, RUNTIME:NAME.")
@click.pass_obj
def command(faces: Faces, *, model: str | None) -> int:
    """Serve MCP on standard input and output, until the client is done."""
    return faces.serve_mcp(model)
