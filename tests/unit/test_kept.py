"""What the facts panel lists and says, as values: facts by kind, versions of the summary, requests that wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.facts import KINDS, TOOL, lines, moment, recorded, said, stated
from tests.fakes.session import MOMENT
from tests.fakes.waiting import command_request, fact_request
from wisp_tui.app.kept.facts import KindHeading, draw_fact_line, fact_lines, fact_rows
from wisp_tui.app.kept.pending import draw_request, request_rows
from wisp_tui.app.kept.saying import announcement
from wisp_tui.app.kept.summary import version_rows
from wisp_tui.app.rows import Role, Row
from wisp_tui.facts import FactBook, FactRow, Source, Speaker, rows_by_kind
from wisp_tui.facts.summary import RunningSummary
from wisp_tui.text.ids import EntryId, ModelId, TurnNumber
from wisp_tui.text.sizes import ago

DISTILLED = Source.distilled(Speaker.PERSON)
HOME = Path("/home/maria")


def text(rows: list[Row]) -> str:
    return "\n".join(f"{row.prefix}{row.text}" for row in rows)


@pytest.fixture
def book() -> FactBook:
    """Facts of three sources: one in conflict, one proposed, one with a history."""
    book = recorded(FactBook(), said("tests pytest -q = failed", TOOL, turn=2, entry=9))
    book = recorded(book, said("tests pytest -q = passed", TOOL, turn=3, entry=12), at=moment(1))
    book = recorded(book, said("entity journal = in /var", DISTILLED, turns=(1, 4)), at=moment(2))
    return stated(book, "entity journal = in /srv", moment(3)).book


def listed(book: FactBook, wanted: str = "", *, everything: bool = False) -> list[str]:
    found = fact_lines(rows_by_kind(book, KINDS, everything=everything), (), wanted)
    return [line.subject if isinstance(line, KindHeading) else line.fact.id for line in found]


def test_facts_stand_below_their_kinds_and_their_history_with_them_where_it_is_wanted(book: FactBook) -> None:
    assert lines(book) == [
        "p1 person entity journal = in /srv",
        "c2 tool tests pytest -q = passed",
        "c3 model entity journal = in /var",
    ]
    assert listed(book) == ["entity", "p1", "c3", "tests", "c2"]
    assert listed(book, everything=True) == ["entity", "p1", "c3", "tests", "c2", "c1"]


def test_words_leave_the_facts_that_contain_them_all_and_open_their_kinds(book: FactBook) -> None:
    assert listed(book, "journal VAR") == ["entity", "c3"]
    assert listed(book, "conflict") == ["entity", "p1", "c3"]
    assert listed(book, "proposed") == ["entity", "c3"]
    assert listed(book, "nothing") == []
    kinds = rows_by_kind(book, KINDS)
    assert [type(line) for line in fact_lines(kinds, {"entity", "tests"}, "")] == [KindHeading] * 2


def test_a_conflict_says_what_the_other_says_and_which_of_the_two_counts(book: FactBook) -> None:
    rows = {row.fact.id: row for kind in rows_by_kind(book, KINDS) for row in kind.rows}
    winner, loser = rows[book.fact("p1").id], rows[book.fact("c3").id]
    assert "but   the model says in /var (c3)" in text(fact_rows(winner, ()))
    assert "this one counts" in text(fact_rows(winner, ()))
    assert "that one counts" in text(fact_rows(loser, ()))
    assert "proposed: k keeps it" in text(fact_rows(loser, ()))
    assert draw_fact_line(loser, 60).text.startswith("c3    ≠ journal = in /var")


def test_a_fact_whole_has_its_source_its_class_and_its_earlier_versions(book: FactBook) -> None:
    fact = book.fact("c2")
    whole = text(fact_rows(FactRow(fact), book.history(fact.topic)))
    assert "tests pytest -q = passed" in whole
    assert "from  tool run_command, turn 3, entry 12" in whole
    assert "dynamic · held by this conversation · version 2" in whole
    assert "was   failed — c1, tool run_command, turn 2, entry 9, version 1, superseded" in whole


def version(number: int, said_in_it: str) -> RunningSummary:
    turns = tuple(TurnNumber(number * 3 + place) for place in range(3))
    entries = tuple(EntryId(int(turn) * 2) for turn in turns)
    model = ModelId("m")
    return RunningSummary(
        number, said_in_it, number * 3, turns, entries, (), entries[-1], MOMENT, TurnNumber(99), model
    )


def test_a_version_marks_the_sentences_that_the_one_before_did_not_have() -> None:
    before = version(1, "The person asked for a flag. It reads docs/overview.md first.")
    first = version_rows(version(2, "The person asked for a flag. It ran a.py, v1.2, too."), before)[0]
    marked = [first.text[span.start : span.end] for span in first.spans if span.role is Role.GOOD]
    assert marked == ["It ran a.py, v1.2, too."]
    assert version_rows(before, None)[0].spans == ()
    assert "added turns 3-5, entries 6, 8, 10" in text(version_rows(before, None))


def test_a_fact_that_waits_is_whole_beside_what_gives_way_to_it() -> None:
    kept = stated(FactBook(), "entity release codename = RED KITE").book.fact("p1")
    request = fact_request()
    whole = text(request_rows(request, (kept,), MOMENT, HOME))
    assert "git (editor) asks to keep this for every conversation · 4 min" in whole
    assert "now   RED KITE — p1, from the person, version 1" in whole
    assert "then  BLUE HERON" in whole
    assert "nothing is kept under this name" in text(request_rows(request, (), MOMENT, HOME))
    assert "git (editor)" in draw_request(request, MOMENT, 80).text


def test_a_command_that_waits_hides_nothing_and_says_how_long_it_waits_on() -> None:
    request = command_request("rm -rf build\u202e\x1b[2K\nls", "dangerous")
    whole = text(request_rows(request, (), MOMENT, HOME))
    assert "git (editor) asks to run this, for 4 m 50 s more" in whole
    assert "dangerous · git push writes to another machine" in whole
    assert "\x1b" not in whole
    assert "\u202e" not in whole
    assert "  ls" in whole
    title, line = announcement([request])
    assert (title + line).isprintable()
    assert announcement([request, request])[1] == "2 requests wait for you"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "now"), (59, "now"), (60, "1 min"), (3599, "59 min"), (7200, "2 h"), (86_400, "1 day"), (900_000, "10 days")],
)
def test_how_long_something_has_waited_is_said_in_one_unit(seconds: float, words: str) -> None:
    assert ago(seconds) == words
