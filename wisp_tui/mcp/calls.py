"""Calls that take their time: run beside the protocol's handlers, which come and go while one runs.

The SDK ends a handler when its client cancels it or goes away, at once, and again and again until it is gone; a turn
needs a moment to end cleanly. And a client of the protocol's newer era answers a question by calling once more. So a
call runs as a task of its own, and a handler waits for it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Protocol

from mcp import types

from wisp_tui.approval import Answer
from wisp_tui.mcp.approving import Question

DECISION = "decision"


class Progress(Protocol):
    """The SDK's way to tell a client how far its request is."""

    def __call__(self, progress: float, total: float | None = None, message: str | None = None) -> Awaitable[None]:
        """Tell it; nothing for a client that did not ask."""
        ...


class CallGone(Exception):
    """A call was to be gone on with that is not there any more."""


@dataclass(slots=True)
class Call:
    """A call under way. ``parked`` are the questions that wait for the client to call again with their answers."""

    key: str
    _task: asyncio.Task[types.CallToolResult] | None = None
    parked: dict[str, tuple[Question, asyncio.Future[Answer | None]]] = field(
        default_factory=dict[str, "tuple[Question, asyncio.Future[Answer | None]]"]
    )
    progress: Progress | None = None
    """How whoever waits for it now is told how far it is."""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def tell(self, step: int, message: str) -> None:
        """Tell whoever waits for it how far it is."""
        if self.progress is not None:
            await self.progress(step, None, message)

    def start(self, work: Coroutine[None, None, types.CallToolResult]) -> asyncio.Task[types.CallToolResult]:
        """Begin the work."""
        self._task = asyncio.create_task(work)
        self._task.add_done_callback(lambda _: self._changed.set())
        return self._task

    async def park(self, question: Question) -> Answer | None:
        """Have a question asked by whoever waits for the call; return its answer, None when it was dismissed."""
        key = secrets.token_hex(4)
        answered: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self.parked[key] = (question, answered)
        self._changed.set()
        try:
            return await answered
        finally:
            del self.parked[key]

    def answer(self, given: types.InputResponses | None) -> None:
        """Take the client's answers to what was parked; those to questions that are settled count for nothing."""
        for key, response in (given or {}).items():
            _, answered = self.parked.get(key, (None, None))
            if answered is not None and not answered.done() and isinstance(response, types.ElicitResult):
                answered.set_result(answer_of(response))

    async def outcome(self) -> types.CallToolResult | types.InputRequiredResult:
        """Wait until it is done or has something to ask. When the caller is cancelled, so is the call."""
        task = self._task
        if task is None:
            raise CallGone
        try:
            while not task.done():
                open_questions = {
                    key: question for key, (question, answered) in self.parked.items() if not answered.done()
                }
                if open_questions:
                    return types.InputRequiredResult(
                        input_requests={
                            key: types.ElicitRequest(params=form(question)) for key, question in open_questions.items()
                        },
                        request_state=self.key,
                    )
                self._changed.clear()
                await self._changed.wait()
        except asyncio.CancelledError:
            _cancel(task)
            raise
        return task.result()

    @property
    def done(self) -> bool:
        """Whether the work is over."""
        return self._task is None or self._task.done()


@dataclass(slots=True)
class Calls:
    """The calls under way of one server."""

    _calls: dict[str, Call] = field(default_factory=dict[str, Call])
    _tasks: set[asyncio.Task[types.CallToolResult]] = field(default_factory=set["asyncio.Task[types.CallToolResult]"])

    def begin(self, work: Callable[[Call], Coroutine[None, None, types.CallToolResult]]) -> Call:
        """Begin a call."""
        call = Call(secrets.token_hex(8))
        self._calls[call.key] = call
        task = call.start(work(call))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return call

    def going_on(self, key: str) -> Call:
        """Return a call that is gone on with. Raises CallGone."""
        try:
            return self._calls[key]
        except KeyError:
            raise CallGone from None

    async def outcome(self, call: Call) -> types.CallToolResult | types.InputRequiredResult:
        """Wait for a call, and forget it once it is over."""
        try:
            return await call.outcome()
        finally:
            if call.done:
                self._calls.pop(call.key, None)

    async def close(self) -> None:
        """Cancel what runs, and wait until it has ended."""
        tasks = set(self._tasks)
        for task in tasks:
            _cancel(task)
        if tasks:
            await asyncio.wait(tasks)


def _cancel(task: asyncio.Task[types.CallToolResult]) -> None:
    """Cancel a task once: a second time would break off what it does to end cleanly."""
    if not task.cancelling():
        task.cancel()


def form(question: Question) -> types.ElicitRequestFormParams:
    """Write a question as the form a client shows."""
    return types.ElicitRequestFormParams(
        message=question.message,
        requested_schema={
            "type": "object",
            "properties": {
                DECISION: {
                    "type": "string",
                    "title": "May it run?",
                    "description": "once: for this turn; session: as long as this server runs; no: it is not run",
                    "enum": [answer.value for answer in question.answers],
                }
            },
            "required": [DECISION],
        },
    )


def answer_of(result: types.ElicitResult) -> Answer | None:
    """Read what the person answered; None when they dismissed the question."""
    if result.action == "accept":
        decision = (result.content or {}).get(DECISION)
        return Answer(decision) if decision in set(Answer) else None
    return Answer.NO if result.action == "decline" else None
