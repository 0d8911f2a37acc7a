"""What a path means: whether it holds credentials, and what writing there would do. Reads no file's content."""

from __future__ import annotations

import os.path
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from wisp_tui.approval.base import Level
from wisp_tui.approval.matching import TooMany, matches
from wisp_tui.approval.rules import PathRule, Paths
from wisp_tui.approval.verdict import Finding

_WILD = re.compile(r"[*?\[]")
_CLIMBS = re.compile(r"[*?\[].*/\.\.(?:/|$)", re.DOTALL)


@dataclass(frozen=True)
class PathBook:
    """The rules on paths, for one person's home and one conversation's directory."""

    rules: Paths
    home: Path
    root: Path
    """The directory within which writing is the conversation's business."""
    own: Path
    """This program's own home."""
    temporary: tuple[Path, ...] = ()
    search: tuple[tuple[Path, bool], ...] = ()
    """Where programs are looked for, and whether the conversation may write there; empty when it may nowhere."""

    def absolute(self, text: str, directory: Path, *, home: bool = False) -> str:
        """Make a path absolute as it is written, but for a link that a ``..`` climbs out of: it is followed first."""
        path = self.joined(text, directory, home=home)
        return _climbed(path) if ".." in path else posixpath.normpath(path)

    def joined(self, text: str, directory: Path, *, home: bool = False) -> str:
        """Make a path absolute, and no more."""
        return posixpath.join(directory, f"{self.home}{text[1:]}" if home else text)

    # Reading --------------------------------------------------------------------------------------------------------

    def credentials(self, path: str) -> str | None:
        """Tell why a file is one to ask about before its content is shown; None when it is not."""
        for name in dict.fromkeys((path, os.path.realpath(path))):
            if found := self._credentials.reason(name):
                return found
            if _within(name, self._own):
                return "it is one of wisp's own files"
        return None

    def holder(self, path: str) -> bool:
        """Whether credentials are kept in or below a directory."""
        return bool({path, os.path.realpath(path)} & self._holders)

    def pattern(self, text: str, directory: Path, *, home: bool = False) -> str | None:
        """Tell why the files that a pattern stands for are ones to ask about; None when they are not."""
        if _CLIMBS.search(text):
            return "it climbs out of a directory that is known only when it runs"
        parts = self.absolute(text, directory, home=home).split("/")
        first = next((index for index, part in enumerate(parts) if _WILD.search(part)), len(parts))
        return self._may_stand_for(parts, first) or self._stands_for("/".join(parts[:first]) or "/", parts[first:])

    def _may_stand_for(self, parts: Sequence[str], first: int) -> str | None:
        """Tell what is wrong with a pattern as it is written; its parts from ``first`` on are patterns."""
        if any(part.startswith((".", "[")) and _WILD.search(part) for part in parts[first:]):
            return "it may stand for hidden files, which hold credentials"
        if found := self._credentials.reason(_WILD.sub("x", "/".join(parts))):
            return found
        above = "/".join(parts[:first]) or "/"
        if self.holder(above) and (
            first < len(parts) - 1 or any(fnmatchcase(name, parts[-1]) for name in self._credentials.names)
        ):
            return "credentials are kept there"
        literal = parts[-1].strip("*?")
        if len(literal) > 1 and any(fnmatchcase(name, parts[-1]) for name in self._credentials.names):
            return "it may stand for a file of credentials"
        return None

    def _stands_for(self, above: str, parts: Sequence[str]) -> str | None:
        """Tell what is wrong with a file that a pattern stands for now: its name, or where a link to it leads."""
        try:
            for match in matches(above, parts):
                if found := self._credentials.reason(match.path) or (match.linked and self.credentials(match.path)):
                    return found
                if match.linked and self.holder(match.path):
                    return "credentials are kept there"
        except TooMany:
            return "it stands for more files than are looked at"
        return None

    # Writing --------------------------------------------------------------------------------------------------------

    def write(self, path: str) -> Finding | None:
        """Tell what writing to a path does; None when nothing."""
        if path in self.rules.harmless:
            return None
        for name in dict.fromkeys((path, os.path.realpath(path))):
            if _within(name, self._own):
                return Finding(Level.DANGEROUS, f"writes {path}, one of wisp's own files")
            inside = _within(name, self._root)
            sensitive = self._sensitive_inside if inside else self._sensitive
            for written in (name, f"{name}/x"):  # itself, or a file in it where it is a directory
                if reason := sensitive.reason(written) or self._credentials.reason(written):
                    return Finding(Level.DANGEROUS, f"writes {path}: {reason}")
        real = os.path.realpath(path)
        if _within(real, self._root):
            return Finding(Level.MODERATE, f"writes {os.path.relpath(real, os.path.realpath(self.root))}")
        if _within(real, self._temporary):
            return Finding(Level.MODERATE, f"writes {path}")
        return Finding(Level.DANGEROUS, f"writes {path}, outside the directory")

    def shadowed(self, program: str) -> bool:
        """Whether a program is one of the directory's own, found before that of the system.

        Where one may not look, nothing is found to run either.
        """
        return next((own for directory, own in self.search if os.access(directory / program, os.F_OK)), False)

    def inside(self, path: str) -> bool:
        """Whether a path is in the conversation's directory, as it is written and as it really is."""
        return _within(path, self._root) and _within(os.path.realpath(path), self._root)

    @cached_property
    def _root(self) -> tuple[str, ...]:
        return _names_of(self.root)

    @cached_property
    def _own(self) -> tuple[str, ...]:
        return _names_of(self.own)

    @cached_property
    def _temporary(self) -> tuple[str, ...]:
        return tuple(name for directory in self.temporary for name in _names_of(directory))

    @cached_property
    def _credentials(self) -> _Patterns:
        return _Patterns(self.rules.credentials, self.home)

    @cached_property
    def _sensitive(self) -> _Patterns:
        return _Patterns(self.rules.sensitive, self.home)

    @cached_property
    def _sensitive_inside(self) -> _Patterns:
        """The sensitive paths that are so wherever a project is."""
        inside = [
            rule.model_copy(update={"patterns": tuple(text for text in rule.patterns if not text.startswith("/"))})
            for rule in self.rules.sensitive
        ]
        return _Patterns(inside, self.home)

    @cached_property
    def _holders(self) -> frozenset[str]:
        named = {self.absolute(text, self.root, home=text.startswith("~")) for text in self.rules.holders}
        for pattern in (text for rule in self.rules.credentials for text in rule.patterns):
            if not pattern.startswith("**"):
                kept = Path(self.absolute(pattern.partition("*")[0] + "x", self.root, home=pattern.startswith("~")))
                named.update(str(above) for above in kept.parents)
        return frozenset((*named, *(os.path.realpath(name) for name in named)))


class _Patterns:
    """Rules on paths as one expression; its groups are the rules."""

    def __init__(self, rules: Iterable[PathRule], home: Path) -> None:
        rules = [rule for rule in rules if rule.patterns]
        self._reasons = [rule.reason for rule in rules]
        self.names = frozenset(_names(text for rule in rules for text in rule.patterns))
        groups = (f"({_together(rule.patterns, home)})" for rule in rules)
        self._expression = re.compile("|".join(groups), re.IGNORECASE | re.DOTALL)

    def reason(self, path: str) -> str | None:
        found = self._expression.fullmatch(path)
        return self._reasons[(found.lastindex or 1) - 1] if found else None


def _names(patterns: Iterable[str]) -> Iterable[str]:
    """The names that patterns end in, where they are names."""
    for pattern in patterns:
        name = pattern.rsplit("/", 1)[-1].rstrip("*")
        if name and not _WILD.search(name):
            yield name


def _together(patterns: Iterable[str], home: Path) -> str:
    """Write patterns as one expression; what many begin with is written, and matched, once."""
    starts = {"~/": re.escape(f"{home}/"), "**/": "(?:.*/)?"}
    below: dict[str, list[str]] = {}
    for pattern in patterns:
        start = next((start for start in starts if pattern.startswith(start)), "")
        below.setdefault(starts.get(start, ""), []).append(_regex(pattern.removeprefix(start)))
    return "|".join(f"{start}(?:{'|'.join(rest)})" for start, rest in below.items())


def _regex(pattern: str) -> str:
    """Write a pattern as an expression: ``**/`` any directories, ``**`` anything, ``*`` within one name."""
    parts: Sequence[str] = re.split(r"(\*\*/|\*\*|\*)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return "".join(meaning.get(part) or re.escape(part) for part in parts)


def _climbed(path: str) -> str:
    """A path without its ``..``, as the system follows it. As text: a Path drops ``./`` and ``//``."""
    at = "/"
    for part in path.split("/"):
        if part == "..":
            at = posixpath.dirname(os.path.realpath(at) if Path(at).is_symlink() else at)
        elif part not in {"", "."}:
            at = posixpath.join(at, part)
    return at


def _within(path: str, directories: Sequence[str]) -> bool:
    """Whether a path is one of some directories or below one, part by part."""
    return any(path == above or path.startswith(f"{above.rstrip('/')}/") for above in directories)


def _names_of(directory: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys((str(directory), os.path.realpath(directory))))
