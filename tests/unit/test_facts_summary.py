"""The running summary: batches, one call or two, versions, its cap (spec "The running summary")."""

from __future__ import annotations

import pytest

from tests.fakes.facts import START
from wisp_tui.context.record import EntryKind, ThreadRecord, turns_of
from wisp_tui.facts import Calls, Summaries, calls_for, fitted
from wisp_tui.facts.summary import KEPT_VERSIONS, word_limit
from wisp_tui.text.ids import EntryId, EventId, ModelId, TurnNumber

DROPPED = EventId("00000000000000ff")
MODEL = ModelId("ollama:granite4.1:8b")


def record_of(turns: int) -> ThreadRecord:
    record = ThreadRecord()
    record.add(EntryKind.INSTRUCTIONS, "Be brief.", turn=TurnNumber(0), time=START)
    for number in range(1, turns + 1):
        for kind in (EntryKind.PROMPT, EntryKind.REPLY):
            event = EventId(f"{number:08x}{kind.value:>8}")
            record.add(kind, f"{kind} {number}", turn=TurnNumber(number), time=START, sources=[event])
    return record


def drop(record: ThreadRecord, turns: int) -> None:
    leaving = turns_of(record.active)[:turns]
    record.drop([entry.id for turn in leaving for entry in turn], by=DROPPED, turn=TurnNumber(9))


@pytest.mark.parametrize(
    ("leaving", "waiting", "calls"),
    [
        (1, 0, Calls(facts=True, summary=False)),
        (2, 0, Calls(facts=True, summary=False)),
        (3, 0, Calls(facts=True, summary=True, together=True)),
        (1, 2, Calls(facts=True, summary=True, together=False)),
        (4, 1, Calls(facts=True, summary=True, together=False)),
        (0, 5, Calls(facts=False, summary=False)),
    ],
)
def test_a_summary_is_due_for_three_turns_and_shares_the_facts_call_only_when_all_of_them_leave_now(
    leaving: int, waiting: int, calls: Calls
) -> None:
    assert calls_for(leaving, waiting, distil=True, summarise=True, together=True) == calls


def test_each_part_can_be_turned_off() -> None:
    assert calls_for(3, 0, distil=False, summarise=True, together=True) == Calls(facts=False, summary=True)
    assert calls_for(3, 0, distil=True, summarise=False, together=True) == Calls(facts=True, summary=False)
    assert calls_for(3, 0, distil=True, summarise=True, together=False) == Calls(facts=True, summary=True)


def test_the_dropped_turns_wait_until_a_version_covers_them() -> None:
    record, summaries = record_of(6), Summaries()
    drop(record, 2)
    assert [turn[0].turn for turn in summaries.waiting(record)] == [1, 2]
    drop(record, 2)
    batch = summaries.waiting(record)
    summaries = summaries.updated("It began.", batch, recorded=START, turn=TurnNumber(6), model=MODEL)
    assert summaries.waiting(record) == []
    drop(record, 1)
    assert [turn[0].turn for turn in summaries.waiting(record)] == [5]


def test_a_version_names_what_it_added_and_covers_all_before_it() -> None:
    record, summaries = record_of(6), Summaries()
    turns = turns_of(record)
    summaries = summaries.updated("One.", turns[:3], recorded=START, turn=TurnNumber(4), model=MODEL)
    summaries = summaries.updated("Two.", turns[3:5], recorded=START, turn=TurnNumber(6), model=MODEL)
    version = summaries.current
    assert version is not None
    assert (version.version, version.text, version.covered, version.turns) == (2, "Two.", 5, (4, 5))
    assert version.entries == (EntryId(8), EntryId(9), EntryId(10), EntryId(11))
    assert (version.through, version.turn, version.model) == (EntryId(11), 6, MODEL)
    assert version.events == tuple(entry.sources[0] for turn in turns[3:5] for entry in turn)
    assert summaries.versions[0].text == "One."


def test_a_version_of_nothing_is_refused() -> None:
    turns = turns_of(record_of(3))
    with pytest.raises(ValueError, match="a summary needs"):
        Summaries().updated("", turns, recorded=START, turn=TurnNumber(4), model=MODEL)
    with pytest.raises(ValueError, match="a summary needs"):
        Summaries().updated("x", [], recorded=START, turn=TurnNumber(4), model=MODEL)


def test_the_last_twenty_versions_are_kept() -> None:
    turns, summaries = turns_of(record_of(1)), Summaries()
    for number in range(1, 26):
        summaries = summaries.updated(f"v{number}", turns, recorded=START, turn=TurnNumber(number), model=MODEL)
    assert [version.version for version in summaries.versions] == list(range(6, 26))
    assert len(summaries.versions) == KEPT_VERSIONS


def test_the_word_limit_comes_from_the_cap() -> None:
    assert word_limit(1636) == 233


SENTENCES = [f"Sentence {number} names file{number}.py and more." for number in range(1, 9)]


def test_a_summary_that_fits_is_only_put_on_one_line() -> None:
    assert fitted("The person\n asked.\n\nIt was done. ", 100) == "The person asked. It was done."


def test_the_sentences_after_the_first_go_oldest_first_behind_an_ellipsis() -> None:
    assert fitted(" ".join(SENTENCES), 100) == f"{SENTENCES[0]} … {SENTENCES[7]}"
    assert fitted(" ".join(SENTENCES), 130) == f"{SENTENCES[0]} … {SENTENCES[6]} {SENTENCES[7]}"


def test_fitting_again_leaves_one_ellipsis() -> None:
    once = fitted(" ".join(SENTENCES), 300)
    assert fitted(once, 180).count("…") == 1
    assert fitted(once, 180).startswith(SENTENCES[0])


def test_the_newest_sentence_gives_way_before_the_first_is_cut() -> None:
    assert fitted(f"{SENTENCES[0]} {'w' * 200}.", 60) == f"{SENTENCES[0]} …"
    assert fitted("字" * 100, 50) == "字" * 15 + "…"
    assert fitted("words", 2) == ""


def test_sentences_without_spaces_between_them_are_told_apart() -> None:
    middle = "".join(f"第{number}句。" for number in range(2, 9))
    assert fitted(f"第一句。{middle}最后一句。", 50) == "第一句。 … 第8句。 最后一句。"


def test_a_sentence_said_again_is_left_out_before_anything_else() -> None:
    looping = f"{SENTENCES[0]} {'Read files. ' * 40}{SENTENCES[1]} {'Read  FILES. ' * 40}"
    assert fitted(looping, 100) == f"{SENTENCES[0]} Read FILES. {SENTENCES[1]}"


def test_what_a_model_puts_around_a_summary_is_taken_away() -> None:
    for text in ("Updated summary: It began.", '"It began."', "## Summary\n\nIt began.", "- It began.", "1. It began."):
        assert fitted(text, 100).removeprefix("Summary ") == "It began."
