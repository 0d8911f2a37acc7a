from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from wisp_tui.context.condensing import (
    DistilAndDrop,
    FailFast,
    Fixed,
    Performed,
    Policy,
    Reference,
    Squeeze,
    Step,
    Target,
    condense,
    due,
    goal,
    overflow_tokens,
    turns_to_drop,
    usable,
)
from wisp_tui.context.fill import Fill, OutputFill, TurnFill
from wisp_tui.context.outcome import Outcome, Verdict, does_not_fit, floor_note
from wisp_tui.text.ids import EntryId, TurnNumber

WINDOW = 10_000


def filled(
    turns: Sequence[int] = (),
    *,
    instructions: int = 1000,
    tools: int = 0,
    earlier: int = 0,
    request: int = 200,
    pending: int = 0,
    whole: Sequence[int] = (),
    own: Sequence[int] = (),
    exact: bool = False,
) -> Fill:
    """A measurement of literal turns of these sizes; ``whole`` and ``own`` are outputs by what a reference saves."""
    literal = sum(turns) + pending
    return Fill(
        total=instructions + tools + earlier + literal + request,
        instructions=instructions,
        tools=tools,
        earlier=earlier,
        literal=literal,
        now=0,
        request=request,
        turns=tuple(TurnFill(TurnNumber(n), (EntryId(n * 10),), size) for n, size in enumerate(turns, 1)),
        whole=tuple(OutputFill(EntryId(100 + n), saves) for n, saves in enumerate(whole)),
        own=tuple(OutputFill(EntryId(200 + n), saves) for n, saves in enumerate(own)),
        exact=exact,
    )


def perform(step: Step, fill: Fill, *, distilled_adds: int = 0) -> Fill:
    """Do to a measurement what a step does to the context."""
    match step:
        case Reference(entries, own=own):
            field = fill.own if own else fill.whole
            saved = sum(output.saves for output in field if output.entry in entries)
            left = tuple(output for output in field if output.entry not in entries)
            smaller = (
                replace(fill, total=fill.total - saved, own=left) if own else replace(fill, total=fill.total - saved)
            )
            return replace(smaller, request=fill.request - saved) if own else replace(smaller, whole=())
        case DistilAndDrop(turns):
            saved = sum(turn.tokens for turn in turns)
            return replace(
                fill,
                total=fill.total - saved + distilled_adds,
                literal=fill.literal - saved,
                earlier=fill.earlier + distilled_adds,
                turns=fill.turns[len(turns) :],
            )
        case Squeeze():
            return replace(fill, total=fill.total - fill.earlier + 100, earlier=100)


def run(
    fill: Fill,
    policy: Policy | None = None,
    *,
    window: int = WINDOW,
    room: int = 500,
    midway: bool = False,
    act: Callable[[Step, Fill], Fill] = perform,
    distilled: bool = False,
) -> tuple[list[Step], Outcome]:
    """Drive a condensation to its end; return the steps it asked for and how it ended."""
    asked: list[Step] = []
    steps = condense(fill, window, policy or Target(), room, midway=midway)
    try:
        step = next(steps)
        while True:
            asked.append(step)
            fill = act(step, fill)
            step = steps.send(Performed(fill, distilled=distilled and isinstance(step, DistilAndDrop)))
    except StopIteration as end:
        return asked, end.value


def test_the_context_is_due_when_it_and_the_prompt_and_the_headroom_reach_the_budget() -> None:
    fill = filled([7000])
    assert fill.total == 8200
    assert not due(fill, WINDOW, Target(), 299)
    assert due(fill, WINDOW, Target(), 300)


def test_a_window_nobody_knows_is_never_due() -> None:
    assert not due(filled([90_000]), None, Target(), 500)


def test_the_turn_after_a_condensation_is_due_only_when_the_next_turn_would_not_fit() -> None:
    fill = filled([7800])
    assert due(fill, WINDOW, Target(), 900, since=2)
    assert not due(fill, WINDOW, Target(), 900, since=1)
    assert due(fill, WINDOW, Target(), 1001, since=1)


def test_midway_the_headroom_is_spent() -> None:
    assert not due(filled([7200]), WINDOW, Target(), 900, midway=True)
    assert due(filled([7300]), WINDOW, Target(), 0, midway=True)
    assert due(filled([7300]), WINDOW, Target(), 0, midway=True, since=1)


def test_the_fixed_policy_has_no_headroom_and_does_nothing_for_few_turns() -> None:
    assert not due(filled([1300] * 5, request=700), WINDOW, Fixed(4), 5000)
    assert due(filled([1400] * 5, request=700), WINDOW, Fixed(4), 0)
    assert not due(filled([3000] * 4), WINDOW, Fixed(4), 0)


def test_fail_fast_is_never_due_and_does_nothing() -> None:
    assert not due(filled([20_000]), WINDOW, FailFast(), 500)
    asked, outcome = run(filled([20_000]), FailFast())
    assert asked == []
    assert not outcome.gained


def test_the_goal_is_the_target_or_what_the_prompt_and_the_headroom_leave_under_the_budget() -> None:
    assert goal(filled(request=200), WINDOW, Target(), 500) == 6000
    assert goal(filled(request=2500), WINDOW, Target(), 500) == 5500
    assert goal(filled(request=9000), WINDOW, Target(), 500) == 0


@pytest.mark.parametrize(
    ("budget", "target", "used"),
    [(0.85, 0.6, 0.6), (0.85, 0.9, 0.65), (0.5, 0.5, 0.3), (0.85, 0.65, 0.65), (0.3, 0.6, 0.1), (0.85, 0.0, 0.0)],
)
def test_the_target_is_capped_at_the_budget_less_a_fifth_of_the_window(
    budget: float, target: float, used: float
) -> None:
    policy = Target(budget=budget, target=target)
    assert abs(policy.share - used) < 1e-9
    assert policy.capped == (target - used > 1e-9)
    assert goal(filled(request=0), WINDOW, policy, 0) == round(used * WINDOW)


def test_midway_the_goal_leaves_room_for_one_more_output_at_most() -> None:
    fill = filled(request=3000)
    assert goal(fill, WINDOW, Target(), 9000, midway=True) == 8500 - 3000 - 1250
    assert goal(fill, WINDOW, Target(), 100, midway=True) == 8500 - 3000 - 100


@pytest.mark.parametrize(("excess", "dropped"), [(-5, 0), (0, 0), (1, 1), (100, 1), (101, 2), (300, 2), (9999, 2)])
def test_the_fewest_oldest_turns_are_dropped_and_never_the_last(excess: int, dropped: int) -> None:
    turns = filled([100, 200, 300]).turns
    assert turns_to_drop(turns, excess) == dropped
    assert turns_to_drop((), excess) == 0


def test_references_come_first_and_may_be_enough() -> None:
    asked, outcome = run(filled([3000, 3000], whole=[1500, 500]))
    assert asked == [Reference((EntryId(100), EntryId(101)))]
    assert outcome.steps == ("referenced 2",)
    assert outcome.after.context == 5000
    assert not outcome.floor


def test_turns_are_distilled_and_dropped_oldest_first_until_the_goal() -> None:
    asked, outcome = run(filled([1000] * 7), distilled=True)
    assert [type(step) for step in asked] == [DistilAndDrop]
    assert isinstance(asked[0], DistilAndDrop)
    assert asked[0].entries == (10, 20)
    assert outcome.steps == ("distilled 2 turns", "dropped 2 turns")
    assert (outcome.before.context, outcome.after.context, outcome.goal) == (8000, 6000, 6000)


def test_what_distilling_adds_drops_more() -> None:
    asked, outcome = run(
        filled([1000] * 7),
        act=lambda step, fill: perform(step, fill, distilled_adds=400 if len(fill.turns) > 5 else 0),
        distilled=True,
    )
    assert [len(step.turns) for step in asked if isinstance(step, DistilAndDrop)] == [2, 1]
    assert outcome.steps == ("distilled 2 turns", "dropped 2 turns", "distilled 1 turn", "dropped 1 turn")
    assert outcome.after.context == 5400


def test_it_ends_even_when_distilling_adds_more_than_dropping_takes() -> None:
    asked, outcome = run(filled([500] * 14), act=lambda step, fill: perform(step, fill, distilled_adds=2000))
    assert len(asked) <= 15
    assert len(outcome.after.turns) == 1
    assert outcome.steps[-1] == "squeezed earlier"


def test_at_one_turn_the_earlier_block_is_squeezed() -> None:
    asked, outcome = run(filled([1000, 5500], earlier=900))
    assert [type(step) for step in asked] == [DistilAndDrop, Squeeze]
    assert outcome.steps == ("dropped 1 turn", "squeezed earlier")
    assert outcome.after.context == 6600
    assert outcome.floor
    assert outcome.verdict is Verdict.FITS


def test_nothing_is_squeezed_where_there_is_no_earlier_block() -> None:
    asked, outcome = run(filled([1000, 5500]))
    assert [type(step) for step in asked] == [DistilAndDrop]
    assert outcome.floor


def test_the_request_alone_decides_nothing_of_the_floor() -> None:
    _, outcome = run(filled([1000, 1000], request=2000))
    assert not outcome.floor
    assert outcome.goal == 6000


def test_the_last_resort_references_this_turns_outputs_oldest_first_until_a_reply_has_room() -> None:
    fill = filled([900], request=9000, own=[1000, 900, 3000])
    asked, outcome = run(fill, midway=True)
    assert asked == [Reference((EntryId(200), EntryId(201)), own=True)]
    assert outcome.after.total == 9000
    assert outcome.after.total <= usable(WINDOW)
    assert outcome.steps == ("referenced 2 of this turn",)


def test_this_turns_outputs_stay_whole_while_the_request_fits() -> None:
    asked, outcome = run(filled([900], request=7000, own=[3000]), midway=True)
    assert asked == []
    assert outcome.verdict is Verdict.FITS


def test_instructions_and_tools_over_the_window_are_named_at_once() -> None:
    asked, outcome = run(filled([500, 500], instructions=4000, tools=8000, earlier=500, whole=[300]))
    assert asked == []
    assert outcome.verdict is Verdict.HOPELESS
    assert not outcome.may_send(refuses_overflow=True)
    assert not outcome.gained
    assert does_not_fit(outcome) == (
        "the instructions and the tools' definitions alone need about 12,000 of 10,000 tokens; "
        "disable tools, shorten the instructions, or choose a model with a larger window"
    )


def test_a_request_over_the_window_by_more_than_an_estimates_error_is_named_at_once() -> None:
    asked, outcome = run(filled([500, 500], request=11_000))
    assert asked == []
    assert outcome.verdict is Verdict.HOPELESS
    assert outcome.too_large[0].what == "the request"
    assert "the request 11,000" in does_not_fit(outcome)
    assert "need about 13,000 of 10,000 tokens" in does_not_fit(outcome)


def test_a_counted_request_over_the_window_is_hopeless_without_a_margin() -> None:
    assert run(filled([100], request=9000, exact=True))[1].verdict is Verdict.HOPELESS
    assert run(filled([100], request=9000, exact=False))[1].verdict is Verdict.OVER


def test_at_the_floor_and_just_over_only_a_runtime_that_refuses_is_asked() -> None:
    _, outcome = run(filled([300, 800], request=8500))
    assert outcome.verdict is Verdict.OVER
    assert outcome.may_send(refuses_overflow=True)
    assert not outcome.may_send(refuses_overflow=False)


def test_pending_commands_are_never_dropped_and_are_named() -> None:
    asked, outcome = run(filled([300], pending=12_000))
    assert asked == []
    assert outcome.too_large[0].what == "the commands typed since"


def test_the_fixed_policy_keeps_its_turns_without_a_check() -> None:
    asked, outcome = run(filled([2000] * 6), Fixed(4))
    assert isinstance(asked[0], DistilAndDrop)
    assert asked[0].entries == (10, 20)
    assert len(asked) == 1
    assert len(outcome.after.turns) == 4
    assert run(filled([2000] * 4), Fixed(4))[0] == []


def test_the_fixed_policy_keeps_at_least_one_turn() -> None:
    _, outcome = run(filled([2000] * 6), Fixed(0))
    assert len(outcome.after.turns) == 1


@pytest.mark.parametrize(
    ("limit", "count", "estimate", "window", "expected"),
    [
        (8192, 8913, 7000, 16_384, (8913, 8192)),
        (8192, 8913, 7000, 4096, (8913, 4096)),
        (None, None, 7000, 8192, (8193, 8192)),
        (None, None, 9000, 8192, (9000, 8192)),
        (4096, None, 3000, None, (4097, 4096)),
        (None, None, 3000, None, (3001, 3000)),
        (None, 5000, 3000, None, (5000, 5000)),
    ],
)
def test_an_overflow_is_measured_by_its_own_figures(
    limit: int | None, count: int | None, estimate: int, window: int | None, expected: tuple[int, int]
) -> None:
    assert overflow_tokens(limit, count, estimate, window) == expected


def test_a_step_that_was_not_performed_is_a_fault_and_no_endless_loop() -> None:
    with pytest.raises(ValueError, match="were not dropped"):
        run(filled([1000] * 9), act=lambda _, fill: fill)
    with pytest.raises(ValueError, match="were not referenced"):
        run(filled([900], request=9000, own=[3000]), act=lambda _, fill: fill)


def test_the_floor_note_says_what_takes_how_much() -> None:
    _, outcome = run(filled([6500]))
    assert floor_note(outcome) == (
        "context at its floor: the instructions and the last turn take 7,500 of 10,000 tokens, above the goal of "
        "6,000; this turn may run out of room, and /new starts afresh"
    )
