"""Which git branch a command's output names, if it names one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_STATUS = (re.compile(r"On branch (\S+)"), re.compile(r"## (?!HEAD \(|No commits yet)(\S+?)(?:\.\.\.\S+)?(?: \[.*\])?"))
_NEW = (*_STATUS, re.compile(r"## No commits yet on (\S+)"))
_SWITCHED = (re.compile(r"Switched to (?:a new |and reset )?branch '(\S+)'"), re.compile(r"Already on '(\S+)'"))
_BARE = (re.compile(r"(\S+)"),)
_SHAPES = {"status": _NEW, "checkout": (*_SWITCHED, *_STATUS), "switch": _SWITCHED, "commit": _STATUS}
"""What each git command prints that names the branch one is on. Others print what files and commits hold."""
_ASKING = frozenset(
    {
        "branch --show-current",
        "rev-parse --abbrev-ref HEAD",
        "symbolic-ref --short HEAD",
        "symbolic-ref --short -q HEAD",
    }
)
"""The git commands whose one line is the branch's name."""
_JOINED = re.compile(r"\s*(?:&&|;)\s*")
_COMPOUND = re.compile(r"[|<>`&\n]|\$\(")
_OPTIONS = re.compile(r"^git\s+(?:--no-pager\s+|-c\s+\S+\s+)*")
_BAD_NAME = re.compile(r"[\x00-\x20~^:?*\[\\\x7f]|\.\.|@\{|//|^[-/.]|[/.]$|\.lock$")


def branch_in(command: str, output: Sequence[str]) -> str | None:
    """Return the branch that the output of a git command names; None when it names none or several.

    ``command`` is the line without what changes around it. Every command of it must be git, in this repository.
    """
    parts = [part for part in _JOINED.split(command) if part]
    if not parts or not all(part.startswith("git ") for part in parts):
        return None
    if any(_COMPOUND.search(part) for part in parts):
        return None
    named = {name for name in _named(parts, output) if name != "HEAD" and not _BAD_NAME.search(name)}
    return named.pop() if len(named) == 1 else None


def _named(parts: Sequence[str], output: Sequence[str]) -> Iterable[str]:
    asked = [_OPTIONS.sub("", part).strip() for part in parts]
    if len(asked) == 1 and asked[0] in _ASKING:
        shapes = _BARE if len([line for line in output if line.strip()]) == 1 else ()
    elif all(part.partition(" ")[0] in _SHAPES for part in asked):
        shapes = tuple(shape for part in asked for shape in _SHAPES[part.partition(" ")[0]])
    else:
        shapes = ()
    for line in output:
        for shape in shapes:
            if (found := shape.fullmatch(line.strip())) is not None:
                yield found[1]
