"""How names under a subject are normalised, so that one thing has one name. Five ways behind one protocol."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from wisp_tui.facts.values import STORED_NAME, one_line
from wisp_tui.text.sizes import shorten, shorten_start


def no_repository(path: str) -> str | None:
    """Answer for a place whose repositories nobody looks up: no path is in one."""
    del path
    return None


@dataclass(frozen=True, slots=True)
class Place:
    """Where paths are read from. ``git_root`` gives the root of the repository a path is in, None for one in none."""

    directory: str = "/"
    home: str | None = None
    git_root: Callable[[str], str | None] = no_repository

    def absolute(self, path: str) -> str:
        """Make a path absolute, ``~`` expanded and ``..`` taken away, without looking at the disk."""
        if self.home is not None and (path == "~" or path.startswith("~/")):
            path = self.home + path[1:]
        return posixpath.normpath(posixpath.join(self.directory, path))


class FactNameNormaliser(Protocol):
    """Gives a name the form its kind is known by: once, where it is said, since a path is read from there."""

    def __call__(self, name: str, place: Place) -> str:
        """Return the name normalised: one line, empty when nothing of it is left."""
        ...


def casefold(name: str, place: Place) -> str:
    """Fold the case and collapse white space."""
    del place
    return shorten(one_line(one_line(name).casefold()), STORED_NAME)


def trim(name: str, place: Place) -> str:
    """Take away white space at the ends, and control characters."""
    del place
    return shorten(one_line(name), STORED_NAME)


def single(name: str, place: Place) -> str:
    """Give every name the empty one: there is one such thing in a conversation."""
    del name, place
    return ""


def command(name: str, place: Place) -> str:
    """Take from a command line what changes with the way it is called, not with what it does.

    That is ``cd … &&`` and ``set -o pipefail;`` before it, ``2>&1``, and a pipe into ``tail`` or ``head`` after it.
    """
    del place
    line = one_line(name)
    while (stripped := _stripped(line)) != line:
        line = stripped
    return shorten(line, STORED_NAME)


_BEFORE = re.compile(
    r"""^(?:cd\s+(?:"[^"]*"|'[^']*'|(?:\\.|[^\s;&|"'\\])+)\s*(?:&&|;)|set\s+-o\s+pipefail\s*(?:&&|;))\s*"""
)
_AFTER = re.compile(r"""\s*\|&?\s*(?:tail|head)(?:\s+[^|&;<>"'`$()]*)?$""")
_MERGED = re.compile(r"""\s*2>&1(?=\s|$|[|;&])""")


def _stripped(line: str) -> str:
    line = _BEFORE.sub("", line)
    line = _AFTER.sub("", line)
    return " ".join(_MERGED.sub("", line).split())


def path(name: str, place: Place) -> str:
    """Make a path relative to the root of its git repository, else absolute."""
    written = one_line(name)
    if not written:
        return ""
    absolute = place.absolute(written)
    root = place.git_root(absolute)
    if root is not None:
        root = posixpath.normpath(root)
        if absolute.startswith(root.rstrip("/") + "/"):
            absolute = absolute[len(root.rstrip("/")) + 1 :]
    return shorten_start(absolute, STORED_NAME)


NORMALISERS: Mapping[str, FactNameNormaliser] = MappingProxyType(
    {"casefold": casefold, "trim": trim, "single": single, "command": command, "path": path}
)
"""The normalisers by the name a kind gives."""
