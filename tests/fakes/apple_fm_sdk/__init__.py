"""A stand-in for ``apple-fm-sdk``: as much of its documented surface as is used, with the manners of the real one.

It takes transcripts only in the documented form, guided generation only with schemas in the framework's dialect, blocks
the event loop that a stream is awaited in, and gives the whole text so far each time. ``install`` puts it where the
import system finds it; what the model does is in a ``Plan``.
"""

from __future__ import annotations

import platform
import queue
import sys
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from types import ModuleType

import pytest

from wisp_tui.models.fields import obj, objects, text
from wisp_tui.text.json import Json, JsonObject, dump

_ROLES = {"instructions", "user", "response", "tool"}


class FoundationModelsError(Exception):
    """The base of the SDK's faults."""


class GenerationError(FoundationModelsError):
    """The base of the faults of a generation."""


class ExceededContextWindowSizeError(GenerationError):
    """The request does not fit."""


class AssetsUnavailableError(GenerationError):
    """The model is not on this machine."""


class GuardrailViolationError(GenerationError):
    """The guardrails stopped it."""


class DecodingFailureError(GenerationError):
    """What was given, or generated, cannot be read."""


class RateLimitedError(GenerationError):
    """Too many requests."""


class RefusalError(GenerationError):
    """The model refuses."""


class InvalidGenerationSchemaError(FoundationModelsError):
    """The schema is not in the framework's dialect."""


class SystemLanguageModelUnavailableReason(IntEnum):
    """Why the model cannot be used; the first is nought, as in the SDK."""

    APPLE_INTELLIGENCE_NOT_ENABLED = 0
    DEVICE_NOT_ELIGIBLE = 1
    MODEL_NOT_READY = 2
    UNKNOWN = 0xFF


@dataclass
class Plan:
    """What the model does, and what it was sent."""

    snapshots: Sequence[str] = ("Hello", "Hello there.")
    error: Exception | None = None
    reason: SystemLanguageModelUnavailableReason | None = None
    context_size: int | None = 4096
    counts: bool = True
    generated: Json = None
    gate: threading.Event = field(default_factory=threading.Event)
    """What comes after the first snapshot waits for it; set it to let a stream run through."""
    left: threading.Event = field(default_factory=threading.Event)
    """Set when a stream has ended, however it did."""
    transcripts: list[JsonObject] = field(default_factory=list[JsonObject])
    prompts: list[str] = field(default_factory=list[str])
    options: list[object] = field(default_factory=list[object])
    schemas: list[JsonObject] = field(default_factory=list[JsonObject])
    given: int = 0
    """How many snapshots a stream gave."""
    threads: set[str] = field(default_factory=set[str])


@dataclass(frozen=True)
class GenerationOptions:
    """How to generate."""

    sampling: str | None = None
    temperature: float | None = None
    maximum_response_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.maximum_response_tokens is not None and self.maximum_response_tokens <= 0:
            raise ValueError("'maximum_response_tokens' must be positive")


class SamplingMode:
    """How a token is chosen."""

    @classmethod
    def greedy(cls) -> str:
        """Always the most likely one."""
        return "greedy"


@dataclass(frozen=True)
class Transcript:
    """A conversation so far."""

    value: JsonObject

    @classmethod
    async def from_dict(cls, value: JsonObject) -> Transcript:
        """Read a transcript; raises DecodingFailureError when it is not in the documented form."""
        entries = objects(obj(value.get("transcript")).get("entries"))
        if value.get("version") != 1 or value.get("type") != "FoundationModels.Transcript":
            raise DecodingFailureError("not a transcript")
        for entry in entries:
            contents = objects(entry.get("contents"))
            if entry.get("role") not in _ROLES or not entry.get("id") or not contents:
                raise DecodingFailureError(f"not an entry: {entry}")
            if any(content.get("type") != "text" or not content.get("id") for content in contents):
                raise DecodingFailureError(f"no text: {entry}")
        return cls(value)


def texts(transcript: JsonObject) -> list[tuple[str, str]]:
    """Give the role and the text of each entry of a transcript."""
    return [
        (text(entry.get("role")), "".join(text(content.get("text")) for content in objects(entry.get("contents"))))
        for entry in objects(obj(transcript.get("transcript")).get("entries"))
    ]


@dataclass(frozen=True)
class GeneratedContent:
    """What guided generation made."""

    value: Json

    def to_json(self) -> str:
        """Write it as JSON."""
        return dump(self.value).decode()


def _check(schema: JsonObject) -> None:
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        if not schema.get("title") or schema.get("additionalProperties") is not False:
            raise InvalidGenerationSchemaError("an object needs a title, and no additional properties")
        if schema.get("x-order") != list(properties):
            raise InvalidGenerationSchemaError("an object needs the order of its properties")
        for value in properties.values():
            _check(obj(value))
    for value in obj(schema.get("$defs")).values():
        _check(obj(value))
    if "items" in schema:
        _check(obj(schema["items"]))


class SystemModel:
    """The model; an older SDK's has neither a window nor a count."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        if plan.context_size is not None:
            self.context_size = plan.context_size
        if plan.counts:
            self.token_count = self._token_count

    def is_available(self) -> tuple[bool, SystemLanguageModelUnavailableReason | None]:
        """Say whether it can be used, and if not, why."""
        return self._plan.reason is None, self._plan.reason

    async def _token_count(self, value: Transcript) -> int:
        self._plan.threads.add(threading.current_thread().name)
        if self._plan.error is not None:
            raise self._plan.error
        return sum(len(words) for _, words in texts(value.value)) // 4


@dataclass(frozen=True)
class Session:
    """A conversation with the model."""

    plan: Plan

    async def stream_response(self, prompt: str, options: object = None) -> AsyncGenerator[str]:
        """Give the whole text so far, again and again, blocking the loop in between."""
        self._asked(prompt, options)
        arriving: queue.Queue[str] = queue.Queue()
        try:
            for place, snapshot in enumerate(self.plan.snapshots):
                if place == 1:
                    self.plan.gate.wait()
                arriving.put(snapshot)
                self.plan.given += 1
                yield arriving.get(timeout=1)
            self._fail()
        finally:
            self.plan.left.set()

    async def respond(self, prompt: str, *, json_schema: JsonObject, options: object = None) -> GeneratedContent:
        """Generate what the schema holds."""
        self._asked(prompt, options)
        self.plan.schemas.append(json_schema)
        _check(json_schema)
        self._fail()
        return GeneratedContent(self.plan.generated)

    def _asked(self, prompt: str, options: object) -> None:
        prompt.encode()  # as the SDK does: a lone surrogate cannot be sent
        self.plan.threads.add(threading.current_thread().name)
        self.plan.prompts.append(prompt)
        self.plan.options.append(options)

    def _fail(self) -> None:
        if self.plan.error is not None:
            raise self.plan.error


@dataclass(frozen=True)
class Sessions:
    """The class of sessions."""

    plan: Plan

    def from_transcript(self, transcript: Transcript, model: SystemModel) -> Session:
        """Start from a history."""
        assert isinstance(model, SystemModel)
        self.plan.transcripts.append(transcript.value)
        return Session(self.plan)


def make(plan: Plan) -> ModuleType:
    """Make a module that does as the plan says."""
    module = ModuleType("apple_fm_sdk")
    surface = {
        "SystemLanguageModel": partial(SystemModel, plan),
        "LanguageModelSession": Sessions(plan),
        "Transcript": Transcript,
        "GenerationOptions": GenerationOptions,
        "SamplingMode": SamplingMode,
        "FoundationModelsError": FoundationModelsError,
    }
    for name, thing in surface.items():
        setattr(module, name, thing)
    return module


def install(monkeypatch: pytest.MonkeyPatch, plan: Plan | None = None) -> Plan:
    """Make this machine a Mac on which the SDK is installed, for one test."""
    plan = plan or Plan()
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setitem(sys.modules, "apple_fm_sdk", make(plan))
    return plan
