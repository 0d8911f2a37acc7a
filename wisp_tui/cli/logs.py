"""``wisp logs``: the audit log, filtered, and followed as it grows."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections import deque
from collections.abc import Iterable
from contextlib import aclosing
from datetime import datetime
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.completing import kinds_of
from wisp_tui.cli.faults import UsageFault, tell
from wisp_tui.cli.pages import DONE, HELP, REFUSED, page
from wisp_tui.cli.tables import escaped, on_terminal
from wisp_tui.text.reasons import reason

if TYPE_CHECKING:
    from wisp_tui.audit import LogTail, Wanted
    from wisp_tui.events import AuditEvent

LAST = 50
"""How many events are shown when nobody says."""


@click.command(
    "logs",
    context_settings=HELP,
    epilog=page(
        ("wisp logs", f"the last {LAST} events"),
        ("wisp logs tool approval", "every tool.… and approval.…"),
        ("wisp logs --session 3f9a --turn 7", "one turn"),
        ("wisp logs --since 2h --all", ""),
        ("wisp logs --follow --json | jq .details", ""),
        codes=(DONE, REFUSED, ("130", "Ctrl-C, of --follow")),
    ),
)
@click.argument("kinds", metavar="[KIND]...", nargs=-1, shell_complete=kinds_of)
@click.option("-s", "--session", metavar="ID", default="", help="Only of the session whose id begins so.")
@click.option("-t", "--turn", metavar="N", type=click.IntRange(min=0), help="Only of this turn of its session.")
@click.option("--since", metavar="WHEN", help="Only since then: 30m, 2h, today, 14:05, 2026-11-30.")
@click.option("-n", "--last", metavar="N", type=click.IntRange(min=0), help=f"How many at most; {LAST} unless given.")
@click.option("-a", "--all", "everything", is_flag=True, help="Show all that there are.")
@click.option("-f", "--follow", is_flag=True, help="Go on with what comes, until Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="Write the events as the log holds them, JSON Lines.")
def command(
    *,
    kinds: tuple[str, ...],
    session: str,
    turn: int | None,
    since: str | None,
    last: int | None,
    everything: bool,
    follow: bool,
    as_json: bool,
) -> int:
    """Show what the audit log recorded, the latest last.

    KIND is a kind of event or how one begins: `tool.call`, or `tool` for every kind of that name. A line has the time
    here, the session, the turn, the kind and the gist; on a terminal it is cut to its width, in a pipe it is whole with
    tabs between. --json has everything.

    Lines that cannot be read (a process that was killed in mid-line leaves one) are counted, and that is said.
    """
    from wisp_tui.audit import LogTail, Wanted
    from wisp_tui.config import Home
    from wisp_tui.text.moments import moment_of, stamp

    if everything and last is not None:
        raise UsageFault("--all and --last contradict each other; give one of them")
    try:
        moment = stamp(moment_of(since, datetime.now().astimezone())) if since is not None else ""
    except ValueError as error:
        raise UsageFault(f"--since: {error}") from error
    wanted = Wanted(kinds, session, turn, moment)
    show = _Shown(as_json)
    home = Home.find(os.environ)
    if follow:
        home.prepare()  # what is not there yet cannot be watched
    try:
        with LogTail(home.logs) as tail:
            _shown(tail, wanted, show, None if everything else LAST if last is None else last, follow=follow)
            if follow:
                asyncio.run(_follow(tail, wanted, show))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whoever read it has gone: nothing more is to be written
    except OSError as error:
        raise UsageFault(f"the log cannot be read: {reason(error)}") from error
    return Exit.DONE


def _shown(tail: LogTail, wanted: Wanted, show: _Shown, last: int | None, *, follow: bool) -> None:
    """Show what is there, and say what of it is not shown."""
    found: deque[AuditEvent] = deque(maxlen=last)
    number = 0
    for event in filter(wanted, tail.poll()):
        found.append(event)
        number += 1
    if not follow:
        ended = list(filter(wanted, tail.end()))
        found.extend(ended)
        number += len(ended)
    show(found)
    if not number and not follow:
        tell("no event is like that" if wanted != _everything() else "nothing is recorded yet")
    elif number > len(found):
        tell(f"the last {len(found):,} of {number:,} events; --all shows every one")
    show.torn(tail.reading.torn)


async def _follow(tail: LogTail, wanted: Wanted, show: _Shown) -> None:
    from wisp_tui.keeping import ticks

    async with aclosing(ticks(tail.directory)) as moments:
        async for _ in moments:
            show(filter(wanted, tail.poll()))
            show.torn(tail.reading.torn)


class _Shown:
    """Writes events on standard output, and says of lines that cannot be read."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._width = shutil.get_terminal_size().columns if on_terminal() else None
        self._torn = 0

    def __call__(self, events: Iterable[AuditEvent]) -> None:
        """Write them, a line each."""
        for event in events:
            click.echo(escaped(event.line().decode()) if self._as_json else self._line(event), nl=not self._as_json)

    def torn(self, number: int) -> None:
        """Say how many lines cannot be read, where there are more than were said."""
        from wisp_tui.text.sizes import count

        if number > self._torn:
            tell(f"{count(number, 'line')} of the log cannot be read: cut off when they were written")
        self._torn = number

    def _line(self, event: AuditEvent) -> str:
        from wisp_tui.session.loglines import log_row
        from wisp_tui.text.clean import drawable

        row = tuple(map(drawable, log_row(event)))
        if self._width is None:
            return "\t".join(row)
        from rich.cells import cell_len, set_cell_size

        time, session, turn, kind, said = row
        line = f"{time}  {session:8}  {turn:>4}  {kind:20}  {said}"
        return line if cell_len(line) <= self._width else set_cell_size(line, self._width - 1).rstrip() + "…"


def _everything() -> Wanted:
    from wisp_tui.audit import Wanted

    return Wanted()
