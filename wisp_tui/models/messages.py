"""How a request's messages are put in the order and the shape that chat templates demand. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wisp_tui.models.base import Message, Role

_BETWEEN = "\n\n"


def merged(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Put each tool result right after its call, then make one message of neighbours of one role.

    Results follow in the order of their calls. Tool results are never merged: each answers one call. Nothing is added
    and nothing is lost; a result without a call stays where it is.
    """
    return _joined(_paired(messages))


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
