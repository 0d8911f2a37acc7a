"""Facts and summaries as JSON: read back as they were written, and tolerant of what others wrote."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.facts import ACT, START, TOOL, moment, recorded, said, stated
from wisp_tui.facts import (
    BadStored,
    FactBook,
    FactLedger,
    Scope,
    Source,
    Speaker,
    Summaries,
    delete,
    move_by_person,
    read_ledger,
    read_summaries,
    write_ledger,
    write_summaries,
)
from wisp_tui.facts.identity import FactId
from wisp_tui.facts.stored import write_fact
from wisp_tui.facts.summary import RunningSummary
from wisp_tui.text.ids import EntryId, EventId, ModelId, TurnNumber
from wisp_tui.text.json import Json, JsonObject, dump, load_object


def through_json(ledger: FactLedger) -> JsonObject:
    return load_object(dump(write_ledger(ledger)))


def a_book() -> FactBook:
    book = recorded(FactBook(), said("tests x = red", TOOL, turn=3, entry=9), at=moment(1, 3))
    book = recorded(book, said("entity a = b", Source.distilled(Speaker.PERSON), turns=(1, 12)), at=moment(2, 13))
    book = stated(book, "tests x = flaky", moment(3)).book
    book = move_by_person(ACT, book, "c2", Scope.PERMANENT, moment(4)).book
    return delete(ACT, book, "c1", moment(5)).book


def test_what_is_read_back_is_what_was_written() -> None:
    book = a_book()
    for ledger in book.ledgers:
        assert read_ledger(ledger.scope, through_json(ledger)) == ledger


def test_an_id_is_never_given_again_after_it_was_read_back() -> None:
    book = a_book()
    again = replace(book, thread=read_ledger(Scope.THREAD, through_json(book.thread)))
    assert "c4" in recorded(again, said("tests y = z", TOOL)).thread.facts


def test_the_id_of_a_fact_that_cannot_be_read_is_not_given_again_either() -> None:
    ledger = read_ledger(Scope.PERMANENT, {"last": 9, "facts": [stored_fact(id="p9", state="dormant")]})
    assert list(stated(FactBook(permanent=ledger), "preference shell = fish").book.permanent.facts) == ["p10"]


def test_the_fields_are_those_of_the_facts_resources() -> None:
    (fact,) = recorded(FactBook(), said("tests x = red", TOOL, turn=3, entry=9), at=moment(1, 3))
    stored = write_ledger(recorded(FactBook(), said("tests x = red", TOOL, turn=3, entry=9), at=moment(1, 3)).thread)
    assert stored["facts"] == [
        {
            "id": "c1",
            "scope": "thread",
            "subject": "tests",
            "name": "x",
            "value": "red",
            "class": "dynamic",
            "source": "tool",
            "tool": "run_command",
            "method": None,
            "detail": None,
            "version": 1,
            "state": "current",
            "supersededBy": None,
            "recorded": fact.recorded.isoformat(),
            "turn": 3,
            "turns": [3, 3],
            "entries": [9],
            "sources": ["0000000000000009"],
            "approved": False,
        }
    ]


def stored_fact(**changes: Json) -> JsonObject:
    fact = stated(FactBook(), "preference editor = vim").book.fact("p1")
    return {**write_fact(fact), **changes}


def test_fields_a_later_version_wrote_are_kept_through_a_change() -> None:
    ledger = read_ledger(Scope.PERMANENT, {"facts": [stored_fact(confidence=0.9)]})
    book = stated(FactBook(permanent=ledger), "preference editor = helix").book
    old, new = (write_fact(fact) for fact in book.permanent.facts.values())
    assert (old["confidence"], old["state"], "confidence" in new) == (0.9, "superseded", False)


@pytest.mark.parametrize(
    "fault",
    [
        {"state": "dormant"},
        {"source": "oracle"},
        {"recorded": "yesterday"},
        {"recorded": "2026-10-01T14:05:12"},
        {"value": None},
        {"version": "one"},
        {"id": "c1"},
        {"id": "p"},
        {"scope": "thread", "id": "c1"},
        {"entries": 4},
        {"method": "guessed"},
    ],
)
def test_a_fact_that_cannot_be_read_is_kept_as_it_is_beside_those_that_can(fault: JsonObject) -> None:
    strange = stored_fact(**fault)
    ledger = read_ledger(Scope.PERMANENT, {"facts": [strange, stored_fact(id="p7")]})
    assert list(ledger.facts) == ["p7"]
    assert ledger.unread == (strange,)
    assert dump(strange) in dump(write_ledger(ledger))
    assert ledger.last == 7


def test_a_second_fact_of_one_id_is_kept_and_not_taken() -> None:
    ledger = read_ledger(Scope.PERMANENT, {"facts": [stored_fact(), stored_fact(value="emacs")]})
    assert [fact.value for fact in ledger.facts.values()] == ["vim"]
    assert len(ledger.unread) == 1


@pytest.mark.parametrize("stored", [{}, {"facts": {}}, {"facts": "none"}, {"facts": [1]}])
def test_a_file_without_a_list_of_facts_is_refused(stored: JsonObject) -> None:
    with pytest.raises(BadStored):
        read_ledger(Scope.PERMANENT, stored)


def test_no_facts_are_a_ledger_of_none() -> None:
    assert read_ledger(Scope.THREAD, {"facts": []}) == FactLedger(Scope.THREAD)


def test_a_hand_edited_fact_is_made_one_safe_line_and_stands_as_the_persons() -> None:
    ledger = read_ledger(
        Scope.PERMANENT, {"facts": [stored_fact(value="a\n- b\x1b[2J", source="model", approved=None)]}
    )
    fact = ledger.facts[FactId("p1")]
    assert (fact.value, fact.standing) == ("a - b", "person")


SUMMARIES = Summaries(
    tuple(
        RunningSummary(
            version=number,
            text=f"It began {number}.",
            covered=number * 3,
            turns=(TurnNumber(number),),
            entries=(EntryId(number),),
            events=(EventId("00000000000000aa"),),
            through=EntryId(number),
            recorded=START,
            turn=TurnNumber(number + 3),
            model=ModelId("ollama:granite4.1:8b"),
        )
        for number in (1, 2)
    )
)


def test_the_summarys_versions_are_read_back_as_they_were_written() -> None:
    stored = load_object(dump({"summaries": write_summaries(SUMMARIES)}))["summaries"]
    assert read_summaries(stored) == SUMMARIES
    assert read_summaries([]) == Summaries()


@pytest.mark.parametrize("stored", [{}, "x", None, [{"text": 4}], [{"text": "x", "recorded": "never"}]])
def test_summaries_that_cannot_be_read_are_refused(stored: Json) -> None:
    with pytest.raises(BadStored):
        read_summaries(stored)
