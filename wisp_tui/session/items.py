"""What a conversation shows, as values: one item for each thing a person sees, and how a list of them changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from wisp_tui.facts import FactId
from wisp_tui.session.condensations import Condensation
from wisp_tui.session.lines import Folded
from wisp_tui.text.ids import CallId, TurnNumber
from wisp_tui.text.sizes import human_seconds


@dataclass(eq=False, slots=True)
class PromptItem:
    """What the person said."""

    turn: TurnNumber
    text: str


@dataclass(eq=False, slots=True)
class ReplyItem:
    """A reply, whole once ``done``; ``stopped`` says why where it did not end by itself."""

    turn: TurnNumber
    parts: list[str] = field(default_factory=list[str])
    done: bool = False
    stopped: str | None = None

    @property
    def text(self) -> str:
        """The reply so far."""
        return "".join(self.parts)


@dataclass(eq=False, slots=True)
class ThinkingItem:
    """The model's thinking, folded; ``seconds`` once it has ended."""

    turn: TurnNumber
    parts: list[str] = field(default_factory=list[str])
    seconds: float | None = None
    done: bool = False

    @property
    def text(self) -> str:
        """The thinking so far."""
        return "".join(self.parts)

    @property
    def title(self) -> str:
        """Its one line."""
        if not self.done:
            return "thinking …"
        return "thought" if self.seconds is None else f"thought for {human_seconds(self.seconds)}"


class CallState(Enum):
    """How far a tool call is."""

    RUNNING = auto()
    DONE = auto()
    FAILED = auto()
    REFUSED = auto()


@dataclass(eq=False, slots=True)
class CallItem:
    """A tool call: its line, what it prints while it runs, then its result's line and its output, folded."""

    turn: TurnNumber
    call: CallId
    line: str
    state: CallState = CallState.RUNNING
    progress: str = ""
    progress_bytes: int = 0
    result: str | None = None
    output: str = ""
    """The result as the model was shown it, clean."""
    kept: bool = False
    """Whether the whole output is in the output store."""
    folded: Folded | None = None
    typed: bool = False
    """Whether the person typed it, after ``!``."""


class Tone(Enum):
    """How a line for the person is meant."""

    NOTE = auto()
    WARNING = auto()
    ERROR = auto()
    RAN = auto()


@dataclass(eq=False, slots=True)
class LineItem:
    """A line for the person: a note, a warning, an error, what a turn ran."""

    text: str
    tone: Tone = Tone.NOTE


@dataclass(eq=False, slots=True)
class CondensationItem:
    """A condensation that is over."""

    condensation: Condensation


@dataclass(eq=False, slots=True)
class FactsItem:
    """The line that names the facts of a turn."""

    text: str
    facts: tuple[FactId, ...]


@dataclass(eq=False, slots=True)
class AnswerItem:
    """A command the person gave the program, and what it answered."""

    command: str
    lines: tuple[str, ...]
    failed: bool = False


Item: TypeAlias = (
    PromptItem | ReplyItem | ThinkingItem | CallItem | LineItem | CondensationItem | FactsItem | AnswerItem
)


@dataclass(frozen=True, slots=True)
class Added:
    """An item came."""

    item: Item


@dataclass(frozen=True, slots=True)
class Grew:
    """Text was added to a reply or to thinking."""

    item: ReplyItem | ThinkingItem
    text: str


@dataclass(frozen=True, slots=True)
class Changed:
    """An item changed other than by growing."""

    item: Item


Change: TypeAlias = Added | Grew | Changed
