"""Bounded (no result exceeds the budget, none is cut without a marker, no marker understates), for any output."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from io import BufferedReader, BytesIO
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from wisp_tui.outputs import Cost, ToolBudget
from wisp_tui.outputs.budget import room_in
from wisp_tui.outputs.captured import Capture, Captured, plain
from wisp_tui.outputs.held_back import show
from wisp_tui.outputs.spill import Spill
from wisp_tui.text import frames
from wisp_tui.text.clean import clean
from wisp_tui.text.frames import Frame, KeptAs
from wisp_tui.text.ids import CallId, SessionId
from wisp_tui.tools.command_result import CommandResult, Keeping, Printed
from wisp_tui.tools.file_pages import Wanted, read_page
from wisp_tui.tools.processes import Running
from wisp_tui.tools.runner import Ran

PIECES: Sequence[bytes] = (
    b"words of a line",
    b"0123456789",
    b"\n",
    b"\n\n\n",
    b"\r\n",
    b"50%\r",
    b"\x1b[31m",
    b"\x1b]0;title\x07",
    b"\x1b",
    b"\0",
    b"\xff\xfe",
    "é漢🙂".encode(),
    "\u2028\x85".encode(),
    b"\xe2\x82",
    b"x" * 500,
    b'{"a":[1,2,3],"b":"c"},',
    b"[\xe2\x80\xa6 1 line (1 byte) held back \xe2\x80\xa6]\n",
    b"stderr:\n",
)
OUTPUTS = st.lists(st.tuples(st.sampled_from(PIECES), st.integers(1, 120)), max_size=25).map(
    lambda parts: b"".join(piece * times for piece, times in parts)
)
SIZES = st.integers(1024, 64 * 1024)


def captured(data: bytes, keep: int) -> Captured:
    capture = Capture(keep)
    capture.feed(data)
    return capture.captured()


def in_full(data: bytes) -> list[str]:
    return plain(data.removesuffix(b"\n")).split("\n") if data else []


@settings(deadline=None)
@given(OUTPUTS)
def test_a_line_of_the_bytes_is_a_line_of_the_text(data: bytes) -> None:
    lines = data.split(b"\n")
    assert plain(data).split("\n") == [plain(line + b"\n").removesuffix("\n") for line in lines]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", plain(data))


@settings(deadline=None)
@given(OUTPUTS, st.integers(1, 5000), st.lists(st.integers(1, 3000), min_size=1, max_size=8))
def test_an_output_is_captured_alike_however_it_is_split(data: bytes, keep: int, splits: list[int]) -> None:
    spilled: list[tuple[bytes, int]] = []
    capture = Capture(keep, lambda piece, newlines: spilled.append((piece, newlines)))
    at = step = 0
    while at < len(data):
        capture.feed(data[at : at + splits[step % len(splits)]])
        at += splits[step % len(splits)]
        step += 1
    result = capture.captured()
    assert (result.bytes, result.newlines) == (len(data), data.count(b"\n"))
    assert result.head == data[:keep]
    assert data.endswith(result.tail)
    assert result.whole == (len(data) <= 2 * keep)
    assert len(result.head) + len(result.tail) >= min(len(data), 2 * keep)
    assert b"".join(piece for piece, _ in spilled) == (data if len(data) > keep else b"")
    assert all(piece.count(b"\n") == newlines for piece, newlines in spilled)
    assert capture.spilled == (len(data) > keep)
    assert data.endswith(capture.latest(100))


@settings(deadline=None)
@given(OUTPUTS, SIZES, st.sampled_from([2048, 9000, 1 << 20]))
@example(b"x" * 70_000, 4096, 9000)
@example(b"\n" * 70_000, 4096, 9000)
@example(b"short\n" + b"y" * 70_000 + b"\nend", 4096, 1 << 20)
def test_what_is_shown_fits_and_what_is_held_back_is_never_understated(data: bytes, size: int, keep: int) -> None:
    room = Cost.for_bytes(size)
    lines = in_full(data)
    shown = show(captured(data, keep), room)
    text = "".join(f"{line}\n" for line in (*shown.head, *shown.tail))
    assert Cost.of(text).within(room)
    held = shown.held
    if held is None:
        assert list(shown.head) == lines
        assert not shown.tail
        return
    assert not Cost.of("".join(f"{line}\n" for line in lines)).within(room) or len(data) > 2 * keep
    assert 1 <= held.first <= held.last <= len(lines)
    front, back = held.first - 1, len(lines) - held.last
    assert list(shown.head[:front]) == lines[:front]
    assert list(shown.tail[len(shown.tail) - back :]) == lines[len(lines) - back :]
    raws = data.removesuffix(b"\n").split(b"\n")
    hidden = sum(len(raw) + 1 for raw in raws[front : len(raws) - back])
    partly = sum(len(line.removesuffix("…").encode()) for line in shown.head[front:])
    partly += sum(len(line.removeprefix("…").encode()) for line in shown.tail[: len(shown.tail) - back])
    assert held.bytes >= hidden - 1 - partly
    assert held.part == bool(partly)


RANS = st.builds(
    Ran,
    status=st.sampled_from([0, 1, 137]),
    signal=st.sampled_from([None, "SIGKILL"]),
    seconds=st.just(1.0),
    timed_out=st.booleans(),
    running=st.lists(st.builds(Running, st.integers(1, 4_194_304), st.text("ab ", min_size=1, max_size=60))).map(tuple),
    held=st.booleans(),
)


@settings(max_examples=200, deadline=None)
@given(RANS, OUTPUTS, OUTPUTS, SIZES, st.booleans(), st.sampled_from([None, 2**20]))
def test_a_commands_result_never_exceeds_its_room_and_says_what_it_holds_back(
    ran: Ran, out: bytes, err: bytes, size: int, memory: bool, cut: int | None
) -> None:
    room = room_in(size)
    printed = tuple(
        Printed(name, captured(data, 4 * size)) for name, data in (("stdout", out), ("stderr", err)) if data
    )
    result = CommandResult(ran, printed, 3600)
    text = result.whole(room)
    if text is not None:
        assert Cost.of(text).within(room)
        return
    with tempfile.TemporaryDirectory() as home:
        spill = Spill(Path(home), SessionId("s"), CallId("3f9a2c1b"), cut or 1 << 24)
        for stream in printed:
            spill.part(stream.name).write(out if stream.name == "stdout" else err)
        stored = spill.commit()
    assert stored is not None
    kept = KeptAs(stored.call, stored.lines, stored.of_lines, stored.cut)
    text = result.bounded(room, Keeping(stored, kept, memory=memory))
    assert Cost.of(text).within(room)
    kinds = [frames.frame(line) for line in text.split("\n")]
    assert Frame.MARKER in kinds
    note = next(line for line in reversed(text.split("\n")) if frames.frame(line) is Frame.HELD_BACK)
    assert "output 3f9a2c1b" in note
    assert memory or "memory" not in note


@settings(max_examples=200, deadline=None)
@given(OUTPUTS, OUTPUTS, st.lists(st.booleans(), max_size=6), st.integers(60, 20_000))
def test_the_stored_file_has_both_streams_under_the_numbers_of_its_record(
    out: bytes, err: bytes, order: list[bool], limit: int
) -> None:
    with tempfile.TemporaryDirectory() as home:
        spill = Spill(Path(home), SessionId("s"), CallId("3f9a2c1b"), limit)
        parts = spill.part("stdout"), spill.part("stderr")
        sources = BytesIO(out), BytesIO(err)
        for first in (*order, *[True, False] * 5000):
            parts[first].write(sources[first].read(999))
        stored = spill.commit()
        assert [path.name for path in Path(home).iterdir()].count(".3f9a2c1b.0.part") == 0
        if stored is None:
            assert out == err == b""
            return
        data = stored.path.read_bytes()
    assert (len(data), data.count(b"\n") + (data[-1:] != b"\n")) == (stored.bytes, stored.lines)
    assert stored.bytes <= limit
    assert stored.cut == any(section.bytes < section.of_bytes for section in stored.sections)
    for section in stored.sections:
        source = out if section.name == "stdout" else err
        piece = data[section.first_byte : section.first_byte + section.bytes]
        assert source.startswith(piece)
        assert section.of_bytes == len(source)
        assert section.first_line == data[: section.first_byte].count(b"\n") + 1
        assert section.lines == piece.count(b"\n") + (piece[-1:] not in (b"\n", b""))
        assert section.of_lines == source.count(b"\n") + (source[-1:] != b"\n")


def as_shown(line: bytes) -> str:
    """A line of a file as a page shows it: clean, carriage returns within it as signs."""
    return clean(line.decode("utf-8", "replace").removesuffix("\r").replace("\r", "\u240d"))


@settings(max_examples=200, deadline=None)
@given(OUTPUTS, st.integers(4096, 64 * 1024), st.one_of(st.none(), st.integers(1, 50)))
def test_the_pages_of_a_file_are_bounded_and_together_are_all_of_it(data: bytes, size: int, limit: int | None) -> None:
    room = ToolBudget(size * 2).room
    wanted, seen = Wanted(limit=limit), list[str]()
    while True:
        page = read_page(BufferedReader(BytesIO(data)), wanted, room, lambda: False)
        assert Cost.of("".join(f"{line}\n" for line in page.lines)).within(room)
        assert limit is None or len(page.lines) <= limit
        assert [int(line.partition("\t")[0]) for line in page.lines] == list(range(wanted.line, page.last + 1))
        seen += [whole_line(data, room, line) for line in page.lines]
        if page.more is None or page.last == page.total:
            break
        assert page.lines
        wanted = Wanted(page.last + 1, 1, limit)
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    assert seen == [as_shown(line) for line in lines]
    assert page.total == len(lines)


CLIPPED = re.compile(r"… \[.+ more of this line: offset (\d+), byte (\d+)\]$")


def whole_line(data: bytes, room: Cost, shown: str) -> str:
    """Read a line that is clipped on to its end, as its mark says to."""
    number, _, text = shown.partition("\t")
    while (clipped := CLIPPED.search(text)) is not None:
        assert clipped[1] == number
        wanted = Wanted(int(number), int(clipped[2]), 1)
        page = read_page(BufferedReader(BytesIO(data)), wanted, room, lambda: False)
        assert Cost.of(page.lines[0] + "\n").within(room)
        text = text[: clipped.start()] + page.lines[0].partition("\t")[2]
    return text
