"""The contexts of a conversation as a person asks for them: the next one, a past turn's, the list, saved to files.

None of them costs the model anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from wisp_tui.config import Home
from wisp_tui.context.composer import Composition
from wisp_tui.context.condensing import Target
from wisp_tui.context.saved_contexts import context_json, context_markdown
from wisp_tui.context.view import ContextView, Gauge, TurnRow, context_view, gauge, turn_row
from wisp_tui.session.conversation import Composed, Conversation
from wisp_tui.text.ids import TurnNumber


class NoSuchTurn(Exception):
    """A turn's context was asked for that this session did not compose; the message says which there are."""


@dataclass(frozen=True, slots=True)
class SaveContexts:
    """Saves contexts as ``context/SESSION-LABEL.md`` and ``.json`` in the home."""

    home: Home

    def __call__(self, conversation: Conversation, label: str) -> str | None:
        """Save the next request's context; return the Markdown's path. None when it could not be written."""
        composition = conversation.next_context()
        name = f"{conversation.session}-{label}"
        path = self.home.context / f"{name}.md"
        model = conversation.resolved.id if conversation.resolved else None
        about = {"session": conversation.session, "turn": conversation.turn, "label": label, "model": model}
        try:
            self.home.write(path.with_suffix(".json"), context_json(composition, about))
            self.home.write(path, context_markdown(composition, f"Context {label}").encode("utf-8", "replace"))
        except OSError as error:
            conversation.note(f"the context was not saved: {error}", "warning")
            return None
        return str(path)


def next_view(conversation: Conversation) -> ContextView:
    """View what the next request carries, compared with the last one sent."""
    sent = conversation.composed[-1] if conversation.composed else None
    before = recomposed(conversation, sent) if sent else None
    composition = conversation.next_context()
    return context_view(composition, tokens=conversation.meter.estimate(composition), before=before)


def turn_view(conversation: Conversation, turn: TurnNumber) -> ContextView:
    """View what a turn's first request carried, compared with the turn before. Raises NoSuchTurn."""
    sent = first_requests(conversation)
    if turn not in sent:
        there = f"1 to {conversation.turn}" if conversation.turn else "none yet"
        raise NoSuchTurn(f"this session composed no context for turn {turn}; its turns are {there}")
    earlier = [composed for number, composed in sent.items() if number < turn]
    return context_view(
        recomposed(conversation, sent[turn]),
        tokens=sent[turn].tokens,
        before=recomposed(conversation, earlier[-1]) if earlier else None,
    )


def turn_rows(conversation: Conversation) -> list[TurnRow]:
    """List the turns whose contexts this session composed, the oldest first."""
    rows: list[TurnRow] = []
    before: Composition | None = None
    summaries = conversation.facts.summaries.versions if conversation.facts is not None else ()
    for turn, composed in first_requests(conversation).items():
        composition = recomposed(conversation, composed)
        prompt = conversation.record.entry(composed.request)
        written = sum(1 for version in summaries if version.turn == turn)
        rows.append(
            turn_row(
                turn,
                time=prompt.time,
                prompt=prompt.text,
                composition=composition,
                before=before,
                summarised=written,
            )
        )
        before = composition
    return rows


def first_requests(conversation: Conversation) -> dict[TurnNumber, Composed]:
    """Return each turn's first request as it was sent in the end, by turn."""
    sent: dict[TurnNumber, Composed] = {}
    for composed in conversation.composed:
        sent.setdefault(composed.turn, composed)
    return sent


def recomposed(conversation: Conversation, composed: Composed) -> Composition:
    """Compose a past request again."""
    return conversation.composer.compose(conversation.record, composed.plan)


def window_gauge(conversation: Conversation) -> Gauge | None:
    """Lay out the window for the next request; None for a window nobody knows."""
    if conversation.window is None:
        return None
    composition = conversation.next_context()
    scale = conversation.meter.estimate(composition) / composition.tokens if composition.tokens else 1.0
    layers = {layer.value: round(tokens * scale) for layer, tokens in composition.by_layer().items()}
    policy = conversation.condensing
    target = policy if isinstance(policy, Target) else Target()
    return gauge(
        layers,
        headroom=conversation.headroom(),
        window=conversation.window,
        target=target.share,
        budget=target.budget,
    )
