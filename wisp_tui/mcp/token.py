"""The token that lets a client in over HTTP: made at the server's start, kept in a private file, gone at its end.

A port of this machine is open to all of its users; the file is the person's. A token of its own for each start means
that who takes the port after the server has ended is sent nothing that opens a later one.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from wisp_tui.config import Home

SCHEME = "bearer"
_BYTES = 32


class CannotKeep(Exception):
    """The token's file cannot be written; the message says why."""


class Token:
    """One server's token. It is shown nowhere but in its file."""

    __slots__ = ("_secret",)

    def __init__(self) -> None:
        self._secret = secrets.token_urlsafe(_BYTES).encode()

    def opens(self, authorization: str | None) -> bool:
        """Whether a request's ``Authorization`` carries it, in a time that tells nothing of it."""
        scheme, _, given = (authorization or "").partition(" ")
        return scheme.lower() == SCHEME and hmac.compare_digest(given.strip().encode(), self._secret)

    @contextmanager
    def kept(self, home: Home, port: int) -> Generator[Path]:
        """Keep it in the home, in the file of its port, while the block runs. Raises CannotKeep."""
        file = home.mcp / f"{port}.token"
        try:
            home.write(file, self._secret + b"\n")
        except OSError as error:
            raise CannotKeep(f"the token cannot be kept in {file}: {error.strerror or error}") from error
        try:
            yield file
        finally:
            with suppress(OSError):
                if file.read_bytes().strip() == self._secret:  # else another server has the port by now
                    file.unlink()
