"""Requests that wait in a home, as another process's conversation asks them."""

from __future__ import annotations

from datetime import timedelta

from tests.fakes.facts import moment, recorded, said
from tests.fakes.session import MOMENT
from wisp_tui.config import Home
from wisp_tui.facts import CALLER, FactBook, Source
from wisp_tui.pending import CommandRequest, FactRequest, Pending, QuestionRequest, Request, this_process
from wisp_tui.text.ids import SessionId, ThreadId

ASKER = this_process(SessionId("0123456789abcdef"), ThreadId("git"), "editor")
CODENAME = "entity release codename = BLUE HERON"


def fact_request(text: str = CODENAME, source: Source = CALLER, minutes: float = 4) -> FactRequest:
    """Make a request to keep a fact, asked some minutes before the tests' moment."""
    fact = recorded(FactBook(), said(text, source, turn=3, entry=9), at=moment(0, 3)).fact("c1")
    return FactRequest("", ASKER, MOMENT - timedelta(minutes=minutes), fact)


def command_request(command: str = "git push", level: str = "moderate") -> CommandRequest:
    """Make a request to run a command."""
    until = MOMENT + timedelta(seconds=290)
    reasons = ("git push writes to another machine",)
    return CommandRequest("", ASKER, MOMENT, until, command, command, "/code/harbour", level, reasons)


def question_request(question: str = "Which boat?", *choices: str) -> QuestionRequest:
    """Make a question of a model's."""
    return QuestionRequest("", ASKER, MOMENT, question, choices)


def ask_in(home: Home, *requests: Request) -> list[Request]:
    """Let requests wait in a home, under ids in order."""
    numbers = iter(range(0xA1B2C3D4, 0xA1B2C3D4 + 10_000))
    pending = Pending(home, lambda: f"{next(numbers):08x}")
    return [pending.ask(request) for request in requests]
