"""The questions of a thread's model that wait in ``pending/`` after their turn has gone on.

The answer is the person's word whenever it comes: a fact of the thread when it is taken, and a note before the prompt
of the thread's next turn (spec "Facts", "The person's answers").
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from wisp_tui.audit import AuditUnavailable
from wisp_tui.events import Kind
from wisp_tui.facts import ToolUse, Via
from wisp_tui.keeping import Busy
from wisp_tui.pending import (
    AlreadySettled,
    Asker,
    Outcome,
    Pending,
    QuestionRequest,
    RequestState,
    UnknownRequest,
)
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.clean import clean_line
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.sizes import shorten
from wisp_tui.tools.asking import Question

FACES = {Via.CLI: "a terminal", Via.TUI: "wisp-tui", Via.CHAT: "wisp chat"}
SHOWN_QUESTION = 200
"""Characters of a question in the note about its answer."""
ENDED = "the thread has ended"


_QUOTED = str.maketrans("“”[]", '""()')
"""What ends a question or the note in it, written otherwise: the model's words never pose as the person's answer."""


def answer_note(turn: TurnNumber, question: str, answer: str | None) -> str:
    """Write the line by which the model is told how the person answered a question of its own; None is declined."""
    asked = f"you asked in turn {turn}, “{shorten(clean_line(question), SHOWN_QUESTION).translate(_QUOTED)}”"
    if answer is None:
        return f"[the person declined to answer what {asked}]"
    return f"[the person has answered what {asked}: {clean_line(answer)}]"


@dataclass(frozen=True, slots=True)
class _Parked:
    request: QuestionRequest
    turn: TurnNumber


@dataclass(slots=True)
class Parking:
    """One thread's."""

    pending: Pending
    conversation: Conversation
    asker: Asker
    _parked: dict[str, _Parked] = field(default_factory=dict[str, _Parked])
    _notes: list[str] = field(default_factory=list[str])
    """What the next turn is told."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])

    async def put(self, question: Question) -> QuestionRequest | None:
        """Let a question wait, and notify the person; None where it cannot wait."""
        held = self.conversation
        asked = QuestionRequest("", self.asker, held.clock.now(), question.text, question.choices)
        try:
            waiting = await asyncio.to_thread(self.pending.ask, asked)
        except (OSError, Busy):
            return None
        if not isinstance(waiting, QuestionRequest):
            return None
        if waiting.id not in self._parked:
            held.write(Kind.APPROVAL_PENDING, {"id": waiting.id, "question": question.text}, turn=held.turn)
            if held.waiting is not None:
                held.waiting.telling.tell(waiting, held)
        return waiting

    def park(self, request: QuestionRequest) -> None:
        """Go on without the answer, which is taken when it comes."""
        if request.id not in self._parked:
            self._parked[request.id] = _Parked(request, self.conversation.turn)
            task = asyncio.create_task(self._wait(request.id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def take_back(self, request: QuestionRequest, why: str) -> Outcome | None:
        """Withdraw a question that was answered otherwise; return the answer that was there first, where one was."""
        self._parked.pop(request.id, None)
        try:
            await asyncio.to_thread(self.pending.withdraw, request.id, why, self.conversation.clock.now())
        except AlreadySettled as error:
            return error.outcome
        except (UnknownRequest, OSError, Busy):
            return None
        return None

    async def told(self, prompt: str) -> str:
        """Put before a prompt what the person has answered since the last one."""
        for ident in list(self._parked):
            with suppress(UnknownRequest, OSError):
                if (outcome := await asyncio.to_thread(self.pending.outcome, ident)) is not None:
                    self._take(ident, outcome)
        notes, self._notes = self._notes, []
        return "\n".join([*notes, "", prompt]) if notes else prompt

    async def close(self) -> None:
        """Take back what still waits: nobody is there any more to be told."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for parked in list(self._parked.values()):
            await self.take_back(parked.request, ENDED)

    async def _wait(self, ident: str) -> None:
        try:
            outcome = await self.pending.settled(ident)
        except (UnknownRequest, OSError):
            self._parked.pop(ident, None)  # it was swept away: nobody can answer it any more
            return
        self._take(ident, outcome)

    def _take(self, ident: str, outcome: Outcome) -> None:
        """Record an answer, once: its event, its fact, the note. A log that cannot be written is said by the bus."""
        parked = self._parked.pop(ident, None)
        if parked is None or outcome.state is not RequestState.ANSWERED:
            return
        question = parked.request.question
        self._notes.append(answer_note(parked.turn, question, outcome.answer))
        if outcome.answer is None:
            return
        held = self.conversation
        with suppress(AuditUnavailable):
            by = FACES[outcome.via] if outcome.via is not None else "another process"
            said = {"id": ident, "decision": "answer", "by": by, "question": question, "answer": outcome.answer}
            event = held.write(Kind.APPROVAL_ANSWERED, said, turn=parked.turn)
            if held.facts is not None:
                use = ToolUse("ask", {"question": question}, outcome.answer, ok=True, turn=parked.turn, event=event.id)
                held.facts.observed(held, (use,))
