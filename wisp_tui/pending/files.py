"""Files that are written once: linked into place whole, so that the first of several writers wins."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

TEMPORARY = ".writing."
"""How the name of a file begins that is not in place yet."""


def write_once(path: Path, data: bytes) -> bool:
    """Create a file with its whole content, 0600; False when it is there already. Raises OSError.

    It appears under its name complete or not at all, also when the process dies in between.
    """
    handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)  # 0600 from creation
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            return False
        return True
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
