"""Saving what the pager shows to a file: readable by its owner alone, and never over another one unasked."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from wisp_tui.app.pager.source import Source


class WouldReplace(Exception):
    """There is a file of that name; the message names it."""


def path_of(text: str, directory: Path) -> Path:
    """Read a path as a person writes it: the tilde is the home, a relative one starts at ``directory``.

    Raises ValueError when it names no file.
    """
    text = text.strip()
    if not text:
        raise ValueError("name a file")
    try:
        path = (directory / Path(text).expanduser()).absolute()
    except RuntimeError as error:
        raise ValueError(f"{text}: there is no such home") from error
    if text.endswith("/") or path.is_dir():
        raise ValueError(f"{text} is a directory; name a file in it")
    return path


def save(source: Source, path: Path, *, replace: bool = False) -> int:
    """Write all bytes of a source to a file of mode 0600; return how many. Blocks; takes milliseconds at 16 MiB.

    Raises WouldReplace when there is one already, unless it may be replaced: then the old one stays until the new one
    is whole. Raises OSError when it cannot be written; nothing is left behind then.
    """
    if not replace:
        return _write(source, path)
    part = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.part")
    written = _write(source, part)
    try:
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return written


def _write(source: Source, path: Path) -> int:
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError as error:
        raise WouldReplace(path.name) from error
    try:
        with os.fdopen(file, "wb") as target:
            for page in _pages(source):
                target.write(page)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise
    return source.size


def _pages(source: Source) -> Iterator[bytes]:
    for number in range(source.pages):
        yield source.page(number, keep=False)
        if source.fault is not None:
            raise OSError(source.fault)
