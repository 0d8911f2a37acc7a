"""What the status line says: the model, the share of the window used, the directory and branch, the approval mode."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wisp_tui import __version__
from wisp_tui.models import Capability
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.guarding import approval_mode, without_walls
from wisp_tui.text.sizes import count

_GIT = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_CHANGES = re.compile(r"(\d+) (insertion|deletion)s?\(")


@dataclass(frozen=True, slots=True)
class GitState:
    """A directory's branch and the lines its working tree adds and removes; None and 0 outside a repository."""

    branch: str | None = None
    added: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """The parts of the status line. ``used`` and ``window`` are tokens, None where unknown."""

    model: str | None
    directory: str
    git: GitState
    approval: str
    used: int | None
    window: int | None
    bare: bool = False
    """Whether commands run without walls: there is no sandbox."""
    guided: bool = False
    """Whether the model's tool calls are guided replies."""

    @property
    def share(self) -> float | None:
        """The share of the window in use, 0 to 1 and above; None where it is not known."""
        return self.used / self.window if self.used is not None and self.window else None


def status_of(conversation: Conversation, git: GitState, used: int | None) -> Status:
    """Gather a conversation's status."""
    return Status(
        model=conversation.resolved.id if conversation.resolved else None,
        directory=short_path(conversation.directory, Path.home()),
        git=git,
        approval=approval_mode(conversation),
        used=used,
        window=conversation.window,
        bare=without_walls(conversation),
        guided=conversation.resolved is not None and Capability.GUIDED in conversation.resolved.capabilities,
    )


def told(conversation: Conversation) -> Mapping[str, str]:
    """Say how a conversation stands, for the model to read (the inspect tool)."""
    held = conversation
    composition = held.next_context()
    used = held.meter.estimate(composition)
    share = f"{used:,} of {held.window:,} tokens" if held.window else f"{used:,} tokens of a window nobody knows"
    audited = held.settings.audit.enabled
    return {
        "wisp": __version__,
        "model": held.resolved.id if held.resolved else "not chosen yet",
        "context": f"about {share}, turn {held.turn}, condensed {count(held.condensations, 'time')}",
        "directory": str(held.directory),
        "approval": approval_mode(held),
        "tools": ", ".join(held.tools),
        "facts": "kept" if held.facts is not None else "not kept",
        "audit": f"kept, session {held.session}" if audited else "off",
        "saved as": held.name or "not saved",
    }


def short_path(path: Path, home: Path) -> str:
    """Write a path with ``~`` for the person's home."""
    return f"~/{path.relative_to(home)}".removesuffix("/.") if path.is_relative_to(home) else str(path)


def git_root(path: str) -> str | None:
    """Find the root of the repository a path is in, by its ``.git``; None for one in none."""
    place = Path(path)
    for folder in (place, *place.parents):
        if (folder / ".git").exists():
            return str(folder)
    return None


async def git_state(directory: Path, environment: Mapping[str, str], seconds: float = 2.0) -> GitState:
    """Ask git about a directory, running no program a repository's own configuration names; at most ``seconds``."""
    try:
        async with asyncio.timeout(seconds):
            branch = await _git(directory, environment, "symbolic-ref", "--quiet", "--short", "HEAD")
            if branch is None:
                branch = await _git(directory, environment, "rev-parse", "--short", "HEAD")
            if branch is None:
                return GitState()
            changes = await _git(
                directory, environment, "diff", "--shortstat", "--no-ext-diff", "--no-textconv", "HEAD"
            )
    except TimeoutError:
        return GitState()
    counts = {word: int(number) for number, word in _CHANGES.findall(changes or "")}
    return GitState(branch, counts.get("insertion", 0), counts.get("deletion", 0))


async def _git(directory: Path, environment: Mapping[str, str], *arguments: str) -> str | None:
    """Run git and return what it printed; None when it failed or is not there."""
    try:
        process = await asyncio.create_subprocess_exec(
            *_GIT,
            *arguments,
            cwd=directory,
            env={**environment, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return None
    try:
        output, _ = await process.communicate()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):  # it may have ended by itself
            process.kill()
        await process.wait()
        raise
    return os.fsdecode(output).strip() if process.returncode == 0 else None
