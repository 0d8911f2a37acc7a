"""Moments as a person writes them and reads them: ``2h``, ``yesterday``, ``2026-11-30 14:05``."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_AGO = re.compile(r"(\d{1,6})\s*(s|m|min|h|d|w)")
_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
WAYS = "a time ago (90s, 30m, 2h, 3d, 1w), today, yesterday, a time (14:05) or a date (2026-11-30, with or without one)"
"""How a moment can be written."""


def moment_of(text: str, now: datetime) -> datetime:
    """Read a moment; one without a zone is in that of ``now``. Raises ValueError with the ways to write one."""
    wanted = text.strip().lower()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if (ago := _AGO.fullmatch(wanted)) is not None:
        return now - timedelta(seconds=int(ago[1]) * _UNITS[ago[2]])
    if wanted in {"today", "yesterday"}:
        return midnight - timedelta(days=wanted == "yesterday")
    try:
        if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?", wanted):
            hour, minute, *second = map(int, wanted.split(":"))
            return midnight.replace(hour=hour, minute=minute, second=sum(second))
        read = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ValueError(f"{text!r:.80} is no moment; write {WAYS}") from error
    return read if read.tzinfo is not None else read.replace(tzinfo=now.tzinfo)


def stamp(moment: datetime) -> str:
    """Write a moment as the audit log does: ISO 8601, UTC, milliseconds."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def local(written: str) -> str:
    """Write a moment of the audit log in the person's zone, to the second; what is none comes back as it is."""
    try:
        return f"{datetime.fromisoformat(written).astimezone():%Y-%m-%d %H:%M:%S}"
    except ValueError:
        return written
