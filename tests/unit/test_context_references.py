from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from wisp_tui.context.record import Entry, EntryKind, Origin, OutputPart
from wisp_tui.context.references import LIMIT, reference_for
from wisp_tui.text import frames
from wisp_tui.text.ids import CallId, EntryId, TurnNumber

AT = datetime(2026, 10, 9, 14, 5, 12, tzinfo=timezone(timedelta(hours=2)))
ARGUMENTS = '{"path": "/code/harbour/docs/overview.md"}'


def output(
    text: str,
    *,
    tool: str = "read_file",
    ok: bool = True,
    status: int | None = None,
    reads_only: bool = True,
    time: datetime | None = AT,
    lines: int | None = None,
    size: int | None = None,
    kept: bool = False,
) -> Entry:
    return Entry(
        id=EntryId(7),
        kind=EntryKind.OUTPUT,
        origin=Origin.TURN,
        turn=TurnNumber(1),
        text=text,
        time=time,
        output=OutputPart(
            call=CallId("3f9a2c1b"),
            tool=tool,
            ok=ok,
            lines=lines if lines is not None else text.count("\n") + 1,
            bytes=size if size is not None else len(text.encode()),
            reads_only=reads_only,
            exit_status=status,
            kept=kept,
        ),
    )


def page() -> str:
    body = [f"{number}\tline {number} of the page, which says something" for number in range(2, 100)]
    numbered = ["1\t# harbour sync: overview", *body, "100\tthe last whole line of the page"]
    return "\n".join([*numbered, frames.paging(101)])


def reference(entry: Entry, arguments: str = ARGUMENTS, *, memory: bool = True) -> list[str]:
    text = reference_for(entry, arguments, memory=memory)
    assert text is not None
    return text.split("\n")


def command(body: str, *, status: int = 1, tail: str = "") -> Entry:
    text = f"{frames.exit_status(status)}\n{frames.STDOUT}\n{body}{tail}"
    return output(text, tool="run_command", ok=status == 0, status=status, reads_only=False)


LONG = "\n".join(f"line {number} of the output" for number in range(60))


def test_a_page_of_a_file_becomes_the_reference_the_spec_shows_to_the_byte() -> None:
    assert reference_for(output(page(), lines=101, size=3612), ARGUMENTS, memory=True) == (
        "[output of entry 7 not repeated: read_file at 14:05:12, ok, 101 lines, 3612 bytes; "
        'to see it: memory "recall entry 7"]\n'
        'arguments: {"path": "/code/harbour/docs/overview.md"}\n'
        "first line: 1\t# harbour sync: overview\n"
        "last line: 100\tthe last whole line of the page\n"
        "paging: more from offset 101"
    )


def test_without_memory_a_tool_that_only_reads_may_be_called_again() -> None:
    assert reference(output(page()), memory=False)[0].endswith("; call it again to see it]")


def test_without_memory_a_command_is_never_to_be_run_again_to_see_its_output() -> None:
    head = reference(command(LONG), memory=False)[0]
    assert head.endswith("; its output is not repeated; do not run it again to see it]")


def test_with_memory_a_command_names_the_recall_of_its_entry() -> None:
    assert reference(command(LONG), memory=True)[0].endswith('; to see it: memory "recall entry 7"]')


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        (output(LONG), "ok"),
        (output("error: no such file\n" + LONG, ok=False), "failed"),
        (command(LONG, status=0), "exit status 0"),
        (command(LONG, status=1), "exit status 1"),
    ],
)
def test_the_status_is_a_commands_exit_status_or_how_a_call_went(entry: Entry, status: str) -> None:
    assert f" at 14:05:12, {status}, " in reference(entry)[0]


def test_the_time_is_of_the_entrys_own_zone() -> None:
    moved = output(LONG, time=AT.astimezone(timezone(timedelta(hours=-7))))
    assert " at 05:05:12, " in reference(moved)[0]


def test_an_entry_without_a_time_leaves_it_out() -> None:
    assert "read_file, ok, " in reference(output(LONG, time=None))[0]


def test_one_line_and_one_byte_are_written_so() -> None:
    assert ", 1 line, 1 byte; " in reference(output(LONG, lines=1, size=1))[0]


def test_the_frames_of_a_command_are_not_content() -> None:
    lines = reference(command(LONG, tail="\n" + frames.timed_out(120)))
    assert lines[2] == "first line: line 0 of the output"
    assert lines[3] == "last line: line 59 of the output"


def test_the_end_of_a_file_is_not_content() -> None:
    lines = reference(output("\n".join(f"{n}\tline {n} of the file" for n in range(1, 80)) + f"\n{frames.END_OF_FILE}"))
    assert lines[-1] == "last line: 79\tline 79 of the file"


def test_lines_next_to_what_is_held_back_are_marked() -> None:
    held = frames.held_note([frames.Span(2, 2270, 180_000)], None, memory=False, command=True)
    text = "\n".join(["x" * 300, frames.held_marker(2270, 180_000), "the tail of it", held])
    lines = reference(output(text, kept=True, reads_only=False))
    assert lines[2] == "first line: " + "x" * 99 + "…"
    assert lines[3] == "last line: the tail of it…"


def test_blank_lines_are_not_shown_as_first_or_last() -> None:
    lines = reference(output("\n \n" + LONG + "\n\n"))
    assert (lines[2], lines[3]) == ("first line: line 0 of the output", "last line: line 59 of the output")


def test_an_output_of_one_line_shows_it_once() -> None:
    assert [line.split(":")[0] for line in reference(output("x" * 2000))[1:]] == ["arguments", "first line"]


def test_a_line_is_shortened_to_100_characters_and_arguments_to_200() -> None:
    lines = reference(output("a" * 500 + "\n" + "b" * 500), '{"text": "' + "c" * 500 + '"}')
    assert [len(line.split(": ", 1)[1]) for line in lines[1:]] == [200, 100, 100]
    assert all(line.endswith("…") for line in lines[1:])


def test_arguments_of_several_lines_take_one() -> None:
    assert reference(output(LONG), '{\n"path": "a"\n}')[1] == 'arguments: { "path": "a" }'


def test_an_output_no_longer_than_its_reference_is_always_whole() -> None:
    entry = output("short")
    length = len("\n".join(reference(output(LONG.replace("\n", " ")))).encode())
    assert reference_for(entry, ARGUMENTS, memory=True) is None
    assert length < LIMIT


def test_the_longest_parts_give_way_first_when_bytes_run_out() -> None:
    lines = reference(output("kurz\n" + "漢" * 300), '{"text": "' + "字" * 300 + '"}')
    assert lines[2] == "first line: kurz"
    assert lines[1].endswith("…")
    assert lines[3].endswith("…")
    assert len("\n".join(lines).encode()) <= LIMIT


def test_an_entry_that_is_no_output_is_refused() -> None:
    entry = Entry(EntryId(1), EntryKind.PROMPT, Origin.TURN, TurnNumber(1), "hello", None)
    with pytest.raises(ValueError, match="entry 1 is no output"):
        reference_for(entry, "{}", memory=True)
