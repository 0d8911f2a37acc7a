"""The assessment per request as it happens: rules, at most one call, what a turn's requests then carry (spec).

A call that fails changes nothing but what is registered: every tool is, and the turn goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from wisp_tui.assessment import (
    Answer,
    AssessmentJob,
    Offered,
    Ranked,
    Ruling,
    Situation,
    Task,
    TaskSetter,
    Wording,
    assessed,
    catalogue,
    in_order,
    previous_tools,
    ranked,
    repeated,
    rule,
    standing,
    tools_since,
)
from wisp_tui.context.composer import Blocks, Composition
from wisp_tui.context.messages import definition
from wisp_tui.context.record import Entry
from wisp_tui.events import Kind
from wisp_tui.facts import INFERRED, Assertion, Fact, FactBook, FactId, SourceKind, Topic, Unusable, record
from wisp_tui.facts.kinds import TASK
from wisp_tui.facts.values import stored_value
from wisp_tui.models import Capability, ModelError, ToolDefinition
from wisp_tui.session.activity import ActivityBoard
from wisp_tui.session.conversation import BlockSource, Conversation
from wisp_tui.session.facts import moment
from wisp_tui.session.remembering import ask_apart
from wisp_tui.session.streaming import Reply
from wisp_tui.text.clean import clean
from wisp_tui.text.ids import EntryId
from wisp_tui.text.json import Json

_TASK = Topic(TASK, "")
_SETTERS = {SourceKind.PERSON: TaskSetter.PERSON, SourceKind.CALLER: TaskSetter.CALLER}


@dataclass(frozen=True, slots=True)
class _Choice:
    """What was chosen for one turn's requests: the tools registered, None for every one, and the facts repeated."""

    prompt: EntryId
    tools: tuple[str, ...] | None
    facts: tuple[FactId, ...] = ()


@dataclass(slots=True)
class Assessor:
    """Assesses one conversation's requests, one a turn, and says what they carry because of it.

    ``inner`` gives the blocks that its own lines are added to.
    """

    conversation: Conversation
    inner: BlockSource
    within: Callable[[float], asyncio.Timeout] = asyncio.timeout
    """Ends what runs in it after so many seconds."""
    _choice: _Choice | None = None
    _grown: frozenset[str] = frozenset()
    """What was registered since the task last changed, where the set grows within a task."""
    _grown_for: FactId | None = None

    async def assess(self, prompt: Entry, activity: ActivityBoard) -> None:
        """Decide what a turn's requests need, before the first of them. Raises AuditUnavailable."""
        held = self.conversation
        offered, keeps = self._offered, held.facts is not None
        if not offered and not keeps:
            return
        request, book = Wording(prompt.text), self._book()
        ruling = rule(self._situation(request, offered, book, prompt.id))
        facts, answer, seconds = ranked(book, request.text), None, 0.0
        if not ruling.settled:
            activity.doing("assessing the request")
            started = held.clock.elapsed()
            answer = await self._asked(request, offered, ruling, facts, prompt.id)
            seconds = round(held.clock.elapsed() - started, 3)
        said = answer if isinstance(answer, Answer) else None
        task = self._infer(said.task, prompt) if said is not None and said.task is not None else None
        self._choice = _Choice(
            prompt.id,
            None if isinstance(answer, Unusable) else self._within_task({*ruling.tools, *(said.tools if said else ())}),
            facts.relevant(said.facts if said is not None else ()),
        )
        self._audit(
            "rules" if ruling.settled else "model",
            {
                "intent": said.intent if said is not None else None,
                "task": task.value if task is not None else None,
                "facts": list(self._choice.facts),
                "toolsBy": ruling.tools_settled,
                "taskBy": ruling.task_settled,
                "seconds": seconds,
                "failure": answer.reason if isinstance(answer, Unusable) else None,
            },
        )

    def missed(self, composition: Composition, reply: Reply) -> tuple[str, ...]:
        """Return the allowed tools that a reply calls and its request did not register."""
        registered = {tool.name for tool in composition.tools}
        allowed = {tool.name for tool in self.conversation.offered} - registered
        return tuple(dict.fromkeys(call.name for call in reply.calls if call.name in allowed))

    def widen(self, missing: Sequence[str], reply: Reply) -> None:
        """Register every tool for the rest of the turn, after a reply that is given up. Raises AuditUnavailable.

        Nothing of that reply was run or is sent again; the audit keeps it.
        """
        held = self.conversation
        if self._choice is not None:
            self._choice = _Choice(self._choice.prompt, None, self._choice.facts)
        self._grown |= {tool.name for tool in held.offered}
        calls: list[Json] = [{"tool": call.name, "arguments": call.arguments} for call in reply.calls]
        self._audit("retry", {"missing": list(missing), "reply": reply.text, "calls": calls})
        held.note(f"asked again with every tool: the model called {', '.join(missing)}, not named by this request")

    def restart(self) -> None:
        """Forget what the tools grew to: a new conversation begins."""
        self._choice, self._grown, self._grown_for = None, frozenset(), None

    def registered(self) -> tuple[ToolDefinition, ...]:
        """Return the tools a request registers, in order.

        Between turns those that any next request has: what its own words and the model add is known when it is made. A
        request for which none is left has every one, since a runtime that is given none reads no calls.
        """
        held = self.conversation
        offered = held.offered
        if held.settings.assessment.tools == "all" or not offered:
            return offered
        names = self._names(tuple(tool.name for tool in offered))
        return tuple(tool for tool in offered if names is None or tool.name in names) or offered

    def blocks(self, conversation: Conversation, *, squeezed: bool) -> Blocks:
        """Return the blocks of the next request, with the catalogue and what this turn's assessment adds."""
        blocks, choice = self.inner(conversation, squeezed=squeezed), self._running
        some = conversation.settings.assessment.tools != "all"
        lines = repeated(self._book(), choice.facts) if choice is not None and not squeezed else ()
        tools = [tool.name for tool in self.registered()] if choice is not None and some else []
        return assessed(blocks, catalogue=catalogue(self._offered) if some else "", facts=lines, tools=tools)

    @property
    def _running(self) -> _Choice | None:
        """The choice for the turn that runs; None between turns, and before it was made."""
        choice, running = self._choice, self.conversation.running
        return choice if choice is not None and choice.prompt == running else None

    @property
    def _offered(self) -> tuple[Offered, ...]:
        tools = self.conversation.tools
        return tuple(Offered(tool.name, tools[tool.name].spec.clause) for tool in self.conversation.offered)

    def _names(self, offered: tuple[str, ...]) -> AbstractSet[str] | None:
        choice = self._running
        if choice is not None:
            return frozenset(choice.tools) if choice.tools is not None else None
        task = self._book().winner(_TASK)
        wanted = standing(offered, self._task_tools(task)) | self._grown_within(task)
        return frozenset(in_order(offered, wanted))

    def _within_task(self, chosen: AbstractSet[str]) -> tuple[str, ...]:
        """Return the tools to register: those chosen, or all since the task changed where the set grows within it."""
        names = tuple(tool.name for tool in self.conversation.offered)
        task = self._book().winner(_TASK)
        if self.conversation.settings.assessment.tools != "task":
            return in_order(names, chosen)
        self._grown = self._grown_within(task) | chosen
        self._grown_for = task.id if task is not None else None
        return in_order(names, self._grown)

    def _grown_within(self, task: Fact | None) -> frozenset[str]:
        """Return what the set grew to, nothing once the task is another."""
        return self._grown if self._grown_for == (task.id if task is not None else None) else frozenset[str]()

    def _situation(self, request: Wording, offered: Sequence[Offered], book: FactBook, prompt: EntryId) -> Situation:
        held, task = self.conversation, book.winner(_TASK)
        return Situation(
            request=request,
            offered=tuple(tool.name for tool in offered),
            task=_task_of(task),
            keeps_facts=held.facts is not None,
            task_tools=self._task_tools(task),
            previous=previous_tools(held.record, prompt),
            restated_only=held.settings.assessment.task_changes == "restated",
        )

    def _task_tools(self, task: Fact | None) -> frozenset[str]:
        return tools_since(self.conversation.record, task.recorded) if task is not None else frozenset()

    async def _asked(
        self, request: Wording, offered: Sequence[Offered], ruling: Ruling, facts: Ranked, prompt: EntryId
    ) -> Answer | Unusable:
        """Ask the model what the rules leave open, within the time limit."""
        held, limit = self.conversation, self.conversation.settings.assessment.timeout_seconds
        if held.resolved is None or Capability.SCHEMA not in held.resolved.capabilities:
            return Unusable("the model cannot be held to a schema")
        job = AssessmentJob(
            request=request.text,
            tools=offered,
            task=_task_of(self._book().winner(_TASK)),
            task_fixed=ruling.task_fixed,
            previous=previous_tools(held.record, prompt),
            facts=facts.offered,
            window=held.window,
        )
        try:
            async with self.within(limit):
                return job.read(await ask_apart(held, job.ask()))
        except TimeoutError:
            return Unusable(f"no answer within {limit} s")
        except ModelError as error:
            return Unusable(clean(str(error)))

    def _infer(self, said: str, prompt: Entry) -> Fact | None:
        """Record the task the model gives as its own word, unless someone else's stands; return what is new."""
        held, keeper = self.conversation, self.conversation.facts
        if keeper is None:
            return None
        stands = keeper.current(held).winner(_TASK)
        if stands is not None and stands.standing in _SETTERS:
            return None  # set while the model was asked
        turns = (held.turn, held.turn)
        inferred = Assertion(
            _TASK,
            stored_value(said),
            keeper.kinds.kind(TASK).temporal,
            INFERRED,
            entries=(prompt.id,),
            events=prompt.sources,
            turns=turns,
        )
        keeper.take(held, record(keeper.current(held), [inferred], moment(held)))
        now = keeper.book.winner(_TASK)
        return now if now is not stands else None

    def _book(self) -> FactBook:
        keeper = self.conversation.facts
        return keeper.present if keeper is not None else FactBook()

    def _audit(self, method: str, details: dict[str, Json]) -> None:
        held = self.conversation
        registered, offered = self.registered(), held.offered
        cost = sum(held.composer.estimate(definition(tool)) for tool in offered if tool not in registered)
        told: dict[str, Json] = {"method": method, "tools": [tool.name for tool in registered], "of": len(offered)}
        held.write(Kind.CONTEXT_ASSESSMENT, {**told, "saved": cost, **details}, turn=held.turn)


def _task_of(fact: Fact | None) -> Task | None:
    return Task(fact.value, _SETTERS.get(fact.standing, TaskSetter.MODEL)) if fact is not None else None
