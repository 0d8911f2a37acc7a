"""How a condensation ended: what it reached, whether the request fits, and what is too large when it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from wisp_tui.context.fill import Fill

ESTIMATE_ERROR = 0.15
"""How far an estimate may be off; what is over the window by more is hopeless without asking the runtime."""


class Verdict(StrEnum):
    """Whether the request fits after a condensation."""

    FITS = "fits"
    OVER = "over"
    """Over the window by the estimate, at the floor. A runtime that refuses overflow is asked once: the exact check."""
    HOPELESS = "hopeless"
    """No step can make it fit, and no call is made."""


@dataclass(frozen=True, slots=True)
class TooLarge:
    """What takes the room that is not there: ``what`` in words for the person, and its tokens."""

    what: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a condensation ended. Sizes are tokens; fills are without the request."""

    window: int
    goal: int
    headroom: int
    before: Fill
    after: Fill
    steps: tuple[str, ...]
    """In the words of ``context.condensation``: ``referenced 3``, ``distilled 2 turns``, ``dropped 2 turns`` …"""
    floor: bool
    """The goal could not be reached: the instructions, the last turn and the blocks are what is left."""
    verdict: Verdict
    too_large: tuple[TooLarge, ...]
    """What takes the room, largest first, when the verdict is not that it fits."""

    @property
    def gained(self) -> bool:
        """Whether the request is smaller than before: without that, asking the runtime again is pointless."""
        return self.after.total < self.before.total

    def may_send(self, *, refuses_overflow: bool) -> bool:
        """Say whether the request may go to the runtime, which refuses what does not fit or cuts it silently."""
        return self.verdict is Verdict.FITS or (self.verdict is Verdict.OVER and refuses_overflow)


def hopeless(fill: Fill, window: int) -> bool:
    """Say whether no step can make a request fit: what stays is over the window by more than an estimate's error."""
    slack = 1.0 if fill.exact else 1.0 + ESTIMATE_ERROR
    return fill.instructions + fill.tools >= window or fill.least > window * slack


def outcome(before: Fill, after: Fill, *, window: int, goal: int, headroom: int, steps: Sequence[str]) -> Outcome:
    """Judge a condensation by its first and its last measurement."""
    verdict = Verdict.FITS
    if after.total > window:
        verdict = Verdict.HOPELESS if hopeless(after, window) else Verdict.OVER
    return Outcome(
        window=window,
        goal=goal,
        headroom=headroom,
        before=before,
        after=after,
        steps=tuple(steps),
        floor=after.context > goal,
        verdict=verdict,
        too_large=() if verdict is Verdict.FITS else _too_large(after),
    )


def floor_note(outcome: Outcome) -> str:
    """Write what the person is told when a condensation ended at its floor."""
    return (
        f"context at its floor: the instructions and the last turn take {outcome.after.context:,} of "
        f"{outcome.window:,} tokens, above the goal of {outcome.goal:,}; this turn may run out of room, "
        "and /new starts afresh"
    )


def does_not_fit(outcome: Outcome) -> str:
    """Write what the person is told when a request does not fit, naming what takes the room."""
    need, window = outcome.after.total, outcome.window
    fixed = outcome.after.instructions + outcome.after.tools
    if fixed >= window:
        return (
            f"the instructions and the tools' definitions alone need about {fixed:,} of {window:,} tokens; "
            "disable tools, shorten the instructions, or choose a model with a larger window"
        )
    largest = ", ".join(f"{part.what} {part.tokens:,}" for part in outcome.too_large[:3])
    return (
        "the request does not fit the model's context window: with earlier turns condensed, the instructions, the last "
        f"turn, and the request still need about {need:,} of {window:,} tokens ({largest}); "
        "shorten the request or start a new conversation"
    )


def _too_large(fill: Fill) -> tuple[TooLarge, ...]:
    last = fill.turns[-1].tokens if fill.turns else 0
    parts = [
        TooLarge("the instructions", fill.instructions),
        TooLarge("the tools' definitions", fill.tools),
        TooLarge("the facts and the summary", fill.earlier + fill.now),
        TooLarge("the last turn", last),
        TooLarge("the commands typed since", fill.literal - sum(turn.tokens for turn in fill.turns)),
        TooLarge("the request", fill.request),
    ]
    return tuple(sorted((part for part in parts if part.tokens > 0), key=lambda part: -part.tokens))
