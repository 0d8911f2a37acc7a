"""The agent: one turn from the person's prompt to its end, whatever happens on the way (docs/architecture.md)."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from wisp_tui.audit import AuditUnavailable
from wisp_tui.context.record import EntryKind
from wisp_tui.context.references import whole_outputs
from wisp_tui.events import Kind, Note, TurnEnded, TurnStarted
from wisp_tui.facts import brief, note
from wisp_tui.models import Model, ModelError, Options
from wisp_tui.session.activity import ActivityBoard
from wisp_tui.session.condenser import DoesNotFit, leave_refused
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.handling import cut_copies, reference
from wisp_tui.session.ran import unknown_entries
from wisp_tui.session.requests import Requests
from wisp_tui.session.status import git_state
from wisp_tui.session.toolcalls import ToolCalls
from wisp_tui.text.clean import clean, encodable
from wisp_tui.text.ids import TurnNumber

MAX_REQUESTS = 64
"""Requests one turn may make: a model that calls tools without end is stopped, and the person is told."""

STOPPED_BY_PERSON = "the person stopped this reply"


@dataclass(slots=True)
class _Turn:
    """A turn under way."""

    number: TurnNumber
    activity: ActivityBoard
    calls: ToolCalls
    requests: Requests
    replies: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Agent:
    """Runs the turns of one conversation, one at a time."""

    conversation: Conversation
    ready: Callable[[], Awaitable[Model]]
    """Gives the resolved model; raises ModelUnavailable."""

    async def turn(self, text: str, options: Options | None = None) -> TurnEnded:
        """Run one turn. Returns how it ended, also when it failed or was cancelled; raises nothing.

        The prompt is audited and recorded before anything else happens, so that nothing that follows can lose it.
        """
        held = self.conversation
        held.turn = TurnNumber(held.turn + 1)
        try:
            turn = self._begin(encodable(text), options or Options())
        except AuditUnavailable as error:
            return self._unrecorded(str(error))
        outcome, message = await self._outcome(turn)
        return self._end(turn, outcome, message)

    def _begin(self, text: str, options: Options) -> _Turn:
        held = self.conversation
        number = held.turn
        event = held.write(Kind.PROMPT, {"text": text}, turn=number)
        prompt = held.record.add(EntryKind.PROMPT, text, turn=number, time=held.clock.now(), sources=(event.id,))
        held.running = prompt.id
        held.bus.publish(TurnStarted(held.session, number, text))
        activity = ActivityBoard(held.bus, held.session, held.clock.elapsed, held.clock.elapsed())
        held.activity = activity
        return _Turn(
            number,
            activity,
            ToolCalls(held, number, activity),
            Requests(held, number, prompt, activity, options),
        )

    async def _outcome(self, turn: _Turn) -> tuple[str, str | None]:
        """Run the turn's rounds; return its outcome and the sentence for the person."""
        try:
            await self._rounds(turn)
            cut_copies(self.conversation, turn.number)
            if self.conversation.facts is not None:
                self.conversation.facts.after_turn(self.conversation, turn.number)
        except asyncio.CancelledError:
            return self._broken(turn, "cancelled", STOPPED_BY_PERSON, None)
        except DoesNotFit as error:
            outcome = self._broken(turn, "error", "the reply broke off", str(error))
            leave_refused(self.conversation, turn.number, turn.requests.prompt)
            return outcome
        except (ModelError, AuditUnavailable) as error:
            return self._broken(turn, "error", f"the reply broke off: {error}", str(error))
        except Exception as error:
            trace = "".join(traceback.format_exception(error))
            return self._broken(turn, "error", "the reply broke off", f"{type(error).__name__}: {error}", trace)
        return "ok", None

    async def _rounds(self, turn: _Turn) -> None:
        turn.activity.doing("starting")
        await self._begin_facts()
        earlier = whole_outputs(self.conversation.record, turn.requests.prompt.id)
        reference(self.conversation, earlier, turn.number)
        if self.conversation.resolved is None:
            turn.activity.doing("opening the model")
        model = await self.ready()
        if self.conversation.assessor is not None:
            await self.conversation.assessor.assess(turn.requests.prompt, turn.activity)
        if self.conversation.recaller is not None:
            await self.conversation.recaller.recall(turn.requests.prompt, turn.activity)
        for _ in range(MAX_REQUESTS):
            reply = await turn.requests.send(self.conversation.model or model)
            turn.replies.append(reply.text)
            if not reply.calls:
                return
            turn.calls.open(reply.calls)
            await turn.calls.run()
        raise ModelError(f"the model made {MAX_REQUESTS} requests in this turn without an answer; say how to go on")

    async def _begin_facts(self) -> None:
        """Record where the conversation starts, before its first request."""
        held = self.conversation
        if held.facts is not None and not held.facts.begun:
            held.facts.shared.watch()
            held.facts.begin(held, (await git_state(held.directory, held.environment)).branch)

    def _broken(
        self, turn: _Turn, outcome: str, stopped: str, message: str | None, trace: str | None = None
    ) -> tuple[str, str | None]:
        """Keep what there is of a turn that broke off: the partial reply, marked, and a result for every call."""
        message = clean(message) if message is not None else None
        try:
            turn.requests.keep(None, stopped)
            turn.calls.cancel()
            if self.conversation.facts is not None:
                self.conversation.facts.after_broken_turn(self.conversation)
            if outcome == "error":
                self.conversation.write(Kind.ERROR, {"message": message, "trace": trace}, turn=turn.number)
        except AuditUnavailable as error:
            return "error", str(error)
        return outcome, message

    def _end(self, turn: _Turn, outcome: str, message: str | None) -> TurnEnded:
        held = self.conversation
        held.running = None
        reply = "\n".join(turn.replies)
        facts = held.facts.news() if held.facts is not None else ()
        ended = TurnEnded(
            session=held.session,
            turn=turn.number,
            outcome=outcome,
            seconds=turn.activity.seconds,
            input_tokens=turn.requests.input_tokens,
            output_tokens=turn.requests.output_tokens,
            ran=turn.calls.ran.line(reply, held.tools),
            cited=tuple(f"entry {number}" for number in unknown_entries(reply, len(held.record))),
            facts=tuple(brief(fact) for fact in facts),
            message=message,
        )
        held.live.turn_ended()
        turn.activity.doing(None)
        held.bus.publish(ended)
        if (line := note(facts)) is not None:
            held.bus.publish(Note(held.session, line, names_facts=True))
        return ended

    def _unrecorded(self, reason: str) -> TurnEnded:
        """End a turn whose prompt could not be audited: nothing was done, and nothing recorded."""
        held = self.conversation
        ended = TurnEnded(held.session, held.turn, "error", 0.0, None, None, message=reason)
        held.bus.publish(ended)
        return ended
