"""What every sandbox is: one function that wraps a command, and what the command may do inside. Values only."""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

DROPPED = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "TMUX",
    "STY",
    "KITTY_LISTEN_ON",
    "VSCODE_IPC_HOOK_CLI",
    "WEZTERM_UNIX_SOCKET",
    "NVIM",
)
"""Variables that lead to other programs of the person's, which would act for a command outside its walls."""


class Changes(Enum):
    """What a command may change of what it may write."""

    NOTHING = auto()
    """It was judged to read only."""
    FILES = auto()
    """Files, but none that starts programs of the person's later."""
    GIT = auto()
    """The settings of the directory's repository too: it is git's own, and was let pass."""
    ANYTHING = auto()
    """All: it is the person's own, or they let it pass as dangerous."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a command may do in a sandbox. Every path is absolute, real, and there.

    It reads whatever the person may, but what is ``hidden``; it writes below ``writable`` alone, but not below
    ``protected``.
    """

    writable: tuple[Path, ...]
    protected: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    """Sockets, and directories of them, through which other programs of the person's can be told what to do."""
    network: bool = True
    wide: str | None = None
    """Why the walls keep out little, in a sentence; None when they do not."""
    starters: tuple[Path, ...] = ()
    """What is in the directory and starts programs of the person's later: hooks, tasks of an editor."""
    git_settings: tuple[Path, ...] = ()
    """The settings of the directory's repository, which name programs too."""

    def keeping(self, changes: Changes) -> Reach:
        """The same for a command, with what it may not change protected."""
        kept = self.starters if changes is not Changes.ANYTHING else ()
        settings = self.git_settings if changes in {Changes.NOTHING, Changes.FILES} else ()
        return replace(self, protected=(*self.protected, *kept, *settings))

    @property
    def leading(self) -> frozenset[Path]:
        """The directories below a writable one that lead to a protected one: moved away, another could stand there."""
        above = (parent for path in self.protected for parent in path.parents)
        return frozenset(path for path in above if any(root in path.parents for root in self.writable))

    @property
    def reading(self) -> Reach:
        """The same for a command that is to write nothing."""
        return replace(self, writable=())

    def may_write(self, path: Path) -> bool:
        """Whether a path is one that a command may write, its links followed."""
        real = Path(os.path.realpath(path))
        return _below(real, self.writable) and not _below(real, self.protected) and not _below(real, self.hidden)


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A command as it is to be started: what to run, with which environment."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    parent: bool = False
    """Whether what is started stays the command's parent, which ends it at once when it ends; else it becomes it."""


class Sandbox(Protocol):
    """A way to keep a command within its reach."""

    @property
    def name(self) -> str:
        """What a person knows it by; ``none`` for no sandbox."""
        ...

    @property
    def contains(self) -> bool:
        """Whether it keeps anything out. Where it does not, everything above safe asks."""
        ...

    @property
    def has_scratch(self) -> bool:
        """Whether a command that may write nowhere is given a temporary directory that nothing else sees."""
        ...

    def wrap(self, argv: Sequence[str], directory: Path, environment: Mapping[str, str], reach: Reach) -> Wrapped:
        """Wrap a command that is to be started in ``directory``. Runs nothing."""
        ...


@dataclass(frozen=True, slots=True)
class NoSandbox:
    """The machine has no sandbox, or the person turned it off: commands run as they are."""

    @property
    def name(self) -> str:
        """What a person knows it by."""
        return "none"

    @property
    def contains(self) -> bool:
        """Whether it keeps anything out."""
        return False

    @property
    def has_scratch(self) -> bool:
        """Whether there is a temporary directory for what may write nowhere."""
        return False

    def wrap(self, argv: Sequence[str], directory: Path, environment: Mapping[str, str], reach: Reach) -> Wrapped:
        """Leave a command as it is."""
        del directory, reach
        return Wrapped(tuple(argv), environment)


def kept(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without what leads out of the sandbox."""
    return {name: value for name, value in environment.items() if name not in DROPPED}


def _below(path: Path, directories: Sequence[Path]) -> bool:
    return any(path == directory or directory in path.parents for directory in directories)
