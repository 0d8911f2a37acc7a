"""The lines of a replay's script as values; ``replay`` says how they are played."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator

from wisp_tui.models.base import (
    Capability,
    ContextOverflow,
    ModelError,
    ModelUnavailable,
    ToolCall,
    ToolsUnsupported,
)
from wisp_tui.models.tool_calls import ToolCallAssembler
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import dump, load_object

Chunks: TypeAlias = Annotated[int, Field(ge=1)] | Literal["words"]
"""Into how many fragments a text is split; ``words`` makes each word one, with the white space after it."""

_Tokens = Field(default=None, ge=0)
_BOM = b"\xef\xbb\xbf"


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Reported(_Line):
    """Token counts as a runtime would report them; what is left out is not reported."""

    input: int | None = _Tokens
    output: int | None = _Tokens
    cached: int | None = _Tokens
    reasoning: int | None = _Tokens


class Overflow(_Line):
    """The request does not fit: the window and the request's size in tokens, where the runtime says them."""

    limit: int | None = _Tokens
    count: int | None = _Tokens
    words: str = ""


class Unavailable(_Line):
    """The model cannot be used: why, and what to do."""

    reason: str = "the replayed server is down"
    remedy: str = "this is a replay: edit its script"


class Call(_Line):
    """A tool call. ``arguments`` is an object, or text passed on as it is; ``fault`` makes it one not to run."""

    name: str
    arguments: dict[str, JsonValue] | str = Field(default_factory=dict[str, JsonValue])
    id: str | None = None
    fault: str | None = None

    @property
    def text(self) -> str:
        """The arguments as JSON text, as a runtime hands them on."""
        return self.arguments if isinstance(self.arguments, str) else dump(self.arguments).decode()

    def made(self, free_id: str, *, cut_off: bool) -> ToolCall:
        """Make the call as an adapter would that read it from a server; ``free_id`` is its id where it has none."""
        assembler = ToolCallAssembler()
        assembler.add({"id": self.id or free_id, "function": {"name": self.name, "arguments": self.text}})
        (call,) = assembler.finish(cut_off=cut_off)
        return call if self.fault is None else replace(call, fault=self.fault)


class Header(_Line):
    """The first line of a script, marked by ``"replay": 1``. Every field but that may be left out."""

    replay: Literal[1] = 1
    name: str | None = None
    window: int | None = Field(default=None, ge=1)
    capabilities: tuple[Annotated[Capability, Field(strict=False)], ...] | None = Field(default=None, strict=False)
    chunks: Chunks = 1
    pause: float = Field(default=0.0, ge=0)
    usage: Reported | Literal["estimate"] | None = None
    unavailable: Unavailable | None = None


class Turn(_Line):
    """One turn of the model. Every field may be left out; an empty turn is an empty reply."""

    reply: str = ""
    schema_reply: JsonValue = None
    thinking: str = ""
    calls: tuple[Call, ...] = Field(default=(), strict=False)
    chunks: Chunks | None = None
    pause: float | None = Field(default=None, ge=0)
    progress: tuple[int, ...] = Field(default=(), strict=False)
    usage: Reported | Literal["estimate"] | None = None
    finish: str | None = None
    cut_off: bool = False
    error: str | None = None
    unavailable: Unavailable | None = None
    overflow: Overflow | None = None
    no_tools: bool = False
    hang: bool = False
    window: int | None = Field(default=None, ge=1)
    when: Literal["schema"] | None = None
    match: str | None = None
    repeat: bool = False

    @field_validator("match")
    @classmethod
    def _is_a_pattern(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return value

    @model_validator(mode="after")
    def _says_one_thing(self) -> Turn:
        if self.schema_reply is not None and self.reply:
            raise ValueError("reply and schema_reply exclude each other")
        return self

    @property
    def text(self) -> str:
        """The reply's text: ``reply``, or ``schema_reply`` as JSON."""
        return self.reply if self.schema_reply is None else dump(self.schema_reply).decode()

    @property
    def answers_schemas(self) -> bool:
        """Whether it answers requests that carry a schema, and no others."""
        return self.when == "schema" or self.schema_reply is not None

    @property
    def says_something(self) -> bool:
        """Whether it has text or a call, without which a reply is empty."""
        return bool(self.text.strip() or self.calls)

    @property
    def reason(self) -> str:
        """The word the stream ends with."""
        return self.finish or ("length" if self.cut_off else "tool_calls" if self.calls else "stop")

    def failure(self, model: ModelId) -> ModelError | None:
        """Make the error this turn ends with, None when it ends well."""
        if self.overflow is not None:
            return ContextOverflow(self.overflow.limit, self.overflow.count, self.overflow.words)
        if self.unavailable is not None:
            return ModelUnavailable(self.unavailable.reason, self.unavailable.remedy)
        if self.no_tools:
            return ToolsUnsupported(model)
        return None if self.error is None else ModelError(self.error)


def fragments(text: str, chunks: Chunks) -> Sequence[str]:
    """Split a text into the fragments it streams in; joined, they are the text."""
    if not text:
        return ()
    if isinstance(chunks, str):
        return re.findall(r"\s*\S+\s?|\s+", text)
    count = min(chunks, len(text))
    edges = [len(text) * number // count for number in range(count + 1)]
    return [text[start:end] for start, end in pairwise(edges)]


@dataclass(frozen=True, slots=True)
class Script:
    """A script: its header, its turns in order, and the window in tokens that either says."""

    header: Header
    turns: tuple[Turn, ...]
    window: int | None


def read_script(path: Path) -> Script:
    """Read a script. Raises ModelUnavailable when the file cannot be read or a line is not one of its kinds."""
    try:
        data = path.read_bytes().removeprefix(_BOM)
    except OSError as error:
        raise ModelUnavailable(
            f"the replay {path} cannot be read: {error.strerror or error}", "give the path of a script: replay:PATH"
        ) from error
    lines = [_read_line(path, number, line) for number, line in enumerate(data.split(b"\n"), 1) if _counts(line)]
    headers = [line for line in lines if isinstance(line, Header)]
    if len(headers) > 1 or (headers and lines[0] is not headers[0]):
        raise _malformed(path, "a header, if there is one, is the first line, and the only one")
    header = headers[0] if headers else Header()
    turns = tuple(line for line in lines if isinstance(line, Turn))
    window = header.window or next((turn.window for turn in turns if turn.window is not None), None)
    return Script(header, turns, window)


def _counts(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")


def _read_line(path: Path, number: int, line: bytes) -> Header | Turn:
    try:
        value = load_object(line)
    except ValueError as error:
        raise _malformed(path, f"line {number} is not a JSON object: {error}") from error
    try:
        return Header.model_validate(value) if "replay" in value else Turn.model_validate(value)
    except ValidationError as error:
        raise _malformed(path, f"line {number}: {_reason(error)}") from error


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    place, words = ".".join(str(part) for part in first["loc"]), first["msg"].removeprefix("Value error, ")
    return f"{place}: {words[:1].lower()}{words[1:]}" if place else words


def _malformed(path: Path, reason: str) -> ModelUnavailable:
    return ModelUnavailable(f"the replay {path} is malformed: {reason}", "docs/replay.md describes its lines")
