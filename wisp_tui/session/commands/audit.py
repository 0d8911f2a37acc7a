"""The command that looks into the audit log: /audit, also as /inspect audit."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wisp_tui.audit import LogReading, Wanted, read_events
from wisp_tui.events import AuditEvent, Kind
from wisp_tui.session.commands.base import Answered, Command
from wisp_tui.session.loglines import log_row
from wisp_tui.session.thread import Thread
from wisp_tui.text.moments import moment_of, stamp
from wisp_tui.text.sizes import count, shorten

LAST = 20
MOST = 500
GIST = 240
"""Characters of an event's gist that a line holds."""
_USAGE = "/audit [KIND …] [turn N] [last N] [since WHEN] [session ID|all]"
_ALL = "all"


@dataclass(frozen=True, slots=True)
class _Asked:
    wanted: Wanted
    last: int = LAST


async def audited(thread: Thread, argument: str) -> Answered:
    """Show the latest events of this conversation that are like what is asked for."""
    held = thread.conversation
    if not held.settings.audit.enabled:
        return Answered(("the audit log is off (audit.enabled): nothing is recorded",), failed=True)
    try:
        asked = _read(thread, _Asked(Wanted(session=held.session)), argument.split())
    except ValueError as error:
        return Answered((str(error), _USAGE), failed=True)
    try:
        return Answered(tuple(await asyncio.to_thread(_lines, held.audit.directory, asked)))
    except OSError as error:
        return Answered((f"the log cannot be read: {error.strerror or error}",), failed=True)


def _read(thread: Thread, asked: _Asked, words: Sequence[str]) -> _Asked:
    """Read what is asked for, word by word. Raises ValueError with what is wrong."""
    wanted = asked.wanted
    match words:
        case []:
            return asked
        case ["turn", number, *rest] if number.isdecimal():
            asked = replace(asked, wanted=replace(wanted, turn=int(number)))
        case ["last", number, *rest] if number.isdecimal():
            asked = replace(asked, last=min(int(number), MOST))
        case ["since", moment, *rest]:
            since = stamp(moment_of(moment, thread.conversation.clock.now()))
            asked = replace(asked, wanted=replace(wanted, since=since))
        case ["session", ident, *rest]:
            asked = replace(asked, wanted=replace(wanted, session="" if ident == _ALL else ident))
        case [kind, *rest] if any(f"{known}.".startswith(f"{kind}.") for known in Kind):
            asked = replace(asked, wanted=replace(wanted, kinds=(*wanted.kinds, kind)))
        case [word, *_]:
            raise ValueError(f"{shorten(word, GIST)!r} is no kind of event, and nothing else that can be asked for")
        case _:
            raise ValueError("it cannot be read")
    return _read(thread, asked, rest)


def _lines(directory: Path, asked: _Asked) -> list[str]:
    reading = LogReading()
    found: deque[AuditEvent] = deque(maxlen=asked.last)
    number = 0
    for event in filter(asked.wanted, read_events(directory, reading)):
        found.append(event)
        number += 1
    lines = [_line(event) for event in found]
    if not number:
        lines.append("no event is like that")
    elif number > len(found):
        lines.append(f"the last {len(found):,} of {number:,} events")
    if reading.torn:
        lines.append(f"{count(reading.torn, 'line')} of the log cannot be read: cut off when they were written")
    return lines


def _line(event: AuditEvent) -> str:
    time, _, turn, kind, gist = log_row(event)
    return f"{time}  {turn:>4}  {kind:20}  {shorten(gist, GIST)}".rstrip()


def ways(thread: Thread, argument: str) -> Sequence[str]:
    """Complete the last word of what is asked for."""
    del thread
    before = argument[: len(argument) - len(argument.rsplit(" ", maxsplit=1)[-1])]
    return [before + word for word in ("turn", "last", "since", "session", *(kind.value for kind in Kind))]


AUDIT = (Command("/audit", "/audit …", f"show what was recorded of this conversation: {_USAGE}", audited, ways),)
