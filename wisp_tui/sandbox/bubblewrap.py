"""Linux's sandbox: bubblewrap, in a user namespace of its own, the file system read-only but for a few directories."""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.sandbox.base import Reach, Wrapped, kept

_SCRATCH = "/dev/shm"  # made anew with each command's devices


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """``program`` is bubblewrap's path."""

    program: str = "/usr/bin/bwrap"

    @property
    def name(self) -> str:
        """What a person knows it by."""
        return "bubblewrap"

    @property
    def contains(self) -> bool:
        """Whether it keeps anything out."""
        return True

    @property
    def has_scratch(self) -> bool:
        """There is: ``/dev/shm``, each command's own."""
        return True

    def wrap(self, argv: Sequence[str], directory: Path, environment: Mapping[str, str], reach: Reach) -> Wrapped:
        """Wrap a command. It ends when its parent does; processes it leaves behind stay in the sandbox.

        A user namespace of its own, without capabilities, so that root inside cannot make read-only mounts writable;
        devices are the harmless few. Later mounts lie over earlier ones: hidden over protected over writable.
        """
        mounts = ["--ro-bind", "/", "/", "--dev", "/dev"]
        for path in sorted(reach.writable):
            mounts += ["--bind", str(path), str(path)]
        for path in sorted(reach.leading):  # a mount cannot be renamed: nothing above what is protected is moved away
            mounts += ["--bind", str(path), str(path)]
        for path in sorted(reach.protected):
            mounts += ["--ro-bind", str(path), str(path)]
        for path in sorted(reach.hidden):
            mounts += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
        network = [] if reach.network else ["--unshare-net"]
        walls = ["--unshare-user", "--cap-drop", "ALL", "--die-with-parent", *network]
        started = (self.program, *mounts, *walls, "--chdir", os.path.realpath(directory), "--", *argv)
        scratch = {} if reach.writable else {"TMPDIR": _SCRATCH}
        return Wrapped(started, {**kept(environment), **scratch}, parent=True)
