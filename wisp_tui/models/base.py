"""The one protocol of every runtime: what a request carries, what a stream yields, how it fails."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias

from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import JsonObject


class Role(StrEnum):
    """Who a message is from, in the words every chat template knows."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model makes. ``arguments`` is the JSON text as the model wrote it.

    ``fault`` says why the call cannot be run (its arguments were cut off, or are no JSON object): it is answered with
    that sentence and never run.
    """

    id: str
    name: str
    arguments: str
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request. ``tool_calls`` only on an assistant's, ``answers`` (a call's id) only on a tool's."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    answers: str | None = None
    tool_name: str | None = None


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as the model is told of it. ``parameters`` is a JSON Schema object."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class Options:
    """How to generate. ``schema`` is a JSON Schema the reply must hold; ``max_tokens`` bounds the reply."""

    schema: JsonObject | None = None
    max_tokens: int | None = None
    greedy: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """Everything one call of a model carries. An adapter merges neighbours of one role where its runtime needs that.

    ``named`` are tools that the messages name and ``tools`` does not define: a call of one is given on like any other.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    options: Options = field(default_factory=Options)
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A fragment of the reply, as the server sent it: not yet cleaned."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingOut:
    """A fragment of the model's thinking, not yet cleaned. Shown folded, never sent back."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What the runtime reports it used, in tokens; None where it does not say (never zero for unknown)."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """How far the runtime is in reading the prompt, in tokens."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The last chunk. ``reason`` is the server's word (``stop``, ``length``, ``tool_calls`` …).

    ``cut_off`` is true when the reply ended for want of room (its limit, or a full window) rather than by itself.
    """

    reason: str | None
    cut_off: bool = False


Chunk: TypeAlias = TextDelta | ThinkingOut | ToolCall | Usage | PromptProgress | Finished


class Capability(StrEnum):
    """What a model can do, as far as its runtime says."""

    TOOLS = "tools"
    SCHEMA = "schema"
    GUIDED = "guided"
    """Its tool calls are replies that a schema holds to an action: its runtime takes no tools."""
    THINKING = "thinking"
    COUNTS = "counts"
    """Its runtime counts a request's tokens exactly."""
    REFUSES_OVERFLOW = "refuses-overflow"
    """A request that does not fit is an error; without it, the runtime may cut the prompt silently."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """What is known of a model once its runtime has been asked.

    ``window`` is in tokens, None when nobody says; ``window_source`` says how it is known, in words for the person.
    ``remark`` is what whoever starts on this model should be told, such as how small it is; None for most.
    """

    id: ModelId
    window: int | None
    window_source: str
    capabilities: frozenset[Capability]
    remark: str | None = None


class Model(Protocol):
    """One model on one runtime. Used by one conversation at a time; made without I/O, resolved before its first use."""

    @property
    def id(self) -> ModelId:
        """The model's full name, ``runtime:name``."""
        ...

    async def resolve(self) -> Resolved:
        """Ask the runtime what the model is. Raises ModelUnavailable. Cheap once answered: the answer is kept."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        """Run a request. Ends with Finished; leaving the generator early cancels the generation.

        Raises ModelError: ModelUnavailable, ContextOverflow, ToolsUnsupported, EmptyReply, or another with its words.
        """
        ...

    async def count(self, request: Request) -> int | None:
        """Count a request's tokens exactly, None where the runtime cannot."""
        ...

    async def close(self) -> None:
        """Let go of connections and child processes. Can be called twice."""
        ...


class ModelError(Exception):
    """A request failed; the message says what happened, in words for the person. The base of every such fault."""


class ModelUnavailable(ModelError):
    """The model or its runtime cannot be used now. ``reason`` says why, ``remedy`` what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}; {remedy}" if remedy else reason)
        self.reason = reason
        self.remedy = remedy


class ContextOverflow(ModelError):
    """The request does not fit the window. ``limit`` and ``count`` are tokens, None where the runtime does not say."""

    def __init__(self, limit: int | None, count: int | None, words: str = "") -> None:
        sizes = f"{count:,} tokens for a window of {limit:,}" if count is not None and limit is not None else words
        super().__init__(f"the request does not fit the model's context window ({sizes})")
        self.limit = limit
        self.count = count


class ToolsUnsupported(ModelError):
    """The model, or its chat template, takes no tools."""

    def __init__(self, model: ModelId) -> None:
        super().__init__(f"{model} does not take tools")
        self.model = model


class EmptyReply(ModelError):
    """The stream ended without text and without a call. ``thinking`` is true when it held only thinking."""

    def __init__(self, *, thinking: bool = False) -> None:
        super().__init__("the model thought but gave no answer" if thinking else "the model gave an empty reply")
        self.thinking = thinking
