"""The commands about how things stand: /status and /stats, and what /inspect shows of them."""

from __future__ import annotations

import asyncio

from wisp_tui.audit import LogReading, Wanted, read_events
from wisp_tui.config.shown import setting_lines
from wisp_tui.events import AuditEvent, Kind
from wisp_tui.session.commands.base import Answered, Command, View
from wisp_tui.session.stats import Stats
from wisp_tui.session.status import git_state, told
from wisp_tui.session.thread import Thread
from wisp_tui.text.clean import clean, clean_line
from wisp_tui.text.sizes import human_seconds

_AUDIT_OFF = Answered(("this is read from the audit log, which is off (audit.enabled)",), failed=True)


async def status(thread: Thread, argument: str) -> Answered:
    """Say how the conversation stands: model, window, directory, what asks, what is kept."""
    del argument
    held = thread.conversation
    git = await git_state(held.directory, held.environment)
    branch = f", branch {git.branch} +{git.added} −{git.removed}" if git.branch is not None else ""
    said = {**told(held), "directory": f"{held.directory}{branch}", "home": str(thread.shelf.home.root)}
    width = max(map(len, said))
    return Answered(tuple(f"{name:{width}}  {clean_line(what)}" for name, what in said.items()))


async def _stats(thread: Thread, argument: str) -> Answered:
    del argument
    held = thread.conversation
    if not held.settings.audit.enabled:
        return _AUDIT_OFF
    wanted = Wanted(session=held.session)
    try:
        stats = await asyncio.to_thread(lambda: Stats.of(filter(wanted, read_events(held.audit.directory))))
    except OSError as error:
        return Answered((f"the log cannot be read: {error.strerror or error}",), failed=True)
    return Answered(("this session:", *stats.lines()))


async def config(thread: Thread, argument: str) -> Answered:
    """Show every setting this conversation runs with, no secret among them."""
    lines = map(clean_line, setting_lines(thread.conversation.settings))
    return Answered(tuple(line for line in lines if line.startswith(argument)) or (f"no setting is {argument}",))


async def thinking(thread: Thread, argument: str) -> Answered:
    """Show what the model thought last, or in a turn."""
    held = thread.conversation
    if not held.settings.audit.enabled:
        return _AUDIT_OFF
    if argument and not argument.isdecimal():
        return Answered(("inspect the thinking of which turn? its number; alone, the last there is",), failed=True)
    wanted = Wanted((Kind.MODEL_REASONING.value,), held.session, int(argument) if argument else None)
    found = await asyncio.to_thread(lambda: list(filter(wanted, read_events(held.audit.directory, LogReading()))))
    if not found:
        where = f"in turn {argument}" if argument else "in this conversation yet"
        return Answered((f"the model did not think {where}",), failed=True)
    turn = found[-1].turn
    thought = [event for event in found if event.turn == turn]
    return Answered(view=View("thinking", "\n\n".join(map(_thought, thought)), turn=turn))


def _thought(event: AuditEvent) -> str:
    seconds, text = event.details.get("seconds"), event.details.get("text")
    head = f"turn {event.turn}"
    if isinstance(seconds, int | float):
        head += f", thought for {human_seconds(seconds)}"
    return f"{head}:\n{clean(text).strip() if isinstance(text, str) else ''}"


STANDING = (
    Command("/status", "/status", "say how things stand: model, window, directory, what asks, what is kept", status),
    Command("/stats", "/stats", "say what the session has come to: turns, tokens, tools, time, what was saved", _stats),
)
