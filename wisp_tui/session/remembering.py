"""What a conversation gives its memory tool, as it stands when a call is made."""

from __future__ import annotations

from wisp_tui.recall import Past
from wisp_tui.session.conversation import Conversation


def past_of(conversation: Conversation) -> Past:
    """Give the conversation's record, its facts and summary where it keeps them, and its stored outputs."""
    keeper, sessions = conversation.facts, conversation.carried_from
    if keeper is None:
        return Past(conversation.record, conversation.store, sessions=sessions)
    book = keeper.book.replaced((keeper.shared.session, keeper.shared.permanent))
    return Past(conversation.record, conversation.store, book, keeper.summaries, sessions, keeper.notebook)
