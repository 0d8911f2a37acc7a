"""The process's one bus: publishing never blocks, and a slow subscriber costs neither the model's time nor memory."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from types import TracebackType
from typing import TypeAlias

from wisp_tui.events.envelope import AuditEvent
from wisp_tui.events.transient import (
    Activity,
    ContextFill,
    ReplyDelta,
    ThinkingDelta,
    ToolProgress,
    Transient,
)

Event: TypeAlias = "AuditEvent | Transient"

JOINED_MOST = 65_536
"""Characters up to which unread fragments are joined. Each joining copies what is there, so it must not grow on."""


class Subscription:
    """One subscriber's events, in order. Iterate it, or ``take`` what has come; close it by leaving its ``with`` block.

    While unread, neighbouring fragments of one reply are one fragment and only the latest of neighbouring activities,
    fills and progress lines stays. Audit events are never joined and never dropped.
    """

    def __init__(self, leave: Callable[[Subscription], None]) -> None:
        self._leave = leave
        self._events: deque[Event] = deque()
        self._arrived = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self._closed = False

    def __enter__(self) -> Subscription:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop receiving; a running iteration ends after what has already come."""
        self._closed = True
        self._arrived.set()
        self._leave(self)

    def put(self, event: Event) -> None:
        """Add an event, joined with the one before where that loses nothing. The bus calls this."""
        if self._events:
            joined = _joined(self._events[-1], event)
            if joined is not None:
                self._events[-1] = joined
                return
        self._events.append(event)
        self._arrived.set()
        self._drained.clear()

    def take(self) -> list[Event]:
        """Return what has come and is unread, without waiting."""
        events = list(self._events)
        self._events.clear()
        self._arrived.clear()
        self._drained.set()
        return events

    async def drained(self) -> None:
        """Wait until whoever iterates has handled everything that had come, and asks for more."""
        await self._drained.wait()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            if self._events:
                yield self._events.popleft()
                continue
            self._drained.set()
            if self._closed:
                return
            self._arrived.clear()
            await self._arrived.wait()


class Bus:
    """Carries events from whoever publishes to every subscription. Made and used on one event loop's thread."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []

    def subscribe(self) -> Subscription:
        """Open a subscription that receives every event published from now on."""
        subscription = Subscription(self._remove)
        self._subscriptions.append(subscription)
        return subscription

    def publish(self, event: Event) -> None:
        """Hand an event to every subscription, at once."""
        for subscription in tuple(self._subscriptions):
            subscription.put(event)

    def _remove(self, subscription: Subscription) -> None:
        with suppress(ValueError):
            self._subscriptions.remove(subscription)


def _continues(before: ReplyDelta | ThinkingDelta, event: ReplyDelta | ThinkingDelta) -> bool:
    """Say whether a fragment goes on where the one before ended, and that one has room for it."""
    return (before.session, before.turn) == (event.session, event.turn) and len(before.text) < JOINED_MOST


def _joined(before: Event, event: Event) -> Event | None:
    match before, event:
        case (ReplyDelta(), ReplyDelta()) if _continues(before, event):
            return before.merged(event)
        case (ThinkingDelta(), ThinkingDelta()) if _continues(before, event):
            return before.merged(event)
        case (Activity(), Activity()) | (ContextFill(), ContextFill()) if before.session == event.session:
            return event
        case (ToolProgress(), ToolProgress()) if before.call == event.call:
            return event
        case _:
            return None
