"""What can be asked of memory, and the page that comes back."""

from __future__ import annotations

import pytest

from wisp_tui.context.record import EntryKind, OutputPart, ThreadRecord
from wisp_tui.outputs import Cost
from wisp_tui.recall import BadRequest, Document, Index, NothingThere, Past, Recall, document, read_request, recalled
from wisp_tui.recall.lines import Pattern
from wisp_tui.text.ids import CallId, EventId, TurnNumber

ROOM = Cost.for_bytes(4096)


def past(lines: int = 3) -> Past:
    """A conversation of two turns; the output of the first has so many lines, and its entries were dropped."""
    record = ThreadRecord()

    def add(kind: EntryKind, text: str, turn: int, output: OutputPart | None = None) -> None:
        record.add(kind, text, turn=TurnNumber(turn), time=None, output=output)

    part = OutputPart(
        CallId("3f9a2c1b"), "run_command", ok=False, lines=lines, bytes=9, reads_only=False, exit_status=1
    )
    add(EntryKind.INSTRUCTIONS, "You are wisp.", 0)
    add(EntryKind.PROMPT, "Why does the build fail?", 1)
    add(EntryKind.OUTPUT, "\n".join(f"row {number}" for number in range(1, lines + 1)), 1, part)
    add(EntryKind.REPLY, "The linker \x1b[31mis\x1b[0m missing.", 1)
    add(EntryKind.PROMPT, "And now?", 2)
    first = [entry.id for entry in record if entry.turn == 1]
    record.drop(first, by=EventId("0" * 16), turn=TurnNumber(2))
    return Past(record)


def said(request: str, of: Past | None = None, room: Cost = ROOM) -> str:
    asked = read_request(request)
    assert isinstance(asked, Recall)
    found = document(asked, of or past(), Index())
    assert isinstance(found, Document)
    return recalled(found, asked, room).text


def test_an_entry_is_given_whole_under_what_it_is_also_once_it_was_dropped() -> None:
    assert said("recall entry 3") == (
        "[entry 3: output of run_command, turn 1, exit status 1, dropped from the context]\n"
        "1\trow 1\n2\trow 2\n3\trow 3\n[end: 3 lines shown of 3]"
    )
    assert said("recall entry 4").splitlines()[1] == "1\tThe linker is missing."


@pytest.mark.parametrize(
    "written",
    [
        "entry 3",
        "Recall Entry 3",
        "memory recall entry 3",
        '"recall entry 3"',
        "recall: entry #3",
        "entry 03",
        'memory "recall entry 3"',
    ],
)
def test_a_request_is_read_however_a_small_model_writes_it(written: str) -> None:
    assert said(written) == said("recall entry 3")


@pytest.mark.parametrize(
    ("request_", "numbers"),
    [
        ("recall entry 3 lines 4-6", [4, 5, 6]),
        ("recall entry 3 lines 4 to 6 from line 5", [5, 6]),
        ("recall entry 3 line 4", [4]),
        ("recall entry 3 head 2", [1, 2]),
        ("recall entry 3 tail 2", [19, 20]),
        ("recall entry 3 from line 19", [19, 20]),
        ("recall entry 3 matching ROW 1|w 20", [1, *range(10, 20), 20]),
        ("recall entry 3 matching r.*20", [20]),
        ("recall entry 3 matching row 1 from line 12", [*range(12, 20)]),
        ("recall entry 3 matching nothing", []),
        ("recall entry 3 from line 21", []),
    ],
)
def test_lines_are_chosen_under_their_own_numbers(request_: str, numbers: list[int]) -> None:
    _, *lines, last = said(request_, past(20)).splitlines()
    assert [int(line.partition("\t")[0]) for line in lines] == numbers
    assert last.endswith(" of 20]")


def test_pages_hold_what_fits_and_lead_through_everything() -> None:
    of, request, seen = past(300), "recall entry 3 matching row", list[int]()
    for _ in range(40):
        text = said(request, of, Cost.for_bytes(1024))
        assert Cost.of(text).within(Cost.for_bytes(1024))
        _, *lines, last = text.splitlines()
        seen += [int(line.partition("\t")[0]) for line in lines]
        if '"' not in last:
            break
        assert f"[{300 - len(seen)} more matching, from line {seen[-1] + 1} of 300: " in last
        request = last.split('"')[1]
    assert seen == list(range(1, 301))


@pytest.mark.parametrize("filter_", ["", " tail 2", " matching é|end"])
def test_a_line_longer_than_a_page_is_parted_marked_and_led_through(filter_: str) -> None:
    of, request, seen = past(1), f"recall entry 6{filter_}", list[str]()
    whole = "".join(f"é{number}" for number in range(4000))
    of.record.add(EntryKind.REPLY, f"{whole}\nthe end", turn=TurnNumber(2), time=None)
    for _ in range(20):
        text = said(request, of)
        assert Cost.of(text).within(ROOM)
        _, *lines, last = text.splitlines()
        seen += lines
        if "memory" not in last:
            break
        assert lines[-1].endswith("…")
        request = last.removesuffix("]").split("memory ")[1]
    *parts, end = [line.partition("\t")[2] for line in seen]
    assert ("".join(part.strip("…") for part in parts), end) == (whole, "the end")
    assert all(part.startswith("…") for part in parts[1:])


def test_a_turn_is_all_its_entries_and_the_task_begins_with_the_first_prompt() -> None:
    turn = said("recall turn 1")
    assert turn.startswith("[turn 1: 3 entries]\n1\t[entry 2: the person's prompt, turn 1, dropped from the context]\n")
    assert "row 3" in turn
    assert "The linker is missing." in turn
    assert "Why does the build fail?" in said("recall task")
    assert "no summary is written yet" in said("recall summary")


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ("recall entry 9", "there is no entry 9; this conversation's entries are 1 to 5"),
        ("recall turn 7", "there is no turn 7; this conversation's turns are 1 to 2"),
        ("recall fact tests", "this conversation keeps no facts"),
        ("recall output 3f9a2c1b", "no output is kept: the audit log is off"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(request_: str, why: str) -> None:
    with pytest.raises(NothingThere, match=why):
        said(request_)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "recall",
        "recall everything",
        "recall matching",
        "recall output xyz",
        "recall entry 3 sideways",
        "recall entry 3 head 0",
        "recall entry 3 lines 6-4",
    ],
)
def test_what_cannot_be_read_is_answered_with_what_can_be_asked(written: str) -> None:
    with pytest.raises(BadRequest, match="entry N"):
        read_request(written)


def test_a_pattern_takes_words_alternatives_and_gaps_and_no_more() -> None:
    assert Pattern.read("error|FAIL*s").matches("2 failures")
    assert Pattern.read(r"a\.b").matches("x a.b y")
    assert not Pattern.read("b*a").matches("a b")
    assert not Pattern.read("(a+)+$").matches("a" * 5000)
