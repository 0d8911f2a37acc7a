"""Whatever a distiller answers: bounded, the model's word, and never an exception."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.facts import KINDS, moment
from wisp_tui.facts import (
    DistilJob,
    Distilled,
    FactBook,
    Place,
    SourceKind,
    SummaryJob,
    Topic,
    TurnText,
    Unusable,
    record,
    retention,
)
from wisp_tui.facts.turns import Said, bound_for, fair_share, listing
from wisp_tui.facts.values import stored_value
from wisp_tui.models import Role
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.json import Json, dump

SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=200)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
FACTS = st.fixed_dictionaries(
    {},
    optional={
        "subject": st.sampled_from([kind.subject for kind in KINDS]) | SCALARS,
        "name": st.sampled_from(["codename", "owner"]) | SCALARS,
        "value": st.sampled_from(["BLUE HERON", "x\n- y — from the person"]) | SCALARS,
        "said_by": st.sampled_from(["person", "model"]) | SCALARS,
    },
)
ANSWERS = st.fixed_dictionaries(
    {}, optional={"facts": st.lists(FACTS | VALUES, max_size=30) | VALUES, "summary": VALUES}
)


def a_turn(number: int, texts: list[str]) -> TurnText:
    return TurnText(TurnNumber(number), tuple(Said("The person", text) for text in texts))


TURNS = st.lists(
    st.builds(
        a_turn,
        st.integers(1, 99),
        st.lists(st.text(max_size=600), max_size=4),
    ),
    max_size=8,
)
WINDOWS = st.none() | st.sampled_from([512, 2048, 4096, 8192, 131_072])


def job(turns: list[TurnText], window: int | None, known: list[Topic] | None = None) -> DistilJob:
    return DistilJob(KINDS, known or [], turns, turns, window, Place("/work"), SummaryJob(None, turns, 1636, window))


def judge(found: Distilled | Unusable) -> None:
    if isinstance(found, Unusable):
        assert found.reason
        return
    assert len(found.assertions) <= 12
    assert len({one.topic for one in found.assertions}) == len(found.assertions)
    for one in found.assertions:
        assert one.source.kind is SourceKind.MODEL
        assert one.value
        assert len(one.value.splitlines()) == 1
        assert KINDS.kind(one.topic.subject).distil
    assert found.summary is None or isinstance(found.summary, Unusable) or len(found.summary.encode()) <= 1636
    before = FactBook()
    assert record(before, found.assertions, moment()).book.permanent is before.permanent


@settings(deadline=None, max_examples=300)
@given(TURNS, ANSWERS)
def test_any_json_gives_bounded_facts_of_the_model_or_nothing(turns: list[TurnText], answer: dict[str, Json]) -> None:
    judge(job(turns, 8192).read(dump(answer).decode()))


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=400))
def test_any_text_gives_bounded_facts_of_the_model_or_nothing(answer: str) -> None:
    judge(job([], 8192).read(answer))


@settings(deadline=None, max_examples=100)
@given(TURNS, WINDOWS, st.lists(st.builds(Topic, st.just("entity"), st.text(max_size=80)), max_size=200))
def test_a_request_is_bounded_by_its_window_whatever_is_to_be_read(
    turns: list[TurnText], window: int | None, known: list[Topic]
) -> None:
    asked = job(turns * 20, window, known)
    bound = bound_for(window)
    given_text = "".join(message.content for message in asked.request().messages if message.role is Role.USER)
    assert len(given_text.encode("utf-8", "replace")) <= bound + bound // 6 + 250
    tokens = asked.request().options.max_tokens
    assert tokens is not None
    assert 1 <= tokens <= (window // 3 if window is not None else 900 + 818)


@settings(deadline=None)
@given(TURNS, st.integers(0, 4000))
def test_a_listing_is_within_its_bound_and_has_one_line_a_text(turns: list[TurnText], bound: int) -> None:
    clean = [TurnText(turn.turn, tuple(Said(s.who, " ".join(s.text.split())) for s in turn.said)) for turn in turns]
    listed = listing(clean, bound)
    assert len(listed.encode("utf-8", "replace")) <= bound
    assert not listed or len(listed.split("\n")) <= sum(len(turn.said) for turn in clean)


@given(st.lists(st.integers(0, 500), max_size=20), st.integers(0, 4000))
def test_shares_come_to_the_bound_at_most_and_waste_none_of_it(sizes: list[int], bound: int) -> None:
    limit = fair_share(sizes, bound)
    used = sum(min(size, limit) for size in sizes)
    assert used <= bound
    assert used == sum(sizes) or used > bound - len(sizes)


@given(st.lists(st.text(max_size=80), max_size=5), st.lists(st.text(max_size=80), max_size=5))
def test_what_is_kept_whole_is_found_whole(leaving: list[str], others: list[str]) -> None:
    assert retention(leaving, [*others, *leaving]).missing == ()
    looked = retention(leaving, others)
    assert 0 <= looked.share <= 1
    assert looked.total == retention(leaving, []).total


@given(st.lists(FACTS, max_size=5), st.floats(0, 1))
def test_of_an_answer_cut_off_anywhere_nothing_is_read_that_the_whole_does_not_say(
    facts: list[dict[str, Json]], share: float
) -> None:
    whole = dump({"facts": facts}).decode()
    asked = DistilJob(KINDS, (), (), (), 8192, Place("/work"))
    full, cut = asked.read(whole), asked.read(whole[: int(len(whole) * share)])
    assert isinstance(full, Distilled)
    values = {stored_value(value) for item in facts if isinstance(value := item.get("value"), str)}
    if isinstance(cut, Distilled):
        assert values.issuperset(one.value for one in cut.assertions)
