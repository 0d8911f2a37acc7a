"""Versions, precedence, a value held once, conflicts (spec "Versions and precedence")."""

from __future__ import annotations

import pytest

from tests.fakes.facts import ACT, KINDS, PLACE, TOOL, lines, moment, recorded, said, stated
from wisp_tui.facts import (
    CALLER,
    NOTED,
    PERSON,
    ConflictRaised,
    ConflictResolved,
    EmptyValue,
    Fact,
    FactBook,
    FactState,
    NotCurrent,
    NothingNew,
    Recorded,
    Scope,
    Source,
    Speaker,
    Statement,
    Superseded,
    TemporalClass,
    Topic,
    UnknownFact,
    delete,
    move_by_person,
    record,
    state,
)
from wisp_tui.facts.identity import TYPED_COMMAND

TESTS = Topic("tests", "swift test")
TASK = Topic("task", "")
CODENAME = Topic("entity", "codename")
DISTILLED = Source.distilled(Speaker.PERSON)


def winner(book: FactBook, topic: Topic) -> Fact:
    found = book.winner(topic)
    assert found is not None
    return found


def test_a_newer_assertion_of_one_source_supersedes_the_older_which_stays_as_history() -> None:
    book = recorded(FactBook(), said("tests swift test = failed", TOOL), said("tests swift test = passed", TOOL))
    old, new = book.history(TESTS)
    assert (old.value, old.state, old.superseded_by, old.version) == ("failed", FactState.SUPERSEDED, new.id, 1)
    assert (new.value, new.state, new.superseded_by, new.version) == ("passed", FactState.CURRENT, None, 2)


def test_the_same_value_from_the_same_source_adds_nothing() -> None:
    book = recorded(FactBook(), said("tests swift test = failed", TOOL))
    again = record(book, [said("tests swift test = failed", TOOL)], moment(1))
    assert again.book.thread is book.thread
    assert again.changes == (NothingNew(book.fact("c1")),)


def test_a_source_may_correct_the_case_of_what_it_said() -> None:
    book = stated(stated(FactBook(), "entity codename = blue heron").book, "entity codename = BLUE HERON").book
    assert lines(book) == ["p2 person entity codename = BLUE HERON"]


def test_the_persons_command_ranks_with_a_tool_and_a_later_run_supersedes_it() -> None:
    book = recorded(FactBook(), said("tests swift test = passed", TYPED_COMMAND))
    book = recorded(book, said("tests swift test = failed", TOOL))
    assert lines(book) == ["c2 tool tests swift test = failed"]


def test_what_a_stronger_source_says_already_is_not_held_again() -> None:
    book = stated(FactBook(), "tests swift test = Flaky;  ignore it").book
    again = record(book, [said("tests swift test = flaky; ignore it", NOTED)], moment(1))
    assert lines(again.book) == ["c1 person tests swift test = Flaky; ignore it"]
    assert again.changes == (NothingNew(book.fact("c1")),)


def test_a_weaker_sources_own_older_value_gives_way_to_the_fact_that_says_what_it_says_now() -> None:
    book = recorded(FactBook(), said("tests swift test = red", NOTED), said("tests swift test = green", TOOL))
    changed = record(book, [said("tests swift test = green", NOTED)], moment(1))
    assert lines(changed.book) == ["c2 tool tests swift test = green"]
    assert changed.book.fact("c1").superseded_by == "c2"
    assert [type(change) for change in changed.changes] == [NothingNew, Superseded, ConflictResolved]


def test_a_value_stands_under_the_strongest_source_that_asserted_it() -> None:
    book = recorded(FactBook(), said("tests swift test = green", NOTED))
    book = recorded(book, said("tests swift test = green", TOOL))
    assert lines(book) == ["c2 tool tests swift test = green"]
    assert book.fact("c1").superseded_by == "c2"


def test_a_caller_adds_nothing_to_what_the_person_says() -> None:
    book = stated(FactBook(), "task = add a flag").book
    assert lines(recorded(book, said("task = Add a flag", CALLER))) == ["c1 person task = add a flag"]


@pytest.mark.parametrize(
    ("weaker", "stronger"), [(NOTED, TOOL), (DISTILLED, TOOL), (TOOL, CALLER), (NOTED, CALLER), (TOOL, PERSON)]
)
def test_precedence_does_not_ask_which_was_later(weaker: Source, stronger: Source) -> None:
    strong, weak = said("tests swift test = a", stronger), said("tests swift test = b", weaker)
    for order in ([strong, weak], [weak, strong]):
        book = FactBook()
        for second, assertion in enumerate(order):
            book = recorded(book, assertion, at=moment(second))
        assert len(book) == 2
        assert winner(book, TESTS).value == "a"


def test_the_person_and_a_caller_rank_alike_and_the_newer_counts() -> None:
    book = stated(FactBook(), "task = the person's", moment(0)).book
    book = recorded(book, said("task = the caller's", CALLER), at=moment(1))
    assert winner(book, TASK).value == "the caller's"
    assert winner(stated(book, "task = the person's new one", moment(2)).book, TASK).source == PERSON


def test_a_distilled_fact_never_has_the_persons_rank_whoever_spoke() -> None:
    book = recorded(FactBook(), said("tests swift test = a", TOOL), said("tests swift test = b", DISTILLED))
    assert winner(book, TESTS).value == "a"


def test_a_fact_the_person_kept_ranks_with_the_person() -> None:
    book = recorded(FactBook(), said("entity codename = BLUE HERON", NOTED))
    book = move_by_person(ACT, book, "c1", Scope.PERMANENT, moment(1)).book
    book = recorded(book, said("entity codename = RED KITE", CALLER), at=moment(0))
    assert winner(book, CODENAME).id == "p1"
    assert winner(book, CODENAME).approved


def test_a_conflict_is_raised_once_and_resolved_when_a_side_is_deleted() -> None:
    book = stated(FactBook(), "tests swift test = flaky").book
    raised = record(book, [said("tests swift test = failed", TOOL)], moment(1))
    assert [change for change in raised.changes if isinstance(change, ConflictRaised)] == [
        ConflictRaised(TESTS, raised.book.fact("c1"), (raised.book.fact("c2"),))
    ]
    more = record(raised.book, [said("tests swift test = failed again", TOOL)], moment(2))
    assert not [change for change in more.changes if isinstance(change, ConflictRaised)]
    resolved = delete(ACT, more.book, "c1", moment(3))
    assert resolved.changes[-1] == ConflictResolved(TESTS, resolved.book.fact("c3"))
    assert resolved.book.conflicts() == ()


def test_the_person_resolves_a_conflict_by_stating_the_value() -> None:
    book = recorded(FactBook(), said("tests swift test = failed", TOOL), said("tests swift test = fine", NOTED))
    assert book.conflicts() == (TESTS,)
    changed = stated(book, "tests swift test = flaky; ignore it")
    assert lines(changed.book) == ["c3 person tests swift test = flaky; ignore it"]
    assert isinstance(changed.changes[-1], ConflictResolved)


def test_stating_the_value_again_resolves_a_conflict_that_came_after_it() -> None:
    book = recorded(stated(FactBook(), "tests swift test = flaky").book, said("tests swift test = failed", TOOL))
    changed = stated(book, "tests swift test = flaky")
    assert lines(changed.book) == ["c1 person tests swift test = flaky"]
    assert changed.book.fact("c2").superseded_by == "c1"


def test_values_that_differ_in_case_and_white_space_only_are_no_conflict() -> None:
    book = recorded(FactBook(), said("tests swift test = All  Green", TOOL))
    assert stated(book, "tests swift test = all green").book.conflicts() == ()


def test_a_permanent_kind_is_a_proposal_until_the_person_keeps_it() -> None:
    book = recorded(FactBook(), said("entity codename = BLUE HERON", DISTILLED))
    assert (book.fact("c1").scope, book.fact("c1").proposed) == (Scope.THREAD, True)
    assert len(book.permanent) == 0


@pytest.mark.parametrize("source", [PERSON, CALLER, TOOL, NOTED, DISTILLED])
def test_nothing_that_is_recorded_becomes_permanent_or_replaces_what_is(source: Source) -> None:
    before = stated(FactBook(), "entity codename = BLUE HERON").book
    after = recorded(before, said("entity codename = RED KITE", source), said("decision x = y", source))
    assert after.permanent is before.permanent


def test_a_callers_newer_value_stands_beside_a_permanent_fact_as_a_conflict() -> None:
    book = stated(FactBook(), "entity codename = BLUE HERON").book
    changed = record(book, [said("entity codename = RED KITE", CALLER)], moment(1))
    assert lines(changed.book) == [
        "p1 person entity codename = BLUE HERON",
        "c1 caller entity codename = RED KITE",
    ]
    assert isinstance(changed.changes[-1], ConflictRaised)


def test_the_person_states_a_permanent_kind_into_the_shared_store_and_a_proposal_of_it_gives_way() -> None:
    book = recorded(FactBook(), said("entity codename = blue heron", DISTILLED))
    changed = stated(book, "entity codename = BLUE HERON")
    assert lines(changed.book) == ["p1 person entity codename = BLUE HERON"]
    assert changed.book.fact("c1").superseded_by == "p1"
    assert changed.changes[0] == Recorded(changed.book.fact("p1"))


def test_the_persons_newer_statement_supersedes_what_they_kept() -> None:
    book = recorded(FactBook(), said("entity codename = BLUE HERON", NOTED))
    book = move_by_person(ACT, book, "c1", Scope.PERMANENT, moment(1)).book
    assert lines(stated(book, "entity codename = RED KITE").book) == ["p2 person entity codename = RED KITE"]


def test_a_deleted_fact_holds_no_longer_and_its_older_version_does_not_come_back() -> None:
    book = recorded(FactBook(), said("tests swift test = a", TOOL), said("tests swift test = b", TOOL))
    book = delete(ACT, book, "c2", moment(1)).book
    assert book.winner(TESTS) is None
    assert [fact.state for fact in book.history(TESTS)] == [FactState.SUPERSEDED, FactState.DELETED]
    assert lines(recorded(book, said("tests swift test = b", TOOL))) == ["c3 tool tests swift test = b"]


def test_ids_and_version_numbers_are_given_once() -> None:
    book = recorded(FactBook(), said("tests swift test = a", TOOL))
    book = delete(ACT, book, "c1", moment(1)).book
    book = recorded(book, said("tests swift test = c", TOOL))
    assert (book.fact("c2").version, book.thread.last) == (2, 2)


@pytest.mark.parametrize("ident", ["c9", "x1", "", "c", "c-1", "c1 ", "c١"])
def test_an_id_of_no_fact_is_refused(ident: str) -> None:
    book = recorded(FactBook(), said("tests swift test = a", TOOL))
    with pytest.raises(UnknownFact):
        delete(ACT, book, ident, moment())


def test_what_holds_no_longer_is_not_deleted_again() -> None:
    book = recorded(FactBook(), said("tests swift test = a", TOOL), said("tests swift test = b", TOOL))
    with pytest.raises(NotCurrent, match="c1 holds no longer: it was superseded by c2"):
        delete(ACT, book, "c1", moment())


def test_an_assertion_without_a_value_is_passed_over_and_a_statement_without_one_refused() -> None:
    empty = said("task = x", NOTED)
    assert len(record(FactBook(), [type(empty)(empty.topic, "", empty.temporal, NOTED)], moment()).book) == 0
    with pytest.raises(EmptyValue):
        state(ACT, FactBook(), Statement(TASK, " \x07\n", TemporalClass.DYNAMIC), moment())


def test_a_value_is_one_line_whatever_was_stated() -> None:
    assert KINDS.kind("task").topic("x", PLACE) == TASK
    book = state(
        ACT, FactBook(), Statement(TASK, "one\r\ntwo\x1b[2J\u2028three\u202e", TemporalClass.DYNAMIC), moment()
    )
    assert winner(book.book, TASK).value == "one two three"
