"""The replay itself: each of the person's prompts in order to another model, over a record of its own."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from wisp_tui.audit import AuditLog
from wisp_tui.context.record import Entry, EntryKind, Origin, ThreadRecord
from wisp_tui.events import AuditEvent, Kind, Subscription
from wisp_tui.facts import Summaries
from wisp_tui.models import Resolved
from wisp_tui.session.contexts import first_requests, recomposed
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.handling import cut_copies
from wisp_tui.session.replaying.comparing import Compared, Context, Side
from wisp_tui.session.replaying.recording import NothingToReplay, RecordedTurn, Recording, condensed_words, said
from wisp_tui.session.replaying.tape import Tape, TapedTool
from wisp_tui.session.session import Session
from wisp_tui.session.thread import Thread, ThreadOptions
from wisp_tui.text.clean import clean
from wisp_tui.text.ids import SessionId, TurnNumber
from wisp_tui.text.json import JsonObject
from wisp_tui.tools.registry import available


@dataclass(frozen=True, slots=True)
class Span:
    """Which turns are replayed, by their places from 1, both included; None for the last."""

    first: int = 1
    last: int | None = None

    def of(self, recording: Recording) -> Sequence[RecordedTurn]:
        """Take them of a recording. Raises NothingToReplay where there are none."""
        found = recording.turns[self.first - 1 : self.last]
        if not found:
            there = len(recording.turns)
            raise NothingToReplay(f"{recording.name} has {'one turn' if there == 1 else f'turns 1 to {there}'}")
        return found


@dataclass(slots=True)
class Replay:
    """Replays a recording through one model. ``session`` records nothing: the replay has its own events in ``audit``.

    The turns before the first one replayed are there as they were recorded, so that its context can be compared.
    """

    session: Session
    recording: Recording
    model: str
    audit: AuditLog
    span: Span = Span()
    ident: SessionId = field(default_factory=lambda: SessionId(secrets.token_hex(8)))
    """The audit session of the replay's own events."""
    _thread: Thread | None = None
    _tape: Tape = field(default_factory=Tape)

    async def begin(self) -> Resolved:
        """Open the other model. Raises ModelUnavailable, NothingToReplay, AuditUnavailable, ConfigError."""
        turns = self.span.of(self.recording)
        self._tape = Tape.of(self.recording.turns)
        thread = self._thread = self.session.new_thread(ThreadOptions(model=self.model, tools=self._tools()))
        held = thread.conversation
        held.tools = {name: TapedTool(tool.spec, self._tape) for name, tool in held.tools.items()}
        held.record, held.walled = ThreadRecord(), True  # nothing runs: no walls are put up, and none are missed
        for entry in self.recording.instructions:
            _add(held, entry, TurnNumber(0), Origin.CARRIED)
        self._seed(held, turns[0])
        await thread.ready()
        resolved = held.resolved
        if resolved is None:
            raise RuntimeError("a conversation that is ready has no model")
        details: JsonObject = {
            "replayed": self.recording.name,
            "model": resolved.id,
            "recordedModel": self.recording.model,
            "turns": [turns[0].number, turns[-1].number],
        }
        self.audit.write(self.ident, Kind.REPLAY_START, details)
        return resolved

    async def turns(self) -> AsyncGenerator[Compared]:
        """Send each prompt and compare its turn as it ends; leaving early stops the turn that runs."""
        thread = self._thread
        if thread is None:
            raise RuntimeError("a replay is begun before its turns are asked for")
        done = 0
        try:
            for turn in self.span.of(self.recording):
                compared = await self._turn(thread, turn)
                self.audit.write(self.ident, Kind.REPLAY_TURN, compared.fields, turn=TurnNumber(turn.number))
                done += 1
                yield compared
        finally:
            self.audit.write(self.ident, Kind.REPLAY_END, {"turns": done, "model": str(self.model)})
            self.audit.close()

    async def _turn(self, thread: Thread, turn: RecordedTurn) -> Compared:
        held = thread.conversation
        held.turn = TurnNumber(turn.number - 1)
        for entry in turn.entries:
            if entry.kind is EntryKind.COMMAND:
                _add(held, entry, held.turn, Origin.TURN)
        with held.bus.subscribe() as events:
            ended = await thread.submit(turn.prompt.text)
            condensed = _condensed(events)
        own = [entry for entry in held.record if entry.turn == turn.number and entry.kind is not EntryKind.COMMAND]
        reply, calls = said(own)
        replayed = Side(
            reply,
            calls,
            _context(held, TurnNumber(turn.number), condensed),
            ended.seconds,
            ended.input_tokens,
            ended.output_tokens,
            ended.outcome,
            clean(ended.message) if ended.message is not None else None,
        )
        given = {key: words for (number, key), words in self._tape.given.items() if number == turn.number}
        return Compared(turn.number, clean(turn.prompt.text), turn.side, replayed, given)

    def _seed(self, held: Conversation, first: RecordedTurn) -> None:
        """Put the turns before the first one into the record as they were then: those that had left have left."""
        earlier = self.recording.turns[: first.number - 1]
        for turn in earlier:
            _put(held, turn)
        last = earlier[-1].side.context if earlier else None
        left = last.left if last is not None else ()  # what its own request dropped, this one is to drop by itself
        gone = [entry.id for entry in held.record if entry.turn in left]
        if gone:
            held.record.drop(gone, by=self.audit.next_id(), turn=held.turn)
        if held.facts is not None:
            versions = self.recording.summaries.versions
            held.facts.summaries = Summaries(tuple(each for each in versions if gone and each.through <= gone[-1]))

    def _tools(self) -> tuple[str, ...] | None:
        """Name the tools that it had and that there still are."""
        there = available(self.session.settings, self.session.home)
        had = self.recording.tools
        return None if had is None else tuple(name for name in had if name in there)


def _put(held: Conversation, turn: RecordedTurn) -> None:
    """Put a turn into the record as it was recorded, with what follows from it without a model."""
    held.turn = TurnNumber(turn.number)
    for entry in turn.entries:
        _add(held, entry, held.turn, Origin.TURN)
    cut_copies(held, held.turn)
    if held.facts is not None:
        held.facts.after_turn(held, held.turn)


def _add(held: Conversation, entry: Entry, turn: TurnNumber, origin: Origin) -> None:
    held.record.add(
        entry.kind,
        entry.text,
        turn=turn,
        time=entry.time,
        origin=origin,
        call=entry.call,
        output=entry.output,
        stopped=entry.stopped,
    )


def _condensed(events: Subscription) -> str:
    """Say what was condensed, from the events of a turn that is over."""
    found = [event for event in events.take() if isinstance(event, AuditEvent)]
    return "; ".join(condensed_words(event.details) for event in found if event.kind == Kind.CONTEXT_CONDENSATION)


def _context(held: Conversation, turn: TurnNumber, condensed: str) -> Context | None:
    sent = first_requests(held).get(turn)
    if sent is None:
        return None
    composition = recomposed(held, sent)
    carried = {part.entry for part in composition.parts}
    prompts = [entry for entry in held.record if entry.kind is EntryKind.PROMPT and entry.id < sent.request]
    left = tuple(place for place, entry in enumerate(prompts, 1) if entry.id not in carried)
    layers = {layer.value: size for layer, size in composition.by_layer().items()}
    return Context(layers, left, condensed)
