"""A conversation's contexts to step through: each turn's as it was sent, and after the last the next request's."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from wisp_tui.context.composer import Composition
from wisp_tui.context.view import ContextRow, ContextView, Gauge, TurnRow, context_view, waiting_rows
from wisp_tui.session.contexts import first_requests, recomposed, row_of_turn, sent_in, view_gauge
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.ids import EntryId, TurnNumber

KEPT = 8
"""Compositions kept while turns are looked at: each needs its own and the one before it."""


@dataclass(frozen=True, slots=True)
class ShownContext:
    """One context to be shown. ``turn`` is None for the next request; ``since`` is the turn it is compared with.

    ``gauge`` is None for a window nobody knows; ``running`` says that the request is of the turn that runs.
    """

    turn: TurnNumber | None
    view: ContextView
    gauge: Gauge | None
    since: TurnNumber | None
    running: bool
    composition: Composition
    earlier: Composition | None
    """The one it is compared with."""

    def sent(self, row: ContextRow) -> str:
        """Return a row's text as it is sent, or was sent when this context no longer carries it."""
        parts = (*self.composition.parts, *(self.earlier.parts if self.earlier is not None else ()))
        named = (row.layer, row.entry, row.kind)
        return next((part.text for part in parts if (part.layer, part.entry, part.kind) == named), "")


@dataclass(slots=True)
class ContextSteps:
    """Steps through one conversation's contexts. It changes nothing and costs the model nothing.

    Each turn's row is made when it is asked for, so that a list of a thousand turns costs what is on the screen.
    """

    conversation: Conversation
    _rows: dict[TurnNumber, TurnRow] = field(default_factory=dict[TurnNumber, TurnRow])
    _compositions: dict[TurnNumber, Composition] = field(default_factory=dict[TurnNumber, Composition])

    @property
    def turns(self) -> Sequence[TurnNumber]:
        """The turns whose contexts this session composed, the oldest first."""
        return tuple(first_requests(self.conversation))

    def show(self, turn: TurnNumber | None) -> ShownContext:
        """Show a turn's context as it was sent, or the next request's for None. Raises NoSuchTurn."""
        return self._next() if turn is None else self._past(turn)

    def _next(self) -> ShownContext:
        held = self.conversation
        composition = held.next_context()
        sent = held.composed[-1] if held.composed else None
        earlier = recomposed(held, sent) if sent is not None else None
        view = replace(
            context_view(composition, tokens=held.meter.estimate(composition), before=earlier),
            waiting=_waiting(held),
        )
        return ShownContext(
            turn=None,
            view=view,
            gauge=view_gauge(held, view, held.headroom(held.running)),
            since=sent.turn if sent is not None else None,
            running=held.running is not None,
            composition=composition,
            earlier=earlier,
        )

    def _past(self, turn: TurnNumber) -> ShownContext:
        held, sent = self.conversation, sent_in(self.conversation, turn)
        composition, since = self._composition(turn), self.before(turn)
        earlier = self._composition(since) if since is not None and since != turn else None
        view = context_view(composition, tokens=sent.tokens, before=earlier)
        return ShownContext(
            turn=turn,
            view=view,
            gauge=view_gauge(held, view, held.headroom(sent.request)),
            since=since if earlier is not None else None,
            running=False,
            composition=composition,
            earlier=earlier,
        )

    def tool(self, entry: EntryId) -> str | None:
        """Return the tool that an entry calls, or whose output it is; None for other entries."""
        found = self.conversation.record.entry(entry)
        return found.call.tool if found.call is not None else found.output.tool if found.output is not None else None

    def before(self, turn: TurnNumber | None) -> TurnNumber | None:
        """Return the turn a step back from a turn, or from the next request for None; itself where there is none."""
        turns = self.turns
        place = len(turns) if turn is None else bisect_left(turns, turn)
        return turns[place - 1] if place else turn

    def after(self, turn: TurnNumber | None) -> TurnNumber | None:
        """Return the turn a step on; None, the next request, after the last."""
        if turn is None:
            return None
        turns = self.turns
        place = bisect_right(turns, turn)
        return turns[place] if place < len(turns) else None

    def row(self, turn: TurnNumber) -> TurnRow:
        """Make a turn's row of the list. Raises KeyError for a turn whose context this session did not compose."""
        known = self._rows.get(turn)
        if known is not None:
            return known
        before = self.before(turn)
        earlier = self._composition(before) if before is not None and before != turn else None
        row = row_of_turn(self.conversation, turn, self._composition(turn), earlier)
        if turn < self.conversation.turn:  # a summary may still be written in the latest
            self._rows[turn] = row
        return row

    def forget(self) -> None:
        """Forget what was made: another conversation began."""
        self._rows.clear()
        self._compositions.clear()

    def _composition(self, turn: TurnNumber) -> Composition:
        found = self._compositions.get(turn)
        if found is None:
            found = recomposed(self.conversation, first_requests(self.conversation)[turn])
            while len(self._compositions) >= KEPT:
                del self._compositions[next(iter(self._compositions))]
            self._compositions[turn] = found
        return found


def _waiting(held: Conversation) -> tuple[ContextRow, ...]:
    """Return the entries that were dropped and that no summary stands for yet."""
    if held.facts is None:
        return ()
    summarised = held.settings.facts.enabled and held.settings.facts.summary
    why = "dropped; it waits for the next summary" if summarised else "dropped; no summary is written (facts.summary)"
    return waiting_rows((entry for turn in held.facts.summaries.waiting(held.record) for entry in turn), why)
