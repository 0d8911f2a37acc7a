"""A fact of another conversation, named ``CONVERSATION/ID``: kept for every conversation, at the person's word."""

from __future__ import annotations

import asyncio

from wisp_tui.audit import AuditUnavailable
from wisp_tui.context.sidecar import CannotResume
from wisp_tui.facts import (
    Assertion,
    BadStored,
    Changed,
    Fact,
    FactBook,
    NotCurrent,
    PersonAct,
    UnknownFact,
    admit,
    new_facts,
    note,
)
from wisp_tui.keeping import StoreError
from wisp_tui.pending import FactRequest, request_words
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.facts import moment
from wisp_tui.session.saving import BadName, Shelf, saved_facts
from wisp_tui.session.stating import NotDone
from wisp_tui.session.waiting import NotAnswered


async def keep_elsewhere(conversation: Conversation, shelf: Shelf, act: PersonAct, named: str) -> str:
    """Keep the fact named ``CONVERSATION/ID``: one that is asked to be kept, else one of a saved conversation.

    Returns what is to be said. Raises NotDone.
    """
    name, _, ident = named.partition("/")
    if (waiting := conversation.waiting) is not None:
        for request in (await waiting.look()).waiting:
            if isinstance(request, FactRequest) and (request.asker.thread, request.fact.id) == (name, ident):
                try:
                    outcome = await waiting.keep(act, request, conversation)
                except (NotAnswered, AuditUnavailable) as error:
                    raise NotDone(str(error)) from error
                return f"{request_words(request)} {outcome.words}"
    fact = await asyncio.to_thread(_saved_fact, shelf, name, ident)
    keeper = conversation.facts
    if keeper is None:
        raise NotDone("this conversation keeps no facts (facts.enabled is off)")
    said = Assertion(fact.topic, fact.value, fact.temporal, fact.source, fact.entries, fact.events, fact.turns)

    def edit(book: FactBook) -> Changed:
        changed = admit(act, book.permanent, said, moment(conversation))
        return Changed(book.replaced([changed.book.permanent]), changed.changes)

    try:
        changed = await keeper.person(conversation, act, edit)
    except (StoreError, AuditUnavailable) as error:
        raise NotDone(str(error)) from error
    return note(new_facts(changed.changes)) or "that is kept already"


def _saved_fact(shelf: Shelf, name: str, ident: str) -> Fact:
    try:
        return FactBook(thread=saved_facts(shelf.load(name))).holding(ident)
    except (BadName, CannotResume, BadStored, UnknownFact, NotCurrent) as error:
        raise NotDone(f"{name}/{ident}: {error}") from error
    except OSError as error:
        raise NotDone(f"{name} cannot be read: {error.strerror or error}") from error
