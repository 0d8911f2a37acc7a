"""Facts in words for the person, as JSON for other programs, as audit events."""

from __future__ import annotations

import pytest

from tests.fakes.facts import ACT, KINDS, PLACE, START, TOOL, moment, recorded, said, stated
from wisp_tui.events import Kind
from wisp_tui.facts import (
    CALLER,
    NOTED,
    FactBook,
    NotAStatement,
    RunningSummary,
    Scope,
    Source,
    Speaker,
    Summaries,
    UnknownSubject,
    audited,
    brief,
    delete,
    full,
    history,
    move_by_person,
    new_facts,
    note,
    read_statement,
    record,
    summary_words,
    table,
)
from wisp_tui.text.ids import EntryId, ModelId, TurnNumber


def test_the_note_after_a_turn_names_the_facts_it_recorded() -> None:
    changed = record(FactBook(), [said("branch = main", TOOL), said("tests x = red", TOOL)], moment())
    assert note(new_facts(changed.changes)) == "2 new facts: c1 branch = main · c2 tests x = red"
    assert note(()) is None


def test_the_note_says_how_a_proposal_is_kept_and_counts_what_it_does_not_name() -> None:
    proposed = record(FactBook(), [said(f"entity n{n} = v", NOTED) for n in range(8)], moment())
    assert note(new_facts(proposed.changes)) == (
        "8 new facts: c1 entity n0 = v · c2 entity n1 = v · c3 entity n2 = v · c4 entity n3 = v · c5 entity n4 = v · "
        "c6 entity n5 = v · 2 more (proposed: /fact c1 permanent keeps it)"
    )


def test_a_moved_fact_is_news_and_one_that_added_nothing_is_not() -> None:
    book = recorded(FactBook(), said("entity a = b", NOTED))
    moved = move_by_person(ACT, book, "c1", Scope.PERMANENT, moment(1))
    assert [fact.id for fact in new_facts(moved.changes)] == ["p1"]
    assert new_facts(record(book, [said("entity a = b", NOTED)], moment(1)).changes) == ()


def book_of_all() -> FactBook:
    book = recorded(FactBook(), said("entity codename = BLUE HERON", Source.distilled(Speaker.PERSON), turns=(1, 12)))
    book = recorded(book, said("tests x = red", TOOL, turn=3, entry=9), said("tests x = green", TOOL, turn=4, entry=12))
    book = recorded(book, said("service port 8080 = node", TOOL, turn=4))
    book = stated(book, "tests x = flaky").book
    return stated(book, "preference editor = vim").book


def test_the_table_has_the_facts_by_scope_with_their_sources_and_conflicts() -> None:
    assert table(book_of_all()).split("\n") == [
        "thread: this conversation's",
        "  c1  entity codename = BLUE HERON  — model, distilled: the person said, turns 1-12; proposed",
        "  c3  tests x = green  — tool run_command, turn 4, entry 12; version 2; the person says flaky (c4)",
        "  c4  tests x = flaky  — the person; tool run_command says green (c3)",
        "session: of the machine now, until this process ends",
        "  s1  service port 8080 = node  — tool run_command, turn 4",
        "permanent: every conversation sees them",
        "  p1  preference editor = vim  — the person",
        "1 conflict: tests x; state the value (/fact SUBJECT [NAME] = VALUE) or delete a side (/fact delete ID)",
    ]


def test_the_table_of_everything_has_what_holds_no_longer() -> None:
    book = delete(ACT, book_of_all(), "p1", moment())
    shown = table(book.book, everything=True)
    assert "  c2  tests x = red  — tool run_command, turn 3, entry 9; superseded by c3" in shown
    assert "  p1  preference editor = vim  — the person; deleted" in shown
    assert "vim" not in table(book.book)


def test_an_empty_table_says_how_a_fact_is_stated() -> None:
    assert table(FactBook()) == "no facts yet; /fact SUBJECT [NAME] = VALUE states one"


def test_a_facts_history_has_every_version_with_when_and_where() -> None:
    book = book_of_all()
    conflict = "the person says flaky (c4)"
    assert history(book, book.fact("c3")).split("\n") == [
        "tests x",
        "  c2  red",
        "      2026-10-01 14:05:12, thread, entry 9 — tool run_command, turn 3, entry 9; superseded by c3",
        "  c3  green",
        f"      2026-10-01 14:05:12, thread, entry 12 — tool run_command, turn 4, entry 12; version 2; {conflict}",
        "  c4  flaky",
        "      2026-10-01 14:05:12, thread — the person; tool run_command says green (c3)",
    ]


def test_the_summary_is_shown_with_who_wrote_it_and_when() -> None:
    assert summary_words(Summaries()).startswith("no summary is written yet")
    versions = tuple(
        RunningSummary(n, f"Text {n}.", n * 3, (), (), (), EntryId(n), START, TurnNumber(9), ModelId("m"))
        for n in (1, 2)
    )
    assert summary_words(Summaries(versions)) == (
        "version 2: 6 turns, through entry 2, written by m in turn 9 at 2026-10-01 14:05:12\nText 2."
    )
    assert "version 1: 3 turns" in summary_words(Summaries(versions), everything=True)


def test_a_turns_end_carries_a_fact_briefly() -> None:
    assert brief(book_of_all().fact("c1")) == {
        "id": "c1",
        "scope": "thread",
        "subject": "entity",
        "name": "codename",
        "value": "BLUE HERON",
        "source": "model",
        "proposed": True,
    }


def test_a_resource_carries_all_of_a_fact_and_its_conflict() -> None:
    book = book_of_all()
    shown = full(book, book.fact("c3"))
    assert shown["conflict"] == [{"id": "c4", "source": "person", "value": "flaky"}]
    assert (shown["state"], shown["class"], shown["proposed"]) == ("current", "dynamic", False)
    assert full(book, book.fact("c2"))["conflict"] is None


def test_every_change_is_an_audit_event_but_one_that_changed_nothing() -> None:
    book = recorded(FactBook(), said("tests x = red", NOTED))
    steps = [
        record(book, [said("tests x = red", NOTED)], moment()),
        record(book, [said("tests x = green", NOTED)], moment()),
        record(book, [said("tests x = blue", TOOL)], moment()),
        move_by_person(ACT, book, "c1", Scope.SESSION, moment()),
        delete(ACT, record(book, [said("tests x = blue", TOOL)], moment()).book, "c1", moment()),
    ]
    events = [[event for change in step.changes if (event := audited(change)) is not None] for step in steps]
    assert [[kind for kind, _ in step] for step in events] == [
        [],
        [Kind.FACT_RECORDED, Kind.FACT_SUPERSEDED],
        [Kind.FACT_RECORDED, Kind.FACT_CONFLICT_RAISED],
        [Kind.FACT_SCOPE_CHANGED],
        [Kind.FACT_DELETED, Kind.FACT_CONFLICT_RESOLVED],
    ]
    assert events[2][1][1] == {
        "subject": "tests",
        "name": "x",
        "winner": {"id": "c2", "source": "tool", "value": "blue"},
        "others": [{"id": "c1", "source": "model", "value": "red"}],
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("preference editor = vim", "preference editor = vim"),
        ("TASK = add a --flag=x to it", "task = add a --flag=x to it"),
        ("task anything = one only", "task = one only"),
        ("decision=tabs", "decision = tabs"),
        ("entity  Release   Codename=BLUE  HERON ", "entity release codename = BLUE HERON"),
    ],
)
def test_a_statement_is_a_subject_a_name_and_a_value(text: str, words: str) -> None:
    statement = read_statement(text, KINDS, PLACE)
    assert f"{statement.topic.words} = {statement.value}" == words


@pytest.mark.parametrize(
    "text", ["", "=", "= x", "preference editor", "preference editor =", "preference editor = \x07"]
)
def test_what_states_no_fact_is_refused(text: str) -> None:
    with pytest.raises(NotAStatement):
        read_statement(text, KINDS, PLACE)


def test_a_statement_of_no_kind_is_refused_with_the_kinds() -> None:
    with pytest.raises(UnknownSubject, match="the kinds are: task"):
        read_statement("colour sky = blue", KINDS, PLACE)


def test_a_caller_is_named_in_a_conflict() -> None:
    book = recorded(FactBook(), said("task = a", CALLER), said("task = b", NOTED))
    assert "the caller says a (c1)" in table(book)
