"""How a request is written for ``/v1/chat/completions``, and what one event of its stream holds. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wisp_tui.models.base import (
    Chunk,
    EmptyReply,
    Finished,
    Message,
    PromptProgress,
    Request,
    TextDelta,
    ThinkingOut,
    ToolCall,
    ToolDefinition,
    Usage,
)
from wisp_tui.models.chat_faults import ServerFault, fault_of
from wisp_tui.models.fields import obj, objects, positive, text, whole
from wisp_tui.models.messages import merged
from wisp_tui.models.sse import Event
from wisp_tui.models.tool_calls import ToolCallAssembler, sendable
from wisp_tui.text.json import Json, JsonObject, load_object

_ROOM_ENDED = frozenset({"length", "max_tokens", "model_length"})
_CLOSING_MARK = "[DONE]"
_OK = 200


def chat_body(request: Request, name: str) -> dict[str, Json]:
    """Write what every form of a request carries: the model, its messages and its tools."""
    body: dict[str, Json] = {"model": name, "messages": [_message(message) for message in merged(request.messages)]}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    return body


def stream_body(request: Request, name: str, *, progress: bool) -> dict[str, Json]:
    """Write the body of a streamed request. ``progress`` asks for the prompt's progress: the server is llama.cpp."""
    body = chat_body(request, name)
    body |= {"stream": True, "stream_options": {"include_usage": True}}
    if progress:
        body["return_progress"] = True
    options = request.options
    if options.max_tokens is not None:
        body["max_tokens"] = options.max_tokens
    if options.greedy:
        body["temperature"] = 0
    if options.greedy and progress:
        body["repeat_penalty"] = 1.0  # what must be exact may repeat what it read; only llama.cpp knows the word
    if options.schema is not None:
        schema: JsonObject = {"name": "reply", "strict": True, "schema": options.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def _message(message: Message) -> JsonObject:
    written: dict[str, Json] = {"role": message.role.value, "content": message.content}
    if message.tool_calls:
        written["content"] = message.content or None
        written["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.answers is not None:
        written["tool_call_id"] = message.answers
    return written


def _call(call: ToolCall) -> JsonObject:
    name, arguments = sendable(call)
    return {"id": call.id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _tool(tool: ToolDefinition) -> JsonObject:
    function: JsonObject = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


class Stated(Exception):
    """An event of the stream is an error. Its words stay out of the message: they may repeat the key."""

    def __init__(self, fault: ServerFault) -> None:
        super().__init__("an event of the stream is an error")
        self.fault = fault


@dataclass(slots=True)
class ReplyReader:
    """Reads the events of one reply in turn, then says how it ended.

    Usage may come on any event, with or without choices, and more than once: what came last counts, field by field.
    """

    wrote: bool = False
    """Whether any text other than white space came."""
    thought: bool = False
    ended: bool = False
    """Whether the server said that the reply is over: by a reason, or by its closing mark."""
    closed: bool = False
    """Whether its closing mark came: nothing follows."""
    reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    calls: ToolCallAssembler = field(default_factory=ToolCallAssembler)
    odd: str = ""
    """The first event that was no JSON object, empty for none."""

    @property
    def begun(self) -> bool:
        """Whether any part of the reply came."""
        return self.wrote or self.thought or bool(self.calls)

    def hear(self, event: Event) -> Iterator[Chunk]:
        """Read one event of the stream; answer the chunks it holds. Raises Stated when it is an error."""
        if event.data.strip() == _CLOSING_MARK:
            self.ended = self.closed = True
            return
        for value in self._values(event.data):
            if event.name == "error" or _is_error(value):
                raise Stated(fault_of(value, _OK))
            yield from self._read(value)

    def _values(self, data: str) -> list[JsonObject]:
        """Read an event's data as one object, or, where a server forgot the blank lines, as one a line."""
        try:
            return [load_object(data)]
        except ValueError:
            lines = data.splitlines() if "\n" in data else []
        values: list[JsonObject] = []
        for line in lines or [data]:
            try:
                values.append(load_object(line))
            except ValueError:
                self.ended = self.ended or line.strip() == _CLOSING_MARK
                self.odd = self.odd or line
        return values

    def _read(self, event: JsonObject) -> Iterator[Chunk]:
        self.usage = _latest(self.usage, event)
        progress = obj(event.get("prompt_progress"))
        if progress:
            done, total = whole(progress.get("processed")), positive(progress.get("total"))
            if done is not None and total is not None:
                yield PromptProgress(min(done, total), total)
        for choice in objects(event.get("choices"))[:1]:
            yield from self._choice(choice)

    def finish(self) -> Iterator[Chunk]:
        """Answer the chunks that close the reply: its calls, its usage, how it ended.

        Raises EmptyReply, after the usage, when it held no text and no call.
        """
        cut_off = self.reason in _ROOM_ENDED or not self.ended
        yield from self.calls.finish(cut_off=cut_off)
        if self.usage != Usage():
            yield self.usage
        if not self.wrote and not self.calls:
            raise EmptyReply(thinking=self.thought)
        yield Finished(self.reason, cut_off)

    def _choice(self, choice: JsonObject) -> Iterator[Chunk]:
        delta = obj(choice.get("delta")) or obj(choice.get("message"))
        thinking = text(delta.get("reasoning_content")) or text(delta.get("reasoning"))
        if thinking:
            self.thought = True
            yield ThinkingOut(thinking)
        for chunk in _content(delta):
            match chunk:
                case TextDelta():
                    self.wrote = self.wrote or not chunk.text.isspace()
                case _:
                    self.thought = True
            yield chunk
        for fragment in objects(delta.get("tool_calls")):
            self.calls.add(fragment)
        reason = text(choice.get("finish_reason"))
        if reason:
            self.reason, self.ended = reason, True


def _is_error(value: JsonObject) -> bool:
    if value.get("error") is not None or value.get("object") == "error":
        return True
    return "choices" not in value and value.get("detail") is not None


def _content(delta: JsonObject) -> Iterator[TextDelta | ThinkingOut]:
    """Read a delta's content: text, a list of typed parts, or the words of a refusal."""
    match delta.get("content"):
        case str(words) if words:
            yield TextDelta(words)
        case list() as parts:
            for part in objects(parts):
                yield from _part(part)
        case _:
            pass
    refusal = text(delta.get("refusal"))
    if refusal:
        yield TextDelta(refusal)


def _part(part: JsonObject) -> Iterator[TextDelta | ThinkingOut]:
    words = text(part.get("text"))
    if words:
        yield TextDelta(words)
    for inner in objects(part.get("thinking")):
        thinking = text(inner.get("text"))
        if thinking:
            yield ThinkingOut(thinking)


def _latest(before: Usage, event: JsonObject) -> Usage:
    """Take what an event says of usage; where it says nothing, or nought for a prompt, what was known stays."""
    usage, timings = event.get("usage"), obj(event.get("timings"))
    if not isinstance(usage, Mapping) and not timings:
        return before
    said = obj(usage)
    cached = whole(obj(said.get("prompt_tokens_details")).get("cached_tokens"))
    reasoning = whole(obj(said.get("completion_tokens_details")).get("reasoning_tokens"))
    return Usage(
        input=_known(positive(said.get("prompt_tokens")), _prompt(timings), before.input),
        output=_known(whole(said.get("completion_tokens")), whole(timings.get("predicted_n")), before.output),
        cached=_known(cached, whole(timings.get("cache_n")), before.cached),
        reasoning=_known(reasoning, before.reasoning),
    )


def _prompt(timings: JsonObject) -> int | None:
    """Add up a prompt's tokens from llama.cpp's timings: those it read, and those it had."""
    read = whole(timings.get("prompt_n"))
    return None if read is None else read + (whole(timings.get("cache_n")) or 0) or None


def _known(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)
