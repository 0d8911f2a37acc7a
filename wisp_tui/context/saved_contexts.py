"""A context as it is saved: Markdown to read, JSON to build a session from (spec, "On the on-device model")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wisp_tui.context.composer import Composition
from wisp_tui.context.parts import Part
from wisp_tui.context.view import shared_out
from wisp_tui.models import Message
from wisp_tui.text.json import Json, JsonObject, dump

VERSION = 1
_TICKS = re.compile("`+")


def context_markdown(composition: Composition, title: str, tokens: int) -> str:
    """Write a context to be read: each part under its layer, whole as it is sent, in a fence it cannot break.

    ``tokens`` is its size as estimated for its model, which its parts share.
    """
    lines = [
        f"# {title}",
        "",
        f"{tokens:,} tokens by estimate, {composition.bytes:,} bytes, SHA-256 {composition.sha256}",
    ]
    layer = None
    for part, size in _sized(composition, tokens):
        if part.layer is not layer:
            layer = part.layer
            lines += ["", f"## {layer.value}"]
        fence = _fence(part.text)
        lines += ["", f"### {_heading(part, size)}", "", fence, part.text, fence]
    return "\n".join([*lines, ""])


def context_json(composition: Composition, about: JsonObject, tokens: int) -> bytes:
    """Write a context as the messages and tools it makes, and its parts. ``about`` says whose it is and when.

    ``tokens`` is its size as estimated for its model, which its parts share.
    """
    tools: list[Json] = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in composition.tools
    ]
    return dump(
        {
            "version": VERSION,
            **about,
            "sha256": composition.sha256,
            "tokens": tokens,
            "bytes": composition.bytes,
            "messages": [_message(message) for message in composition.messages],
            "tools": tools,
            "parts": [_part(part, size) for part, size in _sized(composition, tokens)],
        }
    )


def _sized(composition: Composition, tokens: int) -> Iterator[tuple[Part, int]]:
    sizes = shared_out(tokens, [part.tokens for part in composition.parts])
    return zip(composition.parts, sizes, strict=True)


def _heading(part: Part, tokens: int) -> str:
    entry = f"entry {part.entry}: " if part.entry is not None else ""
    state = "" if part.why is None else f", {part.form.value} ({part.why})"
    return f"{entry}{part.kind}, {tokens:,} tokens{state}"


def _fence(text: str) -> str:
    return "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(text))])


def _message(message: Message) -> JsonObject:
    fields: dict[str, Json] = {"role": message.role.value, "content": message.content}
    if message.tool_calls:
        fields["toolCalls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls
        ]
    if message.answers is not None:
        fields |= {"answers": message.answers, "toolName": message.tool_name}
    return fields


def _part(part: Part, tokens: int) -> JsonObject:
    return {
        "layer": part.layer.value,
        "form": part.form.value,
        "kind": part.kind,
        "entry": part.entry,
        "tokens": tokens,
        "bytes": part.bytes,
        "why": part.why,
    }
