"""The one protocol of every tool: what it says of itself, what it is given, what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wisp_tui.approval import Gate
from wisp_tui.approval.gate import Recorder
from wisp_tui.outputs import OutputStore, ToolBudget
from wisp_tui.recall import Ask, Past
from wisp_tui.sandbox import Walls
from wisp_tui.text.ids import CallId, SessionId, TurnNumber
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.tools.asking import Nobody, Questioner
from wisp_tui.tools.notifying import Notifier, Unshown


class BadArguments(Exception):
    """The arguments do not fit the tool; the message says which and how to put it right, for the model to read."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """A call's arguments, read by type. Every reader raises BadArguments that names the field and what was given."""

    values: JsonObject

    def text(self, name: str, default: str | None = None) -> str:
        """Read a string; a missing one is ``default``, or a fault when there is none."""
        value = self.values.get(name, default)
        if not isinstance(value, str):
            raise BadArguments(_fault(name, "a string", self.values))
        return value

    def choice(self, name: str, choices: Sequence[str], default: str | None = None) -> str:
        """Read one of some words; a missing one is ``default``, or a fault when there is none."""
        value = self.text(name, default)
        if value not in choices:
            raise BadArguments(f"{name} must be one of {', '.join(choices)}, not {value!r:.80}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Read an array of strings; a missing one is empty."""
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise BadArguments(_fault(name, "an array of strings", self.values))
        texts = tuple(item for item in value if isinstance(item, str))
        if len(texts) < len(value):
            raise BadArguments(_fault(name, "an array of strings", self.values))
        return texts

    def whole(self, name: str, default: int, *, least: int) -> int:
        """Read a whole number of at least ``least``. A number written as a string is taken: small models do that."""
        value = self.values.get(name)
        if value is None:
            return default
        if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise BadArguments(_fault(name, f"a whole number of at least {least}", self.values))
        return value


def _fault(name: str, wanted: str, values: Mapping[str, Json]) -> str:
    given = f"not {values[name]!r:.80}" if name in values else "and is missing"
    return f"{name} must be {wanted}, {given}"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What the model is told of a tool, and what the program needs to know of it.

    ``parameters`` is a JSON Schema object. ``reads_only``: calling it again changes nothing, so a reference to its
    output may say "call it again to see it".
    """

    name: str
    description: str
    parameters: JsonObject
    reads_only: bool
    clause: str
    """A clause of a few words for a catalogue, at most 80 characters."""
    asks: bool = False
    """Whether the person is asked before it does what it does, unless a rule or an answer of theirs settles it."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a call is given by the turn that makes it. ``progress`` takes clean text and the bytes so far."""

    session: SessionId
    turn: TurnNumber
    call: CallId
    directory: Path
    environment: Mapping[str, str]
    budget: ToolBudget
    store: OutputStore | None
    """None while the audit is off: there is then no way back to a stored output."""
    gate: Gate
    walls: Walls
    """What commands are kept within."""
    record: Recorder
    progress: Callable[[str, int], None]
    memory: bool
    """Whether the conversation has the memory tool, which the note on a held-back output may then name."""
    person: Questioner = Nobody()
    """Who puts the model's questions before the person."""
    notifier: Notifier = Unshown()
    """Who shows the person notifications."""
    status: Callable[[], Mapping[str, str]] = dict
    """How the conversation stands, in words, by what they are about."""
    past: Past | None = None
    """What the conversation keeps, for its memory; None in one of no session."""
    ask: Ask | None = None
    """Asks the conversation's model outside the conversation; None where it has none."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A call's result as the model is shown it: clean text within the budget.

    ``lines`` and ``bytes`` count the whole output, also where part of it is held back. A failed call's text begins
    ``error: ``, except a command's, whose ``exit_status`` says how it ended.
    """

    text: str
    ok: bool
    lines: int
    bytes: int
    exit_status: int | None = None
    kept: bool = False
    """Whether the whole output is in the output store, under the call's id."""
    details: JsonObject | None = None
    """What the audit adds for this tool: seconds, timed out, what still runs."""


class Tool(Protocol):
    """A tool. It returns a ToolOutput for everything the model can act on, failures of its own included."""

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        ...

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Do it. Raises BadArguments; on cancellation ends what it started before it lets the cancellation go on."""
        ...
