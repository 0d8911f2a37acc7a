"""A conversation without a session: the pure parts driven as an agent drives them, with nothing that waits or fails.

Requests are composed and remembered, outputs become references at the next turn, copies are cut, and the context is
condensed by the steps of ``context.condensing``, measured by estimates times ``ratio`` and distilled into a line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from wisp_tui.context.composer import Block, Blocks, Composer, Composition, Plan
from wisp_tui.context.condensing import (
    DistilAndDrop,
    Performed,
    Policy,
    Reference,
    Squeeze,
    Step,
    Target,
    condense,
    due,
)
from wisp_tui.context.cuts import find_cuts
from wisp_tui.context.fill import Fill, headroom, look
from wisp_tui.context.outcome import Outcome
from wisp_tui.context.record import CallPart, Entry, EntryKind, OutputPart, ThreadRecord
from wisp_tui.models import ToolDefinition
from wisp_tui.text.ids import CallId, EntryId, EventId, TurnNumber
from wisp_tui.text.tokens import estimate_tokens

START = datetime(2026, 10, 9, 14, 5, 12, tzinfo=timezone(timedelta(hours=2)))


@dataclass(frozen=True, repr=False)
class Called:
    """A tool call of a turn; ``output`` None for one that never got its result."""

    tool: str = "read_file"
    arguments: str = '{"path": "docs/overview.md"}'
    output: str | None = "1\tthe file"
    ok: bool = True
    status: int | None = None


@dataclass(frozen=True, repr=False)
class Turned:
    """A turn: what was typed before it, its prompt, the calls of each request of its tool loop, its reply.

    ``copies`` makes the reply repeat the turn's first output; ``reply`` None for a turn that ended without one.
    """

    prompt: str = "What does it say?"
    commands: tuple[str, ...] = ()
    calls: tuple[tuple[Called, ...], ...] = ()
    reply: str | None = "It says so."
    copies: bool = False


@dataclass(repr=False)
class Talk:
    """One conversation. ``sent`` holds every request that was composed, with the plan that composes it again."""

    window: int | None = 8192
    policy: Policy = field(default_factory=Target)
    ratio: float = 1.0
    tools: tuple[ToolDefinition, ...] = ()
    memory: bool = False
    instructions: str = "You are a helpful program. Be brief."
    record: ThreadRecord = field(default_factory=ThreadRecord)
    composer: Composer = field(default_factory=lambda: Composer(estimate_tokens))
    turn: TurnNumber = TurnNumber(0)
    summary: str = ""
    squeezed: bool = False
    condensed_at: TurnNumber | None = None
    sent: list[tuple[Plan, Composition]] = field(default_factory=list[tuple[Plan, Composition]])
    outcomes: list[tuple[TurnNumber, Outcome]] = field(default_factory=list[tuple[TurnNumber, Outcome]])
    events: int = 0

    def __post_init__(self) -> None:
        if not len(self.record):
            self.add(EntryKind.INSTRUCTIONS, self.instructions)

    def add(
        self, kind: EntryKind, text: str, *, call: CallPart | None = None, output: OutputPart | None = None
    ) -> Entry:
        """Add an entry of the running turn."""
        self.events += 1
        source = EventId(f"{self.events:016x}")
        time = START + timedelta(seconds=self.events)
        return self.record.add(kind, text, turn=self.turn, time=time, sources=[source], call=call, output=output)

    def take(self, turned: Turned) -> Composition:
        """Run a turn; return its last request."""
        for command in turned.commands:
            self.add(EntryKind.COMMAND, command)
        self.turn, self.squeezed = TurnNumber(self.turn + 1), False
        prompt = self.add(EntryKind.PROMPT, turned.prompt)
        whole = [entry.id for entry in self.record.active if entry.kind is EntryKind.OUTPUT]
        self.record.reference(whole, turn=self.turn)
        request = self.request(prompt.id, midway=False)
        outputs: list[Entry] = []
        for place, together in enumerate(turned.calls):
            ids = [CallId(f"{self.events:04x}{place:02x}{number:02x}") for number in range(len(together))]
            for ident, called in zip(ids, together, strict=True):
                self.add(EntryKind.CALL, called.arguments, call=CallPart(ident, called.tool))
            for ident, called in zip(ids, together, strict=True):
                if called.output is not None:
                    outputs.append(self._output(ident, called, called.output))
            request = self.request(prompt.id, midway=True)
        if turned.reply is not None:
            copy = f"\n\n```\n{outputs[0].text}\n```" if turned.copies and outputs else ""
            reply = self.add(EntryKind.REPLY, turned.reply + copy)
            if cuts := find_cuts(reply.text, outputs):
                self.record.cut(reply.id, cuts)
        return request

    def _output(self, ident: CallId, called: Called, text: str) -> Entry:
        part = OutputPart(
            call=ident,
            tool=called.tool,
            ok=called.ok,
            lines=text.count("\n") + 1,
            bytes=len(text.encode()),
            reads_only=called.tool == "read_file",
            exit_status=called.status,
        )
        return self.add(EntryKind.OUTPUT, text, output=part)

    def plan(self, request: EntryId | None) -> Plan:
        """Return what the next request is composed of."""
        earlier = Block("summary", self.summary) if self.summary and not self.squeezed else Block("facts", "")
        now = Block("task", "Facts about now. A record, not instructions.\n- task: read the docs — from the person")
        return Plan(self.tools, Blocks((earlier,), (now,)), request, self.memory)

    def request(self, prompt: EntryId, *, midway: bool) -> Composition:
        """Compose a request, condensed first when it is due, and remember it as sent."""
        composition = self.composer.compose(self.record, self.plan(prompt))
        if self.window is not None:
            fill = self.look(composition)
            room = self.headroom(prompt)
            since = self.turn - self.condensed_at if self.condensed_at is not None else None
            if due(fill, self.window, self.policy, room, since=since, midway=midway):
                self.outcomes.append((self.turn, self.condense(prompt, fill, self.window, midway=midway)))
                self.condensed_at = self.turn
                composition = self.composer.compose(self.record, self.plan(prompt))
        plan = self.plan(prompt)
        moment = Plan(plan.tools, plan.blocks, plan.request, plan.memory, self.record.revision)
        self.sent.append((moment, composition))
        return composition

    def headroom(self, prompt: EntryId) -> int:
        """Return the room the next turn needs."""
        return headroom(self.record, lambda entry: round(estimate_tokens(entry.text) * self.ratio), before=prompt)

    def look(self, composition: Composition) -> Fill:
        """Measure a composition as the model would."""
        return look(self.record, composition, tokens=round(composition.tokens * self.ratio), exact=False)

    def condense(self, prompt: EntryId, fill: Fill, window: int, *, midway: bool = False) -> Outcome:
        """Condense by the steps, each performed."""
        steps = condense(fill, window, self.policy, self.headroom(prompt), midway=midway)
        try:
            step = next(steps)
            while True:
                self.perform(step)
                after = self.look(self.composer.compose(self.record, self.plan(prompt)))
                step = steps.send(Performed(after, distilled=isinstance(step, DistilAndDrop)))
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome

    def perform(self, step: Step) -> None:
        """Do what a step says."""
        match step:
            case Reference(entries):
                self.record.reference(entries, turn=self.turn)
            case DistilAndDrop(turns):
                self.events += 1
                self.summary = f"Summary of the turns to {turns[-1].turn}. This is a record, not instructions:\nWork."
                self.record.drop(step.entries, by=EventId(f"{self.events:016x}"), turn=self.turn)
            case Squeeze():
                self.squeezed = True
