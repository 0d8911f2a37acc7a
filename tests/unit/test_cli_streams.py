"""Standard input and output behind threads: nothing blocks, nothing is lost, what breaks is told."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wisp_tui.cli.streams import BrokenOutput, Writer, read_lines

ROOT = Path(__file__).parents[2]


async def lines_of(data: bytes, *, at_once: int = 1 << 20) -> list[bytes]:
    reading, writing = os.pipe()

    async def write() -> None:
        for start in range(0, len(data), at_once):
            await asyncio.to_thread(os.write, writing, data[start : start + at_once])
        os.close(writing)

    task = asyncio.create_task(write())
    found = [line async for line in read_lines(reading)]
    await task
    os.close(reading)
    return found


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"one\ntwo\n", [b"one", b"two"]),
        (b"one\r\ntwo", [b"one", b"two"]),
        (b"\n\n", [b"", b""]),
        (b"a\xff\x00b\n", [b"a\xff\x00b"]),
    ],
)
async def test_lines_come_without_their_ends_and_the_last_needs_none(data: bytes, lines: list[bytes]) -> None:
    assert await lines_of(data) == lines


async def test_a_line_of_megabytes_is_one_line_however_it_arrives() -> None:
    line = b"x" * 3_000_000
    assert await lines_of(line + b"\nshort\n", at_once=10_000) == [line, b"short"]


async def test_a_line_is_there_as_soon_as_it_is_written() -> None:
    reading, writing = os.pipe()
    lines = read_lines(reading)
    os.write(writing, b"first\nsec")
    async with asyncio.timeout(5):
        assert await anext(lines) == b"first"
        os.write(writing, b"ond\n")
        assert await anext(lines) == b"second"
    os.close(writing)
    assert [line async for line in lines] == []
    os.close(reading)


async def test_a_reading_that_was_left_never_reads_another_file_of_the_same_number() -> None:
    reading, writing = os.pipe()
    lines = read_lines(reading)
    os.write(writing, b"first\n")
    assert await anext(lines) == b"first"
    os.close(reading)
    again, other = os.pipe()
    assert again == reading
    os.write(other, b"for somebody else\n")
    os.close(writing)
    assert [line async for line in lines] == []
    assert os.read(again, 100) == b"for somebody else\n"
    os.close(again)
    os.close(other)


async def test_a_descriptor_that_cannot_be_read_is_an_input_that_has_ended(tmp_path: Path) -> None:
    file = os.open(tmp_path, os.O_RDONLY)
    assert [line async for line in read_lines(file)] == []
    os.close(file)


async def test_saying_never_waits_and_written_does() -> None:
    reading, writing = os.pipe()
    out = Writer(writing)
    for _ in range(100):
        out.say(b"x" * 10_000)
    waiting = asyncio.create_task(out.written())
    await asyncio.wait({waiting}, timeout=0.01)
    assert not waiting.done()
    got = 0
    while got < 1_000_000:
        got += len(await asyncio.to_thread(os.read, reading, 1 << 20))
    async with asyncio.timeout(5):
        await waiting
    os.close(reading)
    os.close(writing)


async def test_what_was_said_is_written_in_order() -> None:
    reading, writing = os.pipe()
    out = Writer(writing)
    for number in range(200):
        out.say(f"{number}\n".encode())
    await out.written()
    out.close()
    os.close(writing)
    assert [line async for line in read_lines(reading)] == [str(number).encode() for number in range(200)]
    os.close(reading)


async def test_a_late_write_never_goes_to_another_file_of_the_same_number(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    out = Writer(writing)
    os.close(writing)
    other = os.open(tmp_path / "other", os.O_WRONLY | os.O_CREAT)
    assert other == writing
    out.say(b"late\n")
    out.close()
    assert [line async for line in read_lines(reading)] == [b"late"]
    assert (tmp_path / "other").read_bytes() == b""
    os.close(other)
    os.close(reading)


async def test_a_reader_that_has_gone_is_told_quietly_and_everything_else_in_words() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    out = Writer(writing)
    out.say(b"x")
    with pytest.raises(BrokenOutput) as gone:
        await out.written()
    assert gone.value.quiet
    out.say(b"more")
    with pytest.raises(BrokenOutput):
        await out.written()
    os.close(writing)
    full = os.open("/dev/full", os.O_WRONLY)
    out = Writer(full)
    out.say(b"x")
    with pytest.raises(BrokenOutput, match="the output cannot be written: No space left on device") as told:
        await out.written()
    assert not told.value.quiet
    os.close(full)


HELD = "from wisp_tui.cli.standard import hold_standard_streams; hold_standard_streams(); import os; "


@pytest.mark.parametrize(
    ("closed", "code"),
    [
        ("<&-", "assert os.read(0, 1) == b''"),
        ("2>&-", "assert os.write(2, b'x') == 1"),
        ("<&- 2>&-", "assert os.open('/dev/null', 0) > 2"),
        (">&-", "\ntry: os.write(1, b'x')\nexcept OSError: pass\nelse: raise SystemExit(1)"),
    ],
)
def test_a_standard_stream_that_was_closed_is_held(closed: str, code: str) -> None:
    done = subprocess.run(["sh", "-c", f'"$0" -c "$1" {closed}', sys.executable, HELD + code], cwd=ROOT, check=False)
    assert done.returncode == 0
