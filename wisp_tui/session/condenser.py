"""Condensing as it happens: the pure steps of ``context.condensing`` performed, audited, and shown one by one."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

from wisp_tui.audit import AuditUnavailable
from wisp_tui.context.composer import Composition, Layer
from wisp_tui.context.condensing import (
    DistilAndDrop,
    FailFast,
    Performed,
    Reference,
    Squeeze,
    Step,
    Target,
    condense,
    due,
    goal,
    overflow_tokens,
)
from wisp_tui.context.fill import Fill, look
from wisp_tui.context.outcome import Outcome, does_not_fit, floor_note
from wisp_tui.context.outcome import outcome as ended
from wisp_tui.context.record import Entry
from wisp_tui.events import CondensationStep, Kind
from wisp_tui.facts import retention
from wisp_tui.models import Capability, ContextOverflow, Model, ModelError, Resolved
from wisp_tui.session.activity import ActivityBoard
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.handling import reference
from wisp_tui.text.ids import EventId, TurnNumber
from wisp_tui.text.json import JsonObject

SHOWN_MISSING = 40
"""Lost words a condensation's event names at most."""
_SENT = {Layer.EARLIER, Layer.LITERAL, Layer.NOW, Layer.REQUEST}


class DoesNotFit(ModelError):
    """The request does not fit the window, condensed as far as it goes; the message says what takes the room."""


@dataclass(slots=True)
class Condenser:
    """Keeps one turn's requests inside the window."""

    conversation: Conversation
    turn: TurnNumber
    prompt: Entry
    model: Model
    resolved: Resolved
    activity: ActivityBoard
    _left: list[str] = field(default_factory=list[str])
    """What the turns that left were sent as."""
    _done: list[str] = field(default_factory=list[str])
    """The steps that changed the record, in words; what is told of a condensation that was stopped."""

    async def fitting(self, *, midway: bool) -> Composition:
        """Compose the next request, condensed first when it is due. Raises DoesNotFit, AuditUnavailable."""
        held = self.conversation
        composition = self._compose()
        fill = await self._look(composition)
        policy, room = held.condensing, self.conversation.headroom(self.prompt.id)
        since = self.turn - held.condensed_at if held.condensed_at is not None else None
        outcome = None
        if held.window is not None and due(fill, held.window, policy, room, since=since, midway=midway):
            outcome = await self._condense("budget", fill, held.window, midway=midway)
            composition = self._compose()
        self._check(outcome, fill)
        return composition

    async def after(self, overflow: ContextOverflow, sent: Composition) -> Composition:
        """Condense after the runtime refused a request; return a smaller one. Raises DoesNotFit when there is none."""
        held = self.conversation
        estimate = held.meter.estimate(sent)
        tokens, window = overflow_tokens(overflow.limit, overflow.count, estimate, held.window)
        held.adopt_window(window)
        if overflow.count is not None:
            held.meter.learn(sent, overflow.count)
        elif tokens > estimate:
            held.meter.estimator.learn(sent, tokens)  # without a count the refusal still proves: more than the window
        if isinstance(held.condensing, FailFast):
            raise overflow
        fill = look(held.record, sent, tokens=tokens, exact=overflow.count is not None)
        outcome = await self._condense("overflow", fill, window, midway=False)
        if not outcome.gained:
            raise DoesNotFit(does_not_fit(outcome)) from overflow
        self._check(outcome, fill)
        return self._compose()

    def _check(self, outcome: Outcome | None, fill: Fill) -> None:
        held = self.conversation
        refuses = Capability.REFUSES_OVERFLOW in self.resolved.capabilities
        if outcome is not None:
            if not outcome.may_send(refuses_overflow=refuses):
                raise DoesNotFit(does_not_fit(outcome))
            if outcome.floor:
                held.note(floor_note(outcome), "warning")
        elif held.window is not None and fill.total > held.window and not refuses:
            raise DoesNotFit(
                f"the request needs about {fill.total:,} of {held.window:,} tokens, and this runtime would cut it "
                "without a word; shorten it or start a new conversation"
            )

    async def _condense(self, reason: str, fill: Fill, window: int, *, midway: bool) -> Outcome:
        held, policy, room = self.conversation, self.conversation.condensing, self.conversation.headroom(self.prompt.id)
        wanted = goal(fill, window, policy, room, midway=midway) if isinstance(policy, Target) else fill.context
        event = held.audit.next_id()
        progress = _Progress(self, reason, wanted, window)
        progress.publish("began", fill)
        self.activity.doing("condensing the context")
        self._left.clear()
        self._done.clear()
        before = held.save_context(self.turn, "before")
        turns_before = len(fill.turns)
        steps = condense(fill, window, policy, room, midway=midway)
        try:
            step = next(steps)
            while True:
                step = steps.send(await self._perform(step, event, progress))
        except StopIteration as end:
            outcome: Outcome = end.value
        except BaseException:
            if self._done:  # the record names this event already: it is written, whatever stopped the condensation
                so_far = ended(fill, self._estimated(), window=window, goal=wanted, headroom=room, steps=self._done)
                with contextlib.suppress(AuditUnavailable):
                    self._record(event, reason, so_far, turns_before=turns_before, saved=(before, None), stopped=True)
                    held.condensed_at = self.turn
            raise
        held.condensed_at = self.turn
        held.condensations += 1
        after = held.save_context(self.turn, "after")
        self._record(event, reason, outcome, turns_before=turns_before, saved=(before, after))
        progress.publish("ended", outcome.after, floor=outcome.floor)
        return outcome

    async def _perform(self, step: Step, event: EventId, progress: _Progress) -> Performed:
        held, distilled, started = self.conversation, False, self.conversation.clock.elapsed()
        match step:
            case Reference(entries):
                reference(held, entries, self.turn)
                name, amount = "referenced", len(entries)
            case DistilAndDrop(turns):
                progress.publish("distilling", None, amount=len(turns))
                distilled = await held.distiller(held, step.entries)
                going = set(step.entries)
                self._left += [part.text for part in self._compose().parts if part.entry in going]
                held.record.drop(step.entries, by=event, turn=self.turn)
                name, amount = "dropped", len(turns)
            case Squeeze():
                held.squeezed = self.turn
                name, amount = "squeezed", 1
        self._done.append(f"{name} {amount}")
        try:
            fill = await self._look(self._compose())
        except BaseException:
            progress.publish(name, self._estimated(), amount=amount)
            raise
        progress.publish(name, fill, amount=amount, seconds=held.clock.elapsed() - started)
        return Performed(fill, distilled=distilled)

    def _record(
        self,
        event: EventId,
        reason: str,
        outcome: Outcome,
        *,
        turns_before: int,
        saved: tuple[str | None, str | None],
        stopped: bool = False,
    ) -> None:
        self.conversation.write(
            Kind.CONTEXT_CONDENSATION,
            {
                "reason": reason,
                "turnsBefore": turns_before,
                "turnsAfter": len(outcome.after.turns),
                "contextSize": outcome.window,
                "tokenCount": outcome.before.total,
                "target": outcome.goal,
                "fillBefore": outcome.before.context,
                "fillAfter": outcome.after.context,
                "headroom": outcome.headroom,
                "steps": list(outcome.steps),
                "floor": outcome.floor,
                "savedBefore": saved[0],
                "savedAfter": saved[1],
                "retention": self._retention(),
                **({"stopped": True} if stopped else {}),
            },
            turn=self.turn,
            ident=event,
        )

    def _retention(self) -> JsonObject | None:
        """Look for the identifiers, paths and numbers of the turns that left in what is still sent."""
        if not self._left:
            return None
        kept = (part.text for part in self._compose().parts if part.layer in _SENT)
        looked = retention(self._left, kept)
        return {"share": round(looked.share, 3), "of": looked.total, "missing": list(looked.missing[:SHOWN_MISSING])}

    def _compose(self) -> Composition:
        held = self.conversation
        return held.composer.compose(held.record, held.plan(self.prompt.id))

    def _estimated(self) -> Fill:
        """Look at the context as it is now, without asking the runtime."""
        held, composition = self.conversation, self._compose()
        return look(held.record, composition, tokens=held.meter.estimate(composition), exact=False)

    async def _look(self, composition: Composition) -> Fill:
        held = self.conversation
        size = await held.meter.size(composition, self.model, self.resolved, held.window)
        return look(held.record, composition, tokens=size.tokens, exact=size.exact)


@dataclass(slots=True)
class _Progress:
    condenser: Condenser
    reason: str
    goal: int
    window: int
    fill: int = 0

    def publish(
        self, step: str, fill: Fill | None, *, amount: int = 0, seconds: float = 0.0, floor: bool = False
    ) -> None:
        held = self.condenser.conversation
        self.fill = fill.context if fill is not None else self.fill
        held.bus.publish(
            CondensationStep(
                session=held.session,
                turn=self.condenser.turn,
                step=step,
                reason=self.reason,
                fill=self.fill,
                goal=self.goal,
                window=self.window,
                amount=amount,
                seconds=seconds,
                floor=floor,
            )
        )


def leave_refused(conversation: Conversation, turn: TurnNumber, prompt: Entry) -> None:
    """Take a prompt that did not fit, and was answered by nothing, out of what is sent. Raises AuditUnavailable.

    It stays in the record and the audit; without this it would be the last turn, which no condensation drops, and every
    request after it would be refused for its size.
    """
    record = conversation.record
    if next(reversed(record.active)) is not prompt:
        return
    event = conversation.write(
        Kind.CONTEXT_CONDENSATION,
        {
            "reason": "refused",
            "contextSize": conversation.window,
            "steps": ["dropped the request that did not fit"],
            "floor": False,
        },
        turn=turn,
    )
    record.drop([prompt.id], by=event.id, turn=turn)
    conversation.note(f"entry {prompt.id}, the message that did not fit, is kept in the record and not sent again")
