"""Distilling as it happens: the model asked for facts and a summary of the turns that leave (spec "Facts").

A failed, empty or malformed answer changes nothing but the audit; the turns go all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from wisp_tui.context.record import Entry, turns_of
from wisp_tui.events import Kind
from wisp_tui.facts import (
    Calls,
    DistilJob,
    Distilled,
    SummaryJob,
    Unusable,
    calls_for,
    caps_for,
    new_facts,
    read_turn,
    record,
)
from wisp_tui.models import Capability, Model, ModelError, Request, TextDelta
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.facts import FactKeeper, moment
from wisp_tui.text.clean import clean
from wisp_tui.text.ids import EntryId
from wisp_tui.text.json import Json


@dataclass(slots=True)
class FactDistiller:
    """Distils one conversation's leaving turns through its own model, in calls the conversation never carries."""

    keeper: FactKeeper

    async def __call__(self, conversation: Conversation, leaving: Sequence[EntryId]) -> bool:
        """Make the calls that are due; say whether anything was recorded. Raises AuditUnavailable."""
        entries = [conversation.record.entry(ident) for ident in leaving]
        going, waiting = turns_of(entries), self.keeper.summaries.waiting(conversation.record)
        facts = conversation.settings.facts
        calls = calls_for(
            len(going),
            len(waiting),
            distil=facts.distil and self._holds_schemas(conversation),
            summarise=facts.summary,
            together=facts.summary_with_facts,
        )
        recorded = False
        if calls.facts:
            recorded = await self._distil(conversation, going, calls)
        if calls.summary and not calls.together:
            recorded |= await self._summarise(conversation, [*waiting, *going])
        return recorded

    @staticmethod
    def _holds_schemas(conversation: Conversation) -> bool:
        return conversation.resolved is not None and Capability.SCHEMA in conversation.resolved.capabilities

    async def _distil(self, conversation: Conversation, going: list[list[Entry]], calls: Calls) -> bool:
        book = self.keeper.current(conversation)
        leaving = {entry.id for turn in going for entry in turn}
        kept = turns_of(entry for entry in conversation.record.active if entry.id not in leaving)
        job = DistilJob(
            kinds=self.keeper.kinds,
            known=[fact.topic for fact in book],
            leaving=[read_turn(turn, calls=calls.together) for turn in going],
            kept=[read_turn(turn, calls=False, replies=False) for turn in kept],
            window=conversation.window,
            place=self.keeper.place,
            summary=self._job(conversation, going) if calls.together else None,
        )
        answer, seconds = await self._ask(conversation, job.request())
        read = answer if isinstance(answer, Unusable) else job.read(answer)
        changes = 0
        if isinstance(read, Distilled):
            changed = record(self.keeper.current(conversation), read.assertions, moment(conversation))
            self.keeper.take(conversation, changed)
            changes = len(new_facts(changed.changes))
        conversation.write(
            Kind.CONTEXT_DISTILLATION,
            {
                "turns": [turn.turn for turn in job.leaving],
                "seconds": seconds,
                "facts": changes,
                "dropped": list(read.dropped) if isinstance(read, Distilled) else [],
                "failure": read.reason if isinstance(read, Unusable) else None,
                "withSummary": calls.together,
            },
            turn=conversation.turn,
        )
        if not calls.together:
            return changes > 0
        summary = read.summary if isinstance(read, Distilled) else read
        return self._keep_summary(conversation, summary, going, seconds) or changes > 0

    async def _summarise(self, conversation: Conversation, batch: list[list[Entry]]) -> bool:
        job = self._job(conversation, batch)
        answer, seconds = await self._ask(conversation, job.request())
        text = answer if isinstance(answer, Unusable) else job.read(answer)
        return self._keep_summary(conversation, text, batch, seconds)

    def _job(self, conversation: Conversation, batch: list[list[Entry]]) -> SummaryJob:
        facts = conversation.settings.facts
        cap = caps_for(conversation.window, facts.share, facts.summary_share).summary
        turns = [read_turn(turn, calls=True) for turn in batch]
        return SummaryJob(self.keeper.summaries.current, turns, cap, conversation.window)

    def _keep_summary(
        self, conversation: Conversation, text: str | Unusable | None, batch: list[list[Entry]], seconds: float
    ) -> bool:
        written = isinstance(text, str) and conversation.resolved is not None
        if isinstance(text, str) and conversation.resolved is not None:
            self.keeper.summaries = self.keeper.summaries.updated(
                text,
                batch,
                recorded=conversation.clock.now(),
                turn=conversation.turn,
                model=conversation.resolved.id,
            )
            conversation.live.caught_up()
        current = self.keeper.summaries.current
        details: dict[str, Json] = {
            "turns": len(batch),
            "seconds": seconds,
            "version": current.version if written and current else None,
            "text": text if isinstance(text, str) else None,
            "failure": text.reason if isinstance(text, Unusable) else None,
        }
        conversation.write(Kind.CONTEXT_SUMMARY, details, turn=conversation.turn)
        return written

    async def _ask(self, conversation: Conversation, request: Request) -> tuple[str | Unusable, float]:
        """Run a request that the conversation never carries; return its text, or why there is none, and the seconds."""
        started = conversation.clock.elapsed()
        answer: str | Unusable
        if conversation.model is None:
            answer = Unusable("there is no model")
        else:
            answer = await _text_of(conversation.model, request)
        return answer, round(conversation.clock.elapsed() - started, 3)


async def _text_of(model: Model, request: Request) -> str | Unusable:
    parts: list[str] = []
    try:
        async with aclosing(model.stream(request)) as chunks:
            parts.extend([chunk.text async for chunk in chunks if isinstance(chunk, TextDelta)])
    except ModelError as error:
        return Unusable(clean(str(error)))
    return clean("".join(parts))
