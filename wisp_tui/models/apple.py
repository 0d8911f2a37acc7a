"""Apple's on-device model: ``system``, through ``apple-fm-sdk``, on macOS 26 and later.

Written to the documented surface of the SDK, and tested against a stand-in of it: it has not been run on a Mac. What
only a Mac can show: that a transcript with these entries is taken as it is, how the SDK words its faults, how soon a
generation ends when it is left, and what guided generation makes of a schema.

- A request is a session of its own: its history is a transcript, its last message the prompt.
- The SDK waits for text by blocking the thread it is awaited in, so each request gets a thread with its own event loop.
- It gives the whole text so far each time, reports no usage, and does not say that a reply ended at its limit.
- A request that does not fit is refused, in a typed error or in a general one whose words give the sizes.
- Tools are not offered: the SDK runs them itself while it generates, where nobody could be asked first.
"""

from __future__ import annotations

import asyncio
import importlib
import platform
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Protocol, cast

from wisp_tui.models.apple_thread import Feed
from wisp_tui.models.apple_transcript import conversation, dialect, whole_transcript
from wisp_tui.models.base import (
    Capability,
    Chunk,
    ContextOverflow,
    EmptyReply,
    Finished,
    ModelError,
    ModelUnavailable,
    Options,
    Request,
    Resolved,
    TextDelta,
    ToolsUnsupported,
)
from wisp_tui.models.overflow import read_overflow
from wisp_tui.text.clean import clean_line
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import JsonObject

SYSTEM = ModelId("system")
_REMARK = "Apple's model takes no tools here: its SDK would run them without asking you"
_CONTAINS = re.compile(r"contains ([\d,.]+) tokens.{0,80}maximum allowed context size of ([\d,.]*\d)", re.IGNORECASE)

# Why the model cannot be used, by the name of the SDK's reason: what to say, what to do.
_REASONS = {
    "APPLE_INTELLIGENCE_NOT_ENABLED": (
        "Apple Intelligence is turned off",
        "turn it on in System Settings, under Apple Intelligence & Siri",
    ),
    "DEVICE_NOT_ELIGIBLE": ("this Mac cannot run Apple's model", "use another model: `wisp models` lists them"),
    "MODEL_NOT_READY": ("Apple's model is not ready; macOS is still fetching it", "try again in a while"),
}
_NO_REASON = ("Apple's model is not available, and macOS does not say why", "use another model")

# What a fault of the SDK means, by its class.
_FAULTS = {
    "GuardrailViolationError": "Apple's guardrails stopped this request",
    "RefusalError": "Apple's model refused to answer",
    "RateLimitedError": "Apple's model is limited to fewer requests for now; wait a little, then ask again",
    "ConcurrentRequestsError": "Apple's model is busy with another request",
    "UnsupportedLanguageOrLocaleError": "Apple's model does not support this language",
    "InvalidGenerationSchemaError": "Apple's model cannot hold this schema",
    "UnsupportedGuideError": "Apple's model cannot hold this schema",
    "DecodingFailureError": "Apple's model gave what its framework could not read",
}


_FAILED = "Apple's model failed"


class _Reason(Protocol):
    @property
    def name(self) -> str: ...


class _Counted(Protocol):
    async def token_count(self, value: object) -> int: ...


class _SystemModel(Protocol):
    def is_available(self) -> tuple[bool, _Reason | None]: ...


class _Content(Protocol):
    def to_json(self) -> str: ...


class _Session(Protocol):
    def stream_response(self, prompt: str, options: object | None = None) -> AsyncGenerator[str]: ...

    async def respond(self, prompt: str, *, json_schema: JsonObject, options: object | None = None) -> _Content: ...


class _Sessions(Protocol):
    def from_transcript(self, transcript: object, model: _SystemModel) -> _Session: ...


class _Transcripts(Protocol):
    async def from_dict(self, value: JsonObject, /) -> object: ...


class _Sampling(Protocol):
    def greedy(self) -> object: ...


class Sdk(Protocol):
    """As much of ``apple_fm_sdk`` as is used."""

    SystemLanguageModel: Callable[[], _SystemModel]
    LanguageModelSession: _Sessions
    Transcript: _Transcripts
    SamplingMode: _Sampling
    GenerationOptions: Callable[..., object]
    FoundationModelsError: type[Exception]


def load_sdk() -> Sdk:
    """Import the SDK. Raises ModelUnavailable where it is not, or cannot be loaded."""
    if platform.system() != "Darwin":
        raise ModelUnavailable(
            f"Apple's model is not available on {platform.system() or 'this system'}",
            "use another model: `wisp models` lists them",
        )
    try:
        return cast("Sdk", importlib.import_module("apple_fm_sdk"))
    except ModuleNotFoundError as error:
        raise ModelUnavailable(
            "the SDK of Apple's model is not installed", "`pip install 'wisp-tui[apple]'` (it needs macOS 26 and Xcode)"
        ) from error
    except (ImportError, OSError) as error:
        raise ModelUnavailable(
            f"the SDK of Apple's model cannot be loaded: {clean_line(str(error))}", "it needs macOS 26 or later"
        ) from error


class AppleModel:
    """The one model that macOS ships."""

    def __init__(self) -> None:
        self._loaded: tuple[Sdk, _SystemModel, Resolved] | None = None

    @property
    def id(self) -> ModelId:
        """``system``."""
        return SYSTEM

    async def resolve(self) -> Resolved:
        """Load the SDK and ask whether the model can be used. Raises ModelUnavailable with the system's reason."""
        return (await self._opened())[2]

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        """Run a request; see ``Model.stream``. Raises ToolsUnsupported for a request with tools."""
        if request.tools:
            raise ToolsUnsupported(SYSTEM)
        sdk, model, resolved = await self._opened()

        async def generate(feed: Feed[str]) -> None:
            await _generate(sdk, model, request, feed)

        said = ""
        try:
            async with aclosing(Feed(generate).items()) as snapshots:
                async for snapshot in snapshots:
                    if added := snapshot.removeprefix(said):
                        yield TextDelta(added)
                    said = snapshot
        except sdk.FoundationModelsError as error:
            raise _typed(error, resolved.window) from error
        if not said.strip():
            raise EmptyReply
        yield Finished("stop")

    async def count(self, request: Request) -> int | None:
        """Count the messages' tokens with the framework, without a schema's; None when the SDK is too old to."""
        sdk, model, resolved = await self._opened()
        if Capability.COUNTS not in resolved.capabilities:
            return None

        async def counted(feed: Feed[int]) -> None:
            transcript = await sdk.Transcript.from_dict(whole_transcript(request.messages))
            feed.give(await cast("_Counted", model).token_count(transcript))

        try:
            async with aclosing(Feed(counted).items()) as counts:
                return await anext(counts)
        except sdk.FoundationModelsError:
            return None

    async def close(self) -> None:
        """Do nothing: the system keeps the model, and a session ends with its request."""

    async def _opened(self) -> tuple[Sdk, _SystemModel, Resolved]:
        if self._loaded is None:
            self._loaded = await asyncio.to_thread(_open)
        return self._loaded


def _open() -> tuple[Sdk, _SystemModel, Resolved]:
    sdk = load_sdk()
    model = sdk.SystemLanguageModel()
    available, reason = model.is_available()
    if not available:
        why, remedy = _REASONS.get(reason.name, _NO_REASON) if reason is not None else _NO_REASON
        raise ModelUnavailable(why, remedy)
    size: object = getattr(model, "context_size", None)
    window = size if isinstance(size, int) and size > 0 else None
    capabilities = {Capability.SCHEMA, Capability.REFUSES_OVERFLOW}
    if hasattr(model, "token_count"):
        capabilities.add(Capability.COUNTS)
    source = "as macOS says" if window is not None else "this version of the SDK does not say"
    return sdk, model, Resolved(SYSTEM, window, source, frozenset(capabilities), _REMARK)


async def _generate(sdk: Sdk, model: _SystemModel, request: Request, feed: Feed[str]) -> None:
    """Run a request in the thread of ``feed``, giving it the text so far each time there is more."""
    written = conversation(request.messages)
    transcript = await sdk.Transcript.from_dict(written.history)
    session = sdk.LanguageModelSession.from_transcript(transcript, model=model)
    options = _options(sdk, request.options)
    if request.options.schema is not None:
        content = await session.respond(written.prompt, json_schema=dialect(request.options.schema), options=options)
        feed.give(content.to_json())
        return
    async with aclosing(session.stream_response(written.prompt, options)) as snapshots:
        async for snapshot in snapshots:
            if feed.left:
                return
            feed.give(snapshot)


def _options(sdk: Sdk, options: Options) -> object:
    sampling = sdk.SamplingMode.greedy() if options.greedy else None
    return sdk.GenerationOptions(sampling=sampling, maximum_response_tokens=options.max_tokens)


def _typed(error: Exception, window: int | None) -> ModelError:
    """Make the error a fault of the SDK stands for: by its words where they give the sizes, else by its class."""
    words, kind = clean_line(str(error)), type(error).__name__
    if (overflow := _overflow(words)) is not None:
        return overflow
    match kind:
        case "ExceededContextWindowSizeError":
            return ContextOverflow(window, None, words)
        case "AssetsUnavailableError":
            return ModelUnavailable("Apple's model is not on this Mac at the moment", "try again in a while")
        case _:
            return ModelError(f"{_FAULTS.get(kind, _FAILED)} ({words or kind})")


def _overflow(words: str) -> ContextOverflow | None:
    contains = _CONTAINS.search(words)
    if contains is None:
        return read_overflow(words)
    count, limit = (int(re.sub(r"[,.]", "", number)) for number in contains.groups())
    return ContextOverflow(limit, count, words)
