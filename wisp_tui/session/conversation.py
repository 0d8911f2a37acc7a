"""What a thread and its agent share: the record, the model, the tools, and what each request carried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wisp_tui.approval import Gate
from wisp_tui.audit import AuditLog
from wisp_tui.config import Settings
from wisp_tui.context.composer import NO_BLOCKS, Blocks, Composer, Composition, Plan
from wisp_tui.context.condensing import Policy, Target
from wisp_tui.context.fill import headroom
from wisp_tui.context.journal import Unsent
from wisp_tui.context.record import Revision, ThreadRecord
from wisp_tui.context.sidecar import NOTHING_KEPT, Kept
from wisp_tui.events import AuditEvent, Bus, Note
from wisp_tui.models import Capability, Model, Resolved, ToolDefinition
from wisp_tui.outputs import OutputStore, ToolBudget
from wisp_tui.sandbox import Walls
from wisp_tui.session.activity import ActivityBoard
from wisp_tui.session.copying import Live, NoCopy
from wisp_tui.session.desk import StandingAnswer
from wisp_tui.session.meter import Meter
from wisp_tui.text.ids import CallId, EntryId, EventId, SessionId, TurnNumber
from wisp_tui.text.json import JsonObject
from wisp_tui.tools import Tool
from wisp_tui.tools.asking import Nobody, Questioner
from wisp_tui.tools.notifying import Notifier, Unshown

if TYPE_CHECKING:
    from wisp_tui.session.assessing import Assessor
    from wisp_tui.session.facts import FactKeeper
    from wisp_tui.session.recalling import Recaller
    from wisp_tui.session.waiting import Waiting


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
    """Its size as the runtime reported it; as it was estimated until then, and where none is believed."""
    refused: bool = False
    """Another took its place: the runtime refused it as too large, or its reply called a tool it did not register."""

    @property
    def plan(self) -> Plan:
        """The plan that composes it again."""
        return Plan(self.tools, self.blocks, self.request, self.memory, self.revision)


@dataclass(frozen=True, slots=True)
class CutOff:
    """How a conversation that was gone on with had been cut short."""

    moment: datetime
    midway: bool
    """Whether that was in the middle of a turn."""
    unsent: Unsent
    """What the person had not sent yet."""
    aside: Path | None
    """Where a damaged copy is kept, of which only the start could be read."""


class BlockSource(Protocol):
    """Gives the blocks of a conversation's next request. It changes nothing."""

    def __call__(self, conversation: Conversation, *, squeezed: bool) -> Blocks:
        """Return them, the earlier one squeezed to its least where asked."""
        ...


class Distiller(Protocol):
    """Distils turns that are about to leave. A model's failure is audited and changes nothing else."""

    async def __call__(self, conversation: Conversation, leaving: Sequence[EntryId]) -> bool:
        """Distil these entries; say whether anything was recorded."""
        ...


class ContextSaver(Protocol):
    """Saves a conversation's present context to files."""

    def __call__(self, conversation: Conversation, label: str) -> str | None:
        """Save it under a label; return the path of the one to read, None when it could not be saved."""
        ...


def no_blocks(conversation: Conversation, *, squeezed: bool) -> Blocks:
    """Give none: a conversation that keeps no facts."""
    del conversation, squeezed
    return NO_BLOCKS


async def no_distiller(conversation: Conversation, leaving: Sequence[EntryId]) -> bool:
    """Distil nothing: the turns go all the same."""
    del conversation, leaving
    return False


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
    walls: Walls
    model: Model | None = None
    resolved: Resolved | None = None
    window: int | None = None
    """The window in use, in tokens: the model's, or less once its server has shown less."""
    record: ThreadRecord = field(default_factory=ThreadRecord)
    running: EntryId | None = None
    """The prompt whose turn runs now."""
    composed: list[Composed] = field(default_factory=list[Composed])
    turn: TurnNumber = TurnNumber(0)
    activity: ActivityBoard | None = None
    """What the last turn does or did; None before the first."""
    tools_refused: bool = False
    name: str | None = None
    """The name it is saved under; None until it has one."""
    saved_as: set[str] = field(default_factory=set[str])
    """The names this very conversation was saved under or resumed from: saving it there again replaces only itself."""
    carried_from: tuple[SessionId, ...] = ()
    """The sessions whose audit events its resumed entries refer to, oldest first."""
    kept: Kept = NOTHING_KEPT
    cut_off: CutOff | None = None
    """How it was cut short before; None where it was not."""
    live: Live = field(default_factory=NoCopy)
    """What keeps its live copy."""
    policy: Policy | None = None
    """How it condenses; None for the settings' target."""
    saver: ContextSaver | None = None
    meter: Meter = field(default_factory=Meter)
    facts: FactKeeper | None = None
    """What keeps its facts and its summary; None where facts are off."""
    waiting: Waiting | None = None
    """What waits for the person in its home; None in a conversation of no session."""
    person: Questioner = Nobody()
    """Who puts the model's questions before the person."""
    notifier: Notifier = Unshown()
    """Who shows the person notifications."""
    assessor: Assessor | None = None
    """What decides which tools and facts each request needs; None where that is off."""
    recaller: Recaller | None = None
    """What recalls for each request unasked; None where that is off."""
    block_source: BlockSource = no_blocks
    distiller: Distiller = no_distiller
    squeezed: TurnNumber | None = None
    """The turn for which the earlier block is squeezed below its cap."""
    condensed_at: TurnNumber | None = None
    """The turn of the last condensation under this model."""
    condensations: int = 0
    memory: bool = False
    walled: bool = False
    """Whether the walls were looked for, and what is to be said of them was said."""
    standing: StandingAnswer | None = None
    """The answer that stands in the person's place, such as that of ``--yes``; None while the person is asked."""

    def write(
        self,
        kind: str,
        details: JsonObject,
        *,
        turn: TurnNumber | None = None,
        call: CallId | None = None,
        ident: EventId | None = None,
    ) -> AuditEvent:
        """Record an audit event of this conversation. Raises AuditUnavailable."""
        return self.audit.write(self.session, kind, details, turn=turn, call=call, ident=ident)

    def asking(self) -> AbstractContextManager[None]:
        """Have the running turn's activity say that it waits for the person's answer, while the block runs."""
        return self.activity.asking() if self.activity else nullcontext()

    def note(self, text: str, level: str = "note") -> None:
        """Say a line to the person."""
        self.bus.publish(Note(self.session, text, level))

    @property
    def offered(self) -> tuple[ToolDefinition, ...]:
        """All tools the model may call, in order: none for a model that takes none."""
        if self.tools_refused or (self.resolved and Capability.TOOLS not in self.resolved.capabilities):
            return ()
        specs = (tool.spec for tool in self.tools.values())
        return tuple(ToolDefinition(spec.name, spec.description, spec.parameters) for spec in specs)

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """The tools a request registers: all that are offered, or those that its assessment chose."""
        return self.offered if self.assessor is None else self.assessor.registered()

    @property
    def named(self) -> tuple[str, ...]:
        """The tools that a request names without registering them."""
        if self.assessor is None:
            return ()
        registered = {tool.name for tool in self.definitions}
        return tuple(tool.name for tool in self.offered if tool.name not in registered)

    def blocks(self) -> Blocks:
        """Return the earlier and now blocks as they stand."""
        return self.block_source(self, squeezed=self.squeezed == self.turn)

    def plan(self, request: EntryId | None) -> Plan:
        """Say what the next request is composed of; without ``request``, a look at it before there is a prompt."""
        return Plan(self.definitions, self.blocks(), request, self.memory)

    @property
    def condensing(self) -> Policy:
        """How it condenses: the policy set in code, else a target with the settings' shares."""
        if self.policy is not None:
            return self.policy
        context = self.settings.context
        return Target(context.budget, context.target, context.headroom_turns)

    def headroom(self, before: EntryId | None = None) -> int:
        """Return the room the next turn needs: the mean size of the latest turns before an entry, in tokens."""
        turns = self.settings.context.headroom_turns
        return headroom(self.record, lambda entry: self.composer.estimate(entry.text), before=before, turns=turns)

    def adopt_window(self, tokens: int) -> None:
        """Take a window that the runtime has shown, unless a smaller one is in use already."""
        self.window = tokens if self.window is None else min(self.window, tokens)
        self.budget.window = self.window

    def save_context(self, turn: TurnNumber, label: str) -> str | None:
        """Save the context as it stands, where contexts are saved; return the file's path."""
        return self.saver(self, f"{turn}-{label}") if self.saver is not None else None

    def next_context(self) -> Composition:
        """Compose what the next request would carry, of the running turn where one runs. Costs the model nothing."""
        return self.composer.compose(self.record, self.plan(self.running))
