"""What another program may do to a conversation it holds: set its task, move facts, ask for one to be kept.

A caller ranks with the person in what it asserts, and makes nothing permanent: it asks, and the person answers
(spec "Facts", MCP.md "set_fact_scope").
"""

from __future__ import annotations

import asyncio

from wisp_tui.events import Kind
from wisp_tui.facts import (
    CALLER,
    AlreadyThere,
    Assertion,
    Fact,
    NotCurrent,
    PersonOnly,
    Scope,
    Topic,
    UnknownFact,
    move,
    new_facts,
    record,
)
from wisp_tui.facts.kinds import TASK
from wisp_tui.facts.values import stored_value
from wisp_tui.keeping import Busy
from wisp_tui.pending import AlreadySettled, Asker, FactRequest, Outcome, Pending, Request, Snapshot, UnknownRequest
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.facts import FactKeeper, moment
from wisp_tui.session.stating import NotDone


def set_task(conversation: Conversation, text: str) -> tuple[Fact, ...]:
    """Record the task as the caller says it; return what is new. Raises NotDone, AuditUnavailable."""
    keeper = _keeper(conversation)
    said = Assertion(Topic(TASK, ""), stored_value(text), keeper.kinds.kind(TASK).temporal, CALLER)
    changed = record(keeper.current(conversation), [said], moment(conversation))
    keeper.take(conversation, changed)
    return new_facts(changed.changes)


def move_by_caller(conversation: Conversation, ident: str, scope: Scope) -> Fact:
    """Move a fact between its conversation and the process; return its copy there. Raises NotDone, AuditUnavailable."""
    keeper = _keeper(conversation)
    try:
        changed = move(keeper.current(conversation), ident, scope, moment(conversation))
    except UnknownFact as error:
        raise _unseen(ident) from error
    except (NotCurrent, AlreadyThere, PersonOnly) as error:
        raise NotDone(str(error)) from error
    keeper.take(conversation, changed)
    moved = changed.book.fact(ident)
    return changed.book.fact(moved.superseded_by) if moved.superseded_by is not None else moved


async def ask_to_keep(conversation: Conversation, pending: Pending, asker: Asker, ident: str) -> FactRequest:
    """Ask the person to keep a fact for every conversation; return the request, which waits without a time limit.

    A notification tells them. Asked again while it waits, it is the same one. Raises NotDone, also for a fact that the
    person has dropped in this conversation, and AuditUnavailable.
    """
    keeper = _keeper(conversation)
    try:
        fact = keeper.current(conversation).holding(ident)
    except UnknownFact as error:
        raise _unseen(ident) from error
    except NotCurrent as error:
        raise NotDone(str(error)) from error
    if fact.scope is Scope.PERMANENT:
        raise NotDone(f"{fact.id} is permanent already")
    asked = FactRequest("", asker, conversation.clock.now(), fact)
    try:
        dropped, request = await asyncio.to_thread(_asked, pending, asked)
    except (OSError, Busy) as error:
        raise NotDone(f"the person cannot be asked: {error}") from error
    if dropped is not None:
        raise NotDone(f"the person dropped this fact at {dropped.settled:%Y-%m-%d %H:%M:%S}; they are not asked again")
    if not isinstance(request, FactRequest):
        raise TypeError("a request for a fact is answered by a request for a fact")
    if request.asked == asked.asked:
        conversation.write(
            Kind.APPROVAL_PENDING, {"id": request.id, "fact": dict(request.shown)}, turn=conversation.turn or None
        )
        if conversation.waiting is not None:
            conversation.waiting.telling.tell(request, conversation)
    return request


def _asked(pending: Pending, asked: FactRequest) -> tuple[Outcome | None, Request]:
    dropped = pending.dropped(asked.asker, asked.fact)
    return dropped, (asked if dropped is not None else pending.ask(asked))


async def fail_what_changed(conversation: Conversation, pending: Pending, asker: Asker) -> tuple[str, ...]:
    """Let requests of this conversation fail whose facts no longer say what the person is shown; return their ids."""
    keeper = conversation.facts
    if keeper is None:
        return ()
    book, now = keeper.current(conversation), conversation.clock.now()

    def holds(request: FactRequest) -> bool:
        held = book.ledger(request.fact.scope).facts.get(request.fact.id)
        return held is not None and held.current and held.value == request.fact.value

    def fail() -> tuple[str, ...]:
        failed: list[str] = []
        for request in requests_of(pending.snapshot(), asker):
            if holds(request):
                continue
            try:
                pending.fail(request.id, f"{request.fact.id} says something else now", now)
            except (AlreadySettled, UnknownRequest):
                continue  # the person was first
            failed.append(request.id)
        return tuple(failed)

    try:
        return await asyncio.to_thread(fail)
    except (OSError, Busy):
        return ()  # the next turn looks again


def requests_of(found: Snapshot, asker: Asker) -> tuple[FactRequest, ...]:
    """List the facts that wait for the person at the asking of one conversation."""
    return tuple(
        request
        for request in found.waiting
        if isinstance(request, FactRequest)
        and (request.asker.session, request.asker.thread) == (asker.session, asker.thread)
    )


def proposals(conversation: Conversation, found: Snapshot, asker: Asker) -> tuple[Fact, ...]:
    """List a conversation's facts that wait for the person to keep them: proposed ones, and those asked for."""
    keeper = conversation.facts
    if keeper is None:
        return ()
    asked = {request.fact.id for request in requests_of(found, asker)}
    ledgers = (keeper.book.thread, keeper.shared.session)
    return tuple(fact for ledger in ledgers for fact in ledger.current.values() if fact.proposed or fact.id in asked)


def _unseen(ident: str) -> NotDone:
    """Say that a thread sees no such fact; what lists them for the person is no caller's."""
    return NotDone(f"there is no fact {ident!r:.40} that this thread sees")


def _keeper(conversation: Conversation) -> FactKeeper:
    if conversation.facts is None:
        raise NotDone("this conversation keeps no facts (facts.enabled is off)")
    return conversation.facts
