"""``wisp`` and ``wisp-tui`` as processes of their own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.front_end import PATIENCE, Driver
from wisp_tui.cli.streams import read_lines
from wisp_tui.text.json import Json, JsonObject, dump

ROOT = Path(__file__).parents[2]
WISP = (sys.executable, "-m", "wisp_tui.entry")
WISP_TUI = (sys.executable, "-c", "import sys; from wisp_tui.entry import wisp_tui; sys.exit(wisp_tui())")


def environment(home: Path, **more: str) -> dict[str, str]:
    """Make a process's environment: its home, this checkout, and nothing of the person's but the way to programs."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "CI", "OLLAMA_HOST") if name in os.environ}
    return {**kept, "HOME": str(home.parent), "WISP_HOME": str(home), "PYTHONPATH": str(ROOT), "TERM": "xterm", **more}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended."""

    code: int
    out: str
    err: str


def run_wisp(
    home: Path,
    *arguments: str,
    stdin: bytes = b"",
    program: tuple[str, ...] = WISP,
    directory: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Ended:
    """Run a command to its end."""
    done = subprocess.run(
        [*program, *arguments],
        input=stdin,
        capture_output=True,
        env=environment(home, **(variables or {})),
        cwd=directory or home.parent,
        timeout=60,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def replay(path: Path, *turns: Mapping[str, Json], **header: Json) -> str:
    """Write a replay's script and return the model's name."""
    lines: list[JsonObject] = [{"replay": 1, **header}, *turns]
    path.write_bytes(b"".join(dump(line) + b"\n" for line in lines))
    return f"replay:{path}"


@dataclass(slots=True)
class Process(Driver):
    """A running ``wisp chat --json``."""

    process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> subprocess.Popen[bytes]:
        """The process itself."""
        assert self.process is not None
        return self.process

    def last_words(self) -> str:
        """Return what the process wrote on standard error."""
        assert self.running.stderr is not None
        return f" and said: {self.running.stderr.read().decode()}"

    async def ended(self) -> int:
        """Read everything and return the exit code, negative for a signal that killed it."""
        await self.rest()
        return await asyncio.to_thread(self.running.wait, PATIENCE)


@asynccontextmanager
async def chatting(
    home: Path, *arguments: str, variables: Mapping[str, str] | None = None, command: Iterable[str] = WISP
) -> AsyncGenerator[Process]:
    """Start ``wisp chat --json`` with more arguments; it is killed at the end of the block if it still runs."""
    process = subprocess.Popen(
        [*command, "chat", "--json", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home, **(variables or {})),
        cwd=home.parent,
        bufsize=0,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        yield Process(read_lines(process.stdout.fileno()), process.stdin.write, process.stdin.close, process=process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()
