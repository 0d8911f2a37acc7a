"""``wisp replay`` as it runs: each turn shown as it is compared, the line of what is done now, stopped by a signal."""

from __future__ import annotations

import asyncio
import difflib
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from wisp_tui import __version__
from wisp_tui.audit import AuditLog
from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import tell
from wisp_tui.cli.signals import stop_signals
from wisp_tui.cli.status_line import StatusLine
from wisp_tui.cli.tables import print_json
from wisp_tui.config import Home, load_settings
from wisp_tui.events import Activity, Bus, Note, Subscription
from wisp_tui.models import Resolved
from wisp_tui.session.looking import silent_session
from wisp_tui.session.replaying import Compared, Context, Recording, Replay, Side, Span, read_recording
from wisp_tui.session.replaying.comparing import differences, turns_words
from wisp_tui.text.clean import clean_line, drawable
from wisp_tui.text.json import Json
from wisp_tui.text.sizes import count, human_seconds, shorten

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDEST = 140
"""Columns that two replies side by side take at most."""
NARROWEST = 60
_SHOWN = 120


def replay_saved(name: str, model: str, span: Span, *, diff: bool, as_json: bool) -> int:
    """Replay a saved conversation and return the exit code.

    Raises what ``Shelf.load``, ``Session.new_thread`` and ``Replay.begin`` do.
    """
    return asyncio.run(_replay(name, model, span, diff=diff, as_json=as_json))


async def _replay(name: str, model: str, span: Span, *, diff: bool, as_json: bool) -> int:
    home = Home.find(os.environ)
    settings = load_settings(home.config)
    session = silent_session(home, settings, os.environ, Path.cwd())
    recording = read_recording(name, session.shelf.load(name), home.logs)
    log = AuditLog(
        home.logs,
        Bus(),
        version=__version__,
        max_bytes=settings.audit.max_bytes,
        keep=settings.audit.keep,
        enabled=settings.audit.enabled,
    )
    replay = Replay(session, recording, model, log, span)
    shown = _Shown(diff=diff, quiet=as_json, of=len(span.of(recording)))
    with stop_signals() as stopped, session.bus.subscribe() as events:
        watching = asyncio.create_task(shown.watch(events))
        work = asyncio.create_task(_run(replay, recording, shown))
        try:
            await asyncio.wait({work, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                work.cancel()
                await asyncio.wait({work})
            shown.rest()
            if not stopped.done():
                work.result()  # its fault, where it has one
        finally:
            events.close()
            await watching
            await session.close()
        code = stopped.result() if stopped.done() else None
    return _concluded(recording, shown, code)


async def _run(replay: Replay, recording: Recording, shown: _Shown) -> None:
    shown.doing(f"opening {clean_line(replay.model)}")
    shown.begin(recording, await replay.begin())
    async with aclosing(replay.turns()) as turns:
        async for compared in turns:
            shown.take(compared)


def _concluded(recording: Recording, shown: _Shown, stopped: int | None) -> int:
    if shown.quiet:
        turns: list[Json] = [compared.fields for compared in shown.turns]
        model = shown.resolved.id if shown.resolved is not None else None
        fields: dict[str, Json] = {
            "name": recording.name,
            "model": model,
            "recordedModel": recording.model,
            "of": shown.of,
            "stopped": stopped is not None,
            "turns": turns,
        }
        print_json(fields)
    if stopped is not None:
        tell(f"stopped after {len(shown.turns):,} of {count(shown.of, 'turn')}")
        return stopped
    return Exit.DONE if all(compared.replayed.outcome == "ok" for compared in shown.turns) else Exit.FAILED


class _Shown:
    """What is printed of a replay, as it goes. ``quiet`` prints nothing: all of it is written at the end."""

    def __init__(self, *, diff: bool, quiet: bool, of: int) -> None:
        from rich.console import Console

        self.quiet, self.of = quiet, of
        self.turns: list[Compared] = []
        self.resolved: Resolved | None = None
        self._diff = diff
        columns = min(max(shutil.get_terminal_size((100, 24)).columns, NARROWEST), WIDEST)
        self._console = Console(file=sys.stdout, width=columns, highlight=False, markup=False, emoji=False)
        self._line = StatusLine()

    async def watch(self, events: Subscription) -> None:
        """Say what is done now, from the events of the replay's session, until they end."""
        async for event in events:
            match event:
                case Activity(doing=str(doing)):
                    self.doing(f"turn {len(self.turns) + 1:,} of {self.of:,}: {shorten(clean_line(doing), 60)}")
                case Note(text=text, names_facts=False) if not self.quiet:
                    self._above(text)
                case _:
                    continue

    def doing(self, what: str) -> None:
        """Say what is done now, where a line can be drawn."""
        self._line.doing(what)

    def rest(self) -> None:
        """Take the line of what is done away."""
        self._line.rest()

    def begin(self, recording: Recording, resolved: Resolved) -> None:
        """Say what is replayed through what."""
        self.resolved = resolved
        window = f"{resolved.window:,} tokens" if resolved.window is not None else "unknown"
        recorded = f", recorded with {clean_line(recording.model)}" if recording.model is not None else ""
        self._print(f"{recording.name}{recorded}; replayed with {clean_line(resolved.id)}, window {window}")

    def take(self, compared: Compared) -> None:
        """Print a turn."""
        self.turns.append(compared)
        self._print("", f"turn {compared.turn}  {shorten(clean_line(compared.prompt), _SHOWN)}", *lines(compared))
        if not self.quiet and (compared.recorded.reply or compared.replayed.reply):
            self._draw(_diffed(compared) if self._diff else _beside(compared))

    def _print(self, *said: str) -> None:
        if not self.quiet:
            from rich.text import Text

            self._draw(*(Text(drawable(line)) for line in said))

    def _draw(self, *what: RenderableType) -> None:
        with self._line.lifted():
            for item in what:
                self._console.print(item, soft_wrap=False)
            self._console.file.flush()

    def _above(self, text: str) -> None:
        with self._line.lifted():
            tell(clean_line(text), dim=True)


def lines(compared: Compared) -> Iterator[str]:
    """Say how a turn compares, all but the replies, a line each, clean."""
    recorded, replayed = compared.recorded, compared.replayed
    if replayed.outcome != "ok":
        yield f"  failed   {clean_line(replayed.message or replayed.outcome)}"
    yield f"  context  {_sizes(recorded.context, replayed.context)}"
    if recorded.context is not None and replayed.context is not None:
        yield from (f"           {line}" for line in differences(recorded.context, replayed.context))
    elif replayed.context is not None and replayed.context.left:
        yield f"           {turns_words(replayed.context.left)} had left"
    for word, side in (("recorded", recorded), ("replayed", replayed)):
        if side.context is not None and side.context.condensed:
            yield f"           condensed when {word}: {side.context.condensed}"
    for call in compared.calls:
        given = f" ({call.given})" if call.given is not None else ""
        said = shorten(clean_line(f"{call.call.tool} {call.call.arguments}"), _SHOWN)
        yield f"  call     {call.state.value}: {said}{given}"
    yield f"  time     {_cost(recorded)} → {_cost(replayed)}"
    yield f"  reply    {'the same' if compared.alike == 1 else f'{compared.alike:.0%} alike'}"


def _sizes(recorded: Context | None, replayed: Context | None) -> str:
    was = f"{recorded.tokens:,}" if recorded is not None else "not in the audit log any more"
    now = f"{replayed.tokens:,} tokens by estimate" if replayed is not None else "none was sent"
    return f"{was} → {now}"


def _cost(side: Side) -> str:
    seconds = human_seconds(side.seconds) if side.seconds is not None else "unknown"
    used = [f"{size:,} {word}" for size, word in ((side.input, "read"), (side.output, "written")) if size is not None]
    return f"{seconds} ({', '.join(used)})" if used else seconds


def _beside(compared: Compared) -> RenderableType:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.MINIMAL, expand=True, show_edge=False)
    table.add_column("recorded", ratio=1, overflow="fold")
    table.add_column("replayed", ratio=1, overflow="fold")
    table.add_row(*(Text(drawable(side.reply).expandtabs(4)) for side in (compared.recorded, compared.replayed)))
    return table


def _diffed(compared: Compared) -> RenderableType:
    from rich.text import Text

    before, after = compared.recorded.reply.splitlines(), compared.replayed.reply.splitlines()
    found = difflib.unified_diff(before, after, "recorded", "replayed", lineterm="")
    return Text(drawable("\n".join(found)).expandtabs(4))
