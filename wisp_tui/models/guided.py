"""Tools for a model that takes none but can be held to a schema: each reply is an action, a tool's or an answer.

The tools are told in the system message, a call is a JSON object, its result is a message of the user's side. To the
conversation the model is one that calls tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import takewhile

from wisp_tui.models.base import (
    Capability,
    Chunk,
    Finished,
    Message,
    Model,
    Options,
    Request,
    Resolved,
    Role,
    TextDelta,
    ToolCall,
    ToolDefinition,
)
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import Json, JsonObject, dump, load_object

REPLY = "reply"
"""The action that is an answer to the person."""
_GUIDE = (
    "You act by writing one JSON object. To use a tool: "
    '{"action": "NAME", "arguments": {…}}; its result then follows, and you act again. To answer the person: '
    '{"action": "reply", "reply": "…"}. The tools, with their arguments as JSON Schema:'
)
_OPENING = re.compile(r'\s*\{\s*"action"\s*:\s*"reply"\s*,\s*"reply"\s*:\s*"')
_STRING = re.compile(
    r'(?:[^"\\]|\\["\\/bfnrt]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}'
    r"|\\u(?![dD][89abAB])[0-9a-fA-F]{4})*"
)
_ACTION = re.compile(r'\s*\{\s*"action"\s*:\s*"([^"\\]{1,80})"')


def can_be_guided(resolved: Resolved) -> bool:
    """Whether a model takes no tools but can be held to a schema."""
    return Capability.SCHEMA in resolved.capabilities and Capability.TOOLS not in resolved.capabilities


@dataclass(slots=True)
class GuidedModel:
    """A model whose tool calls are guided replies."""

    inner: Model
    _calls: int = field(default=0)

    @property
    def id(self) -> ModelId:
        """The model's own name."""
        return self.inner.id

    async def resolve(self) -> Resolved:
        """What the model is, with tools and the way it has them."""
        return guided(await self.inner.resolve())

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        """Run a request whose reply is an action: yields the answer's text as it comes, or one call at its end."""
        if not request.tools or request.options.schema is not None:
            async with aclosing(self.inner.stream(_plain(request))) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        reading = _Reading(request.tools, request.named)
        async with aclosing(self.inner.stream(_asked(request))) as chunks:
            async for chunk in chunks:
                match chunk:
                    case TextDelta(text):
                        if fresh := reading.feed(text):
                            yield TextDelta(fresh)
                    case Finished():
                        self._calls += 1
                        if (last := reading.end(f"guided-{self._calls}")) is not None:
                            yield last
                        yield chunk
                    case _:
                        yield chunk

    async def count(self, request: Request) -> int | None:
        """Count what is really sent."""
        return await self.inner.count(_asked(request) if request.tools else _plain(request))

    async def close(self) -> None:
        """Let go of the model."""
        await self.inner.close()


def guided(resolved: Resolved) -> Resolved:
    """What a model is once it is guided."""
    return replace(resolved, capabilities=resolved.capabilities | {Capability.TOOLS, Capability.GUIDED})


# What is sent -------------------------------------------------------------------------------------------------------


def _asked(request: Request) -> Request:
    """Write a request with tools as one with a schema."""
    tools = "\n".join(
        f"{tool.name}: {tool.description} {dump(tool.parameters.get('properties', {})).decode()}"
        for tool in request.tools
    )
    guide = f"{_GUIDE}\n{tools}"
    messages = _plain(request).messages
    told = [*takewhile(lambda message: message.role is Role.SYSTEM, messages)]
    rest = messages[len(told) :]
    told[-1:] = [Message(Role.SYSTEM, "\n\n".join([*(message.content for message in told[-1:]), guide]))]
    options = request.options
    schema = _schema(request.tools, request.named)
    return Request((*told, *rest), (), Options(schema, options.max_tokens, options.greedy))


def _plain(request: Request) -> Request:
    """Write calls and their results as messages that any chat template takes."""
    return replace(request, messages=tuple(map(_told, request.messages)), tools=())


def _told(message: Message) -> Message:
    if message.role is Role.TOOL:
        return Message(Role.USER, f"[{message.tool_name or 'the tool'} gave:]\n{message.content}")
    if message.tool_calls:
        made = (f'{{"action": "{call.name}", "arguments": {call.arguments}}}' for call in message.tool_calls)
        return Message(Role.ASSISTANT, "\n".join([*([message.content] if message.content else []), *made]))
    return message


def _schema(tools: Sequence[ToolDefinition], named: Sequence[str]) -> JsonObject:
    """The schema of an action. The arguments of all tools are one object's, none required: every runtime reads that.

    A tool that is only named can be called too, by its name.
    """
    arguments: dict[str, Json] = {}
    for tool in tools:
        for name, schema in _properties(tool).items():
            known = arguments.get(name)
            arguments[name] = schema if known is None or known == schema else _either(known, schema)
    return {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": [REPLY, *(tool.name for tool in tools), *named]},
            "reply": {"type": "string"},
            "arguments": {"type": "object", "properties": arguments},
        },
        "required": ["action"],
    }


def _properties(tool: ToolDefinition) -> JsonObject:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, dict) else {}


def _either(one: Json, other: Json) -> Json:
    """Keep of two schemas of one name what both have: the type, where it is the same; a string else."""
    types = [schema.get("type") for schema in (one, other) if isinstance(schema, dict)]
    return {"type": types[0] if len(types) == 2 and types[0] == types[1] and types[0] != "array" else "string"}


# What comes back ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reading:
    """Reads one action as it is written."""

    tools: Sequence[ToolDefinition]
    named: Sequence[str] = ()
    _text: str = ""
    _at: int | None = None
    """How far an answer's text was given out; None while the action is not known to be one."""

    def feed(self, text: str) -> str:
        """Take a fragment; return what is new of the answer's own text."""
        self._text += text
        if self._at is None and (opened := _OPENING.match(self._text)) is not None:
            self._at = opened.end()
        found = _STRING.match(self._text, self._at) if self._at is not None else None
        if found is None:
            return ""
        self._at = found.end()
        return str(json.loads(f'"{found[0]}"', strict=False))

    def end(self, ident: str) -> TextDelta | ToolCall | None:
        """Read the whole: a call, an answer that was not given out yet, or nothing more."""
        if self._at is not None:
            return None
        try:
            action = load_object(self._text)
        except ValueError:
            return self._broken(ident)
        name, reply = action.get("action"), action.get("reply")
        tool = next((tool for tool in self.tools if tool.name == name), None)
        if tool is not None:
            return ToolCall(ident, tool.name, dump(_given(tool, action.get("arguments"))).decode())
        if isinstance(name, str) and name in self.named:
            return ToolCall(ident, name, "{}")
        return TextDelta(reply if isinstance(reply, str) else self._text)

    def _broken(self, ident: str) -> TextDelta | ToolCall | None:
        """Read what is no JSON object: a call that was cut off is told as one, anything else is an answer."""
        named = _ACTION.match(self._text)
        if named is not None and named[1] != REPLY:
            return ToolCall(ident, named[1], "{}", fault="it was cut off before its end")
        return TextDelta(self._text) if self._text.strip() else None


def _given(tool: ToolDefinition, arguments: Json) -> JsonObject:
    """Keep the arguments that are the tool's own; one it does not need, filled in with nothing, counts as left out."""
    required = tool.parameters.get("required")
    needed: Sequence[Json] = required if isinstance(required, list) else []
    own = _properties(tool)
    if not isinstance(arguments, dict):
        return {}
    return {
        name: value
        for name, value in arguments.items()
        if name in own and (name in needed or value not in ("", None, 0, []))
    }
