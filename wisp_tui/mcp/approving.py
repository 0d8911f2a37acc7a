"""Whoever the client's thread can ask: the person, through ``pending/`` and through the client, at once.

The first answer counts. The file in ``pending/`` settles who was first, because it can be written only once. Nothing
else that comes over the protocol answers anything (MCP.md, "Pending files").
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeAlias

from wisp_tui.approval import Answer, ApprovalRequest
from wisp_tui.events import Kind
from wisp_tui.facts.values import one_line
from wisp_tui.keeping import Busy
from wisp_tui.mcp.asking import ClientsLine, Form
from wisp_tui.mcp.parking import FACES
from wisp_tui.pending import AlreadySettled, Asker, CommandRequest, Outcome, Pending, UnknownRequest
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.clean import clean

NOBODY = "nobody can be asked here: the client shows no questions, and pending/ cannot be written"
UNANSWERED = "the question was dismissed"
ASKABLE = (Answer.ONCE, Answer.SESSION, Answer.NO)
"""What may be answered through a client: nothing that outlives this process."""
MEANING = "once: for this turn; session: as long as this server runs; no: it is not run"
_Given: TypeAlias = "tuple[Answer, str] | None"


@dataclass(slots=True)
class ClientsPerson:
    """A thread's asker, through ``pending/`` and the line to the client. No answer in its time is a refusal."""

    pending: Pending
    line: ClientsLine
    _conversation: Conversation | None = None
    _asker: Asker | None = None
    _tasks: set[asyncio.Task[_Given]] = field(default_factory=set["asyncio.Task[_Given]"])

    def serve(self, conversation: Conversation, asker: Asker) -> None:
        """Ask for this conversation, which is opened over its asker."""
        self._conversation, self._asker = conversation, asker

    async def ask(self, request: ApprovalRequest) -> tuple[Answer, str]:
        """Put a request before the person in every way there is; return the first answer and where it came from."""
        held, asker = self._conversation, self._asker
        if held is None or asker is None:
            return Answer.NO, NOBODY
        waiting = await self._put(request, held, asker)
        ways = [self._through_client(request)] if self.line.ask_client is not None else []
        ways += [self._through_pending(waiting)] if waiting is not None else []
        if not ways:
            return Answer.NO, NOBODY
        tasks = {asyncio.create_task(way) for way in ways}
        try:
            with held.asking():
                given = await self._first(tasks)
        except asyncio.CancelledError:
            self._take_back(waiting, held, "the call was cancelled")
            raise
        finally:
            for task in tasks:
                task.cancel()
        settled = await asyncio.to_thread(self._take_back, waiting, held, given[1])
        return settled or given

    async def _put(self, request: ApprovalRequest, held: Conversation, asker: Asker) -> CommandRequest | None:
        """Let the request wait in ``pending/``; None when it cannot."""
        now = held.clock.now()
        asked = CommandRequest(
            id="",
            asker=asker,
            asked=now,
            until=now + timedelta(seconds=self.line.timeout),
            command=request.command,
            line=f"{request.line}\n{request.diff}" if request.diff else request.line,
            directory=request.directory,
            level=request.level.value,
            reasons=tuple(map(one_line, request.reasons)),  # as they are read back, so that the digest holds
            pattern=request.pattern,
        )
        try:
            waiting = await asyncio.to_thread(self.pending.ask, asked)
        except (OSError, Busy):
            return None
        if not isinstance(waiting, CommandRequest):
            return None
        held.write(Kind.APPROVAL_PENDING, {"id": request.id, "request": waiting.id}, turn=held.turn)
        return waiting

    async def _first(self, tasks: set[asyncio.Task[_Given]]) -> tuple[Answer, str]:
        left = set(tasks)
        try:
            async with asyncio.timeout(self.line.timeout):
                while left:
                    done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        if (given := task.result()) is not None:
                            return given
        except TimeoutError:
            return Answer.NO, f"no answer in {self.line.timeout:.0f} s"
        return Answer.NO, UNANSWERED

    async def _through_client(self, request: ApprovalRequest) -> _Given:
        answers = {answer.value: answer for answer in request.answers if answer in ASKABLE}
        ask = self.line.ask_client
        if ask is None:
            return None
        reply = await ask(Form(question_words(request), "May it run?", MEANING, tuple(answers)))
        answer = Answer.NO if reply.declined else answers.get(reply.text or "")
        return (answer, "the person, through the client") if answer is not None else None

    async def _through_pending(self, waiting: CommandRequest) -> _Given:
        try:
            return _answered(await self.pending.settled(waiting.id))
        except (UnknownRequest, OSError):
            return None  # it was swept away: nobody can answer it there any more

    def _take_back(self, waiting: CommandRequest | None, held: Conversation, why: str) -> tuple[Answer, str] | None:
        """Withdraw what waits in ``pending/``; return the answer that was there first, where one was."""
        if waiting is None:
            return None
        try:
            self.pending.withdraw(waiting.id, why, held.clock.now())
        except AlreadySettled as error:
            self.pending.forget(waiting.id)
            return _answered(error.outcome)
        except (UnknownRequest, OSError, Busy):
            return None
        return None


def _answered(outcome: Outcome) -> tuple[Answer, str] | None:
    if outcome.decision is None or outcome.decision.value not in {answer.value for answer in Answer}:
        return None
    where = FACES[outcome.via] if outcome.via is not None else "another process"
    return Answer(outcome.decision.value), f"the person, from {where}"


def question_words(request: ApprovalRequest) -> str:
    """Write a request as a client shows it: the command, of which line, where, why it asks, what an edit changes."""
    lines = [f"May this run? {request.command}"]
    if request.line != request.command:
        lines.append(f"It is part of: {request.line}")
    reasons = "; ".join(request.reasons)
    lines.append(f"In {request.directory}. Judged {request.level.value}{f': {reasons}' if reasons else ''}.")
    if request.pattern is not None:
        lines.append(f'"session" covers {request.pattern}.')
    if request.diff:
        lines += ["", request.diff]
    return clean("\n".join(lines))
