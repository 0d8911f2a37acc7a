"""A window that is closed takes its terminal away: the app ends all the same, and its log is whole."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wisp_tui.audit import read_events
from wisp_tui.events import Kind

APP = [sys.executable, "-c", "import sys; from wisp_tui.entry import wisp_tui; sys.exit(wisp_tui())"]


@pytest.mark.skipif(shutil.which("setsid") is None, reason="setsid gives a process a terminal of its own")
def test_the_app_ends_when_its_terminal_goes_away(tmp_path: Path, wisp_home: Path) -> None:
    script = tmp_path / "talk.jsonl"
    script.write_text('{"reply": "Hello."}\n')
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        ["setsid", "--ctty", *APP, "-m", f"replay:{script}"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(follower)
    shown = b""
    while b"this is a replay" not in shown:
        shown += os.read(leader, 65_536)
    os.close(leader)
    try:
        process.wait(30)
    finally:
        process.kill()
    assert [event.kind for event in read_events(wisp_home / "logs")][-1] == Kind.SESSION_END
