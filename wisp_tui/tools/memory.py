"""The tool that gives the model back what its conversation holds and its context does not, for the turn only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from wisp_tui.events import Kind
from wisp_tui.models import ModelError
from wisp_tui.outputs import NoSuchOutput
from wisp_tui.recall import (
    BadRequest,
    Condense,
    Document,
    Index,
    Note,
    NothingThere,
    NotNoted,
    Past,
    Recall,
    Summary,
    Task,
    Told,
    condensed,
    document,
    output_document,
    read_request,
    recalled,
    told,
)
from wisp_tui.text.json import JsonObject
from wisp_tui.tools.base import Arguments, BadArguments, ToolContext, ToolOutput, ToolSpec
from wisp_tui.tools.keeping import bound

NAME = "memory"
SECONDS = 120
"""Seconds the model may read for a summary; what it has said until then is given."""


@dataclass(frozen=True, slots=True)
class Memory:
    """``memory``, over the record, the facts and the stored outputs of the conversation whose own it is."""

    within: Callable[[], asyncio.Timeout] = field(default=lambda: asyncio.timeout(SECONDS), compare=False)
    """Ends the model's reading for a summary."""
    index: Index = field(default_factory=Index, compare=False)
    """What ``recall matching`` searches."""
    _told: dict[str, Told] = field(default_factory=dict[str, Told], compare=False)
    """The summaries that the model made of stored outputs, which do not change: each is made once."""

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        return ToolSpec(
            name=NAME,
            description="Recall earlier material of this conversation, note a fact, or set the task.",
            parameters={
                "type": "object",
                "properties": {
                    "request": {
                        "type": "string",
                        "description": (
                            "recall entry 7 | turn 3 | task | summary | fact SUBJECT | output ID; add: from line N, "
                            "lines A-B, head N, tail N, matching PATTERN. Or: recall matching WORDS, in everything; "
                            "summarise output ID; condense output ID: QUESTION; note SUBJECT NAME = VALUE; task TEXT"
                        ),
                    }
                },
                "required": ["request"],
            },
            reads_only=False,
            clause="recall earlier material of this conversation, note a fact, or set the task",
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Recall or note it. Raises BadArguments, AuditUnavailable."""
        try:
            asked = read_request(arguments.text("request"))
        except BadRequest as error:
            raise BadArguments(str(error)) from error
        if context.past is None:
            return _result("error: this conversation has no memory", ok=False)
        match asked:
            case Recall():
                return await self._recall(asked, context, context.past)
            case Condense():
                return await _condense(asked, context, context.past)
            case Note() | Task():
                return _note(asked, context, context.past)

    async def _recall(self, asked: Recall, context: ToolContext, past: Past) -> ToolOutput:
        try:
            found = await asyncio.to_thread(document, asked, past, self.index)
            made: JsonObject = {}
            if isinstance(found, Summary):
                found, made = await self._summary(asked, found, context)
            page = await asyncio.to_thread(recalled, found, asked, context.budget.room)
        except (NothingThere, NoSuchOutput) as error:
            _record(context, "recall", _of(asked, {"found": False}))
            return _result(f"error: {error}", ok=False)
        details: JsonObject = {"found": True, "source": found.source, "lines": page.shown, "next": page.next, **made}
        _record(context, "recall", _of(asked, details))
        return _result(page.text)

    async def _summary(self, asked: Recall, found: Summary, context: ToolContext) -> tuple[Document, JsonObject]:
        """Give a summary, by the model where no exact reader knows the output; and what the audit says of that."""
        if not found.unknown or context.ask is None:
            return found.document(), {}
        made = self._told.get(asked.which)
        if made is None:
            made = await told(found, context.budget.room, context.budget.window, context.ask, self.within)
        if made.failure is None:
            self._told[asked.which] = made
        by_model = {"parts": made.parts, "points": made.points, "leftOut": made.left_out, "failure": made.failure}
        return made.document, {"byModel": by_model}


async def _condense(asked: Condense, context: ToolContext, past: Past) -> ToolOutput:
    """Have the model answer from all of an output."""
    if context.ask is None:
        return _result("error: there is no model to read it with", ok=False)
    try:
        output = output_document(asked.output, past)
        answer = await condensed(output, asked.question, asked.first, context.budget.room, context.ask)
    except (NothingThere, NoSuchOutput, ModelError) as error:
        _record(context, "condense", {"of": asked.address, "question": asked.question, "found": False})
        return _result(f"error: {error}", ok=False)
    _record(context, "condense", {"of": asked.address, "question": asked.question, "found": True})
    return bound("\n".join([answer.heading, *(line.text for line in answer.lines(1))]), context)


def _note(asked: Note | Task, context: ToolContext, past: Past) -> ToolOutput:
    """Take a note, which is recorded when the turn ends."""
    if past.book is None or past.notebook is None:
        return _result("error: not noted: this conversation keeps no facts", ok=False)
    take, action = (past.notebook.note, "note") if isinstance(asked, Note) else (past.notebook.task, "task")
    try:
        noted = take(asked.said, past.book, context.turn)
    except NotNoted as error:
        _record(context, action, {"noted": False, "why": str(error)})
        return _result(f"error: not noted: {error}", ok=False)
    _record(context, action, {"noted": True, "topic": noted.topic.words, "value": noted.value})
    return _result(f"noted, and kept when this turn ends: {noted.topic.words} = {noted.value}")


def _of(asked: Recall, details: JsonObject) -> JsonObject:
    return {"of": asked.address, "filter": asked.lines.words, **details}


def _record(context: ToolContext, action: str, details: JsonObject) -> None:
    context.record(Kind.CONTEXT_MEMORY, {"action": action, **details}, turn=context.turn, call=context.call)


def _result(text: str, *, ok: bool = True) -> ToolOutput:
    return ToolOutput(text, ok=ok, lines=text.count("\n") + 1, bytes=len(text.encode()))
