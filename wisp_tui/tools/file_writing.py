"""Replacing a file of the person's: whole or not at all, with the permissions it had, and only as it was last seen."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path

MAX_BYTES = 8 * 1024 * 1024
"""The largest file that is edited: it is held in memory, before and after."""


@dataclass(frozen=True, slots=True)
class FileVersion:
    """What tells one state of a file from another without reading it: which file, its size, when it was written."""

    device: int
    inode: int
    size: int
    modified: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileVersion:
        """Take it from a file's status."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(slots=True)
class SeenFiles:
    """Which version of each file the model was last shown, or wrote itself, by the file's real path."""

    _seen: dict[Path, FileVersion] = field(default_factory=dict[Path, FileVersion])

    def saw(self, path: Path, version: FileVersion) -> None:
        """Remember the version that was shown or written."""
        self._seen[path] = version

    def changed(self, path: Path, version: FileVersion | None) -> bool:
        """Whether the model saw the file, and it is another one now. One that is gone (None) can be written anew."""
        seen = self._seen.get(path)
        return seen is not None and version is not None and seen != version


def opened(path: Path) -> BufferedReader:
    """Open what is to be a regular file at a real path: no pipe is waited for, and no link put there since followed.

    Raises OSError. What it is, is to be asked of the open file.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags), "rb")


def replace_file(path: Path, data: bytes, *, like: os.stat_result | None) -> FileVersion:
    """Put bytes in a file: after a crash it holds the old content or the new, never part of either.

    ``like`` is the status of the file that is replaced, whose permissions and owner it keeps; None makes a new file,
    and the directories on the way to it. Raises OSError; then the old content stands.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666 if like is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if like is not None:
                with contextlib.suppress(PermissionError):  # a file of somebody else's becomes the person's
                    os.fchown(descriptor, like.st_uid, like.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
            file.write(data)
            file.flush()
            os.fsync(descriptor)
            version = FileVersion.of(os.fstat(descriptor))
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    return version
