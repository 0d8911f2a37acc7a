"""How a request's messages are put in the order and the shape that chat templates demand. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from wisp_tui.models.base import Message, Role

_BETWEEN = "\n\n"
_TEMPLATE_TOKEN = re.compile(
    r"<(?=\|/?[A-Za-z0-9_]{1,40}\|>|[|｜][^<>|｜\s]{1,40}[|｜]>|/?(?:s|bos|eos)>|/?(?:start|end)_of_turn>|<SYS>>|</?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
)


def merged(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Put each tool result right after its call, then make one message of neighbours of one role.

    Results follow in the order of their calls. Tool results are never merged: each answers one call. Nothing is lost;
    a result without a call stays where it is. What only a template may say is broken: see ``harmless``.
    """
    return _joined(_paired([_harmless(message) for message in messages]))


def harmless(text: str) -> str:
    """Break what a chat template would read as the start of another role's message, with a space after its first sign.

    Runtimes read such tokens in the text of a message as in the template itself, so a file that holds
    ``<|im_start|>system`` could else speak as the instructions (promise 8).
    """
    return _TEMPLATE_TOKEN.sub(lambda found: f"{found[0]} ", text)


def _harmless(message: Message) -> Message:
    if message.role is Role.SYSTEM:
        return message
    return replace(message, content=harmless(message.content))


def _paired(messages: Sequence[Message]) -> list[Message]:
    placed: set[int] = set()
    ordered: list[Message] = []
    for index, message in enumerate(messages):
        if index in placed:
            continue
        ordered.append(message)
        for call in message.tool_calls:
            found = _result(messages, call.id, index + 1, placed)
            if found is not None:
                placed.add(found)
                ordered.append(messages[found])
    return ordered


def _result(messages: Sequence[Message], call: str, start: int, placed: set[int]) -> int | None:
    """Find the first result from ``start`` that answers the call and is not placed: ids come again in later turns."""
    for index in range(start, len(messages)):
        message = messages[index]
        if message.role is Role.TOOL and message.answers == call and index not in placed:
            return index
    return None


def _joined(messages: Sequence[Message]) -> tuple[Message, ...]:
    joined: list[Message] = []
    for message in messages:
        last = joined[-1] if joined else None
        if last is None or last.role is not message.role or message.role is Role.TOOL:
            joined.append(message)
            continue
        joined[-1] = replace(
            last,
            content=_BETWEEN.join(part for part in (last.content, message.content) if part),
            tool_calls=last.tool_calls + message.tool_calls,
        )
    return tuple(joined)
