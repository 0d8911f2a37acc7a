"""``wisp mcp``: the same conversations for another program, over the Model Context Protocol (docs/mcp.md)."""

from __future__ import annotations

import click

from wisp_tui.cli.completing import models_of
from wisp_tui.cli.faults import UsageFault
from wisp_tui.cli.main import Faces, OverHttp
from wisp_tui.cli.pages import HELP, page


@click.command(
    "mcp",
    context_settings=HELP,
    epilog=page(
        ("wisp mcp -m ollama:granite4.1:8b", "what a client's configuration starts"),
        ("wisp mcp --http", "several clients of this machine at once, until Ctrl-C"),
    ),
)
@click.option(
    "-m",
    "--model",
    metavar="MODEL",
    help="The model of threads that name none, RUNTIME:NAME.",
    shell_complete=models_of,
)
@click.option("--http", is_flag=True, help="Serve over HTTP, at 127.0.0.1 alone, to whoever has the token.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="PORT",
    help="Where, with --http: 9477 unless named; 0 picks one that is free.",
)
@click.option("--ipv6", is_flag=True, help="With --http: at ::1 too.")
@click.pass_obj
def command(faces: Faces, *, model: str | None, http: bool, port: int | None, ipv6: bool) -> int:
    """Serve conversations to other programs.

    Over the Model Context Protocol (docs/mcp.md), on standard input and output until the client is done, or with --http
    to several clients at once.
    """
    if not http and (port is not None or ipv6):
        raise UsageFault("--port and --ipv6 say where --http serves; add --http")
    return faces.serve_mcp(model, OverHttp(port, ipv6) if http else None)
