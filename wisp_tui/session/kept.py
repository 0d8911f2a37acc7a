"""What a conversation keeps beside its record, as it is now: its facts, its summaries, what waits for the person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.facts import (
    Fact,
    FactBook,
    KindRows,
    RunningSummary,
    Scope,
    adopted,
    rows_by_kind,
    would_supersede,
)
from wisp_tui.pending import CommandRequest, FactRequest, Request, Unreadable
from wisp_tui.session.conversation import Conversation


@dataclass(frozen=True, slots=True)
class Kept:
    """Looks at one conversation; changes nothing."""

    conversation: Conversation

    @property
    def enabled(self) -> bool:
        """Whether the conversation keeps facts at all."""
        return self.conversation.facts is not None

    @property
    def now(self) -> datetime:
        """The present moment."""
        return self.conversation.clock.now()

    @property
    def book(self) -> FactBook:
        """The facts it sees, with what other conversations and processes have changed."""
        keeper = self.conversation.facts
        if keeper is None:
            return FactBook()
        return adopted(keeper.book, keeper.shared.session, keeper.shared.permanent).book

    def facts(self, book: FactBook, *, everything: bool) -> tuple[KindRows, ...]:
        """List its facts by kind; ``everything`` adds those that hold no longer."""
        keeper = self.conversation.facts
        return rows_by_kind(book, keeper.kinds, everything=everything) if keeper is not None else ()

    def description(self, subject: str) -> str:
        """Say what a kind of fact is for; nothing for one that this version does not know."""
        keeper = self.conversation.facts
        kind = keeper.kinds.find(subject) if keeper is not None else None
        return kind.description if kind is not None else ""

    @property
    def versions(self) -> tuple[RunningSummary, ...]:
        """The summary's last versions, the newest first."""
        keeper = self.conversation.facts
        return keeper.summaries.versions[::-1] if keeper is not None else ()

    @property
    def waiting_turns(self) -> int:
        """How many turns have left and wait for the next version."""
        keeper = self.conversation.facts
        return len(keeper.summaries.waiting(self.conversation.record)) if keeper is not None else 0

    @property
    def waits(self) -> tuple[Request, ...]:
        """What waits for the person, as it was last seen, the oldest first; no command whose time is over."""
        waiting, now = self.conversation.waiting, self.now
        found = waiting.snapshot.waiting if waiting is not None else ()
        return tuple(request for request in found if not isinstance(request, CommandRequest) or request.until > now)

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        """The files among what waits that cannot be read."""
        waiting = self.conversation.waiting
        return waiting.snapshot.unreadable if waiting is not None else ()

    @property
    def fault(self) -> str | None:
        """Why the permanent facts or what waits cannot be read; None while they can."""
        held = self.conversation
        shared = held.facts.shared.fault if held.facts is not None else None
        return shared or (held.waiting.fault if held.waiting is not None else None)

    def superseded_by(self, request: FactRequest) -> tuple[Fact, ...]:
        """Return the permanent facts that would give way if the request were kept."""
        waiting = self.conversation.waiting
        shared = FactBook(permanent=waiting.facts.permanent) if waiting is not None else FactBook()
        return would_supersede(shared, request.fact.topic)

    def entry_of(self, fact: Fact) -> Entry | None:
        """Find the entry that a fact came from; None where there is none, or it is another conversation's.

        Entries are numbered in each conversation: the one meant is told by the audit event that recorded it.
        """
        record, events = self.conversation.record, set(fact.events)
        for ident in reversed(fact.entries):
            entry = record.entry(ident) if ident <= len(record) else None
            if entry is not None and (events.intersection(entry.sources) or fact.scope is Scope.THREAD):
                return entry
        return None

    def entries_of(self, version: RunningSummary) -> list[Entry]:
        """Return the prompts and replies that a version of the summary added."""
        record = self.conversation.record
        wanted = {EntryKind.PROMPT, EntryKind.REPLY}
        return [entry for ident in version.entries if (entry := record.entry(ident)).kind in wanted]
