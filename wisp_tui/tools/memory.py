"""The tool that gives the model back what its conversation holds and its context does not, for the turn only."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from wisp_tui.events import Kind
from wisp_tui.outputs import NoSuchOutput
from wisp_tui.recall import BadRequest, NothingThere, Recall, Recalled, document, read_request, recalled
from wisp_tui.text.json import JsonObject
from wisp_tui.tools.base import Arguments, BadArguments, ToolContext, ToolOutput, ToolSpec

NAME = "memory"


@dataclass(frozen=True, slots=True)
class Memory:
    """``memory``, over the record, the facts and the stored outputs of the conversation that calls it."""

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        return ToolSpec(
            name=NAME,
            description="Recall earlier material of this conversation, for this turn.",
            parameters={
                "type": "object",
                "properties": {
                    "request": {
                        "type": "string",
                        "description": (
                            "recall entry 7 | turn 3 | task | summary | fact SUBJECT | output ID; add: from line N, "
                            "lines A-B, head N, tail N, matching PATTERN"
                        ),
                    }
                },
                "required": ["request"],
            },
            reads_only=True,
            clause="recall earlier material of this conversation",
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Recall it. Raises BadArguments, AuditUnavailable."""
        try:
            asked = read_request(arguments.text("request"))
        except BadRequest as error:
            raise BadArguments(str(error)) from error
        try:
            page, source = await asyncio.to_thread(_recalled, asked, context)
        except (NothingThere, NoSuchOutput) as error:
            _record(context, asked, {"found": False})
            return _result(f"error: {error}", ok=False)
        _record(context, asked, {"found": True, "source": source, "lines": page.shown, "next": page.next})
        return _result(page.text)


def _recalled(asked: Recall, context: ToolContext) -> tuple[Recalled, str]:
    if context.past is None:
        raise NothingThere("this conversation has no memory")
    found = document(asked, context.past)
    return recalled(found, asked, context.budget.room), found.source


def _record(context: ToolContext, asked: Recall, details: JsonObject) -> None:
    event: JsonObject = {"action": "recall", "of": asked.address, "filter": asked.lines.words, **details}
    context.record(Kind.CONTEXT_MEMORY, event, turn=context.turn, call=context.call)


def _result(text: str, *, ok: bool = True) -> ToolOutput:
    return ToolOutput(text, ok=ok, lines=text.count("\n") + 1, bytes=len(text.encode()))
