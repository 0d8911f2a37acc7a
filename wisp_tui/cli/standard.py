"""The three standard descriptors, before anything uses them."""

from __future__ import annotations

import os


def hold_standard_streams() -> None:
    """Put something behind each standard descriptor that was closed, so that no file of ours is opened in its place.

    A closed input reads as ended; a closed output fails when it is written.
    """
    for file, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(file)
        except OSError:
            os.open(os.devnull, mode)
