"""Where the model's questions wait for the person: published when they come, withdrawn when they go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from wisp_tui.events import Bus, QuestionWaiting, QuestionWithdrawn
from wisp_tui.text.ids import SessionId
from wisp_tui.tools.asking import Answered, Nobody, Question

DECLINED = Answered(None, "they declined to")


@dataclass(slots=True)
class QuestionDesk:
    """One conversation's questions. A face that shows them says so (``shown``) and answers through ``answer``."""

    session: SessionId
    bus: Bus
    timeout: float
    """Seconds a question waits."""
    asking: Callable[[], AbstractContextManager[None]]
    """Entered while a question waits."""
    shown: bool = False
    """Whether some face shows questions; where none does, nobody is asked."""
    _waiting: dict[str, tuple[Question, asyncio.Future[Answered]]] = field(
        default_factory=dict[str, "tuple[Question, asyncio.Future[Answered]]"]
    )

    async def ask(self, question: Question) -> Answered:
        """Publish the question and wait for its answer."""
        if not self.shown:
            return await Nobody().ask(question)
        answered: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._waiting[question.id] = question, answered
        try:
            with self.asking():
                self.bus.publish(QuestionWaiting(self.session, question.id, question.text, question.choices))
                async with asyncio.timeout(self.timeout):
                    return await answered
        except TimeoutError:
            return Answered(None, f"no answer in {self.timeout:.0f} s")
        finally:
            del self._waiting[question.id]
            self.bus.publish(QuestionWithdrawn(self.session, question.id))

    @property
    def waiting(self) -> Mapping[str, Question]:
        """What waits, by id, the oldest first."""
        return {ident: question for ident, (question, _) in self._waiting.items()}

    def answer(self, question: str, text: str | None) -> bool:
        """Answer a question, None to decline it; False when it no longer waits."""
        _, answered = self._waiting.get(question, (None, None))
        if answered is None or answered.done():
            return False
        answered.set_result(DECLINED if text is None else Answered(text))
        return True

    def leave(self) -> None:
        """Say that no face shows questions any more; what waits is declined."""
        self.shown = False
        for ident in self.waiting:
            self.answer(ident, None)


def chosen(question: Question, written: str) -> str:
    """Read what a person wrote as an answer: a choice's number stands for the choice, all else for itself."""
    written = written.strip()
    if written.isdecimal() and 0 < int(written) <= len(question.choices):
        return question.choices[int(written) - 1]
    return written
