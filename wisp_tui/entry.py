"""The console scripts: ``wisp``, the command line, and ``wisp-tui``, the full-screen app.

The one module that knows every face. It hands the app and the MCP server to the command line as functions, so that no
face imports another, and Textual and the MCP SDK are imported only once they are used.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from wisp_tui.cli.faults import UsageFault
from wisp_tui.cli.main import Faces, run
from wisp_tui.cli.main import wisp as commands

if TYPE_CHECKING:
    from wisp_tui.cli.main import Begin, OverHttp


def open_app(begin: Begin) -> int:
    """Open the full-screen app, which opens the session behind its first frame; returns its exit code."""
    from wisp_tui.app.main import run_app

    return run_app(begin, os.environ)


def serve_mcp(model: str | None, over: OverHttp | None) -> int:
    """Serve MCP, over the standard streams until the client is done, or over HTTP; returns the exit code."""
    if over is None:
        from wisp_tui.mcp.main import serve

        return serve(os.environ, model)
    from wisp_tui.mcp.http import serve_http
    from wisp_tui.mcp.listening import PORT, CannotListen, Where
    from wisp_tui.mcp.token import CannotKeep

    try:
        return serve_http(os.environ, model, Where(PORT if over.port is None else over.port, over.ipv6))
    except (CannotListen, CannotKeep) as error:
        raise UsageFault(str(error)) from error


def wisp() -> int:
    """Run ``wisp``; returns the exit code."""
    return run(commands, sys.argv[1:], "wisp", Faces(open_app, serve_mcp))


def wisp_tui() -> int:
    """Run ``wisp-tui``: ``wisp chat`` under its own name. Returns the exit code."""
    from wisp_tui.cli.chat import command

    return run(command, sys.argv[1:], "wisp-tui", Faces(open_app, serve_mcp))


if __name__ == "__main__":
    sys.exit(wisp())
