"""What plain chat says at the first start in a home: above the line being typed, and only while none was sent."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from wisp_tui.cli.plain_lines import PlainLines
from wisp_tui.session import Thread


@dataclass(slots=True)
class PlainWelcome:
    """Looks around beside everything else, and says what was found. ``asks``: a person sits at the input."""

    thread: Thread
    lines: PlainLines
    asks: bool
    _saying: asyncio.Task[None] | None = None

    def begin(self, fault: str) -> None:
        """Begin, where a person sees what is written and nobody was welcomed yet; ``fault`` says why no model answers.

        Nothing is said over pipes.
        """
        if self.asks and os.isatty(1) and os.isatty(2) and not self.thread.shelf.home.welcomed.exists():
            self._saying = asyncio.create_task(self._say(fault))

    async def end(self) -> None:
        """Say nothing any more: the conversation has begun, or is over."""
        if self._saying is not None:
            self._saying.cancel()
            await asyncio.wait({self._saying})
            self._saying = None

    async def _say(self, fault: str) -> None:
        look = await asyncio.to_thread(_looker)
        if said := await look(self.thread, fault):
            await self.lines.tell(said)


def _looker() -> Callable[[Thread, str], Awaitable[tuple[str, ...]]]:
    """Load what looks around; in a thread, so that no key waits for it."""
    from wisp_tui.session.doctor.machine import Screen
    from wisp_tui.session.welcome import claim_welcome, look_around

    async def look(thread: Thread, fault: str) -> tuple[str, ...]:
        """Say what was found; nothing where another process says it."""
        welcome = await look_around(thread, Screen.of(), fault)
        return welcome.lines if claim_welcome(thread.shelf.home) else ()

    return look
