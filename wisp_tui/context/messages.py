"""The messages a composition's parts make, and the digest that proves them the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wisp_tui.context.parts import Layer, Part, PartKind
from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.models import Message, Role, ToolCall, ToolDefinition
from wisp_tui.text.ids import EntryId
from wisp_tui.text.json import Json, dump


def messages_of(parts: Iterable[Part], entries: Mapping[EntryId, Entry]) -> Iterator[Message]:
    """Turn parts into messages: the text before a tool call and its calls are one, and their results follow them.

    A result stands right after its call wherever the record has it, since runtimes take no other order; one whose call
    is not there, or that comes second to a call, is told as text.
    """
    parts = [part for part in parts if part.layer is not Layer.TOOLS]
    called = {entry.call.id for entry in entries.values() if entry.call is not None}
    results = dict[str, Part]()
    for part in parts:
        answers = _answers(part, entries)
        if answers is not None and answers in called:
            results.setdefault(answers, part)
    said = list[Part]()
    for part in parts:
        if part.kind in {EntryKind.REPLY, EntryKind.CALL}:
            if part.kind == EntryKind.REPLY and said:
                yield from _assistant(said, entries, results)
                said = []
            said.append(part)
        elif said:
            yield from _assistant(said, entries, results)
            said = []
        message = _other(part, entries, results)
        if message is not None:
            yield message
    if said:
        yield from _assistant(said, entries, results)


def _answers(part: Part, entries: Mapping[EntryId, Entry]) -> str | None:
    """Return the id of the call a part is the result of, None when it is no result."""
    entry = entries[part.entry] if part.entry is not None else None
    match part.kind:
        case PartKind.UNANSWERED if entry is not None and entry.call is not None:
            return entry.call.id
        case EntryKind.OUTPUT if entry is not None and entry.output is not None:
            return entry.output.call
        case _:
            return None


def _other(part: Part, entries: Mapping[EntryId, Entry], results: Mapping[str, Part]) -> Message | None:
    """Return a part's message, None for one that an assistant's message carries or is followed by."""
    match part.kind:
        case EntryKind.REPLY | EntryKind.CALL:
            return None
        case EntryKind.INSTRUCTIONS | PartKind.CATALOGUE:
            return Message(Role.SYSTEM, part.text)
        case EntryKind.OUTPUT | PartKind.UNANSWERED:
            answers = _answers(part, entries)
            if answers is not None and results.get(answers) is part:
                return None
            return Message(Role.USER, f"[a tool's result, whose call is not here]\n{part.text}")
        case _:
            return Message(Role.USER, part.text)


def _assistant(
    said: Sequence[Part], entries: Mapping[EntryId, Entry], results: Mapping[str, Part]
) -> Iterator[Message]:
    text = "".join(part.text for part in said if part.kind == EntryKind.REPLY)
    made = [(part, entries[part.entry].call) for part in said if part.entry is not None]
    calls = tuple(ToolCall(call.id, call.tool, part.text) for part, call in made if call is not None)
    yield Message(Role.ASSISTANT, text, calls)
    for call in calls:
        yield Message(Role.TOOL, results[call.id].text, answers=call.id, tool_name=call.name)


def definition(tool: ToolDefinition) -> str:
    """Write a tool's definition as it is counted and digested."""
    return dump({"name": tool.name, "description": tool.description, "parameters": tool.parameters}).decode()


def digest(messages: Iterable[Message], tools: Iterable[ToolDefinition]) -> str:
    """Digest exactly what is sent, SHA-256 in hexadecimal, so that a recomposed context can be proved the same."""
    sent: Json = [
        [
            [
                message.role.value,
                message.content,
                [[call.id, call.name, call.arguments] for call in message.tool_calls],
                message.answers,
            ]
            for message in messages
        ],
        [definition(tool) for tool in tools],
    ]
    return hashlib.sha256(dump(sent)).hexdigest()
