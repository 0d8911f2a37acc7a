"""What is put before the person through the client: a form with a message, and what they answered.

The model's questions (the tool ``ask``) go this way alone; approvals also through ``pending/`` (``approving``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from wisp_tui.tools.asking import Answered, Nobody, Question

DECLINED = Answered(None, "they declined to")


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

    It puts the model's questions; ``timeout`` is in seconds.
    """

    timeout: float
    ask_client: AskClient | None = None
    asking: Callable[[], AbstractContextManager[None]] = nullcontext
    """Entered while a question waits."""

    async def ask(self, question: Question) -> Answered:
        """Put a question of the model's before the person."""
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
