"""Whether a command failed because of the sandbox: told from what it printed, and only as sure as that allows."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from wisp_tui.sandbox.base import Reach
from wisp_tui.text.clean import encodable

LOOKED_AT = 16 * 1024
"""Characters at the end of what a command printed that are looked at."""


class Refusal(StrEnum):
    """How sure it is that the sandbox made a command fail."""

    REFUSED = "refused"
    """It wrote where it may not, and could have without the sandbox."""
    NOT_THE_SANDBOX = "not-the-sandbox"
    """It was denied something that the sandbox allows, or that is denied without it too."""
    GUESS = "guess"
    """It looks like the sandbox's doing; what it printed does not say."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a command failed, in words for the person and the model."""

    kind: Refusal
    text: str
    path: Path | None = None


_DENIED = re.compile(
    r"read-only file system|operation not permitted|permission denied|device or resource busy", re.IGNORECASE
)
_READ_ONLY = re.compile(r"read-only file system", re.IGNORECASE)
_QUOTED = re.compile(r"['\"`‘“](?P<path>[^'\"`‘’“”\n]+)['\"`’”]")
_BARE = re.compile(r"(?:^|[\s:=(])(?P<path>~?/[^\s:'\"),;]+)")
_BEFORE = re.compile(
    r"(?P<path>[^\s:'\"]+): (?:read-only file system|operation not permitted|permission denied)", re.IGNORECASE
)
_NETWORK = re.compile(
    r"could not resolve|name resolution|network is unreachable|name or service not known|failed to connect"
    r"|couldn't connect|connection refused|no route to host|getaddrinfo|nodename nor servname",
    re.IGNORECASE,
)
_ROOT = re.compile(r"no new privileges|effective uid is not 0|must be setuid root|sudo: .*nosuid", re.IGNORECASE)


def explain(stderr: str, status: int, reach: Reach, directory: Path) -> Explanation | None:
    """Tell whether the sandbox made a command fail that ran in ``directory``; None when nothing points to it."""
    if status == 0:
        return None
    for line in reversed(stderr[-LOOKED_AT:].splitlines()):
        if _ROOT.search(line):
            return Explanation(Refusal.REFUSED, "commands in the sandbox cannot become another user")
        if _DENIED.search(line):
            return _denied(line, reach, directory)
        if not reach.network and _NETWORK.search(line):
            return Explanation(
                Refusal.GUESS, "the sandbox has no network (sandbox.network), which may be why it failed"
            )
    return None


def _denied(line: str, reach: Reach, directory: Path) -> Explanation:
    named = _path(line, directory)
    if named is None:
        if _READ_ONLY.search(line):
            return Explanation(
                Refusal.GUESS, "the sandbox lets it write only some directories, which may be why it failed"
            )
        return Explanation(Refusal.GUESS, "it was not permitted something; the sandbox may be why")
    if reach.may_write(named):
        return Explanation(
            Refusal.NOT_THE_SANDBOX, f"the sandbox lets it write {named}; something else does not", named
        )
    if not _writable_outside(named):
        return Explanation(Refusal.NOT_THE_SANDBOX, f"your own rights do not reach {named}, sandbox or not", named)
    if not reach.writable:
        return Explanation(Refusal.REFUSED, f"it was judged to only read, and so is not let write {named}", named)
    return Explanation(
        Refusal.REFUSED,
        f"the sandbox does not let it write {named}; sandbox.writablePaths can",
        named,
    )


def _path(line: str, directory: Path) -> Path | None:
    """The path that a line of an error is about: in quotes, or with a slash; a bare word may be a program's name."""
    for found in (_QUOTED.search(line), _BEFORE.search(line), _BARE.search(line)):
        if found and ("/" in found["path"] or found.re is _QUOTED):
            named = os.path.normpath(directory / _expanded(encodable(found["path"])))
            return Path(named) if "\0" not in named else None
    return None


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # nobody's home
        return Path(text)


def _writable_outside(path: Path) -> bool:
    """Whether the person could write a path: it, or the deepest directory above it that they can tell is there."""
    while not os.access(path, os.F_OK) and path != path.parent:
        path = path.parent
    return os.access(path, os.W_OK)
