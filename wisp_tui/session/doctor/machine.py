"""The checks of the machine: what this runs on, the sandbox, the terminal, the clipboard."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wisp_tui import __version__
from wisp_tui.config import Home, Settings
from wisp_tui.sandbox import Found, find_sandbox, reach_of
from wisp_tui.session.clipboard import clipboard_command
from wisp_tui.session.doctor.checks import Check, State

LEAST_COLUMNS, LEAST_LINES = 40, 12
"""The smallest terminal in which everything can be reached."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What is known of the terminal; ``columns`` and ``lines`` are None where there is none."""

    columns: int | None = None
    lines: int | None = None
    encoding: str = "utf-8"
    widths: Mapping[str, int] | None = None
    """How many cells it draws samples in, where that was measured."""

    @classmethod
    def of(cls, file: int = 1) -> Screen:
        """Look at the terminal behind a file."""
        stdout = sys.__stdout__  # the app has put its own in the place of sys.stdout
        encoding = (stdout.encoding if stdout is not None else "") or "unknown"
        try:
            size = os.get_terminal_size(file)
        except OSError:
            return cls(encoding=encoding)
        return cls(size.columns, size.lines, encoding)


def version_check() -> Check:
    """Say what runs, and on what."""
    embedded = importlib.util.find_spec("xllamacpp") is not None
    python = platform.python_version()
    said = f"wisp {__version__}, Python {python}, {platform.system()} {platform.machine()}"
    lines = () if embedded else ("the embedded runtime is not installed: `pip install 'wisp-tui[embedded]'`",)
    details = {"version": __version__, "python": python, "platform": sys.platform, "embedded": embedded}
    return Check("version", State.OK, said, lines=lines, details=details)


async def sandbox_check(home: Home, settings: Settings, environment: Mapping[str, str], directory: Path) -> Check:
    """Check that commands run within walls here, by running one."""
    found = await find_sandbox(enabled=settings.sandbox.enabled, environment=environment)
    return walls_check(found, reach_of(directory, settings.sandbox, home.root, environment).wide, settings)


def walls_check(found: Found, wide: str | None, settings: Settings) -> Check:
    """Say how commands are kept within walls; ``wide`` is why the walls keep out little, None where they do not."""
    details = {"sandbox": found.sandbox.name, "contains": found.sandbox.contains, "network": settings.sandbox.network}
    if not found.sandbox.contains:
        remedy = {"linux": "install bubblewrap (bwrap)"}.get(sys.platform, "")
        remedy = remedy if settings.sandbox.enabled else "`wisp config unset sandbox.enabled`"
        said = f"{found.why}; everything above safe asks"
        return Check("sandbox", State.WARNING, said, remedy, details=details)
    if wide is not None:
        return Check(
            "sandbox", State.WARNING, f"{found.why}; {wide}", "start wisp in a directory below", details=details
        )
    network = "with the network" if settings.sandbox.network else "without the network"
    return Check("sandbox", State.OK, f"{found.why}, {network}", details=details)


def terminal_check(environment: Mapping[str, str], screen: Screen) -> Check:
    """Check that the app can be shown here."""
    term = environment.get("TERM", "")
    details = {"term": term, "columns": screen.columns, "lines": screen.lines, "encoding": screen.encoding}
    if screen.columns is None or screen.lines is None:
        said = "standard output is no terminal: the app cannot open here; `wisp respond` and `wisp chat --json` can"
        return Check("terminal", State.NOTE, said, details=details)
    size = f"{screen.columns}×{screen.lines}"
    if term in {"", "dumb"}:
        said = f"this terminal cannot show the app: TERM is {term or 'not set'}"
        return Check("terminal", State.WARNING, said, "set TERM to what the terminal is", details=details)
    if screen.encoding.lower().replace("-", "") != "utf8":
        said = f"text is written as {screen.encoding}: signs and other scripts are not shown as they are"
        return Check("terminal", State.WARNING, said, "set LANG to a UTF-8 locale, such as C.UTF-8", details=details)
    if screen.columns < LEAST_COLUMNS or screen.lines < LEAST_LINES:
        said = f"{size} is less than {LEAST_COLUMNS}×{LEAST_LINES}: not everything can be shown"
        return Check("terminal", State.WARNING, said, "make the terminal larger", details=details)
    return Check("terminal", State.OK, f"{term}, {size}, {_colours(environment)}", details=details)


def _colours(environment: Mapping[str, str]) -> str:
    if environment.get("NO_COLOR"):
        return "without colours (NO_COLOR)"
    if environment.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return "all colours"
    return "256 colours" if "256" in environment.get("TERM", "") else "the terminal's own colours"


def clipboard_check(environment: Mapping[str, str]) -> Check:
    """Say how the app copies here."""
    command = clipboard_command(environment)
    if command is not None:
        return Check("clipboard", State.OK, f"copies with {command[0]}", details={"program": command[0]})
    said = "copies through the terminal (OSC 52), which not every one takes: no program for the clipboard was found"
    remedy = "" if sys.platform == "darwin" else "install wl-clipboard or xclip, where there is a desktop"
    return Check("clipboard", State.NOTE, said, remedy, details={"program": None})
