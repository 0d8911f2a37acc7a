"""A conversation as a face has it: opened, talked to, cancelled, looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from wisp_tui.approval import Asker
from wisp_tui.context.composer import Composer
from wisp_tui.context.record import ThreadRecord
from wisp_tui.context.sidecar import NOTHING_KEPT, Progress, say_nothing
from wisp_tui.events import Kind, TurnEnded
from wisp_tui.models import Model, ModelError, Options, Resolved
from wisp_tui.models.choose import Choice
from wisp_tui.session.agent import Agent
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.desk import ApprovalDesk
from wisp_tui.session.guarding import put_up_walls
from wisp_tui.session.guiding import equipped
from wisp_tui.session.long_work import long_work
from wisp_tui.session.meter import Meter
from wisp_tui.session.questions import QuestionDesk
from wisp_tui.session.saving import Shelf
from wisp_tui.session.typed import TypedCommand
from wisp_tui.text.clean import clean_line
from wisp_tui.text.ids import EntryId, TurnNumber
from wisp_tui.tools.notifying import SystemNotifier

_Ended = TypeVar("_Ended")


@dataclass(frozen=True, slots=True)
class ThreadOptions:
    """How a conversation is opened: what ``wisp chat`` and ``wisp respond`` take.

    ``tools`` names the tools it has, None for all; ``asker`` stands in for the person, None for a face that answers.
    """

    model: str | None = None
    instructions: str | None = None
    tools: tuple[str, ...] | None = None
    directory: Path | None = None
    asker: Asker | None = None
    unsafe: bool = False
    """Ask for dangerous commands only, whatever ``approval.threshold`` says."""
    resume: str | None = None
    """The saved conversation to go on with, by its name; or one that was cut short, by its id."""
    reading: Progress = say_nothing
    """Is told how far that has been read, from the thread that opens the conversation."""
    save: str | None = None
    """The name to save it under when it ends."""
    autosave: bool = False
    """Keep a live copy of it, unless the settings say not to: the conversation of a person, not of a program."""


class Thread:
    """One conversation. Its turns run one at a time; what happens is published on the session's bus."""

    def __init__(
        self,
        conversation: Conversation,
        desk: ApprovalDesk,
        choose: Callable[[str | None], Awaitable[Choice]],
        model: str | None,
        shelf: Shelf,
        *,
        after: Callable[[], None],
    ) -> None:
        self.conversation = conversation
        self.desk = desk
        self.questions = conversation.person = QuestionDesk(
            conversation.session,
            conversation.bus,
            float(conversation.settings.approval.timeout_seconds),
            conversation.asking,
        )
        """What the model asks the person."""
        conversation.notifier = SystemNotifier(conversation.environment)
        self.shelf = shelf
        """Where conversations are saved."""
        self._after = after
        """What is done after each turn, and returns at once."""
        self.why = ""
        """Why the model in use was chosen, in a clause; empty until one was."""
        self._choose = choose
        self._named = model
        self.seen_models: tuple[str, ...] = ()
        """The models there were when they were last listed."""
        self._agent = Agent(conversation, self.ready)
        self._turn: asyncio.Task[object] | None = None
        self._resolving = asyncio.Lock()

    @property
    def running(self) -> bool:
        """Whether a turn runs now."""
        return self._turn is not None

    @property
    def model(self) -> Model | None:
        """The model in use, None until it was chosen."""
        return self.conversation.model

    @property
    def resolved(self) -> Resolved | None:
        """What is known of the model, None until its runtime answered."""
        return self.conversation.resolved

    async def ready(self) -> Model:
        """Find the sandbox, and choose and resolve the model, unless that is done.

        Raises ModelUnavailable; the next call tries again.
        """
        held = self.conversation
        await put_up_walls(held)
        async with self._resolving:
            if held.model is not None and held.resolved is not None:
                return held.model
            choice = await self._choose(self._named)
            try:
                async with long_work(held, f"opening {clean_line(choice.model.id)}"):
                    resolved = await choice.model.resolve()
            except ModelError:
                await choice.model.close()
                raise
            return self._take(choice, resolved)

    async def submit(self, text: str, options: Options | None = None) -> TurnEnded:
        """Run a turn and return how it ended. One at a time: raises RuntimeError while another runs.

        Cancelling the caller cancels the turn, and waits until it has ended cleanly.
        """
        return await self._alone(lambda: self._agent.turn(text, options))

    async def run_typed(self, line: str) -> bool:
        """Run a command that the person typed after ``!``, in a turn's place: one at a time, cancelled as one is.

        Returns whether it was not stopped. Raises RuntimeError while a turn runs, AuditUnavailable when it cannot be
        recorded.
        """
        return await self._alone(TypedCommand(self.conversation, line).run)

    async def _alone(self, work: Callable[[], Coroutine[None, None, _Ended]]) -> _Ended:
        if self._turn is not None:
            raise RuntimeError("a turn is running; cancel it or wait for its end")
        turn = asyncio.create_task(work())
        self._turn = turn
        try:
            return await asyncio.shield(turn)
        except asyncio.CancelledError:
            turn.cancel()
            await asyncio.wait({turn})
            raise
        finally:
            self._turn = None
            self._after()

    def cancel(self) -> bool:
        """End the running turn; False when none runs. What it has so far is kept and marked."""
        return self._turn is not None and self._turn.cancel()

    async def close(self) -> None:
        """End the conversation: the running turn, its model's processes and connections, the audit session."""
        if self._turn is not None:
            self._turn.cancel()
            await asyncio.wait({self._turn})
        if self.conversation.model is not None:
            await self.conversation.model.close()

    def _take(self, choice: Choice, resolved: Resolved) -> Model:
        held = self.conversation
        self.why = choice.why
        made = equipped(held, choice.model, resolved)
        resolved = made.resolved
        held.model, held.resolved, held.window = made.model, resolved, resolved.window
        held.budget.window = resolved.window
        held.tools_refused, held.condensed_at = False, None
        held.meter = Meter()
        if choice.passed_over:
            first = choice.passed_over[0]
            held.write(Kind.MODEL_FALLBACK, {"from": first.name, "why": first.why, "to": resolved.id})
        held.write(
            Kind.MODEL_RESOLVED,
            {
                "model": resolved.id,
                "window": resolved.window,
                "windowSource": resolved.window_source,
                "capabilities": sorted(capability.value for capability in resolved.capabilities),
                "why": choice.why,
                "passedOver": [[passed.name, passed.why] for passed in choice.passed_over],
            },
        )
        if choice.passed_over:
            held.note(f"{resolved.id}: {choice.why}")
        if resolved.remark:
            held.note(resolved.remark)
        if made.note:
            held.note(made.note)
        elif made.warning and not resolved.remark:
            held.note(made.warning, "warning")
        return made.model

    def start_afresh(self) -> None:
        """Begin a new conversation over the instructions alone; the audit log keeps the one before."""
        held = self.conversation
        before, held.record = held.record, ThreadRecord()
        held.composed.clear()
        held.name = None
        held.saved_as.clear()
        held.carried_from, held.kept, held.cut_off = (), NOTHING_KEPT, None
        held.condensed_at = held.squeezed = None
        if held.facts is not None:
            held.facts.restart()
        if held.assessor is not None:
            held.assessor.restart()
        held.composer = Composer(held.composer.estimate)
        first = before.entry(EntryId(1))
        held.record.add(
            first.kind, first.text, turn=TurnNumber(0), time=first.time, sources=first.sources, origin=first.origin
        )
        held.live.restart()

    async def switch(self, name: str) -> Resolved:
        """Go on with another model over the same record. Raises ModelUnavailable, and then nothing has changed."""
        choice = await self._choose(name)
        try:
            resolved = await choice.model.resolve()
        except ModelError:
            await choice.model.close()
            raise
        old = self.conversation.model
        self._take(choice, resolved)
        if old is not None:
            await old.close()
        return resolved
