"""Condensing: when the context is due, how far it goes, and step by step how it gets there (spec "Condensing").

Nothing here measures, distils or changes a record. ``condense`` is a generator: it yields one step at a time, the
session performs it, composes and measures again, and sends the result back::

    fill = look(record, composition, tokens=tokens, exact=counted)
    room = headroom(record, whole_size, before=request, turns=policy.headroom_turns)
    if due(fill, window, policy, room, since=turns_since_the_last_condensation):
        steps = condense(fill, window, policy, room)
        try:
            step = next(steps)
            while True:
                step = steps.send(await perform(step))
        except StopIteration as end:
            outcome = end.value

``perform`` does what the step says and returns ``Performed(look(...))`` of the context composed afterwards:

- ``Reference(entries)``: ``record.reference(entries, turn=...)``, each audited as ``context.reference``. With ``own``
  they are the running turn's outputs: the last resort;
- ``DistilAndDrop(turns)``: the turns are distilled where there is something to distil with (a failure changes nothing),
  then ``record.drop(...)`` of all their entries; ``Performed(fill, distilled=True)`` when a distillation was recorded;
- ``Squeeze()``: the earlier block's facts to 1 KiB, its summary left out, for this turn.

Before every further request of a tool loop, ask ``due`` with ``midway=True`` and pass the same to ``condense``. After
an overflow, take the size and the window from ``overflow_tokens`` and condense without asking ``due``; retry only when
``outcome.gained``. ``outcome.may_send(refuses_overflow=...)`` says whether the request may go to the runtime at all;
when not, ``outcome.too_large`` and ``does_not_fit(outcome)`` say why.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from math import floor
from typing import TypeAlias

from wisp_tui.context.fill import HEADROOM_TURNS, Fill, TurnFill
from wisp_tui.context.outcome import Outcome, hopeless, outcome
from wisp_tui.text.ids import EntryId

BUDGET = 0.85
"""Share of the window at which the context is condensed."""
TARGET = 0.6
"""Share of the window a condensation brings the context down to."""
TARGET_MARGIN = 0.2
"""Shares of the window between the budget and the highest target used, so that condensations stay apart."""
REPLY_SHARE = 1 / 16
"""Share of the window kept for the reply when the request fills the rest: past it, the last resort begins."""
_ROUNDING = 1e-9
OUTPUT_SHARE = 1 / 8
"""Share of the window that one more tool output may take."""


@dataclass(frozen=True, slots=True)
class Target:
    """Condense to a token target. Shares are of the window."""

    budget: float = BUDGET
    target: float = TARGET
    headroom_turns: int = HEADROOM_TURNS

    @property
    def share(self) -> float:
        """The target as used: at most the budget less the margin, so that a target set anywhere is capped."""
        return max(min(self.target, self.budget - TARGET_MARGIN), 0.0)

    @property
    def capped(self) -> bool:
        """Whether the target as set is above the one used."""
        return self.target > self.share + _ROUNDING


@dataclass(frozen=True, slots=True)
class Fixed:
    """Keep the instructions and the last turns, however full they are."""

    keep_turns: int = 4
    budget: float = BUDGET


@dataclass(frozen=True, slots=True)
class FailFast:
    """Never condense: an overflow reaches the person."""


Policy: TypeAlias = Target | Fixed | FailFast


@dataclass(frozen=True, slots=True)
class Reference:
    """Send these outputs as references. ``own`` when they are the running turn's: the last resort."""

    entries: tuple[EntryId, ...]
    own: bool = False


@dataclass(frozen=True, slots=True)
class DistilAndDrop:
    """Distil these oldest turns, then drop them, the commands typed before each included."""

    turns: tuple[TurnFill, ...]

    @property
    def entries(self) -> tuple[EntryId, ...]:
        """The turns' entries, in order."""
        return tuple(entry for turn in self.turns for entry in turn.entries)


@dataclass(frozen=True, slots=True)
class Squeeze:
    """Squeeze the earlier block below its cap for this turn."""


Step: TypeAlias = Reference | DistilAndDrop | Squeeze


@dataclass(frozen=True, slots=True)
class Performed:
    """A step was performed; ``fill`` measures the context composed after it."""

    fill: Fill
    distilled: bool = False


Condensation: TypeAlias = Generator[Step, Performed, Outcome]


def due(
    fill: Fill, window: int | None, policy: Policy, headroom: int, *, since: int | None = None, midway: bool = False
) -> bool:
    """Say whether the context is due a condensation: context, prompt and headroom reach the budget.

    Never for a window nobody knows. ``since`` is how many turns ago the last condensation was, 1 for the turn before
    this one, None for never or since the model changed: on the turn right after one, the budget may be passed as long
    as the next turn still fits, so that condensations never follow each other turn by turn. ``midway`` is for a further
    request of a running tool loop, whose turn has taken its headroom already.
    """
    if window is None:
        return False
    match policy:
        case Target(budget=budget):
            needed = fill.total if midway else fill.total + headroom
            if since is not None and since <= 1 and not midway:
                return needed > window
            return needed >= _share(budget, window)
        case Fixed(keep_turns=keep, budget=budget):
            return fill.total >= _share(budget, window) and len(fill.turns) > keep
        case FailFast():
            return False


def goal(fill: Fill, window: int, policy: Target, headroom: int, *, midway: bool = False) -> int:
    """Return what a condensation brings the context (without the request) down to, in tokens.

    The target's share, or less when the request and the headroom need more room under the budget. Midway, the headroom
    is at most what one more tool output may take.
    """
    room = min(headroom, int(window * OUTPUT_SHARE)) if midway else headroom
    return max(min(_share(policy.share, window), _share(policy.budget, window) - fill.request - room), 0)


def usable(window: int) -> int:
    """Return how much of a window a request may take and leave room for a reply."""
    return window - int(window * REPLY_SHARE)


def turns_to_drop(turns: tuple[TurnFill, ...], excess: int) -> int:
    """Return the fewest oldest turns whose dropping takes away ``excess`` tokens, never the last one."""
    dropped = 0
    while excess > 0 and dropped < len(turns) - 1:
        excess -= turns[dropped].tokens
        dropped += 1
    return dropped


def overflow_tokens(limit: int | None, count: int | None, estimate: int, window: int | None) -> tuple[int, int]:
    """Return a refused request's size and the window to condense against, from the overflow's own figures.

    A figure the runtime did not give is bounded by what the refusal proves: the request was larger than the window.
    """
    known = [size for size in (limit, window) if size is not None]
    against = min(known) if known else (count or estimate)
    return (count if count is not None else max(estimate, against + 1)), against


def condense(fill: Fill, window: int, policy: Policy, headroom: int, *, midway: bool = False) -> Condensation:
    """Yield the steps that bring a context to its goal; return how it ended. Every pass drops a turn or is the last."""
    match policy:
        case Target():
            return _to_target(fill, window, policy, headroom, midway=midway)
        case Fixed():
            return _to_turns(fill, window, policy, headroom)
        case FailFast():
            return _nothing(fill, window, headroom)


def _to_target(fill: Fill, window: int, policy: Target, headroom: int, *, midway: bool) -> Condensation:
    wanted = goal(fill, window, policy, headroom, midway=midway)
    before, steps = fill, list[str]()
    if not hopeless(fill, window):
        if fill.whole:
            entries = tuple(output.entry for output in fill.whole)
            fill = (yield Reference(entries)).fill
            steps.append(f"referenced {len(entries)}")
        while drop := turns_to_drop(fill.turns, fill.context - wanted):
            fill = yield from _drop(fill, drop, steps)
        if fill.context > wanted and fill.earlier:
            fill = (yield Squeeze()).fill
            steps.append("squeezed earlier")
        fill = yield from _last_resort(fill, window, steps)
    return outcome(before, fill, window=window, goal=wanted, headroom=headroom, steps=steps)


def _to_turns(fill: Fill, window: int, policy: Fixed, headroom: int) -> Condensation:
    before, steps = fill, list[str]()
    drop = len(fill.turns) - max(policy.keep_turns, 1)
    if drop > 0:
        fill = yield from _drop(fill, drop, steps)
    return outcome(before, fill, window=window, goal=_share(policy.budget, window), headroom=headroom, steps=steps)


def _nothing(fill: Fill, window: int, headroom: int) -> Condensation:
    yield from ()
    return outcome(fill, fill, window=window, goal=fill.context, headroom=headroom, steps=[])


def _drop(fill: Fill, count: int, steps: list[str]) -> Generator[Step, Performed, Fill]:
    performed = yield DistilAndDrop(fill.turns[:count])
    if len(performed.fill.turns) >= len(fill.turns):
        raise ValueError("a condensation's turns were not dropped")
    if performed.distilled:
        steps.append(f"distilled {_turns(count)}")
    steps.append(f"dropped {_turns(count)}")
    return performed.fill


def _last_resort(fill: Fill, window: int, steps: list[str]) -> Generator[Step, Performed, Fill]:
    """Send the running turn's own outputs as references, oldest first, until the request leaves room for a reply."""
    while fill.total > usable(window) and fill.own:
        excess, chosen = fill.total - usable(window), list[EntryId]()
        for output in fill.own:
            if excess <= 0:
                break
            chosen.append(output.entry)
            excess -= output.saves
        left = len(fill.own)
        fill = (yield Reference(tuple(chosen), own=True)).fill
        if len(fill.own) >= left:
            raise ValueError("a condensation's outputs were not referenced")
        steps.append(f"referenced {len(chosen)} of this turn")
    return fill


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def _share(share: float, window: int) -> int:
    return floor(share * window + _ROUNDING)
