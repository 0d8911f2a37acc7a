"""A fact's scope is a state the person sets; a caller moves between thread and session alone (promise 9)."""

from __future__ import annotations

import pytest

from tests.fakes.facts import ACT, TOOL, lines, moment, recorded, said, stated
from wisp_tui.facts import (
    CALLER,
    NOTED,
    AlreadyThere,
    FactBook,
    FactState,
    NotCurrent,
    PersonOnly,
    Scope,
    ScopeChanged,
    TemporalClass,
    Topic,
    admit,
    adopted,
    delete,
    move,
    move_by_person,
    would_supersede,
)

PORT = "service port 8080 = node, listening"


def proposal() -> FactBook:
    return recorded(FactBook(), said("entity codename = BLUE HERON", NOTED, turn=3, entry=9))


def test_a_caller_moves_a_fact_and_the_old_copy_stays_as_history() -> None:
    changed = move(recorded(FactBook(), said("tests x = green", TOOL, turn=3, entry=9)), "c1", Scope.SESSION, moment(1))
    old, new = changed.book.fact("c1"), changed.book.fact("s1")
    assert changed.changes == (ScopeChanged(old, new),)
    assert (old.state, old.superseded_by) == (FactState.SUPERSEDED, "s1")
    assert (new.scope, new.temporal, new.value, new.entries, new.turns) == (
        Scope.SESSION,
        TemporalClass.EPHEMERAL,
        "green",
        old.entries,
        old.turns,
    )


@pytest.mark.parametrize(("ident", "scope"), [("c1", Scope.PERMANENT), ("p1", Scope.THREAD), ("p1", Scope.SESSION)])
def test_a_caller_never_moves_a_fact_into_or_out_of_the_permanent_ones(ident: str, scope: Scope) -> None:
    book = stated(proposal(), "preference editor = vim").book
    with pytest.raises(PersonOnly):
        move(book, ident, scope, moment())


def test_a_move_to_where_it_is_is_refused() -> None:
    with pytest.raises(AlreadyThere, match="c1 is thread already"):
        move(proposal(), "c1", Scope.THREAD, moment())
    book = stated(FactBook(), "preference editor = vim").book
    with pytest.raises(AlreadyThere):
        move_by_person(ACT, book, "p1", Scope.PERMANENT, moment())


def test_what_holds_no_longer_is_not_moved() -> None:
    book = delete(ACT, proposal(), "c1", moment()).book
    with pytest.raises(NotCurrent, match="it was deleted"):
        move_by_person(ACT, book, "c1", Scope.PERMANENT, moment())


def test_a_newer_version_stays_where_its_sources_older_one_was_moved() -> None:
    book = move(recorded(FactBook(), said("tests x = red", TOOL)), "c1", Scope.SESSION, moment(1)).book
    assert lines(recorded(book, said("tests x = green", TOOL))) == ["s2 tool tests x = green"]


def test_what_the_person_keeps_is_permanent_and_approved_and_its_source_stays_named() -> None:
    changed = move_by_person(ACT, proposal(), "c1", Scope.PERMANENT, moment(1))
    kept = changed.book.fact("p1")
    assert (kept.source, kept.approved, kept.temporal, kept.events) == (
        NOTED,
        True,
        TemporalClass.PERMANENT,
        changed.book.fact("c1").events,
    )
    assert changed.changes == (ScopeChanged(changed.book.fact("c1"), kept),)


def test_keeping_supersedes_the_permanent_fact_of_the_same_topic_and_no_other() -> None:
    book = FactBook()
    for text in ("preference editor = vim", "decision codename = kept apart", "entity codename = RED KITE"):
        book = stated(book, text).book
    book = recorded(book, said("entity codename = GREY OWL", NOTED))
    assert would_supersede(book, Topic("entity", "codename")) == (book.fact("p3"),)
    assert lines(move_by_person(ACT, book, "c1", Scope.PERMANENT, moment(5)).book) == [
        "p1 person preference editor = vim",
        "p2 person decision codename = kept apart",
        "p4 model entity codename = GREY OWL",
    ]


def test_keeping_what_the_shared_store_says_already_adds_nothing_there() -> None:
    once = admit(ACT, FactBook().permanent, said("entity codename = GREY OWL", NOTED), moment()).book.permanent
    assert admit(ACT, once, said("entity codename = GREY OWL", CALLER), moment(1)).book.permanent is once


def test_a_proposal_moved_to_its_thread_is_the_conversations_own_and_proposed_no_longer() -> None:
    changed = move_by_person(ACT, proposal(), "c1", Scope.THREAD, moment(1)).book
    fact = changed.fact("c2")
    assert (fact.temporal, fact.proposed, fact.approved) == (TemporalClass.DYNAMIC, False, False)
    assert changed.fact("c1").superseded_by == "c2"
    newer = recorded(changed, said("entity codename = RED KITE", NOTED))
    assert not newer.fact("c3").proposed


def test_a_permanent_fact_moved_back_still_ranks_with_the_person() -> None:
    book = move_by_person(ACT, proposal(), "c1", Scope.PERMANENT, moment(1)).book
    book = move_by_person(ACT, book, "p1", Scope.THREAD, moment(2)).book
    assert (book.fact("c2").approved, book.fact("p1").superseded_by) == (True, "c2")
    assert len(book.permanent) == 0


def approved_in_its_thread() -> FactBook:
    book = recorded(FactBook(), said("tests x = green", NOTED))
    book = move_by_person(ACT, book, "c1", Scope.PERMANENT, moment(1)).book
    return move_by_person(ACT, book, "p1", Scope.THREAD, moment(2)).book


def test_its_sources_newer_word_does_not_replace_what_the_person_kept() -> None:
    assert lines(recorded(approved_in_its_thread(), said("tests x = red", NOTED))) == [
        "c2 model tests x = green",
        "c3 model tests x = red",
    ]


def test_what_the_person_states_replaces_what_they_kept_wherever_it_is() -> None:
    assert lines(stated(approved_in_its_thread(), "tests x = red").book) == ["c3 person tests x = red"]


def test_the_persons_word_for_the_shared_store_goes_there_though_a_caller_said_it_first() -> None:
    book = recorded(FactBook(), said("entity codename = BLUE HERON", CALLER))
    assert lines(stated(book, "entity codename = BLUE HERON").book) == ["p1 person entity codename = BLUE HERON"]


def test_moving_one_fact_to_the_session_leaves_the_permanent_ones_alone() -> None:
    book = move_by_person(ACT, proposal(), "c1", Scope.PERMANENT, moment(1)).book
    book = move_by_person(ACT, book, "p1", Scope.THREAD, moment(2)).book
    book = stated(book, "entity codename = RED KITE").book
    book = stated(book, PORT).book
    permanent = book.permanent
    assert move_by_person(ACT, book, "s1", Scope.THREAD, moment(3)).book.permanent is permanent


def test_a_request_is_admitted_to_the_shared_store_without_its_conversation() -> None:
    changed = admit(ACT, FactBook().permanent, said("entity codename = BLUE HERON", CALLER, turn=2, entry=4), moment())
    assert lines(changed.book) == ["p1 caller entity codename = BLUE HERON"]
    assert changed.book.fact("p1").approved


def test_what_another_process_keeps_is_held_once_and_its_conflicts_are_told() -> None:
    ours = recorded(proposal(), said("decision port = 8080", NOTED))
    theirs = stated(FactBook(), "entity codename = blue heron").book
    theirs = stated(theirs, "decision port = 9090").book
    changed = adopted(ours, theirs.permanent)
    assert lines(changed.book) == [
        "p1 person entity codename = blue heron",
        "p2 person decision port = 9090",
        "c2 model decision port = 8080",
    ]
    assert changed.book.fact("c1").superseded_by == "p1"
    assert [type(change).__name__ for change in changed.changes] == ["Superseded", "ConflictRaised"]
    assert adopted(changed.book, theirs.permanent).changes == ()
