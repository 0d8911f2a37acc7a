"""The processes of one command: found by group, session, mark, pipe and parent, told apart from everybody else's."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import shorten

MARK = "WISP_COMMAND"
"""The environment variable that every process of a command carries, children that left its session included."""
_SHOWN = 60


def inside_a_command() -> bool:
    """Say whether this process, or one it comes from, is a command's that a model runs: they wear its mark."""
    if MARK in os.environ:
        return True
    for process in psutil.Process().parents():
        try:
            if MARK in process.environ():
                return True
        except psutil.Error:
            continue  # another user's process: none of ours
    return False


@dataclass(frozen=True, slots=True)
class Running:
    """A process a command left running; ``command`` is clean and short."""

    pid: int
    command: str


class Family:
    """The processes of one command. Make it before the command starts: what runs already is never part of it.

    ``mark`` is the value its processes carry under ``MARK``. It is drawn anew for each command, and long: a process
    that wears it is ended with the command, so no other may ever wear the same.
    """

    def __init__(self, inodes: frozenset[int]) -> None:
        self.mark = secrets.token_hex(16)
        self._inodes = inodes
        self._before = frozenset(psutil.pids())
        self._leader: int | None = None
        self._wrapped = False

    def started(self, leader: int, *, wrapped: bool = False) -> None:
        """Name the process that leads the session and the group: the shell's, or the sandbox's that it is wrapped in.

        A sandbox ends what is in it when it ends, at once, and by itself when its shell has ended. So it is spared the
        TERM that lets a command end in its own way.
        """
        self._leader, self._wrapped = leader, wrapped

    def members(self) -> list[psutil.Process]:
        """Find the processes that still run, the shell left out.

        One that has left the group, the session and the pipe and wears no mark any more cannot be found once its
        parent is gone.
        """
        found: dict[int, psutil.Process] = {}
        strangers: list[psutil.Process] = []
        for pid in sorted(set(psutil.pids()) - self._before - {os.getpid(), self._leader}, key=lambda pid: pid or 0):
            with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
                process = psutil.Process(pid)
                if process.status() == psutil.STATUS_ZOMBIE:
                    continue
                if self._is_ours(process):
                    found[process.pid] = process
                else:
                    strangers.append(process)
        for process in strangers:
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.ppid() in found or process.ppid() == self._leader:
                    found[process.pid] = process
        return list(found.values())

    def running(self) -> tuple[Running, ...]:
        """Describe the processes that still run."""
        return tuple(Running(process.pid, _described(process)) for process in self.members())

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the group and to every member that left it; what is gone or not ours to end is let be.

        A wrapped command's TERM goes to each member alone, the sandbox's own process left out.
        """
        members = self.members()
        spared = self._wrapped and number is signal.SIGTERM
        if self._leader is not None and not spared:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._leader, number)
        for process in members:
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied, ProcessLookupError):
                if spared or os.getpgid(process.pid) != self._leader:
                    process.send_signal(number)

    def _is_ours(self, process: psutil.Process) -> bool:
        if self._leader in (os.getpgid(process.pid), os.getsid(process.pid)):
            return True
        if process.ppid() == os.getpid():
            return False  # another command of ours, perhaps between fork and exec, with our pipes still open
        return self._wears_mark(process) or _holds(process.pid, self._inodes)

    def _wears_mark(self, process: psutil.Process) -> bool:
        try:
            return process.environ().get(MARK) == self.mark
        except (psutil.AccessDenied, OSError):
            return False


def _holds(pid: int, inodes: frozenset[int]) -> bool:
    """Tell whether a process holds one of the pipes; only Linux shows that."""
    if not sys.platform.startswith("linux"):
        return False
    wanted = {f"pipe:[{inode}]" for inode in inodes}
    try:
        return any(str(link.readlink()) in wanted for link in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def _described(process: psutil.Process) -> str:
    try:
        words = process.cmdline()
    except psutil.Error:
        words = []
    try:
        return shorten(clean_line(" ".join(words) or process.name()), _SHOWN)
    except psutil.Error:
        return "a process"
