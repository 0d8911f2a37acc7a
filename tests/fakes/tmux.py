"""A program on a real terminal: a pane of a tmux server of its own, typed into and read as a person would."""

from __future__ import annotations

import os
import secrets
import select
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.config.home import Home

PATIENCE = 60.0
"""Seconds that the screen has to show what is waited for."""
_SETTINGS = """\
set -g remain-on-exit on
set -g default-terminal tmux-256color
set -g status off
set -sg escape-time 0
"""


@dataclass(frozen=True, slots=True)
class Terminal:
    """One pane. ``news`` is written to by tmux whenever the pane's program prints something."""

    socket: str
    news: int

    def tmux(self, *arguments: str) -> str:
        """Run a tmux command on this server, and give what it prints."""
        done = subprocess.run(
            ["tmux", "-L", self.socket, *arguments], capture_output=True, text=True, check=True, timeout=PATIENCE
        )
        return done.stdout

    def screen(self, *, colours: bool = False) -> str:
        """What is on the screen; with ``colours`` as SGR sequences in it."""
        return self.tmux("capture-pane", "-p", *(["-e"] if colours else []))

    def press(self, *keys: str) -> None:
        """Press keys by their tmux names."""
        self.tmux("send-keys", *keys)

    def write(self, text: str) -> None:
        """Write a text."""
        self.tmux("send-keys", "-l", text)

    def resize(self, width: int, height: int) -> None:
        """Change the terminal's size."""
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def until(self, shown: str | Callable[[str], bool]) -> str:
        """Wait until a text is on the screen, or what it shows is as wanted; give the screen."""
        deadline = time.monotonic() + PATIENCE
        while True:
            screen = self.screen()
            if shown in screen if isinstance(shown, str) else shown(screen):
                return screen
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"not shown within {PATIENCE:.0f} s: {shown}\n{screen}")
            if select.select([self.news], [], [], min(left, 1.0))[0] and not os.read(self.news, 65_536):
                raise AssertionError(f"the terminal is gone; it showed\n{screen}")

    def ended(self) -> int:
        """Wait until the program has ended; give its exit code, or less than 0 the signal that ended it."""
        self.until(lambda _: self._end() != "")
        return int(self._end())

    def _end(self) -> str:
        """How the program ended; empty while it runs, and until its status is known, a moment after."""
        how = "#{pane_dead} #{pid} #{?pane_dead_signal,-#{pane_dead_signal},#{pane_dead_status}}"
        dead, server, *status = self.tmux("display-message", "-p", how).split()
        if dead == "1" and not status:
            os.kill(int(server), signal.SIGCHLD)  # it now and then misses the one it was sent, and looks no more
        return status[0] if status and dead == "1" else ""


@contextmanager
def terminal(
    command: Sequence[str],
    *,
    width: int,
    height: int,
    directory: Path,
    environment: Mapping[str, str],
    welcomed: bool = True,
) -> Generator[Terminal]:
    """Run a program in a terminal of this size; at the end the server ends, and the program with it.

    Its home is one that was started in before, unless it is not ``welcomed``.
    """
    if welcomed and "WISP_HOME" in environment:
        home = Home(Path(environment["WISP_HOME"]))
        home.prepare()
        home.welcomed.touch(0o600)
    socket = f"pager-{os.getpid()}-{secrets.token_hex(4)}"
    settings = directory.parent / "tmux.conf"
    settings.write_text(_SETTINGS)
    base = ["tmux", "-L", socket, "-f", str(settings)]
    place = ["new-session", "-d", "-x", str(width), "-y", str(height), "-c", str(directory)]
    subprocess.run([*base, *place, *command], env=dict(environment), check=True, timeout=PATIENCE)
    control = subprocess.Popen(
        [*base, "-C", "attach"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(environment)
    )
    assert control.stdout is not None
    try:
        made = Terminal(socket, control.stdout.fileno())
        made.resize(width, height)
        yield made
    finally:
        subprocess.run([*base, "kill-server"], check=False, timeout=PATIENCE)
        control.communicate(timeout=PATIENCE)
