"""The contexts of a conversation as a person asks for them: the next one, a past turn's, the list, saved to files.

None of them costs the model anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wisp_tui.config import Home
from wisp_tui.context.composer import Composition
from wisp_tui.context.condensing import Target
from wisp_tui.context.saved_contexts import context_json, context_markdown
from wisp_tui.context.view import ContextView, Gauge, TurnRow, context_view, gauge, turn_row
from wisp_tui.events import AuditEvent, ContextFill, Kind, Transient
from wisp_tui.session.conversation import Composed, Conversation
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.reasons import reason

_CONTEXT_KINDS = frozenset(
    {
        Kind.MODEL_RESOLVED,
        Kind.TOOL_CALL,
        Kind.TOOL_RESULT,
        Kind.RESPONSE,
        Kind.COMMAND_TYPED,
        Kind.CONTEXT_REFERENCE,
        Kind.CONTEXT_CUT,
        Kind.CONTEXT_CONDENSATION,
    }
)


class NoSuchTurn(Exception):
    """A turn's context was asked for that this session did not compose; the message says which there are."""


@dataclass(frozen=True, slots=True)
class SaveContexts:
    """Saves contexts as ``context/SESSION-LABEL.md`` and ``.json`` in the home."""

    home: Home

    def __call__(self, conversation: Conversation, label: str) -> str | None:
        """Save the next request's context; return the Markdown's path. None when it could not be written."""
        composition = conversation.next_context()
        tokens = conversation.meter.estimate(composition)
        name = f"{conversation.session}-{label}"
        path = self.home.context / f"{name}.md"
        model = conversation.resolved.id if conversation.resolved else None
        about = {"session": conversation.session, "turn": conversation.turn, "label": label, "model": model}
        try:
            self.home.write(path.with_suffix(".json"), context_json(composition, about, tokens))
            text = context_markdown(composition, f"Context {label}", tokens)
            self.home.write(path, text.encode("utf-8", "replace"))
        except OSError as error:
            conversation.note(f"the context was not saved: {reason(error)}", "warning")
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
    composed = sent_in(conversation, turn)
    earlier = [other for number, other in first_requests(conversation).items() if number < turn]
    return context_view(
        recomposed(conversation, composed),
        tokens=composed.tokens,
        before=recomposed(conversation, earlier[-1]) if earlier else None,
    )


def sent_in(conversation: Conversation, turn: TurnNumber) -> Composed:
    """Return a turn's first request. Raises NoSuchTurn."""
    sent = first_requests(conversation)
    if turn not in sent:
        there = f"1 to {conversation.turn}" if conversation.turn else "none yet"
        raise NoSuchTurn(f"this session composed no context for turn {turn}; its turns are {there}")
    return sent[turn]


def turn_rows(conversation: Conversation) -> list[TurnRow]:
    """List the turns whose contexts this session composed, the oldest first."""
    rows: list[TurnRow] = []
    before: Composition | None = None
    for turn, composed in first_requests(conversation).items():
        composition = recomposed(conversation, composed)
        rows.append(row_of_turn(conversation, turn, composition, before))
        before = composition
    return rows


def row_of_turn(
    conversation: Conversation, turn: TurnNumber, composition: Composition, before: Composition | None
) -> TurnRow:
    """Make the row of a turn, from what it sent first and what the turn before did."""
    sent = first_requests(conversation)[turn]
    prompt = conversation.record.entry(sent.request)
    summaries = conversation.facts.summaries.versions if conversation.facts is not None else ()
    written = sum(1 for version in summaries if version.turn == turn)
    return turn_row(
        turn,
        time=prompt.time,
        prompt=prompt.text,
        composition=composition,
        before=before,
        tokens=sent.tokens,
        summarised=written,
    )


def first_requests(conversation: Conversation) -> dict[TurnNumber, Composed]:
    """Return each turn's first request as it was sent in the end, by turn."""
    sent: dict[TurnNumber, Composed] = {}
    for composed in conversation.composed:
        first = sent.get(composed.turn)
        if first is None or first.refused:
            sent[composed.turn] = composed
    return sent


def recomposed(conversation: Conversation, composed: Composed) -> Composition:
    """Compose a past request again."""
    return conversation.composer.compose(conversation.record, composed.plan)


def window_gauge(conversation: Conversation) -> Gauge | None:
    """Lay out the window for the next request; None for a window nobody knows."""
    composition = conversation.next_context()
    view = context_view(composition, tokens=conversation.meter.estimate(composition))
    return view_gauge(conversation, view, conversation.headroom(conversation.running))


def view_gauge(conversation: Conversation, view: ContextView, headroom: int) -> Gauge | None:
    """Lay out the window for a context; ``headroom`` is the room kept beside it. None for a window nobody knows."""
    return _gauge(conversation, {total.layer.value: total.tokens for total in view.layers}, headroom)


def next_fill(conversation: Conversation) -> ContextFill:
    """Measure what the next request would carry, as a fill that nothing has published."""
    composition = conversation.next_context()
    view = context_view(composition, tokens=conversation.meter.estimate(composition))
    return ContextFill(
        session=conversation.session,
        layers=tuple((total.layer.value, total.tokens) for total in view.layers),
        headroom=conversation.headroom(conversation.running),
        used=view.tokens,
        window=conversation.window,
        exact=False,
    )


def fill_gauge(conversation: Conversation, fill: ContextFill) -> Gauge | None:
    """Lay out the window for a fill as it was published; None for a window nobody knows.

    The layers' estimates share out what the model read or is about to read.
    """
    estimated = sum(size for _, size in fill.layers)
    scale = fill.used / estimated if estimated else 1.0
    return _gauge(conversation, {name: round(size * scale) for name, size in fill.layers}, fill.headroom)


def _gauge(conversation: Conversation, layers: Mapping[str, int], headroom: int) -> Gauge | None:
    if conversation.window is None:
        return None
    policy = conversation.condensing
    marks = policy if isinstance(policy, Target) else Target()
    return gauge(layers, headroom=headroom, window=conversation.window, target=marks.share, budget=marks.budget)


def changes_context(event: AuditEvent | Transient) -> bool:
    """Say whether an event tells that the context has gained an entry, is sent in another form, or to another model."""
    return isinstance(event, AuditEvent) and event.kind in _CONTEXT_KINDS
