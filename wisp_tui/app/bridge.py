"""The one bridge from the bus to the app: events in batches, at a pace the screen can keep.

After each batch it waits several times as long as handling and drawing it took. What is published meanwhile is joined
by the bus, so a fast model costs a share of the processor, never all of it, and keys are answered between batches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from wisp_tui.events import AuditEvent, Subscription, Transient

Events: TypeAlias = "Sequence[AuditEvent | Transient]"

SHORTEST, LONGEST = 1 / 40, 0.4
"""Seconds between two batches, at least and at most."""
REST = 3.0
"""How many times a batch's own cost is waited after it."""


async def bridge(subscription: Subscription, show: Callable[[Events], Awaitable[None]]) -> None:
    """Hand a subscription's events to ``show`` until cancelled. ``show`` returns once what changed has been drawn."""
    with subscription:
        async for event in subscription:
            started = perf_counter()
            await show([event, *subscription.take()])
            cost = perf_counter() - started
            await asyncio.sleep(min(max(REST * cost, SHORTEST), LONGEST))
