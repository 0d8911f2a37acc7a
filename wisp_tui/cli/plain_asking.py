"""How plain chat puts an approval or a question of the model before the person, and reads the answer.

An answer is a key and Enter, so that a key meant for the message never runs a command; a refusal needs the key too, or
Ctrl-C. What was typed before the question stood there, or in the half second after, is no answer to it. No row of the
screen that is somebody else's text begins where wisp's own words do, whatever the terminal's width.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wisp_tui.approval import Answer, ApprovalRequest
from wisp_tui.cli.plain_input import LineInput
from wisp_tui.cli.plain_lines import PlainLines
from wisp_tui.events import ApprovalWaiting, ApprovalWithdrawn, QuestionWaiting, QuestionWithdrawn
from wisp_tui.session import Thread
from wisp_tui.session.questions import chosen
from wisp_tui.session.status import short_path
from wisp_tui.text.answers import ANSWER_WORDS, EXACTLY, LASTING
from wisp_tui.text.clean import visible
from wisp_tui.text.columns import broken
from wisp_tui.tools.asking import Question

USUAL = 80
"""Columns where it cannot be known how many there are."""
PAUSE_SECONDS = 0.5
"""Seconds for which an approval stands there before it takes an answer: it was typed for something else until then."""


@dataclass(slots=True)
class PlainAsking:
    """Asks one thing after the other; what is withdrawn meanwhile is asked no more."""

    thread: Thread
    lines: PlainLines
    source: LineInput
    pause: float = PAUSE_SECONDS
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _asking: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, "asyncio.Task[None]"])

    def take(self, event: object) -> None:
        """Ask what waits, and stop asking what no longer does."""
        match event:
            case ApprovalWaiting(id=ident) | QuestionWaiting(id=ident):
                self._asking[ident] = asyncio.create_task(self._ask(ident))
            case ApprovalWithdrawn(id=ident) | QuestionWithdrawn(id=ident) if ident in self._asking:
                self._asking.pop(ident).cancel()
            case _:
                return

    def refuse(self) -> bool:
        """Refuse and decline what waits; False when nothing does."""
        approvals, questions = self.thread.desk.waiting, self.thread.questions.waiting
        for ident in approvals:
            self.thread.desk.answer(ident, Answer.NO)
        for ident in questions:
            self.thread.questions.answer(ident, None)
        return bool(approvals or questions)

    async def _ask(self, ident: str) -> None:
        async with self._turn:
            if (request := self.thread.desk.waiting.get(ident)) is not None:
                self.thread.desk.answer(ident, await self._approval(request))
            elif (question := self.thread.questions.waiting.get(ident)) is not None:
                self.thread.questions.answer(ident, await self._question(question))

    async def _approval(self, request: ApprovalRequest) -> Answer:
        await self._tell(request_lines(request))
        await asyncio.sleep(self.pause)
        offered = answer_line(request)
        while (written := await self.source.answer(f"{offered}: ")) is not None:
            for answer in request.answers:
                words = ANSWER_WORDS[answer]
                if written.strip().lower() in {words.key, words.title.lower()}:
                    return answer
        return Answer.NO

    async def _question(self, question: Question) -> str | None:
        await self._tell(question_lines(question))
        written = await self.source.answer("a number or your own words: " if question.choices else "your answer: ")
        return chosen(question, written) if written is not None and written.strip() else None

    async def _tell(self, lines: Iterator[str]) -> None:
        await self.lines.tell(on_rows(lines), dim=False)


def on_rows(lines: Iterable[str]) -> list[str]:
    """Break lines before the terminal does, what goes on indented."""
    width = _columns() - 1  # some terminals go to the next row at the last column
    return [part for line in lines for part in broken(line, width)]


def _columns() -> int:
    """Say how wide the terminal is that shows what is asked."""
    try:
        return os.get_terminal_size(2).columns or USUAL
    except OSError:
        return USUAL


def request_lines(request: ApprovalRequest) -> Iterator[str]:
    """Write a request whole, what is invisible in it made visible: level, reasons, command, diff, line, place.

    What goes over more than one line is indented from its second: no line of it looks like one of these.
    """
    yield _whole("", " · ".join([request.level.value, *request.reasons]))
    yield _whole("✎ " if request.diff else "$ ", request.command)
    if request.diff:
        yield _whole("  ", request.diff)
    if request.line != request.command:
        yield _whole("part of  ", request.line)
    yield _whole("in  ", short_path(Path(request.directory), Path.home()))
    keys = [ANSWER_WORDS[answer].key for answer in request.answers if answer in LASTING]
    if keys:
        verb = "remember" if len(keys) > 1 else "remembers"
        yield _whole(f"{' '.join(keys)} {verb}  ", request.pattern or EXACTLY)


def question_lines(question: Question) -> Iterator[str]:
    """Write a question of the model's whole, marked as its own: no line of it looks like one of wisp's."""
    yield _whole("the model asks: ", question.text)
    for number, choice in enumerate(question.choices, 1):
        yield _whole(f"{number}. ", choice)


def _whole(first: str, text: str) -> str:
    return f"{first}{visible(text)}".replace("\n", "\n  ")


def answer_line(request: ApprovalRequest) -> str:
    """Write the offered answers with their keys, after the level: a long command may have taken it off the screen."""
    return f"{request.level.value}: " + "   ".join(
        f"{ANSWER_WORDS[answer].key} {ANSWER_WORDS[answer].title.lower()}" for answer in request.answers
    )
