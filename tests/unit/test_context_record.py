from __future__ import annotations

import pytest

from wisp_tui.context.record import Cut, Entry, EntryKind, Origin, Revision, State, ThreadRecord, turns_of
from wisp_tui.text.ids import EntryId, EventId, TurnNumber

EVENT = EventId("0123456789abcdef")


def record_of(*kinds: EntryKind) -> ThreadRecord:
    record = ThreadRecord()
    for place, kind in enumerate(kinds):
        record.add(kind, f"text {place}", turn=TurnNumber(place), time=None)
    return record


def ids(entries: list[tuple[Entry, State]]) -> list[int]:
    return [entry.id for entry, _ in entries]


PROMPT, COMMAND, REPLY, START, OUTPUT = (
    EntryKind.PROMPT,
    EntryKind.COMMAND,
    EntryKind.REPLY,
    EntryKind.INSTRUCTIONS,
    EntryKind.OUTPUT,
)


def test_entries_are_numbered_from_one_in_order() -> None:
    assert [entry.id for entry in record_of(START, PROMPT, REPLY)] == [1, 2, 3]


def test_a_dropped_entry_stays_and_is_no_longer_active() -> None:
    record = record_of(START, PROMPT, REPLY, PROMPT)
    record.drop([EntryId(2), EntryId(3)], by=EVENT, turn=TurnNumber(5))
    assert [entry.id for entry in record.active] == [1, 4]
    assert record.entry(EntryId(2)).text == "text 1"
    state = record.state(EntryId(3))
    assert (state.dropped_by, state.dropped_at, state.active) == (EVENT, 5, False)


def test_what_happened_first_to_an_entry_stands() -> None:
    record = record_of(START, PROMPT, OUTPUT)
    record.reference([EntryId(3)], turn=TurnNumber(2))
    record.reference([EntryId(3)], turn=TurnNumber(9))
    record.drop([EntryId(3)], by=EVENT, turn=TurnNumber(3))
    record.drop([EntryId(3)], by=EventId("f" * 16), turn=TurnNumber(4))
    state = record.state(EntryId(3))
    assert (state.referenced_at, state.dropped_by, state.dropped_at) == (2, EVENT, 3)


def test_a_past_moment_shows_the_entries_and_the_states_of_then() -> None:
    record = record_of(START, PROMPT, OUTPUT, REPLY)
    before = record.revision
    record.cut(EntryId(4), [Cut(0, 4, EntryId(3), "read_file", 24)])
    record.reference([EntryId(3)], turn=TurnNumber(2))
    record.add(PROMPT, "next", turn=TurnNumber(2), time=None)
    middle = record.revision
    record.drop([EntryId(2), EntryId(3), EntryId(4)], by=EVENT, turn=TurnNumber(2))
    record.add(REPLY, "last", turn=TurnNumber(2), time=None)
    assert ids(record.at(before)) == [1, 2, 3, 4]
    assert all(state == State() for _, state in record.at(before))
    assert ids(record.at(middle)) == [1, 2, 3, 4, 5]
    assert [bool(state.cuts) for _, state in record.at(middle)] == [False, False, False, True, False]
    assert record.at(middle)[2][1].referenced_at == 2
    assert ids(record.at(record.revision)) == [1, 5, 6]


@pytest.mark.parametrize("drops", [[], [2], [2, 3], [5], [2, 5]])
def test_every_past_moment_is_what_a_copy_made_then_shows(drops: list[int]) -> None:
    record, seen = ThreadRecord(), dict[Revision, list[tuple[Entry, State]]]()
    for place in range(1, 9):
        record.add(PROMPT, f"text {place}", turn=TurnNumber(place), time=None)
        seen[record.revision] = record.at(record.revision)
        if place in drops:
            record.drop([EntryId(place), EntryId(place - 1)], by=EVENT, turn=TurnNumber(place))
            seen[record.revision] = record.at(record.revision)
    for moment, then in seen.items():
        assert record.at(moment) == then


def test_an_entry_that_is_not_there_is_a_key_error() -> None:
    record = record_of(START)
    for missing in (0, -1, 2):
        assert not record.has(EntryId(missing))
        with pytest.raises(KeyError):
            record.entry(EntryId(missing))


def test_a_restored_record_is_at_revision_0_and_grows_from_there() -> None:
    record = record_of(START, PROMPT, OUTPUT)
    record.drop([EntryId(2)], by=EVENT, turn=TurnNumber(1))
    back = ThreadRecord.restored(record, {entry.id: record.state(entry.id) for entry in record})
    assert back.revision == 0
    assert ids(back.at(Revision(0))) == [1, 3]
    back.add(PROMPT, "new", turn=TurnNumber(1), time=None)
    assert ids(back.at(Revision(0))) == [1, 3]
    assert ids(back.at(back.revision)) == [1, 3, 4]


def test_a_restored_record_refuses_entries_out_of_place() -> None:
    entry = Entry(EntryId(2), PROMPT, Origin.RESUMED, TurnNumber(1), "text", None)
    with pytest.raises(ValueError, match="entry 2 stands in place 1"):
        ThreadRecord.restored([entry], {})


def test_a_turn_is_a_prompt_with_all_up_to_the_next() -> None:
    turns = turns_of(record_of(START, PROMPT, REPLY, OUTPUT, REPLY, PROMPT, PROMPT, REPLY))
    assert [[entry.id for entry in turn] for turn in turns] == [[2, 3, 4, 5], [6], [7, 8]]


def test_a_command_goes_with_the_turn_after_it_and_waits_for_one() -> None:
    turns = turns_of(record_of(START, PROMPT, REPLY, COMMAND, COMMAND, PROMPT, REPLY, COMMAND))
    assert [[entry.id for entry in turn] for turn in turns] == [[2, 3], [4, 5, 6, 7]]


def test_what_stands_before_the_first_prompt_is_in_no_turn() -> None:
    assert [[entry.id for entry in turn] for turn in turns_of(record_of(START, REPLY, OUTPUT, PROMPT))] == [[4]]
