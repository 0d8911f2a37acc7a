"""The front end behind ``wisp chat --json`` as an asker: what it said of itself decides whether it is asked at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from wisp_tui.approval import Answer, ApprovalRequest
from wisp_tui.session.desk import ApprovalDesk
from wisp_tui.text.json import JsonObject

CANNOT = "the front end answers no approvals"
GONE = "the input has ended: nobody can answer"


@dataclass(slots=True)
class FrontEnd:
    """Asks through the conversation's desk, unless nobody could answer: a hello without ``approve``, an ended input.

    Without any hello each approval waits for an answer: a person who types the lines by hand can give one.
    """

    desk: ApprovalDesk | None = None
    """The conversation's desk, set once the conversation is open."""
    answers: bool = True
    _gone: asyncio.Event = field(default_factory=asyncio.Event)

    def leave(self) -> None:
        """Say that the input has ended. What waits is refused, and so is all that would."""
        self._gone.set()

    async def ask(self, request: ApprovalRequest) -> tuple[Answer, str]:
        """Put a request before the front end and wait for its answer."""
        if not self.answers or self.desk is None:
            return Answer.NO, CANNOT
        asking = asyncio.create_task(self.desk.ask(request))
        leaving = asyncio.create_task(self._gone.wait())
        try:
            await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else (Answer.NO, GONE)
        finally:
            asking.cancel()
            leaving.cancel()
            await asyncio.wait({asking, leaving})


@dataclass(frozen=True, slots=True)
class FrontEndNotifier:
    """Has the front end show notifications: one that said it does. ``say`` writes it an object."""

    say: Callable[[JsonObject], None]

    async def show(self, title: str, body: str) -> str | None:
        """Hand it on."""
        self.say({"type": "notify", "title": title, "subtitle": None, "body": body, "sound": None})
        return "the front end"
