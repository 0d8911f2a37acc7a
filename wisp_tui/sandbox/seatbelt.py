"""macOS's sandbox: Seatbelt, through ``sandbox-exec`` and a profile written for the command's reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.sandbox.base import Reach, Wrapped, kept

_DEVICES = ("/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper")


@dataclass(frozen=True, slots=True)
class Seatbelt:
    """``program`` is sandbox-exec's path."""

    program: str = "/usr/bin/sandbox-exec"

    @property
    def name(self) -> str:
        """What a person knows it by."""
        return "Seatbelt"

    @property
    def contains(self) -> bool:
        """Whether it keeps anything out."""
        return True

    @property
    def has_scratch(self) -> bool:
        """There is none, and macOS's bash needs one for what it is given to read."""
        return False

    def wrap(self, argv: Sequence[str], directory: Path, environment: Mapping[str, str], reach: Reach) -> Wrapped:
        """Wrap a command; it is started in ``directory`` by whoever starts it."""
        del directory
        return Wrapped((self.program, "-p", profile(reach), *argv), kept(environment))


def profile(reach: Reach) -> str:
    """Write the profile: everything is allowed, then writing is not but in a few places; the last rule that fits holds.

    Asking other programs to act (Apple events, opening things) is not allowed: they would act outside the sandbox.
    """
    rules = [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        _rule("allow file-write*", (*_subpaths(reach.writable), *_literals(_DEVICES), '(regex #"^/dev/fd/")')),
        "(deny appleevent-send)",
        "(deny lsopen)",
    ]
    if reach.protected:
        rules.append(_rule("deny file-write*", _subpaths(reach.protected)))
    if reach.leading:  # neither renamed nor removed, while what is in them is written as before
        rules.append(_rule("deny file-write-unlink", _literals(map(str, sorted(reach.leading)))))
    if reach.hidden:
        rules.append(_rule("deny file-read* file-write* network-outbound", _subpaths(reach.hidden)))
    if not reach.network:
        rules.append("(deny network*)")
    return "\n".join(rules) + "\n"


def _rule(what: str, filters: Iterable[str]) -> str:
    return f"({what}\n" + "\n".join(f"  {one}" for one in filters) + ")"


def _subpaths(paths: Iterable[Path]) -> tuple[str, ...]:
    return tuple(f"(subpath {_quoted(str(path))})" for path in sorted(paths))


def _literals(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"(literal {_quoted(path)})" for path in paths)


def _quoted(text: str) -> str:
    """Write a text as the profile's language does, so that no path can end its own quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
