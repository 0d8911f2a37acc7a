"""What the person does to the facts of a conversation: state, move, delete; from a slash command or a panel's key."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from wisp_tui.audit import AuditUnavailable
from wisp_tui.facts import (
    AlreadyThere,
    Changed,
    EmptyValue,
    Fact,
    FactBook,
    NotAStatement,
    NotCurrent,
    PersonAct,
    Scope,
    Statement,
    UnknownFact,
    UnknownSubject,
    delete,
    move_by_person,
    new_facts,
    read_statement,
    state,
)
from wisp_tui.keeping import StoreError
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.facts import FactKeeper, moment


class NotDone(Exception):
    """Nothing was changed; the message says why, and what to do."""


async def state_fact(conversation: Conversation, act: PersonAct, said: str | Statement) -> tuple[Fact, ...]:
    """State a fact (``SUBJECT [NAME] = VALUE``); return what is new, nothing for what is held. Raises NotDone."""
    keeper = _keeper(conversation)
    try:
        statement = read_statement(said, keeper.kinds, keeper.place) if isinstance(said, str) else said
    except (NotAStatement, UnknownSubject) as error:
        raise NotDone(str(error)) from error
    return await _done(conversation, act, partial(state, act, said=statement, at=moment(conversation)))


async def move_fact(conversation: Conversation, act: PersonAct, ident: str, scope: Scope) -> tuple[Fact, ...]:
    """Move a fact to a scope; return its copy there. Raises NotDone."""
    at = moment(conversation)
    return await _done(conversation, act, partial(move_by_person, act, ident=ident, scope=scope, at=at))


async def delete_fact(conversation: Conversation, act: PersonAct, ident: str) -> None:
    """Delete a fact; its history stays. Raises NotDone."""
    await _done(conversation, act, partial(delete, act, ident=ident, at=moment(conversation)))


async def _done(conversation: Conversation, act: PersonAct, edit: Callable[[FactBook], Changed]) -> tuple[Fact, ...]:
    keeper = _keeper(conversation)
    try:
        changed = await keeper.person(conversation, act, edit)
    except (UnknownFact, NotCurrent, AlreadyThere, EmptyValue, StoreError) as error:
        raise NotDone(str(error)) from error
    except AuditUnavailable as error:
        raise NotDone(f"not done: {error}") from error
    return new_facts(changed.changes)


def _keeper(conversation: Conversation) -> FactKeeper:
    if conversation.facts is None:
        raise NotDone("this conversation keeps no facts (facts.enabled is off)")
    return conversation.facts
