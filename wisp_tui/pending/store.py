"""What may happen to what waits: asked, kept, dropped, answered, withdrawn, failed, swept."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from wisp_tui.config import Home
from wisp_tui.facts import Changed, Fact, FactLedger, Moment, PersonAct, admit
from wisp_tui.keeping import PermanentFacts, ticks
from wisp_tui.pending.directory import AlreadySettled, PendingDirectory, Snapshot
from wisp_tui.pending.processes import Asker, is_alive
from wisp_tui.pending.requests import (
    CommandRequest,
    Decision,
    FactRequest,
    Outcome,
    QuestionRequest,
    Request,
    RequestState,
    digest,
    is_same,
    renamed,
)

SETTLED_DAYS = 30
"""Days for which a settled request is kept, so that its conversation still learns of it when it is resumed."""


class RequestChanged(Exception):
    """The request is not what was shown; nothing was answered."""

    def __init__(self, ident: str) -> None:
        super().__init__(f"request {ident} is not what was shown; look at it again")
        self.ident = ident


def _still(request: FactRequest) -> str | None:
    """Answer for a conversation that cannot be asked: its fact stands as it was shown."""
    del request


@dataclass(slots=True)
class Pending:
    """What waits for the person in one home. Any number of processes may use it at once.

    What writes here blocks for milliseconds, at most seconds while others write, and may raise OSError or Busy.
    """

    home: Home
    new_id: Callable[[], str] = lambda: secrets.token_hex(4)
    directory: PendingDirectory = field(init=False)

    def __post_init__(self) -> None:
        self.directory = PendingDirectory(self.home.root / "pending")

    # A process that asks --------------------------------------------------------------------------------------------

    def ask(self, request: Request) -> Request:
        """Let a request wait, under an id of its own; asked again while it waits, it is the same one."""
        with self.directory.locked():
            for waiting in self.directory.snapshot().waiting:
                if is_same(waiting, request):
                    return waiting
            while True:
                named = renamed(request, self.new_id())
                if self.directory.add(named):
                    return named

    def outcome(self, ident: str) -> Outcome | None:
        """Return how a request was settled; None while it waits. Raises UnknownRequest."""
        outcome = self.directory.outcome(ident)
        if outcome is None:
            self.directory.request(ident)
        return outcome

    async def settled(self, ident: str) -> Outcome:
        """Wait until a request is settled. Raises UnknownRequest when it is not, or no longer, there."""
        async with aclosing(self.watch()) as snapshots:
            async for _ in snapshots:
                outcome = self.outcome(ident)
                if outcome is not None:
                    return outcome
        raise AssertionError

    def withdraw(self, ident: str, reason: str, now: datetime) -> Outcome:
        """Take back a request that no longer matters to its asker. Raises UnknownRequest, AlreadySettled."""
        return self._without_the_person(ident, RequestState.WITHDRAWN, reason, now)

    def fail(self, ident: str, reason: str, now: datetime) -> Outcome:
        """Say that a fact no longer says what the person was shown. Raises UnknownRequest, AlreadySettled."""
        return self._without_the_person(ident, RequestState.FAILED, reason, now)

    def forget(self, ident: str) -> None:
        """Remove a settled request whose asker has taken its answer."""
        self.directory.forget(ident)

    def dropped(self, asker: Asker, fact: Fact) -> Outcome | None:
        """Return how the person dropped this very fact in this conversation before; None when they did not."""
        for request, outcome in self.directory.snapshot().settled:
            if (
                outcome.state is RequestState.DROPPED
                and isinstance(request, FactRequest)
                and (request.asker.session, request.asker.thread) == (asker.session, asker.thread)
                and (request.fact.topic, request.fact.says) == (fact.topic, fact.says)
            ):
                return outcome
        return None

    # The person -----------------------------------------------------------------------------------------------------

    def keep(
        self,
        act: PersonAct,
        shown: FactRequest,
        permanent: PermanentFacts,
        now: datetime,
        *,
        still: Callable[[FactRequest], str | None] = _still,
    ) -> tuple[Outcome, Changed | None]:
        """Keep a fact: write it to the shared store, then settle the request. Returns what that changed there.

        ``still`` may say why the fact says no longer what was shown, where its conversation can be asked: the request
        has then failed, and nothing is kept. Raises AlreadySettled, RequestChanged, UnknownRequest, StoreError.
        """

        def edit(ledger: FactLedger) -> Changed:
            return admit(act, ledger, shown.assertion, Moment(now))

        with self.directory.locked():
            self._check(shown)
            reason = still(shown)
            if reason is not None:
                failed = Outcome(shown.id, digest(shown), RequestState.FAILED, now, reason=reason)
                return self.directory.settle(failed), None
            changed = permanent.change(act, edit)
            held = changed.book.permanent.heads(shown.fact.topic)
            kept = next((fact.id for fact in reversed(held) if fact.value == shown.fact.value), None)
            outcome = Outcome(shown.id, digest(shown), RequestState.KEPT, now, Decision.KEEP, act.via, kept)
            return self.directory.settle(outcome), changed

    def drop(self, act: PersonAct, shown: FactRequest, now: datetime) -> Outcome:
        """Drop a fact: it stays in its conversation. Raises AlreadySettled, RequestChanged, UnknownRequest."""
        return self._answered(
            shown, Outcome(shown.id, digest(shown), RequestState.DROPPED, now, Decision.DROP, act.via)
        )

    def answer(self, act: PersonAct, shown: CommandRequest, decision: Decision, now: datetime) -> Outcome:
        """Answer for a command. Raises AlreadySettled, RequestChanged, UnknownRequest."""
        return self._answered(shown, Outcome(shown.id, digest(shown), RequestState.ANSWERED, now, decision, act.via))

    def reply(self, act: PersonAct, shown: QuestionRequest, text: str | None, now: datetime) -> Outcome:
        """Answer a question, None to decline it. Raises AlreadySettled, RequestChanged, UnknownRequest."""
        decision = Decision.NO if text is None else None
        outcome = Outcome(shown.id, digest(shown), RequestState.ANSWERED, now, decision, act.via, answer=text)
        return self._answered(shown, outcome)

    # Anybody --------------------------------------------------------------------------------------------------------

    def request(self, ident: str) -> Request:
        """Return a request by its id, whether it waits or not. Raises UnknownRequest."""
        return self.directory.request(ident)

    def snapshot(self) -> Snapshot:
        """Return what waits, what was settled, what cannot be read."""
        return self.directory.snapshot()

    async def watch(self, stop: asyncio.Event | None = None) -> AsyncGenerator[Snapshot]:
        """Yield what waits now, and again each time something changed, within a few dozen milliseconds."""
        self.directory.prepare()
        seen: Snapshot | None = None
        async with aclosing(ticks(self.directory.path, stop)) as moments:
            async for _ in moments:
                now = await asyncio.to_thread(self.directory.snapshot)
                if now != seen:
                    seen = now
                    yield now

    def sweep(self, now: datetime, alive: Callable[[Asker], bool] = is_alive) -> tuple[str, ...]:
        """Remove what is stale: what a process asked that is gone, what is over, what was settled long ago.

        A fact that waits is never stale. Returns the ids removed.
        """
        found = self.directory.snapshot()
        removed = [request.id for request in found.waiting if _is_stale(request, now, alive)]
        old = now - timedelta(days=SETTLED_DAYS)
        for request, outcome in found.settled:
            taken = not isinstance(request, FactRequest) and not alive(request.asker)
            if taken or outcome.settled < old:
                removed.append(request.id)
        for ident in removed:
            self.directory.forget(ident)
        self.directory.forget_unfinished(now - timedelta(days=1))
        return tuple(removed)

    def _answered(self, shown: Request, outcome: Outcome) -> Outcome:
        with self.directory.locked():
            self._check(shown)
            return self.directory.settle(outcome)

    def _check(self, shown: Request) -> None:
        """Hold that a request still waits, and is what was shown."""
        outcome = self.outcome(shown.id)
        if outcome is not None:
            raise AlreadySettled(outcome)
        if digest(self.directory.request(shown.id)) != digest(shown):
            raise RequestChanged(shown.id)

    def _without_the_person(self, ident: str, state: RequestState, reason: str, now: datetime) -> Outcome:
        with self.directory.locked():
            request = self.directory.request(ident)
            return self.directory.settle(Outcome(ident, digest(request), state, now, reason=reason))


def _is_stale(request: Request, now: datetime, alive: Callable[[Asker], bool]) -> bool:
    if isinstance(request, FactRequest):
        return False
    return (isinstance(request, CommandRequest) and now >= request.until) or not alive(request.asker)
