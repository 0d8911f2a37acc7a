"""Copying to the system's clipboard: by its own programs, and whether that is known to have worked."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping

SECONDS = 2.0


def clipboard_command(environment: Mapping[str, str], platform: str = sys.platform) -> tuple[str, ...] | None:
    """Say which program takes the clipboard's content on its standard input; None when there is none."""
    wanted: list[tuple[str, ...]] = []
    if platform == "darwin":
        wanted.append(("pbcopy",))
    if environment.get("WAYLAND_DISPLAY"):
        wanted.append(("wl-copy",))
    if environment.get("DISPLAY"):
        wanted += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    path = environment.get("PATH")
    return next((command for command in wanted if shutil.which(command[0], path=path)), None)


def copied(text: str, environment: Mapping[str, str]) -> bool:
    """Copy text with the system's program; say whether that program said it worked. Blocks for up to two seconds."""
    command = clipboard_command(environment)
    if command is None:
        return False
    try:
        done = subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            env=dict(environment),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
