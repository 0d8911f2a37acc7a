"""The exit codes of every command (docs/cli.md, "Exit codes")."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """How a command ended. One that a signal ended exits with 128 and the signal's number, as a shell reports it."""

    DONE = 0
    FAILED = 1
    """The turn failed, or its reply could not be delivered."""
    USAGE = 64
    """The command line, the home, the configuration or the terminal does not allow it."""
    UNAVAILABLE = 69
    """The model, or a capability that was asked of it, is not to be had."""
    INTERRUPTED = 130
    """Ctrl-C."""
