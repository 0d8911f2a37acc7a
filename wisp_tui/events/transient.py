"""The transient events: published for whoever watches, never recorded (DESIGN.md section 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from wisp_tui.text.ids import CallId, SessionId, TurnNumber
from wisp_tui.text.json import Json, JsonObject


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    """A fragment of the reply as it streams. ``text`` is clean."""

    session: SessionId
    turn: TurnNumber
    text: str

    def merged(self, later: ReplyDelta) -> ReplyDelta:
        """Join a later fragment of the same reply to this one."""
        return replace(self, text=self.text + later.text)


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A fragment of the model's thinking as it streams. ``text`` is clean."""

    session: SessionId
    turn: TurnNumber
    text: str

    def merged(self, later: ThinkingDelta) -> ThinkingDelta:
        """Join a later fragment of the same thinking to this one."""
        return replace(self, text=self.text + later.text)


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """The text streamed so far is a whole reply or the text before a tool call; the next delta opens a new one."""

    session: SessionId
    turn: TurnNumber


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn began: its prompt is recorded."""

    session: SessionId
    turn: TurnNumber
    prompt: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn is over. ``outcome`` is ``ok``, ``error`` or ``cancelled``; token counts are None where unknown."""

    session: SessionId
    turn: TurnNumber
    outcome: str
    seconds: float
    input_tokens: int | None
    output_tokens: int | None
    ran: str | None = None
    cited: tuple[str, ...] = ()
    facts: tuple[JsonObject, ...] = ()
    message: str | None = None
    """Why the turn failed, in words for the person; None when it did not."""


@dataclass(frozen=True, slots=True)
class Activity:
    """What the turn is doing now. ``doing`` is None when nothing runs."""

    session: SessionId
    doing: str | None
    asking: bool = False
    turn_seconds: float = 0.0
    thinking: bool = False
    in_turn: bool = True
    """Whether a turn does it, and stopping the turn stops it."""


@dataclass(frozen=True, slots=True)
class CommandStarted:
    """A command that the person typed began to run; how it ended is ``command.typed`` under the same call."""

    session: SessionId
    call: CallId
    line: str


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """A running tool's output so far: the latest text (clean, at most a few lines) and the bytes since its start."""

    session: SessionId
    call: CallId
    text: str
    bytes: int


@dataclass(frozen=True, slots=True)
class ContextFill:
    """The context as last composed or reported: tokens by layer (names of ``context.Layer``), against the window."""

    session: SessionId
    layers: tuple[tuple[str, int], ...]
    headroom: int
    used: int
    window: int | None
    exact: bool


@dataclass(frozen=True, slots=True)
class CondensationStep:
    """A step of a running condensation; ``fill``, ``goal`` and ``window`` are tokens.

    ``step`` is ``began``, ``referenced``, ``distilling``, ``distilled``, ``dropped``, ``squeezed`` or ``ended``.
    """

    session: SessionId
    turn: TurnNumber
    step: str
    reason: str
    fill: int
    goal: int
    window: int
    amount: int = 0
    seconds: float = 0.0
    floor: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A line for the person that belongs to no turn's content: what was chosen, saved, noticed."""

    session: SessionId
    text: str
    level: str = "note"
    """``note``, ``warning`` or ``error``."""
    names_facts: bool = False
    """Whether it names the facts that the turn's end carries."""


@dataclass(frozen=True, slots=True)
class ApprovalWaiting:
    """An approval waits for the person's answer; ``request`` is as in spec/CHAT-JSON.md, "approval"."""

    session: SessionId
    id: str
    request: JsonObject


@dataclass(frozen=True, slots=True)
class ApprovalWithdrawn:
    """An approval no longer waits: answered elsewhere, timed out, or its turn ended."""

    session: SessionId
    id: str


@dataclass(frozen=True, slots=True)
class QuestionWaiting:
    """The model asks the person something and waits; ``text`` and ``choices`` are clean, ``text`` may have lines."""

    session: SessionId
    id: str
    text: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionWithdrawn:
    """A question no longer waits: answered, declined, timed out, or its turn ended."""

    session: SessionId
    id: str


@dataclass(frozen=True, slots=True)
class AuditFault:
    """The audit log cannot be written; ``reason`` says why. No tool runs until it can."""

    reason: str


@dataclass(frozen=True, slots=True)
class PendingChanged:
    """Something appeared in, or left, the pending directory."""

    count: int


@dataclass(frozen=True, slots=True)
class FactsChanged:
    """The facts a conversation sees changed."""

    session: SessionId | None


@dataclass(frozen=True, slots=True)
class SettingChanged:
    """A setting was changed in a conversation, and holds there at once. ``name`` and ``value`` are as the file's."""

    session: SessionId
    name: str
    value: Json


Transient: TypeAlias = (
    ReplyDelta
    | ThinkingDelta
    | ReplyEnded
    | TurnStarted
    | TurnEnded
    | Activity
    | CommandStarted
    | ToolProgress
    | ContextFill
    | CondensationStep
    | Note
    | ApprovalWaiting
    | ApprovalWithdrawn
    | QuestionWaiting
    | QuestionWithdrawn
    | AuditFault
    | PendingChanged
    | FactsChanged
    | SettingChanged
)
