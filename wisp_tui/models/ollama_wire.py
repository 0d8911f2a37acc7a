"""How a request is written for Ollama's ``/api/chat``, and what one line of its reply holds. Pure."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field

from wisp_tui.config.settings import OllamaSettings
from wisp_tui.models.base import (
    Chunk,
    EmptyReply,
    Finished,
    Message,
    Request,
    Role,
    TextDelta,
    ThinkingOut,
    ToolCall,
    ToolDefinition,
    Usage,
)
from wisp_tui.models.fields import obj, objects, positive, text
from wisp_tui.models.tool_calls import CUT_OFF, NAMELESS, NOT_AN_OBJECT
from wisp_tui.text.json import Json, JsonObject, dump, load_object


def chat_body(request: Request, name: str, window: int, settings: OllamaSettings, *, thinks: bool) -> JsonObject:
    """Write the body of a request. The window is always sent: without it the server takes a small one of its own."""
    options: dict[str, Json] = {"num_ctx": window}
    if request.options.max_tokens is not None:
        options["num_predict"] = request.options.max_tokens
    if request.options.greedy:
        options["temperature"] = 0
    body: dict[str, Json] = {
        "model": name,
        "messages": [_message(message) for message in request.messages],
        "stream": True,
        "options": options,
    }
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.options.schema is not None:
        body["format"] = request.options.schema
    if thinks and settings.think is not None:
        body["think"] = settings.think
    if settings.keep_alive is not None:
        body["keep_alive"] = _keep_alive(settings.keep_alive)
    return body


def _keep_alive(value: str) -> int | str:
    """Write seconds as a number: as text the server takes only durations with a unit (``5m``)."""
    return int(value) if value.removeprefix("-").isdigit() else value


def _message(message: Message) -> JsonObject:
    written: dict[str, Json] = {"role": message.role.value, "content": message.content}
    if message.tool_calls:
        written["tool_calls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": _arguments(call)}}
            for call in message.tool_calls
        ]
    if message.role is Role.TOOL:
        written |= {"tool_name": message.tool_name or "", "tool_call_id": message.answers or ""}
    return written


def _arguments(call: ToolCall) -> JsonObject:
    """Give a call's arguments as the object the server demands; text that is none goes under a name of its own."""
    try:
        return load_object(call.arguments)
    except ValueError:
        return {"unreadable": call.arguments} if call.arguments.strip() else {}


def _tool(tool: ToolDefinition) -> JsonObject:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


@dataclass(slots=True)
class ReplyReader:
    """Reads the lines of one reply, and knows at its end whether there was one."""

    _spoke: bool = False
    _thought: bool = False
    _ids: set[str] = field(default_factory=set[str])
    ended: bool = False
    """Whether the last line was read: nothing after it is of the reply."""

    def read(self, line: JsonObject) -> Iterator[Chunk]:
        """Yield what a line holds. Raises EmptyReply on the last line of a reply that said and called nothing."""
        yield from self._message(obj(line.get("message")), cut_off=line.get("done_reason") == "length")
        if line.get("done") is True:
            self.ended = True
            # A count that is missing, or nought, is one the server does not know: no prompt is without tokens.
            yield Usage(positive(line.get("prompt_eval_count")), positive(line.get("eval_count")))
            if not self._spoke:
                raise EmptyReply(thinking=self._thought)
            reason = text(line.get("done_reason"))
            yield Finished(reason or None, cut_off=reason == "length")

    def _message(self, message: JsonObject, *, cut_off: bool) -> Iterator[Chunk]:
        if thinking := text(message.get("thinking")):
            self._thought = True
            yield ThinkingOut(thinking)
        if content := text(message.get("content")):
            self._spoke = self._spoke or not content.isspace()
            yield TextDelta(content)
        for call in objects(message.get("tool_calls")):
            self._spoke = True
            yield self._call(call, cut_off=cut_off)

    def _call(self, call: JsonObject, *, cut_off: bool) -> ToolCall:
        function = obj(call.get("function"))
        name, told = text(function.get("name")), function.get("arguments")
        written = told if isinstance(told, str) else dump({} if told is None else told).decode()
        arguments = written if written.strip() else "{}"
        return ToolCall(self._id(text(call.get("id"))), name, arguments, _call_fault(name, arguments, cut_off=cut_off))

    def _id(self, told: str) -> str:
        """Take the server's id, or make one where it has none or gave it to another call of this reply."""
        made = told if told and told not in self._ids else f"call_{secrets.token_hex(4)}"
        self._ids.add(made)
        return made


def _call_fault(name: str, arguments: str, *, cut_off: bool) -> str | None:
    if not name:
        return NAMELESS
    try:
        load_object(arguments)
    except ValueError:
        return CUT_OFF if cut_off else NOT_AN_OBJECT
    return None
