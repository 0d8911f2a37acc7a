"""One turn as it was recorded and as another model took it, side by side. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum

from wisp_tui.text.json import Json, JsonObject, dump, load_object
from wisp_tui.text.sizes import count

_EXACT_WORDS = 4000
"""Words of two replies together up to which their likeness is measured by order; beyond, by the words they share."""


class CallState(StrEnum):
    """How a call of the one compares with those of the other."""

    SAME = "same"
    RECORDED = "only recorded"
    REPLAYED = "only replayed"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; two are the same when their tools and their arguments are, in whatever order these stand."""

    tool: str
    arguments: str

    @property
    def key(self) -> tuple[str, str]:
        """What is equal for calls that are the same."""
        return self.tool, canonical(self.arguments)


@dataclass(frozen=True, slots=True)
class CallCompared:
    """A call of either. ``given`` says where a replayed call's result came from, None for one that was not made."""

    call: Call
    state: CallState
    given: str | None = None

    @property
    def fields(self) -> JsonObject:
        """The call as it is written for programs."""
        return {
            "tool": self.call.tool,
            "arguments": self.call.arguments,
            "state": self.state.value,
            "given": self.given,
        }


@dataclass(frozen=True, slots=True)
class Context:
    """What a turn's first request carried: estimated tokens by layer, and the turns that had left by then."""

    layers: Mapping[str, int]
    left: tuple[int, ...]
    condensed: str = ""
    """What was condensed in the turn, in words; empty for nothing."""

    @property
    def tokens(self) -> int:
        """Its size, in estimated tokens."""
        return sum(self.layers.values())

    @property
    def fields(self) -> JsonObject:
        """The context as it is written for programs."""
        left: list[Json] = list(self.left)
        return {"tokens": self.tokens, "layers": dict(self.layers), "left": left, "condensed": self.condensed or None}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two. ``context``, ``seconds`` and the tokens a runtime reported are None where nobody knows them."""

    reply: str
    calls: tuple[Call, ...] = ()
    context: Context | None = None
    seconds: float | None = None
    input: int | None = None
    output: int | None = None
    outcome: str = "ok"
    message: str | None = None
    """Why a turn did not end well."""

    @property
    def fields(self) -> JsonObject:
        """The side as it is written for programs, without its calls."""
        return {
            "reply": self.reply,
            "context": self.context.fields if self.context is not None else None,
            "seconds": None if self.seconds is None else round(self.seconds, 3),
            "usage": {"input": self.input, "output": self.output},
            "outcome": self.outcome,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Compared:
    """A turn, by its place from 1. All its texts are clean."""

    turn: int
    prompt: str
    recorded: Side
    replayed: Side
    given: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Where the replayed calls' results came from, by the call's key."""

    @property
    def alike(self) -> float:
        """How much of the two replies is the same, word by word: 1 for the same words in the same order."""
        return likeness(self.recorded.reply, self.replayed.reply)

    @property
    def calls(self) -> tuple[CallCompared, ...]:
        """The calls of both: those that were replayed in their order, then those that were only recorded."""
        left = Counter(call.key for call in self.recorded.calls)
        found: list[CallCompared] = []
        for call in self.replayed.calls:
            state = CallState.SAME if left[call.key] > 0 else CallState.REPLAYED
            left[call.key] -= 1
            found.append(CallCompared(call, state, self.given.get(call.key)))
        for call in self.recorded.calls:
            if left[call.key] > 0:
                left[call.key] -= 1
                found.append(CallCompared(call, CallState.RECORDED))
        return tuple(found)

    @property
    def fields(self) -> JsonObject:
        """The turn as it is written for programs."""
        return {
            "turn": self.turn,
            "prompt": self.prompt,
            "recorded": self.recorded.fields,
            "replayed": self.replayed.fields,
            "calls": [call.fields for call in self.calls],
            "alike": round(self.alike, 3),
        }


def canonical(arguments: str) -> str:
    """Write arguments so that the same ones are the same text, whatever the order of their names."""
    try:
        return dump(load_object(arguments or "{}"), sort=True).decode()
    except ValueError:
        return arguments


def likeness(one: str, other: str) -> float:
    """Measure how much of two texts is the same, 0 to 1, by their words."""
    left, right = one.split(), other.split()
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return matcher.ratio() if len(left) + len(right) <= _EXACT_WORDS else matcher.quick_ratio()


def differences(recorded: Context, replayed: Context) -> list[str]:
    """Say in words where two contexts differ; nothing for none."""
    said: list[str] = []
    names = dict.fromkeys((*recorded.layers, *replayed.layers))
    pairs = [(name, recorded.layers.get(name, 0), replayed.layers.get(name, 0)) for name in names]
    layers = [f"{name} {was:,} → {now:,}" for name, was, now in pairs if was != now]
    if layers:
        said.append(", ".join(layers))
    if recorded.left != replayed.left:
        said.append(f"left by then: {turns_words(recorded.left)} → {turns_words(replayed.left)}")
    return said


def turns_words(turns: Sequence[int]) -> str:
    """Name turns: ``no turn``, ``turn 3``, ``turns 1-4, 6``."""
    if not turns:
        return "no turn"
    return f"{count(len(turns), 'turn').split()[1]} {', '.join(_spans(turns))}"


def _spans(turns: Iterable[int]) -> list[str]:
    spans: list[list[int]] = []
    for turn in sorted(turns):
        if spans and spans[-1][1] == turn - 1:
            spans[-1][1] = turn
        else:
            spans.append([turn, turn])
    return [str(first) if first == last else f"{first}-{last}" for first, last in spans]
