"""The commands about facts: /fact and /task. What they do, only the person may (spec "The person's controls")."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.facts import Scope, Statement, Topic, note
from wisp_tui.facts.kinds import TASK
from wisp_tui.session.commands.base import Answered, Command
from wisp_tui.session.elsewhere import keep_elsewhere
from wisp_tui.session.person import typed_act
from wisp_tui.session.stating import NotDone, delete_fact, move_fact, state_fact
from wisp_tui.session.thread import Thread

_OFF = Answered(("this conversation keeps no facts (facts.enabled is off)",), failed=True)
_SCOPES = {scope.value: scope for scope in Scope}
_USAGE = (
    "/fact SUBJECT [NAME] = VALUE · /fact delete ID · /fact ID permanent|thread|session · "
    "/fact CONVERSATION/ID permanent"
)


async def _fact(thread: Thread, argument: str) -> Answered:
    held = thread.conversation
    if held.facts is None:
        return _OFF
    if not argument:
        return Answered((_USAGE, "/inspect facts lists them"))
    act = typed_act("changes a fact")
    try:
        match argument.split():
            case ["delete", ident]:
                await delete_fact(held, act, ident)
                return Answered((f"{ident} is deleted; its history stays",))
            case [ident, scope] if scope in _SCOPES and Scope.of(ident) is not None:
                new = await move_fact(held, act, ident, _SCOPES[scope])
            case [named, Scope.PERMANENT.value] if "/" in named:
                return Answered((await keep_elsewhere(held, thread.shelf, act, named),))
            case _:
                new = await state_fact(held, act, argument)
    except NotDone as error:
        return Answered((str(error),), failed=True)
    return Answered((note(new) or "that is known already",))


async def _task(thread: Thread, argument: str) -> Answered:
    held = thread.conversation
    if held.facts is None:
        return _OFF
    topic = Topic(TASK, "")
    if not argument:
        task = held.facts.current(held).winner(topic)
        return Answered(
            (f"task: {task.value} — from {task.source.says}" if task else "no task is set; /task TEXT sets it",)
        )
    said = Statement(topic, argument, held.facts.kinds.kind(TASK).temporal)
    try:
        new = await state_fact(held, typed_act("sets the task"), said)
    except NotDone as error:
        return Answered((str(error),), failed=True)
    return Answered((note(new) or "that is known already",))


def _ways(thread: Thread, argument: str) -> Sequence[str]:
    keeper = thread.conversation.facts
    if keeper is None:
        return ()
    word, space, _ = argument.partition(" ")
    ids = [str(fact.id) for fact in keeper.book]
    if not space:
        return ["delete", *ids, *keeper.kinds.by_subject]
    if word == "delete":
        return [f"delete {ident}" for ident in ids]
    return [f"{word} {scope}" for scope in _SCOPES] if word in ids else ()


FACTS = (
    Command("/fact", "/fact …", f"state, delete or move a fact: {_USAGE}", _fact, _ways),
    Command("/task", "/task [TEXT]", "say what the task is, or set it", _task),
)
