"""The command about what waits for the person: /pending. What it answers, only the person may (spec "Facts")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from wisp_tui.audit import AuditUnavailable
from wisp_tui.pending import (
    CommandRequest,
    Decision,
    FactRequest,
    Outcome,
    QuestionRequest,
    Request,
    Snapshot,
    judged_by,
    request_words,
)
from wisp_tui.session.commands.base import Answered, Command, View
from wisp_tui.session.person import typed_act
from wisp_tui.session.thread import Thread
from wisp_tui.session.waiting import NotAnswered, Waiting
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import ago

_USAGE = "/pending keep|drop ID for a fact, once|no ID for a command, answer ID TEXT or no ID for a question"
_WORDS = ("keep", "drop", "once", "no", "answer")


async def _pending(thread: Thread, argument: str) -> Answered:
    waiting = thread.conversation.waiting
    if waiting is None:
        return Answered(("nothing can wait here: the conversation has no home",), failed=True)
    match argument.split(maxsplit=2):
        case []:
            snapshot = await waiting.look()
            return Answered(view=View("pending", _listed(snapshot, thread)))
        case [word, ident, *text] if word in _WORDS and bool(text) is (word == "answer"):
            try:
                request = waiting.request(ident)
                outcome = await _answered(thread, waiting, request, word, *text)
            except (NotAnswered, AuditUnavailable) as error:
                return Answered((str(error),), failed=True)
            return Answered((f"{request_words(request)} {outcome.words}",))
        case _:
            return Answered((f"answer how? {_USAGE}",), failed=True)


async def _answered(thread: Thread, waiting: Waiting, request: Request, word: str, text: str = "") -> Outcome:
    act, held = typed_act("answers what waits"), thread.conversation
    match request, word:
        case FactRequest(), "keep":
            return await waiting.keep(act, request, held)
        case FactRequest(), "drop":
            return await waiting.drop(act, request, held)
        case CommandRequest(), "once" | "no":
            return await waiting.answer(act, request, Decision(word), held)
        case QuestionRequest(), "answer" | "no":
            return await waiting.reply(act, request, text if word == "answer" else None, held)
        case _:
            raise NotAnswered(f"request {request.id} is not answered so: {_USAGE}")


def _listed(snapshot: Snapshot, thread: Thread) -> str:
    """Write what waits, and what of it cannot be read."""
    now = thread.conversation.clock.now()
    lines = [line for request in snapshot.waiting for line in _whole(request, now)]
    lines += [f"{fault.path} cannot be read: {fault.reason}" for fault in snapshot.unreadable]
    return "\n".join([*lines, _USAGE]) if lines else "nothing waits for you"


def _whole(request: Request, now: datetime) -> Iterator[str]:
    """Write a request, all that an answer is given to."""
    since = ago((now - request.asked).total_seconds())
    yield f"{request.id}  {request_words(request)}{_choices(request)}  — {clean_line(request.asker.words)}, {since}"
    if isinstance(request, CommandRequest):
        yield from (f"    {line}" for line in judged_by(request))


def _choices(request: Request) -> str:
    choices = request.choices if isinstance(request, QuestionRequest) else ()
    return "".join(f"  {number} {choice}" for number, choice in enumerate(choices, 1))


def _ways(thread: Thread, argument: str) -> Sequence[str]:
    waiting = thread.conversation.waiting
    word, space, _ = argument.partition(" ")
    if not space or waiting is None:
        return _WORDS
    kinds = _TAKEN_BY.get(word, ())
    return [f"{word} {request.id}" for request in waiting.snapshot.waiting if isinstance(request, kinds)]


_TAKEN_BY: Mapping[str, tuple[type[Request], ...]] = {
    "keep": (FactRequest,),
    "drop": (FactRequest,),
    "once": (CommandRequest,),
    "answer": (QuestionRequest,),
    "no": (CommandRequest, QuestionRequest),
}
"""What each word is an answer to."""

PENDING = (Command("/pending", "/pending …", f"list what waits for you, or answer it: {_USAGE}", _pending, _ways),)
