"""How full the context is: one measurement of a composition, taken apart into what condensing can and cannot change.

All sizes are tokens of the model in use, as its runtime counts them or as estimated (spec "Condensing").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wisp_tui.context.composer import Composition, Form, Layer, Part
from wisp_tui.context.record import Entry, EntryKind, ThreadRecord, turns_of
from wisp_tui.context.references import LIMIT
from wisp_tui.text.ids import EntryId, TurnNumber

HEADROOM_TURNS = 8
"""Turns whose mean size is the room kept for the next one."""


@dataclass(frozen=True, slots=True)
class TurnFill:
    """One literal turn as the composition carries it, the commands typed before it included."""

    turn: TurnNumber
    entries: tuple[EntryId, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class OutputFill:
    """A tool output sent whole, and about what sending its reference instead would save."""

    entry: EntryId
    saves: int


@dataclass(frozen=True, slots=True)
class Fill:
    """A measured context. ``total`` is all a request would carry; the parts below it add up to it within rounding."""

    total: int
    instructions: int
    tools: int
    earlier: int
    literal: int
    now: int
    request: int
    """The prompt whose turn runs, and what its turn has added so far."""
    turns: tuple[TurnFill, ...]
    """The literal turns before the request, oldest first."""
    whole: tuple[OutputFill, ...]
    """Outputs of earlier turns that are not references yet."""
    own: tuple[OutputFill, ...]
    """Outputs of the running turn worth a reference, oldest first."""
    exact: bool
    """Whether the runtime counted; an estimate otherwise."""

    @property
    def context(self) -> int:
        """All but the request, which is what a condensation brings down to its goal."""
        return self.total - self.request

    @property
    def least(self) -> int:
        """What no step can take away: the instructions, tools, now block, pending commands, last turn and request."""
        droppable = sum(turn.tokens for turn in self.turns[:-1])
        last = set(self.turns[-1].entries) if self.turns else set[EntryId]()
        saved = sum(output.saves for output in self.whole if output.entry in last) + sum(o.saves for o in self.own)
        return self.total - self.earlier - droppable - saved


def look(record: ThreadRecord, composition: Composition, *, tokens: int, exact: bool) -> Fill:
    """Take a measurement apart. ``tokens`` is the whole composition's size, counted or estimated.

    The parts' own estimates share ``tokens`` out in proportion, so that whatever the model's ratio, the parts and the
    whole are in one unit.
    """
    estimated = composition.tokens
    scale = tokens / estimated if estimated else 1.0
    sizes = {layer: round(size * scale) for layer, size in composition.by_layer().items()}
    sent = dict[EntryId, int]()
    for part in _of(composition, Layer.LITERAL):
        if part.entry is not None:
            sent[part.entry] = sent.get(part.entry, 0) + part.tokens
    turns = tuple(
        TurnFill(turn[-1].turn, tuple(e.id for e in turn), round(sum(sent[e.id] for e in turn) * scale))
        for turn in turns_of(record.entry(entry) for entry in sent)
    )
    return Fill(
        total=tokens,
        instructions=sizes[Layer.INSTRUCTIONS],
        tools=sizes[Layer.TOOLS],
        earlier=sizes[Layer.EARLIER],
        literal=sizes[Layer.LITERAL],
        now=sizes[Layer.NOW],
        request=sizes[Layer.REQUEST],
        turns=turns,
        whole=_whole(record, _of(composition, Layer.LITERAL), scale, least=0),
        own=_whole(record, _of(composition, Layer.REQUEST), scale, least=LIMIT),
        exact=exact,
    )


def headroom(
    record: ThreadRecord,
    size: Callable[[Entry], int],
    *,
    before: EntryId | None = None,
    turns: int = HEADROOM_TURNS,
) -> int:
    """Return the room the next turn needs: the mean size of the latest turns, 0 before there is one.

    A turn's size is its tool calls, its tool output whole and its replies, not its prompt. Dropped turns count, so that
    a condensation does not change the mean. ``before`` is the prompt whose turn runs, which is not counted; ``size``
    gives an entry's tokens, whole.
    """
    last = len(record) if before is None else before - 1
    produced: list[int] = []
    running = 0
    for place in range(last, 0, -1):
        entry = record.entry(EntryId(place))
        match entry.kind:
            case EntryKind.PROMPT:
                produced.append(running)
                running = 0
                if len(produced) == turns:
                    break
            case EntryKind.INSTRUCTIONS | EntryKind.COMMAND:
                pass
            case _:
                running += size(entry)
    return round(sum(produced) / len(produced)) if produced else 0


def _of(composition: Composition, layer: Layer) -> list[Part]:
    return [part for part in composition.parts if part.layer is layer]


def _whole(record: ThreadRecord, parts: Sequence[Part], scale: float, *, least: int) -> tuple[OutputFill, ...]:
    return tuple(
        OutputFill(part.entry, max(round((part.tokens - part.tokens * LIMIT / part.bytes) * scale), 0))
        for part in parts
        if part.entry is not None
        and part.kind == EntryKind.OUTPUT
        and part.form is Form.WHOLE
        and part.bytes > least
        and record.state(part.entry).referenced_in is None
    )
