"""The notification that a fact, or a question, waits for the person: beside the call, and seldom (MCP.md)."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from wisp_tui.audit import AuditUnavailable
from wisp_tui.events import Kind
from wisp_tui.pending import FactRequest, QuestionRequest
from wisp_tui.pending.requests import notification
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import shorten
from wisp_tui.tools.notify import BODY, MOST, WITHIN


@dataclass(slots=True)
class Telling:
    """Shows at most three notifications a minute: a caller that asks for many facts does not ring for each.

    ``clock`` gives seconds.
    """

    clock: Callable[[], float] = time.monotonic
    _shown: deque[float] = field(default_factory=lambda: deque[float](maxlen=MOST))
    _tasks: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])

    def tell(self, request: FactRequest | QuestionRequest, conversation: Conversation) -> None:
        """Have the person told; whoever asks does not wait for it."""
        now = self.clock()
        if len(self._shown) == MOST and now - self._shown[0] < WITHIN:
            return
        self._shown.append(now)
        task = asyncio.create_task(_told(request, conversation))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop what has not been shown yet."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)


async def _told(request: FactRequest | QuestionRequest, conversation: Conversation) -> None:
    title, what, remedy = notification(request)
    body = f"{shorten(clean_line(what), BODY)} — {remedy}"
    by = await conversation.notifier.show(title, body)
    with suppress(AuditUnavailable):  # the bus says that the log cannot be written
        conversation.write(Kind.NOTIFICATION, {"title": title, "body": body, "shownBy": by})
