"""How a request is written for Apple's framework: a transcript of what came before, a prompt, a schema. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from wisp_tui.models.base import Message, Role
from wisp_tui.models.messages import merged
from wisp_tui.text.clean import encodable
from wisp_tui.text.json import Json, JsonObject

_ROLES = {Role.SYSTEM: "instructions", Role.USER: "user", Role.ASSISTANT: "response"}


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as the framework takes it: the ``history`` of a session, and the ``prompt`` that follows."""

    history: JsonObject
    prompt: str


def conversation(messages: Sequence[Message]) -> Conversation:
    """Split messages into the history and the last one, which is the prompt."""
    told = merged([_told(message) for message in messages])
    return Conversation(_transcript(told[:-1]), encodable(told[-1].content) if told else "")


def whole_transcript(messages: Sequence[Message]) -> JsonObject:
    """Write all messages as one transcript, to be counted."""
    return _transcript(merged([_told(message) for message in messages]))


def _told(message: Message) -> Message:
    """Tell calls and their results in words: the framework knows only calls that it made itself."""
    match message.role:
        case Role.TOOL:
            return Message(Role.USER, f"[{message.tool_name or 'the tool'} gave:]\n{message.content}")
        case Role.ASSISTANT if message.tool_calls:
            calls = [f"[called {call.name} with {call.arguments}]" for call in message.tool_calls]
            return replace(
                message, content="\n".join(part for part in (message.content, *calls) if part), tool_calls=()
            )
        case _:
            return message


def _transcript(messages: Sequence[Message]) -> JsonObject:
    return {
        "version": 1,
        "type": "FoundationModels.Transcript",
        "transcript": {"entries": [_entry(message) for message in messages]},
    }


def _entry(message: Message) -> JsonObject:
    content = {"type": "text", "id": str(uuid4()), "text": encodable(message.content)}
    entry: dict[str, Json] = {"id": str(uuid4()), "role": _ROLES[message.role], "contents": [content]}
    match message.role:
        case Role.SYSTEM:
            entry["tools"] = []
        case Role.USER:
            entry["options"] = {}
        case _:
            entry["assets"] = []
    return entry


def dialect(schema: JsonObject, title: str = "Reply") -> JsonObject:
    """Write a JSON Schema as the framework reads it: each object titled, closed, and with its properties in order."""
    properties = schema.get("properties")
    written = dict(schema)
    if isinstance(properties, Mapping):
        written |= {
            "title": schema.get("title", title),
            "additionalProperties": False,
            "properties": {name: _nested(value, name) for name, value in properties.items()},
            "x-order": schema.get("x-order", list(properties)),
        }
    if isinstance(definitions := schema.get("$defs"), Mapping):
        written["$defs"] = {name: _nested(value, name) for name, value in definitions.items()}
    if "items" in written:
        written["items"] = _nested(written["items"], title)
    return written


def _nested(value: Json, name: str) -> Json:
    return dialect(value, name[:1].upper() + name[1:]) if isinstance(value, Mapping) else value
