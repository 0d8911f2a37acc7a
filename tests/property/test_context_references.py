from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.context.record import Entry, EntryKind, Origin, OutputPart
from wisp_tui.context.references import LIMIT, reference_for
from wisp_tui.context.typed import NOTICE, told
from wisp_tui.text import frames
from wisp_tui.text.ids import CallId, EntryId, TurnNumber

LINES = st.one_of(
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=300),
    st.sampled_from(
        [frames.STDOUT, frames.END_OF_FILE, frames.exit_status(1), frames.paging(7), "", " ", "漢" * 200, "👍" * 120]
    ),
)
OUTPUTS = st.builds(
    OutputPart,
    call=st.just(CallId("3f9a2c1b")),
    tool=st.one_of(st.sampled_from(["read_file", "run_command"]), st.text(max_size=90)),
    ok=st.booleans(),
    lines=st.integers(0, 10**9),
    bytes=st.integers(0, 2**40),
    reads_only=st.booleans(),
    exit_status=st.one_of(st.none(), st.integers(0, 255)),
)
ENTRIES = st.builds(
    Entry,
    id=st.integers(1, 10**9).map(EntryId),
    kind=st.just(EntryKind.OUTPUT),
    origin=st.just(Origin.TURN),
    turn=st.just(TurnNumber(1)),
    text=st.lists(LINES, max_size=30).map("\n".join),
    time=st.one_of(st.none(), st.just(datetime(2026, 1, 1, 5, 6, 7, tzinfo=timezone(timedelta(hours=9))))),
    output=OUTPUTS,
)
ARGUMENTS = st.text(max_size=600)


def typed(entry: Entry, line: str) -> Entry:
    return replace(entry, kind=EntryKind.COMMAND, text=told(line, entry.text))


COMMANDS = st.builds(typed, ENTRIES, ARGUMENTS)
"""Commands the person typed, with what they printed."""


@given(ENTRIES, ARGUMENTS, st.booleans())
def test_a_reference_never_exceeds_640_bytes_and_never_the_output(entry: Entry, arguments: str, memory: bool) -> None:
    reference = reference_for(entry, arguments, memory=memory)
    if reference is not None:
        size = len(reference.encode("utf-8", "replace"))
        assert size <= LIMIT
        assert size < len(entry.text.encode())


@given(ENTRIES, ARGUMENTS, st.booleans())
def test_a_reference_has_its_lines_in_order_and_no_other(entry: Entry, arguments: str, memory: bool) -> None:
    reference = reference_for(entry, arguments, memory=memory)
    if reference is None:
        return
    head, *rest = reference.split("\n")
    assert head.startswith(f"[output of entry {entry.id} not repeated: ")
    assert head.endswith("]")
    labels = [line.partition(": ")[0] for line in rest]
    expected = ["arguments", "first line", "last line", "paging"]
    assert labels == [label for label in expected if label in labels]
    assert labels[0] == "arguments"
    values = dict(zip(labels, (line.partition(": ")[2] for line in rest), strict=True))
    assert len(values["arguments"]) <= 200
    assert all(len(values.get(label, "")) <= 100 for label in ("first line", "last line"))


@given(ENTRIES, ARGUMENTS)
def test_only_with_memory_is_the_memory_tool_named(entry: Entry, arguments: str) -> None:
    without = reference_for(entry, arguments, memory=False)
    head = without.split("\n")[0] if without is not None else ""
    assert 'memory "recall' not in head
    assert ("call it again to see it" in head) == (
        without is not None and entry.output is not None and entry.output.reads_only
    )


@given(ENTRIES, ARGUMENTS, st.booleans())
def test_what_it_shows_of_the_content_is_in_the_output(entry: Entry, arguments: str, memory: bool) -> None:
    reference = reference_for(entry, arguments, memory=memory)
    for line in (reference or "").split("\n")[1:]:
        label, _, value = line.partition(": ")
        if label in {"first line", "last line"}:
            assert value.rstrip("…") in entry.text


@given(COMMANDS, st.booleans())
def test_a_typed_command_stays_the_persons_act_in_its_reference(entry: Entry, memory: bool) -> None:
    reference = reference_for(entry, "{}", memory=memory)
    if reference is not None:
        command, notice, head, *ends = reference.split("\n")
        assert command.startswith("! ")
        assert notice == NOTICE
        assert head.startswith(f"[output of entry {entry.id} not repeated: ")
        assert [end.partition(": ")[0] for end in ends] in ([], ["first line"], ["first line", "last line"])
        assert len(reference.encode("utf-8", "replace")) <= LIMIT
