"""Pulling a file of a hub: fetched beside its place, proven, and put there at once under its name."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.config.home import PRIVATE_DIRECTORY, PRIVATE_FILE, Home
from wisp_tui.models.download import OutOfReach, download
from wisp_tui.models.hub import HubPlan, refusal
from wisp_tui.models.pull import Pulled, PullError, PullProgress, PullStep, alone, check_room, is_right

_MAGIC = b"GGUF"
_MARK_BYTES = 1024
_Tell = Callable[[PullProgress], None]


async def pull_file(plan: HubPlan, home: Home, tell: _Tell) -> Pulled:
    """Put a hub's file into the home's models, fetching what of it is not here yet. Nothing there is ever replaced.

    Interrupted at any point, it leaves the file whole or not there; what came stays beside it, hidden, and the next
    pull goes on from there. Raises PullError.
    """
    target = home.models / plan.file
    try:
        home.root.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
        home.models.mkdir(mode=PRIVATE_DIRECTORY, exist_ok=True)
        with alone(home.models):
            if target.exists() or target.is_symlink():
                return await _there(plan, target, tell)
            part = home.models / f".{plan.file}.{_key(plan)}.part"
            await _fetch(plan, part, tell)
            await _prove(plan, part, tell)
            part.replace(target)
            _discard(part)
    except OSError as error:
        raise PullError(f"{home.models} cannot be used: {error.strerror or error}") from error
    return Pulled(target)


async def _there(plan: HubPlan, target: Path, tell: _Tell) -> Pulled:
    """Say that it is there already. Raises PullError where another file is."""
    if plan.sha256:
        same = await is_right(target, plan.size, plan.sha256, tell)
    else:
        same = _size(target) == plan.size
    if same:
        return Pulled(target, was_there=True)
    raise PullError(f"{target} is there already, and is another file: move it away or give it another name, then pull")


def _key(plan: HubPlan) -> str:
    """Tell one file's parts from another's of the same name."""
    return hashlib.sha256((plan.sha256 or f"{plan.asked} {plan.size}").encode()).hexdigest()[:12]


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def _discard(part: Path) -> None:
    """Delete what is left of a part."""
    part.unlink(missing_ok=True)
    _Mark(part).forget()


async def _fetch(plan: HubPlan, part: Path, tell: _Tell) -> None:
    def fetched(done: int) -> None:
        tell(PullProgress(PullStep.FETCHING, done, plan.size))

    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(part, flags, PRIVATE_FILE), "r+b") as file:
        check_room(part.parent, plan.size - file.seek(0, os.SEEK_END))
        fetched(file.tell())
        try:
            await download(plan.url, file, plan.size, fetched, headers=plan.headers, version=_Mark(part))
        except OutOfReach as error:
            raise PullError(refusal(plan.where, error)) from error
        await asyncio.to_thread(os.fsync, file.fileno())


async def _prove(plan: HubPlan, part: Path, tell: _Tell) -> None:
    """Hold what came to its kind and to its checksum; what fails is deleted. Raises PullError."""
    with part.open("rb") as file:
        is_model = file.read(len(_MAGIC)) == _MAGIC
    if is_model and (not plan.sha256 or await is_right(part, plan.size, plan.sha256, tell)):
        return
    _discard(part)
    why = "its SHA-256 is not the one the hub announced" if is_model else "it is no GGUF file"
    raise PullError(f"what came is not {plan.file}: {why}; it was deleted; pull again")


@dataclass(frozen=True, slots=True)
class _Mark:
    """The version a part is of, beside it: a server that has another by now is asked for all of it."""

    part: Path

    @property
    def mark(self) -> str:
        try:
            return self._path.read_bytes()[:_MARK_BYTES].decode("ascii", "ignore")
        except OSError:
            return ""

    def keep(self, mark: str) -> None:
        if mark == self.mark:
            return
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, PRIVATE_FILE)
        with os.fdopen(handle, "wb") as file:
            file.write(mark.encode("ascii", "ignore"))

    def forget(self) -> None:
        """Delete it: there is no part any more."""
        self._path.unlink(missing_ok=True)

    @property
    def _path(self) -> Path:
        return self.part.with_suffix(".etag")
