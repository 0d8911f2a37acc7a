"""What a fact is about and who asserted it: scopes, classes, identities, sources (spec "Facts")."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, NewType

FactId = NewType("FactId", str)
"""A fact's id: ``c`` and a number in its conversation, ``s`` in the process, ``p`` in the shared store."""


class TemporalClass(StrEnum):
    """How long a fact of a kind holds."""

    DYNAMIC = "dynamic"
    EPHEMERAL = "ephemeral"
    PERMANENT = "permanent"


class Scope(StrEnum):
    """Where a fact lives: a state the person sets. It moves together with the temporal class."""

    THREAD = "thread"
    SESSION = "session"
    PERMANENT = "permanent"

    @property
    def prefix(self) -> str:
        """The letter its ids begin with."""
        return _PREFIXES[self]

    @property
    def temporal(self) -> TemporalClass:
        """The class that goes with it."""
        return _CLASSES[self]

    @classmethod
    def of(cls, ident: str) -> Scope | None:
        """Tell a scope from a fact's id; None for what is no id."""
        number = ident[1:]
        return _SCOPES.get(ident[:1]) if number.isdecimal() and number.isascii() else None


_PREFIXES = {Scope.THREAD: "c", Scope.SESSION: "s", Scope.PERMANENT: "p"}
_SCOPES = {prefix: scope for scope, prefix in _PREFIXES.items()}
_CLASSES = {
    Scope.THREAD: TemporalClass.DYNAMIC,
    Scope.SESSION: TemporalClass.EPHEMERAL,
    Scope.PERMANENT: TemporalClass.PERMANENT,
}


def home_of(temporal: TemporalClass) -> Scope:
    """Return the scope whose facts are of a class."""
    return next(scope for scope, found in _CLASSES.items() if found is temporal)


class Topic(NamedTuple):
    """What an assertion is about: a subject and a normalised name, in whatever scope. ``name`` is empty for one alone.

    Assertions of one topic in different scopes are seen together: they can agree, disagree and be held once.
    """

    subject: str
    name: str

    @property
    def words(self) -> str:
        """The topic as a line names it: ``tests swift test``, ``task``."""
        return f"{self.subject} {self.name}" if self.name else self.subject


@dataclass(frozen=True, slots=True)
class Identity:
    """What a fact is about, and where: ``{thread, tests, swift test}``."""

    scope: Scope
    subject: str
    name: str

    @property
    def topic(self) -> Topic:
        """The identity without its scope."""
        return Topic(self.subject, self.name)


class SourceKind(StrEnum):
    """Who asserted a fact. A newer assertion supersedes an older one of the same kind of source."""

    PERSON = "person"
    CALLER = "caller"
    TOOL = "tool"
    MODEL = "model"


class Method(StrEnum):
    """How the model came to assert something."""

    DISTILLED = "distilled"
    NOTED = "noted"
    INFERRED = "inferred"


class Speaker(StrEnum):
    """Whose word the distiller says it found: said beside the source, and never more than that."""

    PERSON = "person"
    MODEL = "model"


COMMAND = "the person's command"
"""The tool named in the source of what a command printed that the person typed: an observation, no statement."""
CHAT = "chat"
"""The tool named in the source of what a conversation records of itself: its directory, its branch."""


@dataclass(frozen=True, slots=True)
class Source:
    """Who asserted a fact. ``tool`` is set for a tool, ``method`` for the model, ``speaker`` for what it distilled."""

    kind: SourceKind
    tool: str | None = None
    method: Method | None = None
    speaker: Speaker | None = None

    @classmethod
    def of_tool(cls, name: str) -> Source:
        """A tool of the model's, by its name."""
        return cls(SourceKind.TOOL, tool=name)

    @classmethod
    def distilled(cls, speaker: Speaker) -> Source:
        """The model, from turns that left the window."""
        return cls(SourceKind.MODEL, method=Method.DISTILLED, speaker=speaker)

    @property
    def words(self) -> str:
        """The source as a fact's line names it, without its turn: ``model, distilled: the person said``."""
        match self.kind:
            case SourceKind.PERSON | SourceKind.CALLER:
                return f"the {self.kind}"
            case SourceKind.TOOL:
                return f"tool {self.tool}" if self.tool not in {COMMAND, CHAT} else f"{self.tool}"
            case SourceKind.MODEL:
                how = f"model, {self.method}" if self.method else "model"
                return f"{how}: {_SAYINGS[self.speaker]}" if self.speaker else how

    @property
    def says(self) -> str:
        """The source as the subject of a sentence: ``the person``, ``tool run_command``, ``the model``."""
        return "the model" if self.kind is SourceKind.MODEL else self.words


_SAYINGS = {Speaker.PERSON: "the person said", Speaker.MODEL: "the model concluded"}

PERSON = Source(SourceKind.PERSON)
CALLER = Source(SourceKind.CALLER)
NOTED = Source(SourceKind.MODEL, method=Method.NOTED)
INFERRED = Source(SourceKind.MODEL, method=Method.INFERRED)
TYPED_COMMAND = Source(SourceKind.TOOL, tool=COMMAND)
FROM_CHAT = Source(SourceKind.TOOL, tool=CHAT)
