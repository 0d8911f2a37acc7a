"""What the person does in the facts panel, as values; and how each is done, with what is then said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from wisp_tui.audit import AuditUnavailable
from wisp_tui.facts import Fact, PersonAct, Scope, Via, note
from wisp_tui.pending import CommandRequest, Decision, FactRequest, QuestionRequest, request_words
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.stating import NotDone, delete_fact, move_fact, state_fact
from wisp_tui.session.waiting import NotAnswered, Waiting


@dataclass(frozen=True, slots=True)
class StateFact:
    """State a fact, as ``/fact`` takes it."""

    text: str


@dataclass(frozen=True, slots=True)
class MoveFact:
    """Move a fact to a scope."""

    fact: Fact
    scope: Scope


@dataclass(frozen=True, slots=True)
class DeleteFact:
    """Delete a fact; its history stays."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class KeepRequest:
    """Keep the fact of a request, as it was shown."""

    request: FactRequest


@dataclass(frozen=True, slots=True)
class DropRequest:
    """Drop the request of a fact: it stays in its conversation."""

    request: FactRequest


@dataclass(frozen=True, slots=True)
class AnswerCommand:
    """Answer for a command, as it was shown."""

    request: CommandRequest
    decision: Decision


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """Answer a question, as it was shown; without a text it is declined."""

    request: QuestionRequest
    text: str | None


Settling: TypeAlias = KeepRequest | DropRequest | AnswerCommand | AnswerQuestion
"""What settles a request that waits."""
Deed: TypeAlias = StateFact | MoveFact | DeleteFact | Settling


async def do(deed: Deed, conversation: Conversation) -> str:
    """Do what the person asked by a key; return what is to be said. Raises NotDone with the reason."""
    act = PersonAct(Via.TUI)
    match deed:
        case StateFact(text=text):
            return note(await state_fact(conversation, act, text)) or "that is known already"
        case MoveFact(fact=fact, scope=scope):
            moved = await move_fact(conversation, act, fact.id, scope)
            ident = moved[0].id if moved else fact.id
            return f"{fact.id} {fact.topic.words} is {scope} now, as {ident}"
        case DeleteFact(fact=fact):
            await delete_fact(conversation, act, fact.id)
            return f"{fact.id} {fact.topic.words} is deleted; its history stays"
        case KeepRequest() | DropRequest() | AnswerCommand() | AnswerQuestion():
            try:
                return await _answer(deed, _waiting(conversation), act, conversation)
            except (NotAnswered, AuditUnavailable) as error:
                raise NotDone(str(error)) from error


async def _answer(deed: Settling, waiting: Waiting, act: PersonAct, conversation: Conversation) -> str:
    match deed:
        case KeepRequest(request=request):
            outcome = await waiting.keep(act, request, conversation)
        case DropRequest(request=request):
            outcome = await waiting.drop(act, request, conversation)
        case AnswerCommand(request=request, decision=decision):
            outcome = await waiting.answer(act, request, decision, conversation)
        case AnswerQuestion(request=request, text=text):
            outcome = await waiting.reply(act, request, text, conversation)
    return f"{request_words(request)} {outcome.words}"


def _waiting(conversation: Conversation) -> Waiting:
    if conversation.waiting is None:
        raise NotDone("nothing can wait here: the conversation has no home")
    return conversation.waiting
