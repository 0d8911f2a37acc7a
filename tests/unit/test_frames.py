"""The lines around content: each is known again, and content that looks like one is not taken for it."""

from __future__ import annotations

import pytest

from wisp_tui.text import frames
from wisp_tui.text.frames import Content, ContentLine, Frame, KeptAs, Paging, Span

KEPT = KeptAs("3f9a2c1b", 2340, 2340, cut=False)


def content(*texts: str, paging: Paging | None = None) -> Content:
    return Content(tuple(ContentLine(text, beside_cut=False) for text in texts), paging)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (frames.exit_status(0), Frame.EXIT_STATUS),
        (frames.exit_status(143, "SIGTERM"), Frame.EXIT_STATUS),
        (frames.STDOUT, Frame.STREAM),
        (frames.STDERR, Frame.STREAM),
        (frames.NO_OUTPUT, Frame.NO_OUTPUT),
        (frames.EMPTY_FILE, Frame.EMPTY_FILE),
        (frames.END_OF_FILE, Frame.END_OF_FILE),
        (frames.REPEATED, Frame.REPEATED),
        (frames.path("/a b/x"), Frame.PATH),
        (frames.paging(101), Frame.PAGING),
        (frames.paging(101, of=2340), Frame.PAGING),
        (frames.paging(1, of=1, byte=3001), Frame.PAGING),
        (frames.not_utf8(3), Frame.ENCODING),
        (frames.timed_out(120), Frame.TIMED_OUT),
        (frames.still_running([(4242, "sleep 60")]), Frame.STILL_RUNNING),
        (frames.still_running([]), Frame.STILL_RUNNING),
        (frames.some_running(7), Frame.STILL_RUNNING),
        (frames.truncated("why"), Frame.TRUNCATED),
        (frames.held_marker(1, 10), Frame.MARKER),
        (frames.held_marker(2270, 184_000), Frame.MARKER),
        (frames.held_note([Span(44, 2313, 184_000)], None, memory=True, command=True), Frame.HELD_BACK),
        (frames.held_note([Span(4, 4, 9, "stderr", part=True)], KEPT, memory=True, command=True), Frame.HELD_BACK),
    ],
)
def test_every_frame_is_known_again(line: str, kind: Frame) -> None:
    assert frames.frame(line) is kind


@pytest.mark.parametrize(
    "line", ["", "held back", "exit status: x", "stdout", "[end of file", "[more]", "1\t[end of file]"]
)
def test_a_line_of_content_is_no_frame(line: str) -> None:
    assert frames.frame(line) is None


def test_the_marker_and_the_note_read_as_specified() -> None:
    assert frames.held_marker(2270, 180 * 1024) == "[… 2,270 lines (180 KiB) held back …]"
    assert frames.held_note([Span(44, 2313, 180 * 1024, "stdout")], KEPT, memory=True, command=True) == (
        "held back: stdout lines 44–2,313 (180 KiB); the whole output is kept as output 3f9a2c1b (2,340 lines); "
        'memory "recall output 3f9a2c1b from line 44" pages it, "recall output 3f9a2c1b matching PATTERN" filters it, '
        '"summarise output 3f9a2c1b" gives the notable lines, "condense output 3f9a2c1b: QUESTION" answers from all of '
        "it; do not run the command again to see it"
    )


def test_a_stored_output_that_was_cut_is_not_called_whole() -> None:
    note = frames.held_note([Span(5, 90, 10)], KeptAs("3f9a2c1b", 40, 99, cut=True), memory=False, command=False)
    assert note == "held back: lines 5–90 (10 bytes); its first 40 lines of 99 are kept as output 3f9a2c1b"


def test_many_processes_are_counted() -> None:
    assert frames.still_running([(number, "p") for number in range(1, 11)]).startswith(
        "[still running: p (pid 1), p (pid 2), p (pid 3) and 7 more; "
    )


@pytest.mark.parametrize("size", [0, 1023, 1024, 1025, 10_239, 102_399, 102_401, 184_320, 1_048_575, 2**30 + 1, 2**45])
def test_a_size_is_never_understated(size: int) -> None:
    number, _, unit = frames.at_least(size).replace(",", "").partition(" ")
    scale = {"byte": 1, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}[unit]
    assert size <= float(number) * scale <= size * 1.11


def test_a_commands_frames_are_taken_off() -> None:
    result = "exit status: 1\nstdout:\na\nstderr:\nb\n[timed out after 2 s and was ended; …]"
    assert frames.content(result) == content("a", "b")


def test_a_files_frames_are_taken_off_and_its_paging_is_kept() -> None:
    hint = frames.paging(101, of=200)
    assert frames.content(f"[path: /x]\n1\ta\n2\t[end of file]\n{hint}") == content(
        "1\ta", "2\t[end of file]", paging=Paging(101)
    )
    assert Paging(101).words == "more from offset 101"
    assert frames.content(f"1\ta\n{frames.paging(1, of=1, byte=77)}").paging == Paging(1, 77)


def test_lines_beside_what_is_held_back_are_told_from_the_others() -> None:
    result = f"exit status: 0\nstdout:\na\nb\n{frames.held_marker(5, 5)}\nc\nd\nheld back: stdout lines 3–7 (5 bytes)"
    assert [(line.text, line.beside_cut) for line in frames.content(result).lines] == [
        ("a", False),
        ("b", True),
        ("c", True),
        ("d", False),
    ]


def test_content_that_looks_like_a_frame_stays_content() -> None:
    assert frames.content("exit status: 0\nstdout:\nexit status: 7\nstdout:\nx") == content(
        "exit status: 7", "stdout:", "x"
    )
    assert frames.content("stdout:\nx") == content("stdout:", "x")
    assert frames.content("[end of file]\nx") == content("[end of file]", "x")
    assert frames.content("error: no such file") == content("error: no such file")


def test_a_repeated_call_has_its_line_above_the_others() -> None:
    assert frames.content(f"{frames.REPEATED}\nexit status: 0\nstdout:\nx") == content("x")


def test_a_result_of_frames_alone_has_no_content() -> None:
    assert frames.content("exit status: 0\n[no output]") == content()
    assert frames.content("[empty file]\n[end of file]") == content()
