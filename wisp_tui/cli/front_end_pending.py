"""What waits in ``pending/`` as a front end of ``wisp chat --json`` is shown it (spec/CHAT-JSON.md, "hello").

Only what its hello carries: ``approve-mcp`` the commands and questions of conversations without a face of their own,
``keep-facts`` the facts that callers ask to keep. Its answer is taken as the person's, who is behind it; inside a
model's command nobody is, and nothing goes out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from wisp_tui.audit import AuditUnavailable
from wisp_tui.cli.json_events import choice
from wisp_tui.facts import PersonAct
from wisp_tui.facts.words import brief
from wisp_tui.pending import CommandRequest, Decision, FactRequest, Outcome, QuestionRequest, Request, request_words
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.person import NotThePerson, typed_act
from wisp_tui.session.waiting import NotAnswered, Waiting
from wisp_tui.text.json import JsonObject

APPROVE, KEEP = "approve-mcp", "keep-facts"
_DOING = "answers what waits"


@dataclass(slots=True)
class FrontEndPending:
    """Says what waits and what no longer does, and answers it. ``say`` writes an object, ``tell`` a note."""

    waiting: Waiting
    conversation: Conversation
    say: Callable[[JsonObject], None]
    tell: Callable[[str], None]
    _kinds: tuple[type[Request], ...] = ()
    _shown: dict[str, Request] = field(default_factory=dict[str, Request])

    async def carry(self, effects: frozenset[str]) -> None:
        """Show from now on what the front end carries; what it no longer carries is withdrawn."""
        kinds: list[type[Request]] = [CommandRequest, QuestionRequest] if APPROVE in effects else []
        kinds += [FactRequest] if KEEP in effects else []
        if kinds:
            try:
                typed_act(_DOING)
            except NotThePerson as error:
                kinds.clear()
                self.tell(str(error))
        self._kinds = tuple(kinds)
        if kinds:
            self.waiting.watch()
            await self.waiting.look()
        self.changed()

    def changed(self) -> None:
        """Write what waits now and was not shown, and what was shown and waits no longer."""
        waits = {each.id: each for each in self.waiting.snapshot.waiting if isinstance(each, self._kinds)}
        for ident in [ident for ident, request in self._shown.items() if waits.get(ident) != request]:
            del self._shown[ident]
            self.say({"type": "withdrawn", "id": ident})
        for ident, request in waits.items():
            if ident not in self._shown:
                self._shown[ident] = request
                self.say(approval(request))

    def shows(self, ident: str) -> bool:
        """Say whether the front end was shown a request, and has not been told that it is gone."""
        return ident in self._shown

    async def answer(self, ident: str, decision: str) -> None:
        """Answer for a request as it was shown; why it is not answered is a note."""
        request, waiting, held = self._shown[ident], self.waiting, self.conversation
        offered = answers(request)
        if decision not in offered:
            self.tell(f"{decision!r} is no answer to this; {', '.join(offered) or 'a choose line'} may be")
            return
        match request:
            case FactRequest() if decision == Decision.KEEP:
                await self._do(request, lambda act: waiting.keep(act, request, held))
            case FactRequest():
                await self._do(request, lambda act: waiting.drop(act, request, held))
            case CommandRequest():
                await self._do(request, lambda act: waiting.answer(act, request, Decision(decision), held))
            case QuestionRequest():
                return

    async def choose(self, ident: str, value: str | None) -> None:
        """Answer a question as it was shown; nothing, where no value is given."""
        request, waiting, held = self._shown[ident], self.waiting, self.conversation
        if isinstance(request, QuestionRequest) and value is not None:
            await self._do(request, lambda act: waiting.reply(act, request, value, held))

    async def _do(self, request: Request, answer: Callable[[PersonAct], Awaitable[Outcome]]) -> None:
        try:
            outcome = await answer(typed_act(_DOING))
            self.tell(f"{request_words(request)} {outcome.words}")
        except (NotAnswered, NotThePerson, AuditUnavailable) as error:
            self.tell(str(error))
        self.changed()


def answers(request: Request) -> tuple[str, ...]:
    """List the decisions that a request takes."""
    match request:
        case FactRequest():
            return ("keep", "drop")
        case CommandRequest():
            return ("once", "no")
        case QuestionRequest():
            return ()


def approval(request: Request) -> JsonObject:
    """Write a request as the ``approval`` or ``choice`` that goes out: who asks, and exactly what is judged."""
    asker = request.asker
    asked: JsonObject = {
        "source": "mcp" if asker.client is not None else "wisp",
        "thread": asker.thread,
        "client": asker.client,
        "request": request.id,
    }
    if not isinstance(request, QuestionRequest):
        asked = {**asked, "answers": list(answers(request))}
    match request:
        case FactRequest(fact=fact):
            return {"type": "approval", "id": request.id, "kind": "fact", "fact": brief(fact), **asked}
        case CommandRequest():
            return {
                "type": "approval",
                "id": request.id,
                "command": request.command,
                "line": request.line,
                "pattern": request.pattern,
                "directory": request.directory,
                "level": request.level,
                "reasons": list(request.reasons),
                **asked,
            }
        case QuestionRequest():
            return {**choice(request.id, request.question, request.choices), **asked}
