"""Whether the terminal is still there: a closed window takes it away under a running app."""

from __future__ import annotations

import errno
import termios


def terminal_is_gone(file: int = 0) -> bool:
    """Say whether a file was a terminal that has gone away; a file that never was one is none that could go."""
    try:
        termios.tcgetattr(file)
    except termios.error as error:
        return bool(error.args) and error.args[0] == errno.EIO
    return False
