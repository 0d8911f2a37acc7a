"""The composer: what the model is sent, layer by layer, from the record (spec "The store and the composer")."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from wisp_tui.context.cuts import apply_cuts
from wisp_tui.context.messages import definition, digest, messages_of
from wisp_tui.context.parts import Form, Layer, Part, PartKind
from wisp_tui.context.record import Entry, EntryKind, Origin, Revision, State, ThreadRecord
from wisp_tui.context.references import reference_for, whole_outputs
from wisp_tui.models import Message, ToolDefinition
from wisp_tui.text.ids import CallId, EntryId, TurnNumber
from wisp_tui.text.tokens import TokenClasses, token_classes

_NO_RESULT = "[no result: the call was cancelled or never finished]"


@dataclass(frozen=True, slots=True)
class Block:
    """A prompt-side record of what the turns no longer show, or of now. An empty text is no block."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of one request: those of the earlier layer, and the one of the now layer.

    ``instructions`` are the program's own segments after the instructions, such as the tools' catalogue: nothing of the
    conversation is ever among them (promise 8).
    """

    earlier: tuple[Block, ...] = ()
    now: tuple[Block, ...] = ()
    instructions: tuple[Block, ...] = ()


NO_BLOCKS = Blocks()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a composition is made of beside the record.

    ``request`` is the prompt whose turn runs, None for a look at what the next turn's first request would carry, with
    each output in the form it then has. ``moment`` composes the context as it was at that revision of the record.
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


_Key: TypeAlias = "tuple[EntryId, Form, TurnNumber | None, bool]"


@dataclass(frozen=True, slots=True)
class _Rendering:
    form: Form
    text: str
    bytes: int
    tokens: int
    classes: TokenClasses
    why: str | None


@dataclass(slots=True)
class Composer:
    """Composes one conversation's requests. It keeps each entry's renderings, so that composing costs what is active.

    ``estimate`` gives a text's tokens before a model's own ratio is applied.
    """

    estimate: Callable[[str], int]
    _renderings: dict[_Key, _Rendering] = field(default_factory=dict["_Key", "_Rendering"])

    def compose(self, record: ThreadRecord, plan: Plan) -> Composition:
        """Compose the context: instructions, tools, earlier, literal turns, now, request."""
        moment = record.revision if plan.moment is None else plan.moment
        held = record.at(moment)
        if plan.request is None and plan.moment is None:
            held = _at_the_next_turn(held, record)
        calls = {entry.call.id: entry for entry, _ in held if entry.call is not None}
        entries = [(entry, self._render(entry, state, calls, memory=plan.memory)) for entry, state in held]
        request = plan.request if plan.request is not None else EntryId(len(record) + 1)
        parts = [_part(Layer.INSTRUCTIONS, *item) for item in entries if item[0].kind is EntryKind.INSTRUCTIONS]
        added = plan.blocks.instructions
        parts += [self._block(Layer.INSTRUCTIONS, block.kind, block.text) for block in added if block.text]
        parts += [self._block(Layer.TOOLS, tool.name, definition(tool)) for tool in plan.tools]
        parts += [self._block(Layer.EARLIER, block.kind, block.text) for block in plan.blocks.earlier if block.text]
        turns = [item for item in entries if item[0].kind is not EntryKind.INSTRUCTIONS]
        parts += [_part(Layer.LITERAL, *item) for item in turns if item[0].id < request]
        parts += [self._block(Layer.NOW, block.kind, block.text) for block in plan.blocks.now if block.text]
        parts += [_part(Layer.REQUEST, *item) for item in turns if item[0].id >= request]
        known = {entry.id: entry for entry, _ in held}
        parts = self._answered(parts, known)
        messages = tuple(messages_of(parts, known))
        return Composition(tuple(parts), messages, plan.tools, digest(messages, plan.tools))

    def _answered(self, parts: Sequence[Part], entries: Mapping[EntryId, Entry]) -> list[Part]:
        """Give every call without a result one that says so: no runtime takes a call that nothing answers."""
        results = {entry.output.call for entry in entries.values() if entry.output and entry.kind is EntryKind.OUTPUT}
        answered, missing = list[Part](), list[Part]()
        for part in parts:
            if part.kind != EntryKind.CALL:
                answered += missing
                missing = []
            answered.append(part)
            call = entries[part.entry].call if part.entry is not None else None
            if call is not None and call.id not in results:
                missing.append(replace(self._block(part.layer, PartKind.UNANSWERED, _NO_RESULT), entry=part.entry))
        return answered + missing

    def _render(self, entry: Entry, state: State, calls: dict[CallId, Entry], *, memory: bool) -> _Rendering:
        form = _form(entry, state)
        key = (entry.id, form, state.referenced_at, memory)
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
                    text = short
                    since = (
                        "from the next turn on" if state.referenced_at is None else f"since turn {state.referenced_at}"
                    )
                    why = f"a reference {since}"
            case Form.CUT:
                text, why = apply_cuts(entry.text, state.cuts), f"{len(state.cuts)} cut, shown as output"
            case _:
                pass
        if entry.stopped is not None and entry.kind is EntryKind.REPLY:
            text = f"{text}\n[{entry.stopped}]" if text else f"[{entry.stopped}]"
        data = text.encode("utf-8", "replace")
        return _Rendering(form, text, len(data), self.estimate(text), token_classes(data), why)

    def _block(self, layer: Layer, kind: str, text: str) -> Part:
        data = text.encode("utf-8", "replace")
        return Part(layer, Form.BLOCK, kind, text, len(data), self.estimate(text), token_classes(data))


def _at_the_next_turn(held: Sequence[tuple[Entry, State]], record: ThreadRecord) -> Sequence[tuple[Entry, State]]:
    """Give the outputs that the next turn sends as references their state then."""
    soon = frozenset(whole_outputs(record, EntryId(len(record) + 1)))
    return [
        (entry, replace(state, referenced_in=record.revision) if entry.id in soon else state) for entry, state in held
    ]


def _form(entry: Entry, state: State) -> Form:
    if entry.output is not None and state.referenced_in is not None:
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
        classes=rendering.classes,
        entry=entry.id,
        carried=entry.origin is not Origin.TURN,
        why=rendering.why,
    )
