"""The command about the saved conversations: /sessions. Only the person renames and deletes; a deletion is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from secrets import token_hex

from wisp_tui.session.commands.base import Answered, Command, Effect, View
from wisp_tui.session.person import typed_act
from wisp_tui.session.saved.files import BadName, files_of, transcripts
from wisp_tui.session.saved.listing import saved_name
from wisp_tui.session.saved.saying import going, lines_of
from wisp_tui.session.shelving import delete, go_on_with, may_be_deleted, rename, unsaved
from wisp_tui.session.stating import NotDone
from wisp_tui.session.thread import Thread
from wisp_tui.text.sizes import count
from wisp_tui.tools.asking import Question

_USAGE = "/sessions resume NAME · /sessions rename OLD NEW · /sessions delete NAME"
_WORDS = ("resume", "rename", "delete")
NONE = "no conversation is saved yet; /save NAME saves this one"
DELETE, KEEP = "delete it", "keep it"
SAVE, LEAVE, STAY = "save it first", "leave it unsaved", "stay here"


async def sessions(thread: Thread, argument: str) -> Answered:
    """List the saved conversations, go on with one, rename or delete one."""
    try:
        match argument.split():
            case []:
                return await _listed(thread)
            case ["resume", name]:
                return await _resumed(thread, name)
            case ["rename", old, new]:
                return Answered((await rename(thread, typed_act("renames a conversation"), old, new),))
            case ["delete", name]:
                return Answered((await _deleted(thread, name),))
            case _:
                return Answered((_USAGE,), failed=True)
    except NotDone as error:
        return Answered((str(error),), failed=True)


async def _listed(thread: Thread) -> Answered:
    saved = await asyncio.to_thread(thread.shelf.list)
    lines = [*lines_of(saved, thread.conversation.name), _USAGE] if saved else [NONE]
    return Answered(view=View("sessions", "\n".join(lines)))


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
    home, held = thread.shelf.home, thread.conversation
    may_be_deleted(held, name)
    try:
        shown = await asyncio.to_thread(saved_name, home, files_of(home, name).transcript)
    except BadName as error:
        raise NotDone(str(error)) from error
    if shown is None:
        raise NotDone(f"no conversation is saved as {name}; /sessions lists them")
    what = "\n".join(going(shown, held.settings.context.output_days))
    if await _ask(thread, f"delete {name}?\n{what}", DELETE, KEEP) != DELETE:
        raise NotDone(f"{name} stays")
    return await delete(thread, act, shown)


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
    return [f"{word} {name}" for name in sorted(path.stem for path in transcripts(thread.shelf.home))]


SESSIONS = (
    Command("/sessions", "/sessions […]", f"list the saved conversations, or change them: {_USAGE}", sessions, _ways),
)
