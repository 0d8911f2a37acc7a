"""The composer: what the model is sent, layer by layer, from the record (spec "The store and the composer")."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from wisp_tui.context.cuts import apply_cuts
from wisp_tui.context.record import Entry, EntryKind, Origin, Revision, State, ThreadRecord
from wisp_tui.context.references import reference_for
from wisp_tui.models import Message, Role, ToolCall, ToolDefinition
from wisp_tui.text.ids import CallId, EntryId
from wisp_tui.text.json import Json, dump


class Layer(StrEnum):
    """The layers of a request, most stable first."""

    INSTRUCTIONS = "instructions"
    TOOLS = "tools"
    EARLIER = "earlier"
    LITERAL = "literal"
    NOW = "now"
    REQUEST = "request"


class Form(StrEnum):
    """How much of an entry a part carries."""

    WHOLE = "whole"
    CUT = "cut"
    REFERENCE = "reference"
    BLOCK = "block"
    """Not an entry: tool definitions, facts, a summary, the task."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a composition. ``bytes`` and ``tokens`` are of ``text`` as sent; ``why`` says why it is not whole."""

    layer: Layer
    form: Form
    kind: str
    text: str
    bytes: int
    tokens: int
    entry: EntryId | None = None
    carried: bool = False
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A prompt-side record of what the turns no longer show, or of now. An empty text is no block."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of one request: those of the earlier layer, and the one of the now layer."""

    earlier: tuple[Block, ...] = ()
    now: tuple[Block, ...] = ()


NO_BLOCKS = Blocks()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a composition is made of beside the record.

    ``request`` is the prompt whose turn runs, None for a look at what the next request would carry. ``moment`` composes
    the context as it was at that revision of the record.
    """

    tools: tuple[ToolDefinition, ...] = ()
    blocks: Blocks = NO_BLOCKS
    request: EntryId | None = None
    memory: bool = False
    moment: Revision | None = None


@dataclass(frozen=True, slots=True)
class Composition:
    """What one request carries. The same record, plan and estimate give the same bytes."""

    parts: tuple[Part, ...]
    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...]
    sha256: str

    @property
    def bytes(self) -> int:
        """The size of all parts, in bytes of UTF-8."""
        return sum(part.bytes for part in self.parts)

    @property
    def tokens(self) -> int:
        """The size of all parts, in estimated tokens."""
        return sum(part.tokens for part in self.parts)

    def by_layer(self) -> dict[Layer, int]:
        """Return the estimated tokens of each layer, every layer named."""
        sizes = dict.fromkeys(Layer, 0)
        for part in self.parts:
            sizes[part.layer] += part.tokens
        return sizes

    def bytes_by_layer(self) -> dict[Layer, int]:
        """Return the bytes of each layer, every layer named."""
        sizes = dict.fromkeys(Layer, 0)
        for part in self.parts:
            sizes[part.layer] += part.bytes
        return sizes


@dataclass(frozen=True, slots=True)
class _Rendering:
    form: Form
    text: str
    bytes: int
    tokens: int
    why: str | None


@dataclass(slots=True)
class Composer:
    """Composes one conversation's requests. It keeps each entry's renderings, so that composing costs what is active.

    ``estimate`` gives a text's tokens before a model's own ratio is applied.
    """

    estimate: Callable[[str], int]
    _renderings: dict[tuple[EntryId, Form, bool], _Rendering] = field(
        default_factory=dict[tuple[EntryId, Form, bool], _Rendering]
    )

    def compose(self, record: ThreadRecord, plan: Plan) -> Composition:
        """Compose the context: instructions, tools, earlier, literal turns, now, request."""
        moment = record.revision if plan.moment is None else plan.moment
        held = record.at(moment)
        calls = {entry.call.id: entry for entry, _ in held if entry.call is not None}
        entries = [(entry, self._render(entry, state, calls, memory=plan.memory)) for entry, state in held]
        request = plan.request if plan.request is not None else EntryId(len(record) + 1)
        parts = [_part(Layer.INSTRUCTIONS, *item) for item in entries if item[0].kind is EntryKind.INSTRUCTIONS]
        parts += [self._block(Layer.TOOLS, tool.name, _definition(tool)) for tool in plan.tools]
        parts += [self._block(Layer.EARLIER, block.kind, block.text) for block in plan.blocks.earlier if block.text]
        turns = [item for item in entries if item[0].kind is not EntryKind.INSTRUCTIONS]
        parts += [_part(Layer.LITERAL, *item) for item in turns if item[0].id < request]
        parts += [self._block(Layer.NOW, block.kind, block.text) for block in plan.blocks.now if block.text]
        parts += [_part(Layer.REQUEST, *item) for item in turns if item[0].id >= request]
        messages = tuple(_messages(parts, {entry.id: entry for entry, _ in held}))
        return Composition(tuple(parts), messages, plan.tools, _sha256(messages, plan.tools))

    def _render(self, entry: Entry, state: State, calls: dict[CallId, Entry], *, memory: bool) -> _Rendering:
        form = _form(entry, state)
        key = (entry.id, form, memory)
        found = self._renderings.get(key)
        if found is None:
            found = self._renderings[key] = self._rendered(entry, state, form, calls, memory=memory)
        return found

    def _rendered(
        self, entry: Entry, state: State, form: Form, calls: dict[CallId, Entry], *, memory: bool
    ) -> _Rendering:
        text, why = entry.text, None
        match form:
            case Form.REFERENCE if entry.output is not None:
                call = calls.get(entry.output.call)
                short = reference_for(entry, call.text if call is not None else "{}", memory=memory)
                if short is None:
                    form = Form.WHOLE  # no longer than its reference: always sent whole
                else:
                    text, why = short, f"a reference since turn {state.referenced_at}"
            case Form.CUT:
                text, why = apply_cuts(entry.text, state.cuts), f"{len(state.cuts)} cut, shown as output"
            case _:
                pass
        if entry.stopped is not None:
            text = f"{text}\n[{entry.stopped}]" if text else f"[{entry.stopped}]"
        return _Rendering(form, text, len(text.encode("utf-8", "replace")), self.estimate(text), why)

    def _block(self, layer: Layer, kind: str, text: str) -> Part:
        return Part(layer, Form.BLOCK, kind, text, len(text.encode("utf-8", "replace")), self.estimate(text))


def _form(entry: Entry, state: State) -> Form:
    if entry.kind is EntryKind.OUTPUT and state.referenced_in is not None:
        return Form.REFERENCE
    return Form.CUT if state.cuts else Form.WHOLE


def _part(layer: Layer, entry: Entry, rendering: _Rendering) -> Part:
    return Part(
        layer=layer,
        form=rendering.form,
        kind=entry.kind.value,
        text=rendering.text,
        bytes=rendering.bytes,
        tokens=rendering.tokens,
        entry=entry.id,
        carried=entry.origin is not Origin.TURN,
        why=rendering.why,
    )


def _definition(tool: ToolDefinition) -> str:
    return dump({"name": tool.name, "description": tool.description, "parameters": tool.parameters}).decode()


def _messages(parts: Sequence[Part], entries: Mapping[EntryId, Entry]) -> Iterator[Message]:
    """Turn parts into messages: the text before a tool call and its calls are one, results follow their calls."""
    said: list[Part] = []
    for part in parts:
        if said and part.kind != EntryKind.CALL:
            yield _assistant(said, entries)
            said = []
        match part.kind, part.layer:
            case (EntryKind.REPLY | EntryKind.CALL, _):
                said.append(part)
            case EntryKind.OUTPUT, _ if part.entry is not None and (output := entries[part.entry].output) is not None:
                yield Message(Role.TOOL, part.text, answers=output.call, tool_name=output.tool)
            case EntryKind.INSTRUCTIONS, _:
                yield Message(Role.SYSTEM, part.text)
            case _, Layer.TOOLS:
                continue
            case _:
                yield Message(Role.USER, part.text)
    if said:
        yield _assistant(said, entries)


def _assistant(said: Sequence[Part], entries: Mapping[EntryId, Entry]) -> Message:
    text = "".join(part.text for part in said if part.kind == EntryKind.REPLY)
    made = [(part, entries[part.entry].call) for part in said if part.entry is not None]
    calls = tuple(ToolCall(call.id, call.tool, part.text) for part, call in made if call is not None)
    return Message(Role.ASSISTANT, text, calls)


def _sha256(messages: Iterable[Message], tools: Iterable[ToolDefinition]) -> str:
    """Digest exactly what is sent, so that a recomposed context can be proved the same."""
    sent: Json = [
        [
            [
                message.role.value,
                message.content,
                [[call.id, call.name, call.arguments] for call in message.tool_calls],
                message.answers,
            ]
            for message in messages
        ],
        [_definition(tool) for tool in tools],
    ]
    return hashlib.sha256(dump(sent)).hexdigest()
