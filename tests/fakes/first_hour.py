"""``docs/first-hour.md`` on a real terminal: what its tables say to type is typed, what they show is waited for."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.fakes.tmux import Terminal, terminal
from tests.fakes.wisp_process import ROOT, environment

PAGE = (ROOT / "docs" / "first-hour.md").read_text("utf-8")
KEYS = {"ctrl-o": "C-o", "ctrl-t": "C-t", "enter": "Enter", "esc": "Escape"}
"""The keys that the page names by more than the letter or F-key tmux knows too."""
_KEY = re.compile(r"[a-z/]|F\d+")
_ASKED = re.compile(r"waiting for your answer · (\d+) s")
_PROGRAMS = {"wisp": "wisp", "wisp-tui": "wisp_tui"}


@dataclass(frozen=True, slots=True)
class Step:
    """A row of a table: what the person does, one thing after the other, and what is on the screen then."""

    does: tuple[str, ...]
    sees: tuple[str, ...]


def steps(heading: str) -> list[Step]:
    """The rows of the table under a heading."""
    rows = re.findall(r"^\| (`.+) \| (.+) \|$", _section(heading), re.MULTILINE)
    return [Step(_spans(does), _spans(sees)) for does, sees in rows]


def shell_lines(heading: str) -> list[str]:
    """The last block of lines for the shell under a heading."""
    blocks = re.findall(r"(?:^ {4}.+\n)+", _section(heading), re.MULTILINE)
    return [line.strip() for line in blocks[-1].splitlines()]


def _section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _spans(cell: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`([^`]+)`", cell))


@dataclass(frozen=True, slots=True)
class Walk:
    """A person at a shell in a terminal."""

    screen: Terminal

    def enter(self, line: str) -> None:
        """Write a line and send it."""
        self.screen.write(line)
        self.screen.press("Enter")

    def take(self, step: Step) -> None:
        """Do what a row says, and wait for what it shows; what is for the shell once it has the keyboard."""
        for done in step.does:
            if done.startswith("pkill"):
                self._kill()
            elif done in KEYS or _KEY.fullmatch(done):
                self._press(done)
            else:
                if done.split()[0] in {*_PROGRAMS, "reset"}:
                    self.screen.until(lambda _: not self._shell.children())
                self.enter(done)
        for seen in step.sees:
            self.screen.until(seen)

    def _press(self, key: str) -> None:
        """Press a key; one that answers a dialog only after the time that a person needs to read it."""
        if (asked := _ASKED.search(self.screen.screen())) is not None:
            begun = int(asked[1])
            self.screen.until(lambda shown: (now := _ASKED.search(shown)) is not None and int(now[1]) >= begun + 2)
        self.screen.press(KEYS.get(key, key))

    @property
    def _shell(self) -> psutil.Process:
        return psutil.Process(int(self.screen.tmux("display-message", "-p", "#{pane_pid}")))

    def _kill(self) -> None:
        """Kill the program that the shell runs as nothing can be caught."""
        (program,) = self._shell.children()
        os.kill(program.pid, signal.SIGKILL)


@contextmanager
def at_a_shell(directory: Path, *, width: int, height: int) -> Generator[Walk]:
    """Sit down at a shell that finds ``wisp`` and ``wisp-tui``; all that is made goes into a directory."""
    programs, work, made = (directory / name for name in ("bin", "work", "tmp"))
    for path in (programs, work, made):
        path.mkdir()
    for name, function in _PROGRAMS.items():
        code = f"import sys; from wisp_tui.entry import {function}; sys.exit({function}())"
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n')
        (programs / name).chmod(0o755)
    variables = environment(directory / "home", TERM="xterm-256color", LANG="C.UTF-8", PS1="$ ", TMPDIR=str(made))
    variables["PATH"] = f"{programs}:{variables['PATH']}"
    shell = ["bash", "--norc", "--noprofile"]
    with terminal(shell, width=width, height=height, directory=work, environment=variables) as screen:
        screen.until("$")
        walk = Walk(screen)
        for line in _prepared():
            walk.enter(line)
        yield walk


def _prepared() -> Iterator[str]:
    yield f"cd {ROOT}"
    yield from shell_lines("Before it")
    yield "clear"
