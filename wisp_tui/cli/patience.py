"""A line said once for what takes a second with nothing to be seen of it: no spinner, nothing drawn over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from wisp_tui.events import Activity, AuditEvent, Kind, ReplyDelta, Transient, TurnStarted
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import shorten

SECONDS = 1.0
_SHOWN = 80


@dataclass(slots=True)
class Patience:
    """Watches what a turn does. ``say`` writes a line; what is seen by itself (a reply, a call) is never said."""

    say: Callable[[str], Awaitable[None]]
    seconds: float = SECONDS
    _said: set[str] = field(default_factory=set[str])
    """What was said in this turn, by its words up to the first figure."""
    _waiting: asyncio.Task[None] | None = None

    def take(self, event: AuditEvent | Transient) -> None:
        """Take an event of the conversation."""
        match event:
            case TurnStarted():
                self._said.clear()
            case Activity(asking=True):
                self.stop()  # it waits for the person, who is asked below
            case Activity(in_turn=False, doing=str(doing)):
                self._wait(doing, 0.0)  # it is told only once it has taken long
            case Activity(doing=str(doing)):
                self._wait(doing, self.seconds)
            case Activity() | ReplyDelta():
                self.stop()
            case AuditEvent(kind=Kind.TOOL_CALL | Kind.COMMAND_TYPED):
                self.stop()
            case _:
                return

    def stop(self) -> None:
        """Wait no longer: what is done now is to be seen, or nothing is done."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _wait(self, doing: str, seconds: float) -> None:
        self.stop()
        said = shorten(clean_line(doing), _SHOWN)
        key = said.partition(",")[0]
        if key not in self._said and said != "replying":
            self._waiting = asyncio.create_task(self._after(seconds, key, said))

    async def _after(self, seconds: float, key: str, said: str) -> None:
        await asyncio.sleep(seconds)
        self._said.add(key)
        await self.say(f"{said} …")
