"""A judge of a machine that is none: its home, its directory and its programs are names, its repositories are clean."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.approval.base import Level
from wisp_tui.approval.judge import Judge
from wisp_tui.approval.rules import Rules, load_rules
from wisp_tui.approval.surroundings import Surroundings
from wisp_tui.approval.verdict import Part, Verdict

HOME = Path("/home/eve")
HARBOUR = HOME / "harbour"
"""The directory commands start in."""
OWN = HOME / ".wisp"
LABELLED = Path(__file__).parents[1] / "data" / "commands.json"
VARIABLES = frozenset({"PATH", "HOME", "LANG", "TERM", "USER", "SHELL"})


def rules() -> Rules:
    """The shipped rules."""
    return load_rules()


def clean(directory: Path) -> str | None:
    """Find nothing wrong with a repository."""
    del directory


def surroundings(
    *, bash: bool = True, variables: frozenset[str] = VARIABLES, git: Callable[[Path], str | None] = clean
) -> Surroundings:
    """A machine with the usual directories of programs."""
    return Surroundings(
        home=HOME,
        own=OWN,
        temporary=(Path("/tmp"),),
        variables=variables,
        search=("/usr/local/bin", "/usr/bin", "/bin"),
        bash=bash,
        git_fault=git,
        git_hooks=lambda _: False,
    )


def judge(at: Surroundings | None = None, root: Path = HARBOUR) -> Judge:
    """A judge of that machine."""
    return Judge(rules(), at or surroundings(), root)


def judged(line: str, at: Surroundings | None = None) -> Verdict:
    """Judge a line there."""
    return judge(at).judge(line, HARBOUR)


def level(line: str, at: Surroundings | None = None) -> Level:
    """The level of a line there."""
    return judged(line, at).level


def only_part(line: str) -> Part:
    """The one part of a line."""
    [part] = judged(line).parts
    return part


@dataclass(frozen=True)
class Labelled:
    """A command of the labelled set. A trick is one that is not what it looks like, or looks like what it is not."""

    level: Level
    trick: bool
    command: str


def labelled() -> tuple[Labelled, ...]:
    """The labelled set."""
    return tuple(
        Labelled(Level(row["level"]), row["trick"], row["command"]) for row in json.loads(LABELLED.read_text("utf-8"))
    )
