"""A model that plays a script: ``replay:PATH``, for tests, pictures and reproducing a report. It always says it is one.

The script is JSON Lines, read whole when the model is resolved; blank lines and lines that start with ``#`` are
skipped. A first line with ``"replay": 1`` is a header (``Header`` lists its fields); every other line is a turn
(``Turn`` lists its fields), which answers one request. Which turn answers is settled in this order:

1. A request that carries a schema is answered by turns with ``"when": "schema"`` or ``schema_reply``, any other request
   by the other turns. The two never mix: a distillation does not use up a turn of the conversation.
2. Of these, a turn with ``match`` answers when that regular expression is found in the request's last user message. It
   can be used again and again, and does not advance the sequence.
3. Else the next turn without ``match``.

A turn with ``"repeat": true`` is never used up: it answers all that follow. Past the end of its sequence a request
fails with ``the replay has no turn N``. docs/replay.md shows a script of each kind.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

from wisp_tui.models.base import (
    Capability,
    Chunk,
    EmptyReply,
    Finished,
    ModelError,
    ModelUnavailable,
    PromptProgress,
    Request,
    Resolved,
    Role,
    TextDelta,
    ThinkingOut,
    Usage,
)
from wisp_tui.models.replay_script import Header, Script, Turn, fragments, read_script
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import dump

_BYTES_A_TOKEN = 4


class ReplayModel:
    """Plays one script. It is read at the first use, and again only by a new model."""

    def __init__(self, model: ModelId) -> None:
        self._id = model
        self._path = Path(model.partition(":")[2]).expanduser()
        self._script: Script | None = None
        self._used = {True: 0, False: 0}  # turns used up, of those that answer schemas and of the others

    @property
    def id(self) -> ModelId:
        """``replay:PATH``."""
        return self._id

    async def resolve(self) -> Resolved:
        """Read the script. Raises ModelUnavailable, naming the line and the reason when it cannot be used."""
        script = self._read()
        header = script.header
        if header.unavailable is not None:
            raise ModelUnavailable(header.unavailable.reason, header.unavailable.remedy)
        return Resolved(
            self._id,
            script.window,
            "as the replay says" if script.window is not None else "the replay does not say",
            _capabilities(script),
            _remark(header, self._path),
        )

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        """Play the turn that answers the request; see ``Model.stream``."""
        script = self._read()
        turn = self._next(script, request)
        pause = script.header.pause if turn.pause is None else turn.pause
        for chunk in _spoken(turn, script.header, request):
            if pause:
                await asyncio.sleep(pause)
            yield chunk
        if turn.hang:
            await asyncio.Event().wait()
        if (failure := turn.failure(self._id)) is not None:
            raise failure
        if (usage := _usage(turn, script.header, request)) is not None:
            yield usage
        if not turn.says_something:
            raise EmptyReply(thinking=bool(turn.thinking))
        yield Finished(turn.reason, cut_off=turn.cut_off)

    async def count(self, request: Request) -> int | None:
        """Count four bytes a token when the script says that it counts; None otherwise."""
        return estimate(request) if Capability.COUNTS in _capabilities(self._read()) else None

    async def close(self) -> None:
        """Do nothing: a replay holds nothing open."""

    def _read(self) -> Script:
        if self._script is None:
            self._script = read_script(self._path)
        return self._script

    def _next(self, script: Script, request: Request) -> Turn:
        has_schema = request.options.schema is not None
        asked = next((message.content for message in reversed(request.messages) if message.role is Role.USER), "")
        sequence: list[Turn] = []
        for turn in script.turns:
            if turn.answers_schemas is not has_schema:
                continue
            if turn.match is None:
                sequence.append(turn)
            elif re.search(turn.match, asked):
                return turn
        place = self._used[has_schema]
        if place >= len(sequence):
            kind = " for a request with a schema" if has_schema else ""
            raise ModelError(f"the replay has no turn {place + 1}{kind}: {self._path} has {len(sequence)}")
        self._used[has_schema] = place if sequence[place].repeat else place + 1
        return sequence[place]


def estimate(request: Request) -> int:
    """Count a request's tokens at four bytes each: messages, calls, tools and schema."""
    text = sum(
        len(message.content.encode("utf-8", "replace")) + sum(len(call.arguments) for call in message.tool_calls)
        for message in request.messages
    )
    tools = sum(len(tool.name) + len(tool.description) + len(dump(tool.parameters)) for tool in request.tools)
    schema = 0 if request.options.schema is None else len(dump(request.options.schema))
    return max(1, (text + tools + schema) // _BYTES_A_TOKEN)


def _spoken(turn: Turn, header: Header, request: Request) -> Iterator[Chunk]:
    for done in turn.progress:
        yield PromptProgress(done, turn.progress[-1])
    chunks = header.chunks if turn.chunks is None else turn.chunks
    yield from (ThinkingOut(piece) for piece in fragments(turn.thinking, chunks))
    yield from (TextDelta(piece) for piece in fragments(turn.text, chunks))
    taken = {call.id for message in request.messages for call in message.tool_calls}
    free = (made for number in range(1, len(taken) + len(turn.calls) + 1) if (made := f"call-{number}") not in taken)
    for call in turn.calls:
        yield call.made(next(free), cut_off=turn.cut_off)


def _usage(turn: Turn, header: Header, request: Request) -> Usage | None:
    match turn.usage or header.usage:
        case None:
            return None
        case "estimate":
            output = len((turn.thinking + turn.text).encode()) + sum(len(call.text) for call in turn.calls)
            return Usage(input=estimate(request), output=max(1, output // _BYTES_A_TOKEN))
        case reported:
            return Usage(reported.input, reported.output, reported.cached, reported.reasoning)


def _capabilities(script: Script) -> frozenset[Capability]:
    """Take what the header says; a script without a word on it takes tools, and schemas where it has turns for them."""
    if script.header.capabilities is not None:
        return frozenset(script.header.capabilities)
    answers_schemas = any(turn.answers_schemas for turn in script.turns)
    return frozenset({Capability.TOOLS, *({Capability.SCHEMA} if answers_schemas else ())})


def _remark(header: Header, path: Path) -> str:
    name = f"{header.name}: " if header.name else ""
    return f"{name}this is a replay of {path}, not a model"
