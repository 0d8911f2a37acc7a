"""The facts of one conversation as it runs: recorded, audited, composed into blocks (spec "Facts").

The rules are those of ``facts``, which is pure; here are the effects: the audit, the process's shared ledgers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from wisp_tui.config import ConfigError, Settings, shipped
from wisp_tui.context.composer import Blocks
from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.events import Bus, FactsChanged
from wisp_tui.facts import (
    Assertion,
    Change,
    Changed,
    Extractor,
    Fact,
    FactBook,
    FactLedger,
    Kinds,
    KindsError,
    Moment,
    PersonAct,
    Place,
    Scope,
    Summaries,
    ToolUse,
    adopted,
    audited,
    blocks_of,
    caps_for,
    new_facts,
    read_kinds,
    record,
)
from wisp_tui.keeping import PermanentFacts, StoreError
from wisp_tui.recall import Notebook
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.following import Following
from wisp_tui.text.ids import CallId, TurnNumber
from wisp_tui.text.json import JsonObject, load, load_object


@dataclass(slots=True)
class SharedFacts:
    """The ledgers that every conversation of the process sees: of the machine now, and those the person keeps."""

    store: PermanentFacts
    bus: Bus
    session: FactLedger = field(default_factory=lambda: FactLedger(Scope.SESSION))
    permanent: FactLedger = field(default_factory=lambda: FactLedger(Scope.PERMANENT))
    fault: str | None = None
    """Why the permanent facts cannot be read; they are left as they are."""
    _following: Following = field(init=False)

    def __post_init__(self) -> None:
        self._following = Following(self._follow)

    def load(self) -> None:
        """Read the permanent facts."""
        try:
            self.permanent, self.fault = self.store.load(), None
        except StoreError as error:
            self.fault = str(error)

    def watch(self) -> None:
        """Follow changes that other processes make, from now until ``close``."""
        self._following.start()

    async def close(self) -> None:
        """Stop following."""
        await self._following.close()

    async def _follow(self) -> None:
        async with aclosing(self.store.watch()) as changes:
            async for found in changes:
                if isinstance(found, StoreError):
                    self.fault = str(found)
                elif found != self.permanent:
                    self.permanent, self.fault = found, None
                    self.bus.publish(FactsChanged(None))


@dataclass(slots=True)
class FactKeeper:
    """Keeps one conversation's facts and its running summary."""

    shared: SharedFacts
    kinds: Kinds
    extractor: Extractor
    book: FactBook = field(default_factory=FactBook)
    summaries: Summaries = field(default_factory=Summaries)
    begun: bool = False
    notebook: Notebook = field(init=False)
    """What the model notes in the turn that runs."""
    _news: list[Change] = field(default_factory=list[Change])

    def __post_init__(self) -> None:
        self.notebook = Notebook(self.kinds, self.extractor.place)

    @property
    def place(self) -> Place:
        """Where the conversation's paths start."""
        return self.extractor.place

    @property
    def present(self) -> FactBook:
        """The book as every conversation's changes have left it; looking at it records nothing."""
        return self.book.replaced((self.shared.session, self.shared.permanent))

    def blocks(self, conversation: Conversation, *, squeezed: bool) -> Blocks:
        """Compose the blocks of the next request; changes nothing."""
        facts = conversation.settings.facts
        caps = caps_for(conversation.window, facts.share, facts.summary_share)
        active = {entry.id for entry in conversation.record.active}
        return blocks_of(self.present, self.summaries.current, active, caps.squeezed if squeezed else caps)

    def begin(self, conversation: Conversation, branch: str | None) -> None:
        """Record where the conversation starts. Raises AuditUnavailable."""
        starting = self.extractor.starting(str(conversation.directory), branch)
        self.take(conversation, record(self.current(conversation), starting, moment(conversation)))
        self._news.clear()  # what everyone can see is no news
        self.begun = True

    def restart(self) -> None:
        """Let go of the conversation's own facts and its summary: a new conversation begins."""
        self.book = FactBook(session=self.shared.session, permanent=self.shared.permanent)
        self.summaries, self.begun = Summaries(), False

    def after_turn(self, conversation: Conversation, turn: TurnNumber) -> None:
        """Record what the turn's calls say, without a model, and what the model noted. Raises AuditUnavailable."""
        self._record(conversation, [*self.extractor.facts(uses_of(conversation, turn)), *self.notebook.taken()])

    def after_broken_turn(self, conversation: Conversation) -> None:
        """Record what the model noted before its turn broke off. Raises AuditUnavailable."""
        self._record(conversation, self.notebook.taken())

    def _record(self, conversation: Conversation, assertions: Sequence[Assertion]) -> None:
        if assertions:
            self.take(conversation, record(self.current(conversation), assertions, moment(conversation)))

    def observed(self, conversation: Conversation, uses: Sequence[ToolUse]) -> tuple[Fact, ...]:
        """Record what was seen outside a turn, and return the facts that are new. Raises AuditUnavailable."""
        assertions = self.extractor.facts(uses)
        news = len(self._news)
        if assertions:
            self.take(conversation, record(self.current(conversation), assertions, moment(conversation)))
        facts = new_facts(self._news[news:])
        del self._news[news:]
        return facts

    def current(self, conversation: Conversation) -> FactBook:
        """Return the book with what other conversations and processes changed since, conflicts audited."""
        changed = adopted(self.book, self.shared.session, self.shared.permanent)
        if changed.changes:
            audit_changes(conversation, changed.changes)
        self.book = changed.book
        return self.book

    def take(self, conversation: Conversation, changed: Changed) -> None:
        """Take over an act's book and audit its changes. Raises AuditUnavailable before anything is taken."""
        audit_changes(conversation, changed.changes)
        self.book = changed.book
        self.shared.session = changed.book.session
        self._news += changed.changes
        conversation.live.caught_up()
        if changed.changes:
            conversation.bus.publish(FactsChanged(conversation.session))

    def restore(self, thread: FactLedger, summaries: Summaries) -> None:
        """Take back what was saved of the conversation's own facts and its summary."""
        self.book = self.book.replaced((thread,))
        self.summaries, self.begun = summaries, True

    async def person(self, conversation: Conversation, act: PersonAct, edit: Callable[[FactBook], Changed]) -> Changed:
        """Do what the person asked; a change of the permanent facts is written before anyone sees it.

        Raises StoreError, AuditUnavailable, and what ``edit`` raises; then nothing is changed.
        """
        book = self.current(conversation)
        changed = edit(book)
        if changed.book.permanent is not book.permanent:
            changed = await asyncio.to_thread(
                self.shared.store.change, act, lambda ledger: edit(book.replaced((ledger,)))
            )
            self.shared.permanent = changed.book.permanent
        news = len(self._news)
        self.take(conversation, changed)
        del self._news[news:]  # the person is told at once
        return changed

    def news(self) -> tuple[Fact, ...]:
        """Return the facts recorded or changed since the last time this was asked."""
        facts = new_facts(self._news)
        self._news.clear()
        return facts


def audit_changes(conversation: Conversation, changes: Sequence[Change]) -> None:
    """Record changes of facts in a conversation's audit. Raises AuditUnavailable."""
    for change in changes:
        event = audited(change)
        if event is not None:
            conversation.write(event[0], event[1], turn=conversation.turn or None)


def keeper_for(conversation: Conversation, shared: SharedFacts, kinds: Kinds, place: Place) -> FactKeeper:
    """Make the keeper of a new conversation."""
    commands = conversation.settings.facts.test_commands
    extractor = Extractor(kinds, place) if commands is None else Extractor(kinds, place, commands)
    return FactKeeper(shared, kinds, extractor, FactBook(session=shared.session, permanent=shared.permanent))


def shipped_kinds(settings: Settings) -> Kinds:
    """Read the subject kinds the package ships, changed as the settings say. Raises ConfigError."""
    stored = load(shipped("resources", "subject-kinds.json").read_bytes())
    try:
        return read_kinds(stored, settings.facts.kinds)
    except KindsError as error:
        raise ConfigError(str(error)) from error


def moment(conversation: Conversation) -> Moment:
    """Return the conversation's present moment."""
    return Moment(conversation.clock.now(), conversation.turn or None)


def uses_of(conversation: Conversation, turn: TurnNumber) -> list[ToolUse]:
    """Read a turn's calls and their results from the record, in order."""
    own = [entry for entry in conversation.record.active if entry.turn == turn and entry.added > 0]
    calls = {entry.call.id: entry for entry in own if entry.call is not None}
    return [use for entry in own if entry.kind is EntryKind.OUTPUT and (use := _use(entry, calls, turn)) is not None]


def _use(entry: Entry, calls: Mapping[CallId, Entry], turn: TurnNumber) -> ToolUse | None:
    output = entry.output
    if output is None or (call := calls.get(output.call)) is None:
        return None
    arguments: JsonObject = load_object(call.text or "{}")
    return ToolUse(
        tool=output.tool,
        arguments=arguments,
        output=entry.text,
        ok=output.ok,
        turn=turn,
        exit_status=output.exit_status,
        bytes=output.bytes,
        entry=entry.id,
        event=entry.sources[0] if entry.sources else None,
    )
