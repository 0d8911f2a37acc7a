"""A journal cut off at any byte gives the conversation as it was at some moment before, whole to that moment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.context.journal import (
    NotAJournal,
    Unsent,
    ended_line,
    entry_lines,
    facts_line,
    head_line,
    look,
    read_journal,
    said_line,
    summaries_line,
    unsent_line,
)
from wisp_tui.context.record import CallPart, Cut, Entry, EntryKind, OutputPart, State, ThreadRecord
from wisp_tui.context.sidecar import NOTHING_KEPT, Saved
from wisp_tui.text.ids import CallId, EntryId, EventId, SessionId, TurnNumber

TEXTS = st.text(max_size=30) | st.sampled_from(["a\nb", "\u2028", "漢字", '"}\n{', "\x00", "\ud800"])
KINDS = st.sampled_from([EntryKind.PROMPT, EntryKind.REPLY, EntryKind.CALL, EntryKind.OUTPUT, EntryKind.COMMAND])
ACTS = st.lists(
    st.tuples(st.just("add"), KINDS, TEXTS)
    | st.tuples(st.just("drop"), st.integers(1, 12), st.integers(1, 12))
    | st.tuples(st.just("reference"), st.integers(1, 12), st.just(0))
    | st.tuples(st.just("cut"), st.integers(1, 12), st.just(0))
    | st.tuples(st.just("say"), TEXTS, st.just(0))
    | st.tuples(st.just("facts"), st.integers(1, 4), TEXTS)
    | st.tuples(st.just("end"), st.just(0), st.just(0)),
    min_size=1,
    max_size=25,
)
MOMENT = datetime(2026, 3, 1, 14, 5, 12, tzinfo=UTC)
Seen: TypeAlias = "tuple[list[Entry], list[State], object]"


def seen(saved: Saved) -> Seen:
    record = saved.record
    return list(record), [record.state(entry.id) for entry in record], saved.more


class Talk:
    """A conversation that writes each change of its record, and remembers how each of its moments reads."""

    def __init__(self) -> None:
        self.lines = [head_line([SessionId("s")], "/work", None)]
        self.written = 0
        self.record = ThreadRecord(follower=self.follow)

    def follow(self, touched: Sequence[EntryId]) -> None:
        self.lines += entry_lines(self.record, touched, written=self.written, kept=NOTHING_KEPT)
        self.written = max(self.written, *touched)

    def act(self, act: tuple[object, ...]) -> None:
        places = [entry.id for entry in self.record]
        match act:
            case ("add", EntryKind() as kind, str() as text):
                call = CallId(f"{len(places):08x}")
                self.record.add(
                    kind,
                    text,
                    turn=TurnNumber(1),
                    time=MOMENT,
                    sources=(EventId("e"),),
                    call=CallPart(call, "run_command") if kind is EntryKind.CALL else None,
                    output=OutputPart(call, "run_command", ok=True, lines=1, bytes=1, reads_only=False)
                    if kind in {EntryKind.OUTPUT, EntryKind.COMMAND}
                    else None,
                )
            case ("drop", int() as first, int() as last):
                self.record.drop(places[first - 1 : last], by=EventId("d"), turn=TurnNumber(2))
            case ("reference", int() as place, _):
                self.record.reference(places[place - 1 : place], turn=TurnNumber(2))
            case ("cut", int() as place, _) if place <= len(places):
                self.record.cut(EntryId(place), [Cut(0, 1, EntryId(1), "run_command", 1)])
            case ("say", str() as text, _):
                self.lines.append(said_line(text))
            case ("facts", int() as number, str() as text):
                self.lines.append(facts_line([{"id": f"c{number}", "value": text}], number))
                self.lines.append(summaries_line([{"text": text}]))
                self.lines.append(unsent_line(Unsent((text,), text)))
            case _:
                self.lines.append(ended_line(TurnNumber(1)))


@given(ACTS, st.data())
def test_cut_off_at_any_byte_it_gives_a_moment_of_the_conversation(
    acts: list[tuple[object, ...]], data: st.DataObject
) -> None:
    talk = Talk()
    for act in acts:
        talk.act(act)
    whole = b"".join(talk.lines)
    place = data.draw(st.integers(0, len(whole)))
    lines = whole[:place].count(b"\n")
    if lines == 0:
        try:
            read_journal(whole[:place])
        except NotAJournal:
            return
        raise AssertionError("it is no journal before its first line is whole")
    journal, good = read_journal(whole[:place])
    assert good == len(b"".join(talk.lines[:lines])), "all whole lines are read, and nothing else"
    exact, _ = read_journal(b"".join(talk.lines[:lines]))
    assert seen(journal.saved()) == seen(exact.saved())
    found = look(whole[:place])
    prompts = [entry for entry in journal.entries if entry.kind is EntryKind.PROMPT]
    assert (found.turns, found.first) == (len(prompts), next((p.text for p in prompts if p.text), ""))


@given(ACTS)
def test_read_to_its_end_it_is_the_record(acts: list[tuple[object, ...]]) -> None:
    talk = Talk()
    for act in acts:
        talk.act(act)
    journal, good = read_journal(b"".join(talk.lines))
    assert good == len(b"".join(talk.lines))
    record = journal.saved().record
    clean = [entry.text.encode("utf-8", "replace") for entry in talk.record]
    assert [entry.text.encode("utf-8", "replace").replace(b"\xef\xbf\xbd", b"?") for entry in record] == [
        text.replace(b"\xef\xbf\xbd", b"?") for text in clean
    ]
    for entry in talk.record:
        was, now = talk.record.state(entry.id), record.state(entry.id)
        assert (was.active, was.dropped_by, was.cuts) == (now.active, now.dropped_by, now.cuts)
        assert (was.referenced_in is None) == (now.referenced_in is None)
    assert [entry.id for entry in record.active] == [entry.id for entry in talk.record.active]


@given(ACTS, st.data())
def test_whatever_byte_is_spoiled_what_came_before_its_line_is_read(
    acts: list[tuple[object, ...]], data: st.DataObject
) -> None:
    talk = Talk()
    for act in acts:
        talk.act(act)
    whole = bytearray(b"".join(talk.lines))
    place = data.draw(st.integers(len(talk.lines[0]), len(whole) - 1)) if len(talk.lines) > 1 else len(whole) - 2
    before = bytes(whole[:place]).count(b"\n")
    whole[place] = data.draw(st.integers(0, 255))
    try:
        journal, _ = read_journal(bytes(whole))
    except NotAJournal:
        assert before == 0
        return
    exact, _ = read_journal(b"".join(talk.lines[:before]))
    assert journal.entries[: len(exact.entries)] == exact.entries
