"""Where the data that the package ships is: ``styles/`` and ``resources/``."""

from __future__ import annotations

from pathlib import Path


def shipped(folder: str, name: str = "") -> Path:
    """Find a file or folder of ``styles`` or ``resources``, in an installed wheel as in a checkout.

    Raises FileNotFoundError when it is in neither.
    """
    package = Path(__file__).resolve().parent.parent
    for root in (package / "_shipped", package.parent):
        path = root / folder / name
        if path.exists():
            return path
    raise FileNotFoundError(f"the package is missing {folder}/{name}; install wisp-tui again")
