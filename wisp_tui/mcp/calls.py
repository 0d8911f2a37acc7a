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

from wisp_tui.mcp.asking import Form, Reply
from wisp_tui.text.json import Json

ANSWER = "answer"
OWN_WORDS = "words"
UNCOLLECTED = 64
"""Calls that are over and kept for a client that has not come back for their result."""

STOPPED = types.CallToolResult(content=[types.TextContent(text="stopped: wisp mcp is ending")], is_error=True)
"""What a call answers that the server's end stopped."""


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
    parked: dict[str, tuple[Form, asyncio.Future[Reply]]] = field(
        default_factory=dict[str, "tuple[Form, asyncio.Future[Reply]]"]
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

    async def park(self, form: Form) -> Reply:
        """Have a form shown by whoever waits for the call; return what the person did with it."""
        key = secrets.token_hex(4)
        answered: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self.parked[key] = (form, answered)
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
                answered.set_result(reply_of(response))

    async def outcome(self) -> types.CallToolResult | types.InputRequiredResult:
        """Wait until it is done or has something to ask. When the caller is cancelled, so is the call."""
        task = self._task
        if task is None:
            raise CallGone
        try:
            while not task.done():
                shown = {key: form for key, (form, answered) in self.parked.items() if not answered.done()}
                if shown:
                    return types.InputRequiredResult(
                        input_requests={key: types.ElicitRequest(params=written(form)) for key, form in shown.items()},
                        request_state=self.key,
                    )
                self._changed.clear()
                await self._changed.wait()
        except asyncio.CancelledError:
            _cancel(task)
            raise
        return STOPPED if task.cancelled() else task.result()

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
        for key in [key for key, call in self._calls.items() if call.done][:-UNCOLLECTED]:
            del self._calls[key]
        call = Call(secrets.token_hex(16))
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


def written(form: Form) -> types.ElicitRequestFormParams:
    """Write a form as the protocol has it."""
    field: dict[str, Json] = {"type": "string", "title": form.title, "description": form.description}
    fields: dict[str, Json] = {ANSWER: {**field, "enum": list(form.choices)} if form.choices else field}
    if form.choices and form.free:
        fields[OWN_WORDS] = {"type": "string", "title": "Or in your own words"}
    required = [] if OWN_WORDS in fields else [ANSWER]
    schema: dict[str, Json] = {"type": "object", "properties": fields, "required": required}
    return types.ElicitRequestFormParams(message=form.message, requested_schema=schema)


def reply_of(result: types.ElicitResult) -> Reply:
    """Read what the person did with a form."""
    if result.action != "accept":
        return Reply(None, declined=result.action == "decline")
    content = result.content or {}
    given = next((value for name in (OWN_WORDS, ANSWER) if isinstance(value := content.get(name), str) and value), None)
    return Reply(given)
