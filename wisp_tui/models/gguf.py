"""The GGUF files in the home, and the window each was trained at, read from its header."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wisp_tui.config.home import Home

_MAGIC = b"GGUF"
_MOST_FIELDS = 4096
_MOST_BYTES = 64 * 1024
# The bytes of each fixed kind of value, by its number in the format; 8 is text, 9 a list.
_WIDTHS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_WHOLE = {4: "<I", 5: "<i", 10: "<Q", 11: "<q"}
_TEXT, _LIST = 8, 9


@dataclass(frozen=True, slots=True)
class GgufFile:
    """One model file. ``name`` is what follows ``embedded:``; ``size`` in bytes; ``modified`` in seconds since 1970."""

    name: str
    path: Path
    size: int
    modified: float


def gguf_files(home: Home) -> tuple[GgufFile, ...]:
    """List the model files in the home by name, without what cannot be looked at or is still being fetched."""
    found: list[GgufFile] = []
    for path in sorted(home.models.glob("*.gguf")) if home.models.is_dir() else ():
        try:
            facts = path.stat()
        except OSError:
            continue
        if path.is_file() and not path.name.startswith("."):
            found.append(GgufFile(path.stem, path, facts.st_size, facts.st_mtime))
    return tuple(found)


def trained_window(path: Path) -> int | None:
    """Read the window in tokens a file's model was trained at; None when its header does not say, or is not one."""
    try:
        with path.open("rb") as file:
            if file.read(4) != _MAGIC or _number(file, "<I") < 2:
                return None
            _number(file, "<Q")
            for _ in range(min(_number(file, "<Q"), _MOST_FIELDS)):
                name = _text(file)
                kind = _number(file, "<I")
                if name.endswith(b".context_length") and kind in _WHOLE:
                    return _number(file, _WHOLE[kind])
                _skip(file, kind)
    except (OSError, ValueError, struct.error):
        return None
    return None


def _number(file: BinaryIO, form: str) -> int:
    return int(struct.unpack(form, file.read(struct.calcsize(form)))[0])


def _text(file: BinaryIO) -> bytes:
    length = _number(file, "<Q")
    if length > _MOST_BYTES:
        raise ValueError("no name is that long")
    return file.read(length)


def _skip(file: BinaryIO, kind: int) -> None:
    if kind == _TEXT:
        file.seek(_number(file, "<Q"), 1)
    elif kind == _LIST:
        of, count = _number(file, "<I"), _number(file, "<Q")
        if of in _WIDTHS:
            file.seek(_WIDTHS[of] * count, 1)
        else:
            for _ in range(count):
                _skip(file, of)
    elif kind in _WIDTHS:
        file.seek(_WIDTHS[kind], 1)
    else:
        raise ValueError(f"{kind} is no kind of value")
