"""A request's context as a body that any chat-completions server takes: its messages and tools, nothing else."""

from __future__ import annotations

from wisp_tui.context.composer import Composition
from wisp_tui.models import Request
from wisp_tui.models.chat_wire import chat_body
from wisp_tui.session.contexts import NoSuchTurn, recomposed, sent_in
from wisp_tui.session.conversation import Composed, Conversation
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.json import dump

NEXT = "next"
"""What asks for the request that has not been sent yet."""


class BadRequest(Exception):
    """No request is meant by what was asked for; the message says which there are."""


def request_body(conversation: Conversation, wanted: str = "") -> bytes:
    """Write a request as JSON: a turn's first, ``next``, or, for an empty word, the last one sent, else the next.

    A request that was sent is composed again, and is written only where it is, byte for byte, the one the audit has the
    SHA-256 of. Raises BadRequest.
    """
    composition = _composition(conversation, wanted)
    resolved = conversation.resolved
    name = resolved.id.partition(":")[2] or resolved.id if resolved is not None else ""
    return dump(chat_body(Request(composition.messages, composition.tools), name)) + b"\n"


def _composition(conversation: Conversation, wanted: str) -> Composition:
    sent = [composed for composed in conversation.composed if not composed.refused]
    if wanted == NEXT or (not wanted and not sent):
        return conversation.next_context()
    if not wanted:
        return _again(conversation, sent[-1])
    if not wanted.isdecimal():
        raise BadRequest(f"which context? a turn's number, or {NEXT}; alone, the last one sent")
    try:
        return _again(conversation, sent_in(conversation, TurnNumber(int(wanted))))
    except NoSuchTurn as error:
        raise BadRequest(str(error)) from error


def _again(conversation: Conversation, composed: Composed) -> Composition:
    composition = recomposed(conversation, composed)
    if composition.sha256 != composed.sha256:
        raise BadRequest(f"the context of turn {composed.turn} cannot be composed again as it was sent")
    return composition
