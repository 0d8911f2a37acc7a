"""Calm, and the end of every condensation, over all settings: numbers alone, so that thousands of turns are cheap."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.context.condensing import DistilAndDrop, Performed, Squeeze, Target, condense, due
from wisp_tui.context.fill import Fill, OutputFill, TurnFill
from wisp_tui.context.outcome import Outcome, Verdict
from wisp_tui.text.ids import EntryId, TurnNumber

STEPS = [step / 20 for step in range(21)]
BUDGETS = [step / 20 for step in range(6, 20)]


@dataclass
class Numbers:
    """A conversation of sizes: turns that take ``turn`` tokens while they run and ``lasting`` afterwards."""

    window: int
    policy: Target
    fixed: int
    turn: int
    lasting: int
    prompt: int
    earlier: int = 0
    squeezed: bool = False
    literal: list[TurnFill] = field(default_factory=list[TurnFill])
    condensed: list[int] = field(default_factory=list[int])
    outcomes: list[Outcome] = field(default_factory=list[Outcome])

    def fill(self) -> Fill:
        """Measure it."""
        literal = sum(turn.tokens for turn in self.literal)
        earlier = min(self.earlier, 250) if self.squeezed else self.earlier
        return Fill(
            total=self.fixed + earlier + literal + self.prompt,
            instructions=self.fixed,
            tools=0,
            earlier=earlier,
            literal=literal,
            now=0,
            request=self.prompt,
            turns=tuple(self.literal),
            whole=(),
            own=(),
            exact=True,
        )

    def take(self, number: int) -> None:
        """Run a turn of average size."""
        room = self.turn if number > 1 else 0
        since = number - self.condensed[-1] if self.condensed else None
        self.squeezed = False
        if due(self.fill(), self.window, self.policy, room, since=since):
            self.outcomes.append(self.condense(room))
            self.condensed.append(number)
        tokens = self.prompt + self.lasting
        self.literal.append(TurnFill(TurnNumber(number), (EntryId(number),), tokens))

    def condense(self, room: int) -> Outcome:
        """Condense by the steps; each distillation adds to the earlier block until its cap, 15% of the window."""
        steps = condense(self.fill(), self.window, self.policy, room)
        try:
            step = next(steps)
            while True:
                match step:
                    case DistilAndDrop(turns):
                        self.literal = self.literal[len(turns) :]
                        self.earlier = min(int(self.window * 0.15), self.earlier + self.window // 40)
                    case Squeeze():
                        self.squeezed = True
                    case _:
                        raise AssertionError(step)
                step = steps.send(Performed(self.fill()))
        except StopIteration as end:
            return end.value


def consecutive(had: Numbers) -> int:
    return sum(later - earlier == 1 for earlier, later in pairwise(had.condensed))


@pytest.mark.parametrize("budget", BUDGETS)
def test_no_two_condensations_follow_each_other_turn_by_turn_at_any_target(budget: float) -> None:
    condensations = 0
    for target, share, lasting in product(STEPS, (0.02, 0.06, 0.12), (0.2, 1.0)):
        window = 8192
        turn = int(window * share)
        had = Numbers(window, Target(budget, target), 1200, turn, int(turn * lasting), 40)
        for number in range(1, 60):
            had.take(number)
        assert consecutive(had) == 0, (budget, target, share, lasting)
        condensations += len(had.condensed)
    assert condensations > 50


@given(
    window=st.integers(2048, 131_072),
    budget=st.floats(0.3, 0.95),
    target=st.floats(0.0, 1.0),
    fixed=st.floats(0.0, 0.25),
    turn=st.floats(0.0, 0.12),
    lasting=st.floats(0.0, 1.0),
)
def test_condensing_is_calm_for_average_turns_of_an_eighth_of_the_window_at_most(
    window: int, budget: float, target: float, fixed: float, turn: float, lasting: float
) -> None:
    size = int(window * turn)
    had = Numbers(
        window,
        Target(budget, target),
        int(window * fixed),
        size,
        int(size * lasting),
        max(int(window * 0.125) - size, 0) // 2,
    )
    for number in range(1, 40):
        had.take(number)
    assert consecutive(had) == 0
    for outcome in had.outcomes:
        assert outcome.floor == (outcome.after.context > outcome.goal)
        assert outcome.verdict is Verdict.FITS


SIZES = st.integers(0, 3000)


@given(
    turns=st.lists(SIZES, max_size=12),
    fixed=SIZES,
    earlier=SIZES,
    request=SIZES,
    whole=st.lists(SIZES, max_size=3),
    own=st.lists(SIZES, max_size=4),
    adds=st.integers(0, 4000),
    window=st.integers(256, 8192),
    room=SIZES,
    midway=st.booleans(),
)
def test_every_condensation_ends_and_every_pass_drops_a_turn(
    turns: list[int],
    fixed: int,
    earlier: int,
    request: int,
    whole: list[int],
    own: list[int],
    adds: int,
    window: int,
    room: int,
    midway: bool,
) -> None:
    literal = [TurnFill(TurnNumber(n), (EntryId(n),), size) for n, size in enumerate(turns, 1)]
    earlier_outputs = [OutputFill(EntryId(100 + n), 0) for n in range(len(whole))]
    own_outputs = [OutputFill(EntryId(200 + n), saves) for n, saves in enumerate(own)]
    steps_taken = 0

    def fill() -> Fill:
        rest = sum(turn.tokens for turn in literal)
        own_left = sum(output.saves for output in own_outputs)
        return Fill(
            fixed + earlier + rest + request + own_left,
            fixed,
            0,
            earlier,
            rest,
            0,
            request + own_left,
            tuple(literal),
            tuple(earlier_outputs),
            tuple(own_outputs),
            exact=True,
        )

    steps = condense(fill(), window, Target(), room, midway=midway)
    try:
        step = next(steps)
        while True:
            steps_taken += 1
            match step:
                case DistilAndDrop(dropped):
                    assert dropped
                    assert list(dropped) == literal[: len(dropped)]
                    literal = literal[len(dropped) :]
                    assert literal, "the last turn stays"
                    earlier += adds
                case Squeeze():
                    earlier = min(earlier, 250)
                case referenced if referenced.own:
                    chosen = set(referenced.entries)
                    assert [o.entry for o in own_outputs][: len(chosen)] == list(referenced.entries)
                    own_outputs = [output for output in own_outputs if output.entry not in chosen]
                case _:
                    earlier_outputs = []
            step = steps.send(Performed(fill()))
    except StopIteration as end:
        outcome: Outcome = end.value
    assert steps_taken <= len(turns) + len(own) + 2
    assert (outcome.after.total <= window) == (outcome.verdict is Verdict.FITS)
