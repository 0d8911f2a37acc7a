"""Searching everything a conversation ever held."""

from __future__ import annotations

from pathlib import Path

import pytest

from wisp_tui.context.record import CallPart, EntryKind, OutputPart, ThreadRecord
from wisp_tui.outputs import OutputStore
from wisp_tui.recall import Index, NothingThere, Past, table
from wisp_tui.text.ids import CallId, EventId, SessionId, TurnNumber

CALL = CallId("3f9a2c1b")


@pytest.fixture
def past(tmp_path: Path) -> Past:
    """A dropped prompt, an output of which most was held back, a recall of the model's own, and a reply."""
    record, store = ThreadRecord(), OutputStore(tmp_path, SessionId("5e5510ab"))
    shown = OutputPart(CALL, "run_command", ok=True, lines=500, bytes=9, reads_only=False, kept=True)
    own = OutputPart(CallId("00000001"), "memory", ok=True, lines=1, bytes=9, reads_only=False)
    store.keep(CALL, b"".join(b"step %d done\n" % number for number in range(500)) + b"linker: symbols are missing\n")
    record.add(EntryKind.INSTRUCTIONS, "The codename is secret.", turn=TurnNumber(0), time=None)
    record.add(EntryKind.PROMPT, "The release's codename is Heron.", turn=TurnNumber(1), time=None)
    record.add(EntryKind.OUTPUT, "step 0 done", turn=TurnNumber(1), time=None, output=shown)
    record.add(EntryKind.CALL, "recall codename", turn=TurnNumber(2), time=None, call=CallPart(own.call, "memory"))
    record.add(EntryKind.OUTPUT, "codename", turn=TurnNumber(2), time=None, output=own)
    record.add(EntryKind.REPLY, "日本語の要約は完了しました", turn=TurnNumber(2), time=None)
    first = [entry.id for entry in record if entry.turn == 1]
    record.drop(first, by=EventId("0" * 16), turn=TurnNumber(2))
    return Past(record, store)


def found(words: str, past: Past, index: Index) -> list[str]:
    return [line.text for line in index.find(words, past).lines(1)]


def test_the_best_passage_is_first_by_stems_dropped_or_held_back(past: Past) -> None:
    index = Index()
    assert found("releases codenames", past, index) == [
        "entry 2 line 1 (the person's prompt, turn 1): The release's codename is Heron."
    ]
    assert found("missing symbol", past, index)[0] == (
        f"output {CALL} line 501 (output of run_command, turn 1): linker: symbols are missing"
    )
    past.record.add(EntryKind.PROMPT, "Heron flies.", turn=TurnNumber(3), time=None)
    assert len(found("heron", past, index)) == 2
    with pytest.raises(NothingThere, match="nothing this conversation held has walrus"):
        index.find("walrus", past)
    with pytest.raises(NothingThere, match="no words"):
        index.find('"* -', past)


@pytest.mark.parametrize("fts5", [True, False])
def test_words_are_looked_for_as_they_stand_where_the_index_has_none(
    past: Past, monkeypatch: pytest.MonkeyPatch, *, fts5: bool
) -> None:
    if not fts5:
        monkeypatch.setattr(table, "MODULE", "no_such_module(text)")
    page = Index().find("要約", past)
    assert "looked for as they stand" in page.heading
    assert next(line.text for line in page.lines(1)).startswith("entry 6 line 1 ")


def test_another_conversation_s_words_are_not_found(past: Past) -> None:
    index = Index()
    index.find("heron", past)
    with pytest.raises(NothingThere):
        index.find("heron", Past(ThreadRecord()))


def test_a_mistyped_word_finds_those_like_it_and_says_so(past: Past) -> None:
    index = Index()
    page = index.find("codenmae", past)
    assert "words like those asked for" in page.heading
    assert next(line.text for line in page.lines(1)).startswith("entry 2 line 1 ")
    assert next(line.text for line in index.find("relaese", past).lines(1)).startswith("entry 2 line 1 ")
    with pytest.raises(NothingThere, match="nothing this conversation held has xyzzyx"):
        index.find("xyzzyx", past)
