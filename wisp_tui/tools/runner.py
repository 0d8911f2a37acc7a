"""Running one command: its own session and process group, no input, its output as it comes, its end for certain.

Nothing here knows of models: it runs the model's commands and the person's alike.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from wisp_tui.sandbox import Enclosure
from wisp_tui.tools.pipes import Pipe
from wisp_tui.tools.processes import MARK, Family, Running

_ENDING = frozenset(
    {
        signal.SIGINT,
        signal.SIGILL,
        signal.SIGTRAP,
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGFPE,
        signal.SIGKILL,
        signal.SIGSEGV,
        signal.SIGPIPE,
        signal.SIGTERM,
    }
)
"""Signals read from a status over 128: programs use the others for meanings of their own (129 is git's usage error)."""

DRAIN_SECONDS = 0.25
"""How long output is still awaited once the shell has ended: a child it left may hold the pipe for ever."""
SETTLE_SECONDS = 0.05
"""How long a child that was left is watched before it is named."""
GRACE_SECONDS = 1.0
"""How long a command has between TERM and KILL at its time limit."""
CANCEL_GRACE_SECONDS = 0.3
"""The same when the person cancels: they wait for it."""
SHELLS = ("/bin/bash", "/bin/sh")
QUIET = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "PYTHONUNBUFFERED": "1",
}
"""Set for every command: no colours, no pagers, no questions, and nothing lost in a buffer when it is ended."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. ``status`` is the shell's: 128 and the signal's number where a signal ended it."""

    status: int
    signal: str | None
    seconds: float
    timed_out: bool
    running: tuple[Running, ...]
    """What it left running."""
    held: bool
    """Whether some process, named in ``running`` or not, still holds its output open."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line for the shell, the walls it runs within, and how many seconds it may run."""

    line: str
    directory: Path
    environment: Mapping[str, str]
    walls: Enclosure
    seconds: int


Sink = Callable[[bytes], None]


async def run(command: Command, stdout: Sink, stderr: Sink) -> Ran:
    """Run a command until its shell ends or its time is up, passing its output on as it arrives.

    Raises OSError when it cannot be started. A cancellation ends every process of it, then goes on. What it leaves
    running may go on writing: its pipes are read, and the bytes let go, until the last of those processes ends.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    with contextlib.ExitStack() as opened:
        pipes = opened.enter_context(Pipe(loop, stdout)), opened.enter_context(Pipe(loop, stderr))
        family = Family(frozenset(pipe.inode for pipe in pipes))
        process = await _started(command, family, pipes)
        try:
            timed_out = await _outlasts(process, command.seconds)
            if timed_out:
                await _end(process, family, GRACE_SECONDS)
            await _drained(pipes)
            running = await _left(family)
        except asyncio.CancelledError:
            try:
                await _end(process, family, CANCEL_GRACE_SECONDS)
            finally:
                family.signal(signal.SIGKILL)
            raise
        opened.pop_all()
    for pipe in pipes:
        pipe.let_go()
    status = process.returncode if process.returncode is not None else -signal.SIGKILL
    return Ran(
        status=status if status >= 0 else 128 - status,
        signal=_signal_name(status),
        seconds=loop.time() - began,
        timed_out=timed_out,
        running=running,
        held=not all(pipe.ended.is_set() for pipe in pipes),
    )


async def _started(command: Command, family: Family, pipes: tuple[Pipe, Pipe]) -> asyncio.subprocess.Process:
    environment = {**command.environment, **QUIET, MARK: family.mark}
    wrapped = command.walls.wrap((_shell(), "-c", command.line), command.directory, environment)
    process = await asyncio.create_subprocess_exec(
        *wrapped.argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=pipes[0].write_end,
        stderr=pipes[1].write_end,
        cwd=command.directory,
        env=wrapped.environment,
        start_new_session=True,
    )
    family.started(process.pid, wrapped=wrapped.parent)
    for pipe in pipes:
        pipe.start()
    return process


def _shell() -> str:
    return next((path for path in SHELLS if Path(path).exists()), SHELLS[-1])


async def _outlasts(process: asyncio.subprocess.Process, seconds: int) -> bool:
    """Wait for the shell to end; tell whether it ran on to its time limit."""
    try:
        async with asyncio.timeout(seconds):
            await process.wait()
    except TimeoutError:
        return True
    return False


async def _end(process: asyncio.subprocess.Process, family: Family, grace: float) -> None:
    """End every process of a command: TERM, then KILL for what is there after ``grace`` seconds."""
    family.signal(signal.SIGTERM)
    loop = asyncio.get_running_loop()
    until = loop.time() + grace
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout_at(until):
            await process.wait()
    await asyncio.to_thread(psutil.wait_procs, family.members(), timeout=max(until - loop.time(), 0))
    family.signal(signal.SIGKILL)
    with contextlib.suppress(TimeoutError):  # a process in the kernel's hands may outlive even KILL
        async with asyncio.timeout(grace):
            await process.wait()


async def _drained(pipes: tuple[Pipe, Pipe]) -> None:
    """Wait a moment for the rest of the output; a child that was left may hold the pipes for ever."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            for pipe in pipes:
                await pipe.ended.wait()


async def _left(family: Family) -> tuple[Running, ...]:
    """Find what still runs. A child seen between its fork and its exec, or at its very end, is given a moment."""
    if not await asyncio.to_thread(family.members):
        return ()
    await asyncio.sleep(SETTLE_SECONDS)
    return await asyncio.to_thread(family.running)


def _signal_name(status: int) -> str | None:
    """Name the signal that ended the shell, or that the shell says ended its command."""
    number = -status if status < 0 else status - 128
    if status < 0 or number in _ENDING:
        with contextlib.suppress(ValueError):
            return signal.Signals(number).name
    return None
