"""Showing an output in the person's own pager: ``$PAGER``, on the whole terminal, while the app goes on behind it."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import shutil
import signal
from collections.abc import Generator, Mapping
from typing import Protocol

from wisp_tui.app.pager.source import Source

DEFAULT = ("less", "-R")


class NoPager(Exception):
    """There is no program to show it with; the message says which was wanted."""


class Leaving(Protocol):
    """What ends the app when the process is interrupted."""

    def leave(self, code: int = 0) -> None:
        """End the app with a code."""
        ...


def pager_command(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Say which program shows it, and its arguments: ``$PAGER``, read as words and never by a shell, else ``less -R``.

    Raises NoPager when that program is not there.
    """
    wanted = environment.get("PAGER", "").strip()
    try:
        command = tuple(shlex.split(wanted)) or DEFAULT
    except ValueError as error:
        raise NoPager(f"PAGER cannot be read: {error}") from error
    if shutil.which(command[0], path=environment.get("PATH")) is None:
        where = "PAGER names it" if wanted else "set PAGER to another one"
        raise NoPager(f"there is no program {command[0]}: {where}")
    return command


async def show(command: tuple[str, ...], source: Source, environment: Mapping[str, str]) -> int:
    """Show a source with a program: its file by name, a text on standard input. Returns the program's exit code.

    Raises OSError when it cannot be started.
    """
    # less shows colours as colours only when it is told to; whoever set LESS has said what they want
    environment = {"LESS": "-R", **environment}
    if source.path is not None:
        process = await asyncio.create_subprocess_exec(*command, str(source.path), env=environment)
        return await process.wait()
    process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE, env=environment)
    await process.communicate(source.read(0, source.size, keep=False))
    return process.returncode or 0


@contextlib.contextmanager
def interrupts_are_not_ours(app: Leaving) -> Generator[None]:
    """While another program has the terminal, Ctrl-C is for it: it does not end the app."""
    loop = asyncio.get_running_loop()
    if not loop.remove_signal_handler(signal.SIGINT):
        yield
        return
    signal.signal(signal.SIGINT, _nothing)
    try:
        yield
    finally:
        loop.add_signal_handler(signal.SIGINT, app.leave, 128 + signal.SIGINT)


def _nothing(number: int, frame: object) -> None:
    """Take a signal that is another program's. It is no SIG_IGN: that, the program would inherit."""
