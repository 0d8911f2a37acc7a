"""The tool that tells the date and the time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from wisp_tui.tools.base import Arguments, ToolContext, ToolOutput, ToolSpec

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def local_now() -> datetime:
    """Return the time now, in the machine's zone."""
    return datetime.now(UTC).astimezone()


@dataclass(frozen=True, slots=True)
class CurrentDate:
    """``current_date``. ``now`` is the clock: it returns a time that knows its zone."""

    now: Callable[[], datetime] = local_now

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        return ToolSpec(
            name="current_date",
            description="Return today's date, the weekday, the time and the time zone.",
            parameters={"type": "object", "properties": {}},
            reads_only=True,
            clause="the date and time now",
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Write the moment as ``Wednesday, 2026-10-14, 15:04:05 CEST (UTC+02:00)``. Takes no arguments."""
        moment = self.now()
        zone = moment.tzname() or "local time"
        text = f"{_DAYS[moment.weekday()]}, {moment:%Y-%m-%d}, {moment:%H:%M:%S} {zone} (UTC{_offset(moment)})"
        return ToolOutput(text, ok=True, lines=1, bytes=len(text.encode()))


def _offset(moment: datetime) -> str:
    minutes = (moment.utcoffset() or timedelta(0)) // timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
