"""What a command line is made of once it is read: words, assignments, redirections, commands. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Known(Enum):
    """How much of a word is known before the shell runs."""

    EXACT = auto()
    """Its text is its value."""
    PATTERN = auto()
    """It stands for names of files that match; its text is the pattern."""
    UNKNOWN = auto()
    """What it is shows only when it runs; its text is what it surely begins with."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command. ``source`` is as written."""

    source: str
    text: str
    known: Known = Known.EXACT
    home: bool = False
    """The text begins with ``~`` and means the person's home directory."""
    splits: bool = False
    """It may become several words, or none."""
    plain: bool = False
    """Not known, but a number or a process substitution: one word, no option, and no file of the person's."""
    inner: tuple[Command, ...] = ()
    """The commands whose output it is, when it is nothing else."""
    choices: tuple[Word, ...] = ()
    """The words it is one of, when it is the variable of a ``for`` loop."""

    @property
    def exact(self) -> bool:
        """Whether its value is known."""
        return self.known is Known.EXACT

    @property
    def may_be_option(self) -> bool:
        """Whether the program could take it for an option."""
        match self.known:
            case Known.EXACT:
                return self.text.startswith("-") and self.text != "-"
            case Known.PATTERN:
                return self.text.startswith(("-", "*", "?", "["))
            case Known.UNKNOWN if self.plain:
                return False
            case Known.UNKNOWN if self.text and not self.splits:
                return self.text.startswith("-")
            case Known.UNKNOWN if self.choices and not self.splits:
                return any(choice.may_be_option for choice in self.choices)
            case Known.UNKNOWN:
                return True


@dataclass(frozen=True, slots=True)
class Assignment:
    """``NAME=VALUE``. ``exported``: commands run later in the line, or the one it stands before, are given it."""

    name: str
    value: Word
    exported: bool


class Flow(Enum):
    """Which way a redirection goes."""

    READ = auto()
    WRITE = auto()
    DUPLICATE = auto()
    """To another descriptor, or closed."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection to or from ``target``."""

    source: str
    flow: Flow
    target: Word


class Fed(Enum):
    """Where a command's standard input comes from."""

    NOTHING = auto()
    """It is not redirected."""
    PIPE = auto()
    FILE = auto()
    TEXT = auto()
    """A here-document or here-string, in ``Command.given``."""


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command: words, or only assignments, or only redirections of what is around it."""

    source: str
    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    fed: Fed = Fed.NOTHING
    given: str | None = None
    """The text it is fed, None when that is not known."""
    upstream: tuple[Command, ...] = ()
    """The commands before it in its pipeline."""
    pipeline: str = ""
    """The pipeline it is fed by, as written."""
    places: tuple[Place, ...] = ((),)
    """The directories it may run in."""


Place = tuple[Word, ...] | None
"""A directory: the operands of the ``cd``s that lead there, from where the line starts. None when it is not known."""


@dataclass(frozen=True, slots=True)
class Script:
    """A line as it was read. With ``problems`` it was not: the commands are then only those that were found."""

    line: str
    commands: tuple[Command, ...] = ()
    problems: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    """What in it can run commands that it does not show."""
    bash_only: bool = False
    """It has forms that other shells read differently."""
    defines: frozenset[str] = frozenset()
    """The functions it defines: in it, these names do not mean programs."""
