"""The console scripts: ``wisp``, the command line, and ``wisp-tui``, the full-screen app.

The one module that knows every face. It hands the app to the command line as a function, so that neither imports the
other, and Textual is imported only once the app opens.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from wisp_tui.cli.main import run
from wisp_tui.cli.main import wisp as commands

if TYPE_CHECKING:
    from wisp_tui.cli.main import Begin


def open_app(begin: Begin) -> int:
    """Open the full-screen app, which opens the session behind its first frame; returns its exit code."""
    from wisp_tui.app.main import run_app

    return run_app(begin, os.environ)


def wisp() -> int:
    """Run ``wisp``; returns the exit code."""
    return run(commands, sys.argv[1:], "wisp", open_app)


def wisp_tui() -> int:
    """Run ``wisp-tui``: ``wisp chat`` under its own name. Returns the exit code."""
    from wisp_tui.cli.chat import command

    return run(command, sys.argv[1:], "wisp-tui", open_app)


if __name__ == "__main__":
    sys.exit(wisp())
