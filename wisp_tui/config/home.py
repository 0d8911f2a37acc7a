"""The home directory: private from creation, its files replaced whole or not at all (promises 11 and 12)."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PRIVATE_DIRECTORY = 0o700
PRIVATE_FILE = 0o600
_DIRECTORIES = ("pending", "transcripts", "live", "context", "output", "logs", "models", "mcp")


class HomeError(Exception):
    """The home cannot be used; the message says which path, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Home:
    """The paths under one home, and the only functions that create files there."""

    root: Path

    @classmethod
    def find(cls, environment: Mapping[str, str]) -> Home:
        """Find the home: ``$WISP_HOME`` where it is set, else ``~/.wisp``. Creates nothing.

        Raises HomeError when nobody says where ``~`` is.
        """
        named = environment.get("WISP_HOME")
        try:
            return cls(Path(named).expanduser().absolute() if named else Path.home() / ".wisp")
        except RuntimeError as error:
            raise HomeError(
                f"there is no home for wisp: {error}; set WISP_HOME to a directory you can write"
            ) from error

    @property
    def config(self) -> Path:
        """The settings, written by the person or by ``/config set``."""
        return self.root / "config.json"

    @property
    def welcomed(self) -> Path:
        """Says by being there that the first start in this home was told what was found."""
        return self.root / "welcomed"

    @property
    def logs(self) -> Path:
        """The audit log's directory."""
        return self.root / "logs"

    @property
    def models(self) -> Path:
        """GGUF files the person put or pulled there."""
        return self.root / "models"

    @property
    def output(self) -> Path:
        """Whole outputs of tools, one directory a session."""
        return self.root / "output"

    @property
    def transcripts(self) -> Path:
        """Saved conversations: ``NAME.json`` with ``NAME.store`` beside it."""
        return self.root / "transcripts"

    @property
    def live(self) -> Path:
        """The live copies of conversations that run, or that were cut short: ``ID.jsonl`` with ``ID.lock``."""
        return self.root / "live"

    @property
    def context(self) -> Path:
        """Saved contexts, as Markdown and JSON."""
        return self.root / "context"

    @property
    def mcp(self) -> Path:
        """The token of each server that runs over HTTP, in a file of its port. No command of a model sees it."""
        return self.root / "mcp"

    def prepare(self) -> tuple[str, ...]:
        """Create what is missing and make private what is not; return a sentence for each thing repaired.

        Raises HomeError when the home cannot be created or is not the person's.
        """
        repaired: list[str] = []
        try:
            for directory in (self.root, *(self.root / name for name in _DIRECTORIES)):
                directory.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
                repaired += _made_private(directory, PRIVATE_DIRECTORY)
            listed = (*self.transcripts.iterdir(), *self.live.iterdir())
            for file in (*self.root.glob("*.json"), *self.logs.glob("*.jsonl"), *listed):
                if file.is_file():
                    repaired += _made_private(file, PRIVATE_FILE)
        except OSError as error:
            raise HomeError(
                f"the home {self.root} cannot be used: {error.strerror or error}; "
                "set WISP_HOME to a directory you can write"
            ) from error
        return tuple(repaired)

    def write(self, path: Path, data: bytes) -> None:
        """Replace a file of the home: after a crash it holds the old content or the new, never part of either.

        Raises OSError when it cannot be written; the old content then stands.
        """
        path.parent.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # 0600 from creation
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise


def _made_private(path: Path, mode: int) -> list[str]:
    found = stat.S_IMODE(path.stat().st_mode)
    if found == mode:
        return []
    path.chmod(mode)
    return [f"{path} was readable by others ({found:04o}); it is {mode:04o} now"] if found & 0o077 else []
