"""Whether a model really does what its runtime says of it: one reply, one call, one schema, each within a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from wisp_tui.models.base import (
    Capability,
    Message,
    Model,
    ModelError,
    Options,
    Request,
    Resolved,
    Role,
    TextDelta,
    ToolCall,
    ToolDefinition,
)
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import JsonObject, load
from wisp_tui.text.sizes import shorten

SECONDS = 120.0
"""How long each trial may take, unless it is told otherwise. A model may have to be loaded first."""
MOST_TOKENS = 1024
"""Tokens a reply may take: a thinking model thinks first."""
_SHOWN = 80
_ADD = ToolDefinition(
    "add",
    "Add two whole numbers.",
    {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
)
_COLOUR: JsonObject = {
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
    "additionalProperties": False,
}


class Outcome(StrEnum):
    """How a trial ended."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"
    """The runtime says the model cannot do it, so it is never asked to."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was asked of a model: how that ended, in how many seconds, and what came or why nothing did."""

    name: str
    outcome: Outcome
    seconds: float
    said: str

    @property
    def fields(self) -> JsonObject:
        """The trial as it is recorded and written for programs."""
        seconds = round(self.seconds, 3)
        return {"name": self.name, "outcome": self.outcome.value, "seconds": seconds, "said": self.said}


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    calls: tuple[ToolCall, ...]


async def trials(
    model: Model,
    resolved: Resolved,
    seconds: float = SECONDS,
    elapsed: Callable[[], float] = time.monotonic,
    *,
    begins: Callable[[str], None] = lambda _: None,
) -> AsyncGenerator[Trial]:
    """Ask a model for a reply, a call and a schema; give each trial as it ends. Raises no fault of the model.

    ``begins`` is told the name of each as it begins.
    """
    can = resolved.capabilities
    plan = (
        ("reply", None, _request("Answer with the one word: hello"), _replied),
        ("tool call", Capability.TOOLS, _request("What is 17 and 25? Call the tool add.", tools=(_ADD,)), _called),
        ("schema", Capability.SCHEMA, _request("Name a colour.", schema=_COLOUR), _held),
    )
    for name, needed, request, judge in plan:
        if needed is not None and needed not in can:
            yield Trial(name, Outcome.SKIPPED, 0.0, "its runtime says it cannot")
            continue
        begins(name)
        began = elapsed()
        try:
            async with asyncio.timeout(seconds):
                fault, said = judge(await _asked(model, request))
        except TimeoutError:
            fault, said = True, f"nothing whole came in {seconds:g} s"
        except ModelError as error:
            fault, said = True, str(error)
        outcome = Outcome.FAILED if fault else Outcome.OK
        yield Trial(name, outcome, elapsed() - began, shorten(clean_line(said), _SHOWN * 2))


def _request(prompt: str, tools: tuple[ToolDefinition, ...] = (), schema: JsonObject | None = None) -> Request:
    options = Options(schema=schema, max_tokens=MOST_TOKENS, greedy=True)
    return Request((Message(Role.USER, prompt),), tools, options)


async def _asked(model: Model, request: Request) -> _Answer:
    text, calls = "", list[ToolCall]()
    async for chunk in model.stream(request):
        match chunk:
            case TextDelta(text=part):
                text += part
            case ToolCall():
                calls.append(chunk)
            case _:
                continue
    return _Answer(text.strip(), tuple(calls))


def _replied(answer: _Answer) -> tuple[bool, str]:
    return not answer.text, shorten(answer.text, _SHOWN) or "the reply was empty"


def _called(answer: _Answer) -> tuple[bool, str]:
    if not answer.calls:
        return True, f"it made no call, and said: {shorten(answer.text, _SHOWN)}"
    call = answer.calls[0]
    written = f"{call.name} {shorten(call.arguments, _SHOWN)}"
    if call.fault is not None:
        return True, f"{written}: {call.fault}"
    arguments = _object(call.arguments)
    right = call.name == _ADD.name and arguments is not None and {"a", "b"} <= arguments.keys()
    return not right, written if right else f"it called {written}"


def _held(answer: _Answer) -> tuple[bool, str]:
    value = _object(answer.text)
    right = value is not None and isinstance(value.get("colour"), str)
    shown = shorten(answer.text, _SHOWN) or "nothing"
    return not right, shown if right else f"the reply does not hold it: {shown}"


def _object(text: str) -> JsonObject | None:
    try:
        value = load(text)
    except ValueError:
        return None
    return value if isinstance(value, Mapping) else None
