"""Which passages are found first, and which of their lines are shown."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.context.record import CallPart, EntryKind, ThreadRecord
from wisp_tui.recall.documents import Past
from wisp_tui.recall.excerpts import excerpts
from wisp_tui.recall.passages import Passage, passages
from wisp_tui.recall.query import Query
from wisp_tui.recall.ranking import PassageId, Weights, ranked
from wisp_tui.recall.table import Found, Table
from wisp_tui.text.ids import CallId, EntryId, TurnNumber

Scores = dict[PassageId, float]


def nobody(wanted: Iterable[PassageId]) -> Mapping[PassageId, frozenset[str]]:
    return {passage: frozenset[str]() for passage in wanted}


def order(scores: Scores, limit: int = 9, weights: Weights | None = None) -> list[int]:
    return [passage for passage, _ in ranked(scores, nobody, frozenset(), limit, weights or Weights())]


def scored(*scores: float) -> Scores:
    return {PassageId(number): score for number, score in enumerate(scores, 1)}


def table(*texts: str, authors: tuple[str, ...] = ()) -> Table:
    made = Table(sqlite3.connect(":memory:"))
    rows = (
        Passage(EntryId(number), EntryKind.PROMPT, f"entry {number}", "prompt", 1, text, author)
        for number, (text, author) in enumerate(zip(texts, authors or ("",) * len(texts), strict=True), 1)
    )
    made.add(1, 1, rows)
    return made


def entries(found: list[Found]) -> list[int]:
    return [one.passage.entry for one in found]


def test_the_answer_beside_the_question_gains_by_it() -> None:
    assert order(scored(3.0, 1.6, 0.1, 2.0)) == [1, 2, 4, 3]
    assert order(scored(3.0, 1.6, 0.1, 2.0), weights=Weights(neighbour=0)) == [1, 4, 2, 3]


def test_of_equals_the_newest_is_first() -> None:
    assert order({PassageId(1): 1.0, PassageId(5): 1.0, PassageId(3): 1.0}) == [5, 3, 1]


@given(
    st.dictionaries(st.integers(1, 60), st.floats(0.01, 9), max_size=40),
    st.sets(st.integers(1, 60)),
    st.integers(1, 10),
)
def test_looking_only_at_authors_that_can_matter_changes_nothing(
    scores: dict[int, float], named: set[int], limit: int
) -> None:
    def authors(wanted: Iterable[PassageId]) -> Mapping[PassageId, frozenset[str]]:
        return {passage: frozenset({"ann"} if passage in named else ()) for passage in wanted}

    given_ = {PassageId(passage): score for passage, score in scores.items()}
    said = frozenset({"ann"})
    assert ranked(given_, authors, said, limit) == ranked(given_, authors, said, len(given_) + 1)[:limit]


def test_what_somebody_said_is_before_what_is_said_of_them() -> None:
    others = ["Ann, nothing here"] * 4
    made = table("Ann's boat is blue", *others, "my boat is blue", authors=(*("ben",) * 5, "ann"))
    assert entries(made.best(Query.of("What colour is Ann's boat?"), 5))[0] == 6


def test_who_wrote_an_entry_and_what_it_begins_with_name_its_author() -> None:
    record = ThreadRecord()
    day = datetime(2024, 5, 8, tzinfo=UTC)
    record.add(EntryKind.PROMPT, "Ann Lee: hello", turn=TurnNumber(1), time=day)
    record.add(EntryKind.CALL, "{}", turn=TurnNumber(1), time=None, call=CallPart(CallId("00000001"), "run_command"))
    record.add(EntryKind.REPLY, "It is four words too long: no label", turn=TurnNumber(1), time=day)
    prompt, call, reply = (next(passages(entry, Past(record))) for entry in record)
    assert set(prompt.author.split()) == {"person", "user", "ann", "lee"}
    assert prompt.day == "Wednesday 8 May 2024"
    assert call.author == "run command"
    assert reply.author == "model assistant"


def test_the_day_finds_what_was_said_on_it_and_one_conversation_is_searched_alone() -> None:
    made = Table(sqlite3.connect(":memory:"))
    for conversation, day in ((1, "Wednesday 8 May 2024"), (2, "Friday 7 June 2024")):
        made.add(conversation, 1, [Passage(EntryId(1), EntryKind.PROMPT, "entry 1", "prompt", 1, "we sailed", "", day)])
    assert [one.conversation for one in made.best(Query.of("sailing in June"), 5)] == [2, 1]
    assert [one.conversation for one in made.best(Query.of("sailing in June"), 5, conversation=1)] == [1]
    made.remove(2)
    assert [one.conversation for one in made.best(Query.of("sailing in June"), 5)] == [1]
    assert not made.best(Query.of("Friday"), 5)


def test_stop_words_count_only_where_there_is_nothing_else_and_a_phrase_counts_more() -> None:
    assert Query.of("What is the port of it?").words == ("port",)
    assert Query.of("to be or not to be").words == ("to", "be", "or", "not")
    assert Query.of('find "blue heron" there').phrases == ("blue heron",)
    made = table("a heron, and the sky is blue blue blue", "one blue heron")
    assert entries(made.best(Query.of('"blue heron"'), 5))[0] == 2


@pytest.mark.parametrize(
    "said", ['"', "NEAR(a, b)", "text: x*", "a AND NOT b", "col^2 -x", "'; DROP TABLE words", "\x00"]
)
def test_nothing_in_a_query_is_read_as_the_index_s_own_language(said: str) -> None:
    assert table("a heron").best(Query.of(said), 5) == []


def test_an_excerpt_shows_the_lines_with_most_of_the_words_and_where_they_stand() -> None:
    (found,) = table("intro\nthe heron's nest\nherons fly\n\nan eagle\nnests of herons").best(Query.of("heron nest"), 5)
    shown = excerpts(found, most=2)
    assert [(one.line, one.text) for one in shown] == [(2, "the heron's nest"), (6, "nests of herons")]
    assert [[one.text[first:last] for first, last in one.marks] for one in shown] == [
        ["heron", "nest"],
        ["nests", "herons"],
    ]
    (found,) = table("heron 1\nheron 2\nheron 3\nheron 5").best(Query.of('"heron 5"'), 5)
    assert [one.line for one in excerpts(found, most=1)] == [4]


@given(st.integers(0, 400), st.integers(0, 400), st.integers(20, 80))
def test_what_was_found_is_in_the_part_of_a_long_line_that_is_shown(before: int, after: int, width: int) -> None:
    made = table("  " + "x " * before + "heron" + " y" * after)
    (shown,) = excerpts(made.best(Query.of("heron"), 5)[0], width=width)
    assert len(shown.text) <= width
    assert [shown.text[first:last] for first, last in shown.marks] == ["heron"]


def test_words_are_marked_as_they_stand_where_they_are_no_whole_words() -> None:
    (found,) = table("日本語の要約は完了").plain(Query.of("要約"), 5)
    assert excerpts(found)[0].marks == ((4, 6),)
