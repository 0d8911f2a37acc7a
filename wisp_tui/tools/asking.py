"""A question of the model's to the person: what it is, and who puts it. Faces answer; a tool knows none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Question:
    """What the person is asked. ``text`` and ``choices`` are clean; without choices the answer is free text.

    With choices an answer in words of the person's own is taken too.
    """

    id: str
    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The person's answer; None when there is none, and ``why`` says so in a few words.

    ``waits``: the question waits on for them, and its answer comes with a later request.
    """

    text: str | None
    why: str = ""
    waits: bool = False


class Questioner(Protocol):
    """Whoever can put a question before the person."""

    async def ask(self, question: Question) -> Answered:
        """Wait for the answer. A cancellation withdraws the question."""
        ...


@dataclass(frozen=True, slots=True)
class Nobody:
    """No person can be asked: the conversation has no face that shows questions."""

    async def ask(self, question: Question) -> Answered:
        """Say so at once."""
        del question
        return Answered(None, "nobody can be asked here")
