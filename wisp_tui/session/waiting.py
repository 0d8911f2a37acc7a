"""What waits for the person, as one process sees it: followed, counted, answered (MCP.md, "Pending files").

The rules are those of ``pending``; here are the effects on the process: its bus, its audit, the facts it holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from wisp_tui.events import FactsChanged, PendingChanged
from wisp_tui.facts import PersonAct
from wisp_tui.keeping import Busy, StoreError
from wisp_tui.pending import (
    AlreadySettled,
    CommandRequest,
    Decision,
    FactRequest,
    Outcome,
    Pending,
    QuestionRequest,
    Request,
    RequestChanged,
    Snapshot,
    UnknownRequest,
)
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.facts import SharedFacts, audit_changes
from wisp_tui.session.following import Following
from wisp_tui.session.questions import chosen
from wisp_tui.session.telling import Telling
from wisp_tui.text.clean import clean
from wisp_tui.tools.asking import Question

Answer = TypeVar("Answer")


LONGEST_ANSWER = 2000
"""Characters of the person's answer to a question."""


class NotAnswered(Exception):
    """Nothing was answered; the message says why: somebody was first, it has changed, it cannot be written."""


def reply_text(shown: QuestionRequest, written: str) -> str:
    """Read what the person wrote as the answer: a choice by its number, else their words. Raises NotAnswered."""
    said = chosen(Question(shown.id, shown.question, shown.choices), clean(written))
    if not 0 < len(said) <= LONGEST_ANSWER:
        raise NotAnswered(f"an answer has 1 to {LONGEST_ANSWER:,} characters, not {len(said):,}")
    return said


@dataclass(slots=True)
class Waiting:
    """What waits in one home. ``snapshot`` is what was last seen there; each change of it is published."""

    store: Pending
    facts: SharedFacts
    now: Callable[[], datetime]
    snapshot: Snapshot = field(default_factory=Snapshot)
    fault: str | None = None
    """Why it cannot be followed; None while it can."""
    telling: Telling = field(default_factory=Telling)
    _following: Following = field(init=False)

    def __post_init__(self) -> None:
        self._following = Following(self._follow)

    def watch(self) -> None:
        """Follow what appears and is answered, from whatever process, from now until ``close``."""
        self._following.start()

    async def close(self) -> None:
        """Stop following, and telling."""
        await self._following.close()
        await self.telling.close()

    async def look(self) -> Snapshot:
        """Look at what waits now."""
        self._take(await asyncio.to_thread(self.store.snapshot))
        return self.snapshot

    def request(self, ident: str) -> Request:
        """Return a request by its id, whether it waits or not. Raises NotAnswered for one that is not there."""
        try:
            return self.store.request(ident)
        except UnknownRequest as error:
            raise NotAnswered(str(error)) from error

    async def keep(self, act: PersonAct, shown: FactRequest, conversation: Conversation) -> Outcome:
        """Keep the fact that was shown: every conversation sees it from now on, and this one's audit says so.

        Raises NotAnswered, and then nothing is kept; AuditUnavailable when it was kept and cannot be audited.
        """
        now = conversation.clock.now()
        outcome, changed = await self._answered(lambda: self.store.keep(act, shown, self.facts.store, now))
        if changed is not None:
            self.facts.permanent = changed.book.permanent
            self.facts.bus.publish(FactsChanged(None))
            audit_changes(conversation, changed.changes)
        return outcome

    async def drop(self, act: PersonAct, shown: FactRequest, conversation: Conversation) -> Outcome:
        """Drop the request that was shown: its fact stays in its conversation. Raises NotAnswered."""
        now = conversation.clock.now()
        return await self._answered(lambda: self.store.drop(act, shown, now))

    async def answer(
        self, act: PersonAct, shown: CommandRequest, decision: Decision, conversation: Conversation
    ) -> Outcome:
        """Answer for the command that was shown. Raises NotAnswered."""
        now = conversation.clock.now()
        return await self._answered(lambda: self.store.answer(act, shown, decision, now))

    async def reply(
        self, act: PersonAct, shown: QuestionRequest, text: str | None, conversation: Conversation
    ) -> Outcome:
        """Answer the question that was shown, None to decline it. Raises NotAnswered."""
        now = conversation.clock.now()
        said = None if text is None else reply_text(shown, text)
        return await self._answered(lambda: self.store.reply(act, shown, said, now))

    async def _answered(self, answer: Callable[[], Answer]) -> Answer:
        """Answer beside the event loop: it waits for other processes that write. Then look at what is left."""
        try:
            return await asyncio.to_thread(answer)
        except (AlreadySettled, RequestChanged, UnknownRequest, StoreError, Busy) as error:
            raise NotAnswered(str(error)) from error
        except OSError as error:
            raise NotAnswered(f"the answer cannot be written: {error.strerror or error}") from error
        finally:
            await self.look()

    async def _follow(self) -> None:
        """Remove what is stale, then take each change of what waits."""
        try:
            await asyncio.to_thread(self.store.sweep, self.now())
            async with aclosing(self.store.watch()) as snapshots:
                async for found in snapshots:
                    self._take(found)
        except OSError as error:
            self.fault = f"{self.store.directory.path} cannot be read: {error.strerror or error}"
            self.facts.bus.publish(PendingChanged(len(self.snapshot.waiting)))

    def _take(self, found: Snapshot) -> None:
        if found != self.snapshot:
            self.snapshot = found
            self.facts.bus.publish(PendingChanged(len(found.waiting)))
