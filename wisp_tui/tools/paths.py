"""A path as a model writes it, made one that can be used."""

from __future__ import annotations

import os
from pathlib import Path

from wisp_tui.text.clean import encodable, visible
from wisp_tui.text.sizes import shorten_start
from wisp_tui.tools.base import BadArguments

_SHOWN = 300
"""Characters of a path that a result shows, from its end: a path may be longer than the smallest budget."""


def shown_path(path: Path) -> str:
    """Write a path for the model: on one line, nothing in it hidden, its end kept where it is very long."""
    return shorten_start(visible(str(path)).replace("\n", "<U+000A>"), _SHOWN)


def absolute(path: str, directory: Path) -> Path:
    """Expand ``~`` and join to the working directory; ``..`` and links stay as written.

    Raises BadArguments for an empty path, one with a NUL, or the home of somebody who has none.
    """
    path = encodable(path)
    if not path.strip() or "\0" in path:
        raise BadArguments("the path must not be empty or hold NUL characters")
    try:
        return directory / Path(path).expanduser()
    except RuntimeError as error:
        raise BadArguments(f"{path.partition('/')[0]} is nobody's home directory") from error


def resolved(path: str, directory: Path) -> Path:
    """Make a path absolute and follow its links as far as it exists. Raises BadArguments as ``absolute`` does."""
    return Path(os.path.realpath(absolute(path, directory)))
