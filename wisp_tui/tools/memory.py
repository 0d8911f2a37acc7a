"""The tool that gives the model back what its conversation holds and its context does not, for the turn only."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from wisp_tui.events import Kind
from wisp_tui.models import ModelError
from wisp_tui.outputs import Cost, NoSuchOutput
from wisp_tui.recall import (
    BadRequest,
    Condense,
    Index,
    Note,
    NothingThere,
    NotNoted,
    Past,
    Recall,
    Recalled,
    Task,
    condensed,
    document,
    output_document,
    read_request,
    recalled,
)
from wisp_tui.text.json import JsonObject
from wisp_tui.tools.base import Arguments, BadArguments, ToolContext, ToolOutput, ToolSpec
from wisp_tui.tools.keeping import bound

NAME = "memory"


@dataclass(frozen=True, slots=True)
class Memory:
    """``memory``, over the record, the facts and the stored outputs of the conversation whose own it is."""

    _index: Index = field(default_factory=Index, compare=False)

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
                return await _recall(asked, context, context.past, self._index)
            case Condense():
                return await _condense(asked, context, context.past)
            case Note() | Task():
                return _note(asked, context, context.past)


async def _recall(asked: Recall, context: ToolContext, past: Past, index: Index) -> ToolOutput:
    try:
        page, source = await asyncio.to_thread(_recalled, asked, past, index, context.budget.room)
    except (NothingThere, NoSuchOutput) as error:
        _record(context, "recall", _of(asked, {"found": False}))
        return _result(f"error: {error}", ok=False)
    details: JsonObject = {"found": True, "source": source, "lines": page.shown, "next": page.next}
    _record(context, "recall", _of(asked, details))
    return _result(page.text)


def _recalled(asked: Recall, past: Past, index: Index, room: Cost) -> tuple[Recalled, str]:
    found = document(asked, past, index)
    return recalled(found, asked, room), found.source


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
