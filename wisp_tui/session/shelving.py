"""What the person does with saved conversations: go on with one, rename one, delete one. Each face does it by these.

They keep in step what the running conversation knows of its own files, and say why something is not done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from wisp_tui.context.record import EntryKind
from wisp_tui.context.sidecar import CannotResume
from wisp_tui.facts import PersonAct
from wisp_tui.outputs import OutputStore
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.live import LiveFolder, NotRecovered
from wisp_tui.session.recovery import begin, find, give_back
from wisp_tui.session.saved import changing
from wisp_tui.session.saved.files import BadName
from wisp_tui.session.saved.holding import Outputs, outputs_of
from wisp_tui.session.saved.listing import SavedName
from wisp_tui.session.saved.naming import called_now
from wisp_tui.session.saving import default_name, resumed_note
from wisp_tui.session.stating import NotDone
from wisp_tui.session.thread import Thread
from wisp_tui.text.reasons import reason

_Found = TypeVar("_Found")
RUNNING = "a turn is running; stop it first (Esc), or wait for its end"


@dataclass(frozen=True, slots=True)
class Resumed:
    """The conversation that goes on now, and what is to be said of it and of the one before."""

    name: str
    lines: tuple[str, ...]


def unsaved(conversation: Conversation) -> int:
    """Count what the person said in a conversation that was never saved: the audit log alone would keep it."""
    if conversation.name is not None:
        return 0
    return sum(entry.kind in {EntryKind.PROMPT, EntryKind.COMMAND} for entry in conversation.record)


async def go_on_with(thread: Thread, name: str, *, save_first: bool = False) -> Resumed:
    """Go on with another conversation in the place of the one that is held, by the rules of ``/new``.

    ``name`` is that of a saved one, or the id of one that was cut short. The one before is saved under its name, or
    with ``save_first`` under the time. Raises NotDone, and then nothing has changed; AuditUnavailable.
    """
    shelf, held = thread.shelf, thread.conversation
    _must_be_idle(thread)
    try:
        name = called_now(shelf.home, name)
        if name == held.name:
            raise NotDone(f"this conversation is {name} already")
        found = await asyncio.to_thread(find, shelf, name)
    except (BadName, CannotResume, NotRecovered) as error:
        raise NotDone(str(error)) from error
    except OSError as error:
        raise NotDone(f"{name} cannot be read: {error.strerror or error}") from error
    try:
        _must_be_idle(thread)
        left, before = unsaved(held), _save(thread, default_name(held.clock.now()) if save_first else None)
    except BaseException:
        give_back(found)
        raise
    thread.start_afresh()
    begin(held, found, name, shelf, {"directory": str(held.directory), "tools": list(held.tools)})
    said = [resumed_note(held) or f"resumed {name}"]
    if before is not None:
        said.append(f"the conversation before is saved as {before}")
    elif left:
        said.append("the conversation before is in the audit log")
    return Resumed(name, tuple(said))


def _must_be_idle(thread: Thread) -> None:
    if thread.running:
        raise NotDone(RUNNING)


def _save(thread: Thread, name: str | None) -> str | None:
    """Save the conversation that is left, where it has a name or is given one; return the name. Raises NotDone."""
    held = thread.conversation
    name = held.name or name
    if name is not None:
        try:
            name, _ = thread.shelf.keep(held, name)
        except (BadName, OSError) as error:
            raise NotDone(f"not left: the conversation could not be saved as {name}: {reason(error)}") from error
    return name


async def rename(thread: Thread, act: PersonAct, old: str, new: str) -> str:
    """Rename a saved conversation, the one that is held too; return what is to be said. Raises NotDone."""
    home = thread.shelf.home
    if LiveFolder(home).has(old) and not (home.transcripts / f"{old}.json").exists():
        raise NotDone("it was cut short before it had a name; go on with it, and /save NAME names it")
    await _done(lambda: changing.rename(home, act, old, new))
    held = thread.conversation
    if old in held.saved_as:
        held.saved_as.remove(old)
        held.saved_as.add(new)
    if held.name == old:
        held.name = new
    return f"{old} is called {new} now"


async def outputs_going(thread: Thread, shown: SavedName) -> Outputs:
    """Find the outputs that would go with a conversation. Raises NotDone for the one that is held, which cannot go."""
    held = thread.conversation
    may_be_deleted(held, shown.name)
    spared = {entry.output.call for entry in held.record if entry.output is not None}
    return await _done(lambda: outputs_of(thread.shelf.home, shown, spared))


async def delete(thread: Thread, act: PersonAct, shown: SavedName, outputs: Outputs) -> str:
    """Delete a conversation as it was shown to the person, with the outputs that were; return what is to be said.

    Raises NotDone.
    """
    may_be_deleted(thread.conversation, shown.name)
    home = thread.shelf.home

    def gone() -> None:
        if shown.copy:
            LiveFolder(home).discard(shown.copy, act)
        if shown.named:
            changing.delete(home, act, shown)
        for output in outputs.own:
            OutputStore(home.output, output.session).remove(output)

    await _done(gone)
    thread.conversation.saved_as.discard(shown.name)
    return f"{shown.name} is deleted"


async def discard(thread: Thread, act: PersonAct, ident: str) -> str:
    """Remove a conversation that was cut short, for good; return what is to be said. Raises NotDone."""
    try:
        await asyncio.to_thread(LiveFolder(thread.shelf.home).discard, ident, act)
    except NotRecovered as error:
        raise NotDone(str(error)) from error
    return "what was cut short is gone"


def may_be_deleted(conversation: Conversation, name: str) -> None:
    """Raise NotDone for the conversation that is held: it would only be saved again."""
    if name == conversation.name:
        raise NotDone(f"{name} is the conversation you are in; /new begins another one first")


async def _done(change: Callable[[], _Found]) -> _Found:
    """Look at files, or change them, in a thread. Raises NotDone."""
    try:
        return await asyncio.to_thread(change)
    except (BadName, NotRecovered) as error:
        raise NotDone(str(error)) from error
    except OSError as error:
        raise NotDone(f"not done: {error.strerror or error}") from error
