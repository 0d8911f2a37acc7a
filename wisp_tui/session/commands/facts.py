"""The commands about facts: /fact and /task. What they do, only the person may (spec "The person's controls")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from wisp_tui.audit import AuditUnavailable
from wisp_tui.facts import (
    AlreadyThere,
    Changed,
    EmptyValue,
    FactBook,
    NotAStatement,
    NotCurrent,
    PersonAct,
    Scope,
    Statement,
    Topic,
    UnknownFact,
    UnknownSubject,
    Via,
    delete,
    move_by_person,
    new_facts,
    note,
    read_statement,
    state,
)
from wisp_tui.facts.kinds import TASK
from wisp_tui.keeping import StoreError
from wisp_tui.session.commands.base import Answered, Command
from wisp_tui.session.facts import FactKeeper, moment
from wisp_tui.session.thread import Thread

_OFF = Answered(("this conversation keeps no facts (facts.enabled is off)",), failed=True)
_SCOPES = {scope.value: scope for scope in Scope}
_USAGE = "/fact SUBJECT [NAME] = VALUE · /fact delete ID · /fact ID permanent|thread|session"


async def _fact(thread: Thread, argument: str) -> Answered:
    keeper = thread.conversation.facts
    if keeper is None:
        return _OFF
    if not argument:
        return Answered((_USAGE, "/inspect facts lists them"))
    act, at = PersonAct(Via.CHAT), moment(thread.conversation)
    answer = None
    try:
        match argument.split():
            case ["delete", ident]:
                edit = partial(delete, act, ident=ident, at=at)
                answer = Answered((f"{ident} is deleted; its history stays",))
            case [ident, scope] if scope in _SCOPES and Scope.of(ident) is not None:
                edit = partial(move_by_person, act, ident=ident, scope=_SCOPES[scope], at=at)
            case _:
                edit = partial(state, act, said=read_statement(argument, keeper.kinds, keeper.place), at=at)
        stated = await _stated(thread, act, edit)
    except (NotAStatement, UnknownSubject, UnknownFact, NotCurrent, AlreadyThere, EmptyValue, StoreError) as error:
        return Answered((str(error),), failed=True)
    except AuditUnavailable as error:
        return Answered((f"not done: {error}",), failed=True)
    return answer or stated


async def _task(thread: Thread, argument: str) -> Answered:
    keeper = thread.conversation.facts
    if keeper is None:
        return _OFF
    topic = Topic(TASK, "")
    if not argument:
        task = keeper.current(thread.conversation).winner(topic)
        return Answered(
            (f"task: {task.value} — from {task.source.says}" if task else "no task is set; /task TEXT sets it",)
        )
    act, at = PersonAct(Via.CHAT), moment(thread.conversation)
    said = Statement(topic, argument, keeper.kinds.kind(TASK).temporal)
    try:
        return await _stated(thread, act, lambda book: state(act, book, said, at))
    except (EmptyValue, StoreError) as error:
        return Answered((str(error),), failed=True)


async def _stated(thread: Thread, act: PersonAct, edit: Callable[[FactBook], Changed]) -> Answered:
    keeper = _keeper(thread)
    changed = await keeper.person(thread.conversation, act, edit)
    line = note(new_facts(changed.changes))
    return Answered((line or "that is known already",))


def _keeper(thread: Thread) -> FactKeeper:
    keeper = thread.conversation.facts
    if keeper is None:
        raise RuntimeError("the conversation keeps no facts")
    return keeper


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
