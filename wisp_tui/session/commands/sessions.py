"""The command about the saved conversations: /sessions. Only the person renames and deletes; a deletion is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from secrets import token_hex

from wisp_tui.session.commands.base import Answered, Command, Effect, View
from wisp_tui.session.live import CutShort, LiveFolder
from wisp_tui.session.offering import words_of
from wisp_tui.session.person import typed_act
from wisp_tui.session.saved.files import BadName, files_of, transcripts
from wisp_tui.session.saved.listing import saved_name
from wisp_tui.session.saved.saying import going, lines_of
from wisp_tui.session.shelving import (
    delete,
    discard,
    go_on_with,
    may_be_deleted,
    outputs_going,
    rename,
    unsaved,
)
from wisp_tui.session.stating import NotDone
from wisp_tui.session.thread import Thread
from wisp_tui.text.sizes import count
from wisp_tui.tools.asking import Question

_USAGE = "/sessions resume NAME · /sessions rename OLD NEW · /sessions delete NAME · /sessions discard ID"
_WORDS = ("resume", "rename", "delete", "discard")
NONE = "no conversation is saved yet; /save NAME saves this one"
DELETE, KEEP, DISCARD = "delete it", "keep it", "remove it"
SAVE, LEAVE, STAY = "save it first", "leave it unsaved", "stay here"


async def sessions(thread: Thread, argument: str) -> Answered:
    """List the conversations that can be gone on with, go on with one, rename, delete or discard one."""
    try:
        return await _done(thread, argument.split())
    except NotDone as error:
        return Answered((str(error),), failed=True)


async def _done(thread: Thread, words: list[str]) -> Answered:
    match words:
        case []:
            return await _listed(thread)
        case ["resume", *name] if len(name) < 2:
            return await _resumed(thread, name[0] if name else (await _cut_short(thread, None)).ident)
        case ["rename", old, new]:
            said = await rename(thread, typed_act("renames a conversation"), old, new)
        case ["delete", name]:
            said = await _deleted(thread, name)
        case ["discard", *ident] if len(ident) < 2:
            said = await _discarded(thread, ident[0] if ident else None)
        case _:
            raise NotDone(_USAGE)
    return Answered((said,))


async def _listed(thread: Thread) -> Answered:
    saved = await asyncio.to_thread(thread.shelf.offered)
    lines = [*lines_of(saved, thread.conversation.name), _USAGE] if saved else [NONE]
    return Answered(view=View("sessions", "\n".join(lines)))


async def _cut_short(thread: Thread, ident: str | None) -> CutShort:
    """Find a conversation that was cut short, by its id or by its name; without one, the latest. Raises NotDone."""
    found = await asyncio.to_thread(thread.shelf.recoverable)
    if not found:
        raise NotDone("no conversation was cut short")
    wanted = [one for one in found if ident in {None, one.ident, one.name}]
    if not wanted:
        raise NotDone(f"no conversation {ident} was cut short; cut short were: {', '.join(one.ident for one in found)}")
    return wanted[0]


async def _discarded(thread: Thread, ident: str | None) -> str:
    act = typed_act("discards a conversation")
    one = await _cut_short(thread, ident)
    asked = f"{words_of(one, thread.conversation.clock.now())}\nremove it for good? the audit log keeps its events"
    if await _ask(thread, asked, DISCARD, KEEP) != DISCARD:
        raise NotDone("it stays in /sessions")
    return await discard(thread, act, one.ident)


async def _resumed(thread: Thread, name: str) -> Answered:
    save_first = False
    if said := unsaved(thread.conversation):
        text = f"this conversation is not saved ({count(said, 'message')} of yours); go on with {name}?"
        answer = await _ask(thread, text, SAVE, LEAVE, STAY)
        if answer not in {SAVE, LEAVE}:
            raise NotDone("this conversation goes on")
        save_first = answer == SAVE
    resumed = await go_on_with(thread, name, save_first=save_first)
    return Answered(resumed.lines, effect=Effect.RESUMED)


async def _deleted(thread: Thread, name: str) -> str:
    act = typed_act("deletes a conversation")
    home = thread.shelf.home
    may_be_deleted(thread.conversation, name)
    try:
        shown = await asyncio.to_thread(saved_name, home, files_of(home, name).transcript)
    except BadName as error:
        raise NotDone(str(error)) from error
    if shown is None:
        raise NotDone(f"no conversation is saved as {name}; /sessions lists them")
    outputs = await outputs_going(thread, shown)
    what = "\n".join(going(shown, outputs))
    if await _ask(thread, f"delete {name}?\n{what}", DELETE, KEEP) != DELETE:
        raise NotDone(f"{name} stays")
    return await delete(thread, act, shown, outputs)


async def _ask(thread: Thread, text: str, *choices: str) -> str | None:
    """Ask the person in the way of the face they are at; None where nobody answers."""
    answer = await thread.questions.ask(Question(token_hex(4), text, choices))
    return answer.text


def _ways(thread: Thread, argument: str) -> Sequence[str]:
    word, space, rest = argument.partition(" ")
    if not space:
        return _WORDS
    if word not in _WORDS or " " in rest:
        return ()
    live = LiveFolder(thread.shelf.home).unheld() if word in {"resume", "discard"} else []
    saved = sorted(path.stem for path in transcripts(thread.shelf.home)) if word != "discard" else []
    return [f"{word} {name}" for name in (*live, *saved)]


SESSIONS = (
    Command("/sessions", "/sessions […]", f"list the saved conversations, or change them: {_USAGE}", sessions, _ways),
)
