"""What a conversation gives its memory tool, as it stands when a call is made."""

from __future__ import annotations

from contextlib import aclosing

from wisp_tui.models import ModelError, Request, TextDelta
from wisp_tui.recall import Past
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.clean import clean


def past_of(conversation: Conversation) -> Past:
    """Give the conversation's record, its facts and summary where it keeps them, and its stored outputs."""
    keeper, sessions = conversation.facts, conversation.carried_from
    if keeper is None:
        return Past(conversation.record, conversation.store, sessions=sessions)
    return Past(conversation.record, conversation.store, keeper.present, keeper.summaries, sessions, keeper.notebook)


async def ask_apart(conversation: Conversation, request: Request) -> str:
    """Ask the conversation's model what the conversation never carries; return its whole answer. Raises ModelError."""
    if conversation.model is None:
        raise ModelError("there is no model")
    async with aclosing(conversation.model.stream(request)) as chunks:
        return clean("".join([chunk.text async for chunk in chunks if isinstance(chunk, TextDelta)]))
