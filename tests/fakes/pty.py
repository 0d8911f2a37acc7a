"""A command on a terminal of its own, for what only a person at one may do."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

WISP = [sys.executable, "-c", "import sys; from wisp_tui.entry import wisp; sys.exit(wisp())"]


def at_a_terminal(*arguments: str, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """Run ``wisp`` with a terminal of its own; return its exit code and what it showed."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*WISP, *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**os.environ, **(environment or {})},
        start_new_session=True,
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            data = os.read(leader, 4096)
        except OSError:  # the terminal's other end is closed
            break
        if not data:
            break
        shown += data
    os.close(leader)
    return process.wait(30), shown.decode()
