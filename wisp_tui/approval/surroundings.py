"""What judging needs to know of the machine it judges for. Looks at names and a repository's settings, no more."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wisp_tui.approval.repository import has_hooks, runs_programs

SYSTEM_DIRECTORIES = frozenset(
    {
        "/bin",
        "/sbin",
        "/usr/bin",
        "/usr/sbin",
        "/usr/local/bin",
        "/usr/local/sbin",
        "/opt/homebrew/bin",
        "/opt/homebrew/sbin",
        "/opt/local/bin",
        "/home/linuxbrew/.linuxbrew/bin",
        "/snap/bin",
        "/run/current-system/sw/bin",
    }
)
"""Where a program named by its path is the program of that name."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The machine as a command would find it."""

    home: Path
    own: Path
    """This program's own home."""
    temporary: tuple[Path, ...] = ()
    variables: frozenset[str] = frozenset()
    """The names of the variables that commands are given."""
    search: tuple[str, ...] = ()
    """The directories that programs are looked for in, as ``PATH`` has them."""
    bash: bool = True
    """Commands are run by bash; another shell reads some forms differently, so those ask."""
    git_fault: Callable[[Path], str | None] = field(default=runs_programs)
    """Why reading with git in a directory might run a program; None when it does not."""
    git_hooks: Callable[[Path], bool] = field(default=has_hooks)
    """Whether git may run a hook of the directory's own when it changes something there."""

    @classmethod
    def of(cls, environment: Mapping[str, str], own: Path, *, bash: bool = True) -> Surroundings:
        """Describe this machine with the environment that commands are given."""
        return cls(
            home=home_of(environment),
            own=own,
            temporary=tuple(dict.fromkeys((Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")))),
            variables=frozenset(environment),
            search=tuple(environment.get("PATH", os.defpath).split(os.pathsep)),
            bash=bash,
        )

    def own_directories(self, root: Path) -> tuple[tuple[Path, bool], ...]:
        """Where programs are looked for, in order, and whether commands of the conversation may write there.

        Empty when none may: no program can then be the directory's own.
        """
        found: list[tuple[Path, bool]] = []
        for directory in self.search:
            if directory in SYSTEM_DIRECTORIES:
                found.append((Path(directory), False))
                continue
            named = root / (directory or ".")
            real = Path(os.path.realpath(named))
            places = {named, *named.parents, real, *real.parents}
            if places & {root, Path(os.path.realpath(root)), *self.temporary}:
                found.append((named, True))
        return tuple(found) if any(own for _, own in found) else ()


def home_of(environment: Mapping[str, str]) -> Path:
    """The home that ``~`` stands for in a command with this environment."""
    home = environment.get("HOME")
    return Path(home) if home and home.startswith("/") else Path.home()
