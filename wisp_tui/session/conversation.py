"""What a thread and its agent share: the record, the model, the tools, and what each request carried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from wisp_tui.approval import Gate
from wisp_tui.audit import AuditLog
from wisp_tui.config import Settings
from wisp_tui.context.composer import NO_BLOCKS, Blocks, Composer, Composition, Plan
from wisp_tui.context.record import Revision, ThreadRecord
from wisp_tui.events import AuditEvent, Bus, Note
from wisp_tui.models import Capability, Model, Resolved, ToolDefinition
from wisp_tui.outputs import OutputStore, ToolBudget
from wisp_tui.text.ids import CallId, EntryId, SessionId, TurnNumber
from wisp_tui.text.json import JsonObject
from wisp_tui.tools import Tool


@dataclass(frozen=True, slots=True)
class Clock:
    """Where times and durations come from. ``now`` carries the person's zone; ``elapsed`` is in seconds."""

    now: Callable[[], datetime]
    elapsed: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Composed:
    """One request as it was sent, so that its context can be composed again and proved the same."""

    turn: TurnNumber
    number: int
    """Which request of its turn, from 1."""
    revision: Revision
    request: EntryId
    tools: tuple[ToolDefinition, ...]
    blocks: Blocks
    memory: bool
    sha256: str
    tokens: int

    @property
    def plan(self) -> Plan:
        """The plan that composes it again."""
        return Plan(self.tools, self.blocks, self.request, self.memory, self.revision)


@dataclass(slots=True)
class Conversation:
    """The state of one conversation. The thread opens it, the agent changes it turn by turn."""

    session: SessionId
    directory: Path
    settings: Settings
    environment: Mapping[str, str]
    bus: Bus
    audit: AuditLog
    clock: Clock
    composer: Composer
    budget: ToolBudget
    store: OutputStore | None
    tools: Mapping[str, Tool]
    gate: Gate
    model: Model | None = None
    resolved: Resolved | None = None
    window: int | None = None
    """The window in use, in tokens: the model's, or less once its server has shown less."""
    record: ThreadRecord = field(default_factory=ThreadRecord)
    composed: list[Composed] = field(default_factory=list[Composed])
    turn: TurnNumber = TurnNumber(0)
    tools_refused: bool = False
    memory: bool = False

    def write(
        self, kind: str, details: JsonObject, *, turn: TurnNumber | None = None, call: CallId | None = None
    ) -> AuditEvent:
        """Record an audit event of this conversation. Raises AuditUnavailable."""
        return self.audit.write(self.session, kind, details, turn=turn, call=call)

    def note(self, text: str, level: str = "note") -> None:
        """Say a line to the person."""
        self.bus.publish(Note(self.session, text, level))

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """The tools a request registers: none for a model that takes none."""
        if self.tools_refused or (self.resolved and Capability.TOOLS not in self.resolved.capabilities):
            return ()
        specs = (tool.spec for tool in self.tools.values())
        return tuple(ToolDefinition(spec.name, spec.description, spec.parameters) for spec in specs)

    def blocks(self) -> Blocks:
        """The earlier and now blocks as they stand."""
        return NO_BLOCKS

    def plan(self, request: EntryId | None) -> Plan:
        """What the next request is composed of; without ``request``, a look at it before there is a prompt."""
        return Plan(self.definitions, self.blocks(), request, self.memory)

    def next_context(self) -> Composition:
        """Compose what the next request would carry. Costs the model nothing."""
        return self.composer.compose(self.record, self.plan(None))

    def context_at(self, turn: TurnNumber) -> Composition | None:
        """Compose again what a turn's first request carried; None for a turn this session did not have."""
        sent = [composed for composed in self.composed if composed.turn == turn and composed.number == 1]
        return self.composer.compose(self.record, sent[-1].plan) if sent else None
