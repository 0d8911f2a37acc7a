"""What a client that asks to hear it hears while a call runs: what is being done, in a line, each time it changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from typing import Protocol

from wisp_tui.events import Activity, ApprovalWaiting, AuditEvent, Bus, CondensationStep, Kind
from wisp_tui.events.bus import Event
from wisp_tui.text.clean import clean_line
from wisp_tui.text.ids import SessionId
from wisp_tui.text.sizes import shorten

LINE = 200
"""Characters of a line of progress."""


class Tell(Protocol):
    """Tells the client how far a call is. ``step`` grows with each."""

    def __call__(self, step: int, message: str) -> Awaitable[None]:
        """Tell it."""
        ...


@asynccontextmanager
async def told(bus: Bus, session: SessionId, tell: Tell) -> AsyncGenerator[None]:
    """Tell the client what a conversation does while the block runs. It slows nothing: what lags is joined."""
    with bus.subscribe() as events:

        async def follow() -> None:
            step, said = 0, ""
            async for event in events:
                line = progress_line(event, session)
                if line is not None and line != said:
                    step, said = step + 1, line
                    await tell(step, line)

        following = asyncio.create_task(follow())
        try:
            yield
        finally:
            following.cancel()
            await asyncio.wait({following})


def progress_line(event: Event, session: SessionId) -> str | None:
    """Write an event of a conversation as a line of progress; None for one that is none."""
    if getattr(event, "session", None) != session:
        return None
    match event:
        case Activity(doing=None):
            line = None
        case Activity(doing=doing, asking=asking):
            line = f"{doing} (waits for the person)" if asking else doing
        case ApprovalWaiting(request=request):
            line = f"waits for the person: {request.get('command')}"
        case CondensationStep(step="began"):
            line = "condensing the context"
        case AuditEvent(kind=Kind.APPROVAL_PENDING, details=details):
            line = f"waits for the person: request {details.get('request') or details.get('id')}"
        case _:
            line = None
    return shorten(clean_line(line), LINE) if line else None
