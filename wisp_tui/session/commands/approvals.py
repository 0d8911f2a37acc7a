"""The command about the answers that were given: /approvals. Each that is taken back is audited."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from wisp_tui.approval import ApprovalStore
from wisp_tui.approval.listing import NONE, approval_remarks, approval_row, cleared, revoked
from wisp_tui.audit import AuditUnavailable
from wisp_tui.events import Kind
from wisp_tui.session.commands.base import Answered, Command
from wisp_tui.session.thread import Thread
from wisp_tui.text.clean import visible
from wisp_tui.text.sizes import count

_USAGE = "/approvals revoke ID · /approvals clear"


async def approvals(thread: Thread, argument: str) -> Answered:
    """List what runs unasked, or take it back."""
    store = thread.conversation.gate.rules.store
    if store is None:
        return Answered(("nothing is approved beyond a session here",), failed=True)
    try:
        return await _answered(thread, store, argument.split())
    except OSError as error:
        return Answered((f"not done: {store.path} cannot be written: {error.strerror or error}",), failed=True)
    except AuditUnavailable as error:
        return Answered((f"taken back, and not in the audit log: {error}",), failed=True)


async def _answered(thread: Thread, store: ApprovalStore, words: Sequence[str]) -> Answered:
    match words:
        case []:
            return await asyncio.to_thread(_listed, thread, store)
        case ["revoke", ident]:
            return await _revoked(thread, store, ident)
        case ["clear"]:
            return await _cleared(thread, store)
        case _:
            return Answered((_USAGE,), failed=True)


def _listed(thread: Thread, store: ApprovalStore) -> Answered:
    listing = store.list()
    rows = [approval_row(standing) for standing in listing.approvals]
    rows += [("·", covered, where, "this session") for covered, where in thread.conversation.gate.session_answers]
    lines = [visible("  ".join(row)).replace("\n", "<U+000A>") for row in rows] or [NONE]
    return Answered((*lines, *approval_remarks(listing), *([_USAGE] if rows else [])))


async def _revoked(thread: Thread, store: ApprovalStore, ident: str) -> Answered:
    standing = await asyncio.to_thread(store.revoke, ident)
    if standing is None:
        return Answered((f"no approval has the id {ident}; /approvals lists them",), failed=True)
    thread.conversation.write(Kind.APPROVAL_DECIDED, revoked(standing))
    return Answered((f"{standing.coverage.pattern} asks again",))


async def _cleared(thread: Thread, store: ApprovalStore) -> Answered:
    stored = await asyncio.to_thread(store.clear)
    session = thread.conversation.gate.forget_session()
    thread.conversation.write(Kind.APPROVAL_DECIDED, cleared(stored, session))
    return Answered((f"{count(stored + session, 'approval')} taken back: what they covered asks again",))


def _ways(thread: Thread, argument: str) -> Sequence[str]:
    store = thread.conversation.gate.rules.store
    word, space, _ = argument.partition(" ")
    if not space or word != "revoke" or store is None:
        return ("revoke", "clear")
    return [f"revoke {standing.id}" for standing in store.list().approvals]


APPROVALS = (
    Command(
        "/approvals",
        "/approvals …",
        f"list what runs unasked by an answer of yours, or take it back: {_USAGE}",
        approvals,
        _ways,
    ),
)
