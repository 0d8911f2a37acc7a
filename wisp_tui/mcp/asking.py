"""What is put before the person through the client: a form with a message, and what they answered.

The model's questions (the tool ``ask``) and approvals (``approving``) go through ``pending/`` as well: the first answer
counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from wisp_tui.mcp.parking import Parking
from wisp_tui.pending import Outcome, Pending, QuestionRequest, UnknownRequest
from wisp_tui.tools.asking import Answered, Nobody, Question

DECLINED = Answered(None, "they declined to")
WAITS = Answered(None, waits=True)


@dataclass(frozen=True, slots=True)
class Form:
    """What the client shows: the words, and one field. With ``choices`` it is one of them.

    ``free``: words of the person's own are taken too.
    """

    message: str
    title: str
    description: str
    choices: tuple[str, ...] = ()
    free: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What the person did with a form: what they answered, or None, having declined to or dismissed it."""

    text: str | None
    declined: bool = False


class AskClient(Protocol):
    """Has the client put a form before the person."""

    def __call__(self, form: Form) -> Awaitable[Reply]:
        """Wait for the reply."""
        ...


@dataclass(slots=True)
class ClientsLine:
    """A thread's way to the person at the client: there while a call runs whose client shows questions.

    It puts the model's questions, in ``pending/`` too; ``timeout`` is in seconds.
    """

    timeout: float
    ask_client: AskClient | None = None
    parking: Parking | None = None
    asking: Callable[[], AbstractContextManager[None]] = nullcontext
    """Entered while a question waits."""

    async def ask(self, question: Question) -> Answered:
        """Put a question of the model's before the person.

        Where nobody answers through the client, the question waits in ``pending/`` and the turn goes on without it.
        """
        waiting = await self.parking.put(question) if self.parking is not None else None
        if self.parking is None or waiting is None:
            return await self._through_client(question)
        if self.ask_client is None:
            self.parking.park(waiting)
            return WAITS
        asking = asyncio.create_task(self._through_client(question))
        elsewhere = asyncio.create_task(_first(self.parking.pending, waiting))
        try:
            await asyncio.wait({asking, elsewhere}, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return await self._settled(asking.result(), waiting, self.parking)
            return elsewhere.result() or await asking
        except asyncio.CancelledError:
            await self.parking.take_back(waiting, "the call was cancelled")
            raise
        finally:
            for task in (asking, elsewhere):
                task.cancel()
            await asyncio.wait({asking, elsewhere})

    async def _settled(self, given: Answered, waiting: QuestionRequest, parking: Parking) -> Answered:
        """Take what came through the client; where that is nothing, the question waits on."""
        if given.text is None and given is not DECLINED:
            parking.park(waiting)
            return WAITS
        first = await parking.take_back(waiting, "answered through the client")
        return answered(first) if first is not None else given

    async def _through_client(self, question: Question) -> Answered:
        ask = self.ask_client
        if ask is None:
            return await Nobody().ask(question)
        form = Form(
            f"The model asks: {question.text}",
            "Your answer",
            "It is remembered as your word.",
            question.choices,
            free=True,
        )
        try:
            with self.asking():
                async with asyncio.timeout(self.timeout):
                    reply = await ask(form)
        except TimeoutError:
            return Answered(None, f"no answer in {self.timeout:.0f} s")
        if reply.text is None:
            return DECLINED if reply.declined else Answered(None, "the question was dismissed")
        return Answered(reply.text)


async def _first(pending: Pending, waiting: QuestionRequest) -> Answered | None:
    """Wait for an answer that comes through ``pending/``; None when it can no longer come that way."""
    try:
        return answered(await pending.settled(waiting.id))
    except (UnknownRequest, OSError):
        return None


def answered(outcome: Outcome) -> Answered:
    """Read how a question was settled."""
    return DECLINED if outcome.answer is None else Answered(outcome.answer)
