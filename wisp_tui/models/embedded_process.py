"""The embedded runtime's child process: started, listened to until it is ready, ended with us."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from wisp_tui.models import embedded_child
from wisp_tui.models.base import ModelUnavailable
from wisp_tui.models.fields import text
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import JsonObject, load_object
from wisp_tui.text.sizes import human_seconds, shorten

_PROGRAM = Path(embedded_child.__file__)
_KEPT_BYTES = 8192
_CAUSE = re.compile(r"error loading model: (?P<cause>.+)")
START_SECONDS = 300.0

_S = TypeVar("_S", asyncio.StreamReader, asyncio.StreamWriter)


@dataclass(frozen=True, slots=True)
class Launch:
    """What the child serves: a file, a window in tokens, with how many threads."""

    file: Path
    window: int
    threads: int


class Child:
    """A running child. It ends when its standard input closes, so also when this process is killed."""

    def __init__(self, process: Process, launch: Launch, key: str) -> None:
        self.address = ""
        self.key = key
        self._process = process
        self._launch = launch
        self._errors = b""
        self._listening = asyncio.create_task(self._listen())

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def ready(self, seconds: float) -> None:
        """Wait for its address. Raises ModelUnavailable when it ends without one, or takes longer."""
        try:
            async with asyncio.timeout(seconds):
                line = await _piped(self._process.stdout).readline()
        except TimeoutError:
            raise ModelUnavailable(
                f"the embedded runtime was not ready after {human_seconds(seconds)}",
                "try again, or choose a smaller model",
            ) from None
        answer = _answer(line)
        self.address = text(answer.get("address"))
        if not self.address:
            raise await self._failure(text(answer.get("error")))

    async def ended(self, seconds: float) -> str | None:
        """Wait for its end; answer how it ended, in words, or None when it still runs after so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                code = await self._process.wait()
        except TimeoutError:
            return None
        return _ending(code)

    async def end(self) -> None:
        """End it within two seconds: its standard input is closed, then TERM, then KILL."""
        _piped(self._process.stdin).close()
        for stop in (self._process.terminate, self._process.kill):
            if await self.ended(0.7) is not None:
                break
            with contextlib.suppress(ProcessLookupError):
                stop()
        await self._process.wait()
        await self._listening

    async def kill(self) -> None:
        """End it at once: while it loads a file it hears nothing else."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        await self._listening

    async def _listen(self) -> None:
        """Keep the end of what it writes to standard error, so that it never waits for a reader."""
        stderr = _piped(self._process.stderr)
        while piece := await stderr.read(4096):
            self._errors = (self._errors + piece)[-_KEPT_BYTES:]

    async def _failure(self, said: str) -> ModelUnavailable:
        code = await self._process.wait()
        await self._listening
        match code:
            case embedded_child.NO_LIBRARY:
                return ModelUnavailable(
                    f"the embedded runtime is not installed ({_short(said)})", "`pip install 'wisp-tui[embedded]'`"
                )
            case embedded_child.NOT_LOADED:
                cause = _CAUSE.search(self._errors.decode("utf-8", "replace"))
                return ModelUnavailable(
                    f"{self._launch.file} cannot be loaded ({_short(cause['cause'] if cause else said)})",
                    "fetch the file again, or choose another model",
                )
            case _:
                return ModelUnavailable(
                    f"the embedded runtime ended while it started ({_ending(code)})",
                    "the model may be too large for this machine's memory; choose a smaller one",
                )


async def start_child(launch: Launch, environment: Mapping[str, str], seconds: float = START_SECONDS) -> Child:
    """Start a child and wait until it serves. Raises ModelUnavailable; it leaves nothing running, nor when cancelled.

    It has a session of its own, so that a Ctrl-C in the terminal does not end it before us.
    """
    key = secrets.token_urlsafe(32)
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            str(_PROGRAM),
            str(launch.file),
            str(launch.window),
            str(launch.threads),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env={**environment, embedded_child.KEY_VARIABLE: key},
            start_new_session=True,
        )
    except OSError as error:
        raise ModelUnavailable(
            f"the embedded runtime cannot be started ({error.strerror or error})", "see what the machine is short of"
        ) from error
    child = Child(process, launch, key)
    try:
        await child.ready(seconds)
    except BaseException:
        await child.kill()
        raise
    return child


def _piped(stream: _S | None) -> _S:
    """Take one of the child's streams, which are pipes of ours, all three."""
    if stream is None:
        raise RuntimeError("the child was started without a pipe")
    return stream


def _answer(line: bytes) -> JsonObject:
    """Read the child's line; a child that was killed while it wrote has none."""
    try:
        return load_object(line)
    except ValueError:
        return {}


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"status {code}"


def _short(words: str) -> str:
    return shorten(clean_line(words), 200)
