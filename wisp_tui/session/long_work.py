"""Work outside a turn that may take long: said as an activity once it has taken a second, and not before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from wisp_tui.events import Activity
from wisp_tui.session.conversation import Conversation

PATIENCE = 1.0
"""Seconds that nothing is said of it."""


@asynccontextmanager
async def long_work(conversation: Conversation, doing: str) -> AsyncGenerator[None]:
    """Say what is done while the block runs, where it takes long. A turn that runs is not talked over."""
    held = conversation
    began = held.clock.elapsed()
    said = False

    def say() -> None:
        nonlocal said
        if held.running is None:
            said = True
            seconds = held.clock.elapsed() - began
            held.bus.publish(Activity(held.session, doing, turn_seconds=seconds, in_turn=False))

    timer = asyncio.get_running_loop().call_later(PATIENCE, say)
    try:
        yield
    finally:
        timer.cancel()
        if said and held.running is None:
            held.bus.publish(Activity(held.session, None, in_turn=False))
