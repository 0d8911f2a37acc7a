"""read_file: pages of numbered lines, what is not a text file, and lines without an end."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from itertools import count
from pathlib import Path
from typing import cast

import pytest

from tests.fakes.tools import Bench
from wisp_tui.outputs import ToolBudget
from wisp_tui.text import frames
from wisp_tui.text.json import Json
from wisp_tui.tools import BadArguments, ToolOutput
from wisp_tui.tools.file_pages import Wanted
from wisp_tui.tools.read_file import ReadFile


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path.resolve())


def write(bench: Bench, data: bytes, name: str = "file") -> Path:
    path = bench.directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


async def read(bench: Bench, path: str = "file", **arguments: Json) -> ToolOutput:
    return await bench.call(ReadFile(), path=path, **arguments)


async def all_pages(bench: Bench) -> list[str]:
    """Read a file to its end, each page where the one before says to go on, each within the budget."""
    where = Wanted()
    pages: list[str] = []
    for _ in range(500):
        output = await read(bench, offset=where.line, byte=where.byte)
        assert bench.budget.fits(output.text)
        pages.append(output.text)
        paging = frames.content(output.text).paging
        if paging is None:
            return pages
        where = Wanted(paging.offset, paging.byte or 1)
    pytest.fail("the pages have no end")


async def test_a_file_is_shown_as_numbered_lines_to_its_end(bench: Bench) -> None:
    write(bench, b"# harbour sync: overview\n\n\tcopies\n")
    output = await read(bench)
    assert output.text == "1\t# harbour sync: overview\n2\t\n3\t\tcopies\n[end of file]"
    assert (output.ok, output.lines, output.bytes) == (True, 4, len(output.text.encode()))


async def test_a_page_ends_with_where_to_read_on(bench: Bench) -> None:
    write(bench, b"".join(b"line %d\n" % number for number in range(1, 1001)))
    output = await read(bench, offset=3, limit=2)
    assert output.text == "3\tline 3\n4\tline 4\n[more from line 5 of 1,000: call read_file again with offset 5]"
    assert frames.content(output.text).paging == frames.Paging(5)
    assert (output.details or {})["end"] is False


async def test_pages_follow_each_other_without_a_gap(bench: Bench) -> None:
    lines = [f"line {number} " + "x" * (number % 90) for number in range(1, 1501)]
    write(bench, "\n".join(lines).encode())
    shown = [line.text for page in await all_pages(bench) for line in frames.content(page).lines]
    assert shown == [f"{number}\t{line}" for number, line in zip(count(1), lines, strict=False)]


async def test_a_page_is_bounded_by_tokens_also(bench: Bench) -> None:
    write(bench, b"0123456789\n" * 1000)
    output = await read(bench)
    assert len(output.text.encode()) < 2000
    assert bench.budget.fits(output.text)


async def test_a_larger_window_has_larger_pages(bench: Bench) -> None:
    write(bench, b"some words of a line\n" * 4000)
    small = await read(bench)
    bench.budget = ToolBudget(131_072)
    assert (await read(bench)).lines > 10 * small.lines


async def test_a_file_without_a_newline_at_its_end_and_one_of_crlf_lines(bench: Bench) -> None:
    write(bench, b"one\r\ntwo\r\nthr\ree")
    assert (await read(bench)).text == "1\tone\n2\ttwo\n3\tthr\u240dee\n[end of file]"


async def test_an_empty_file_is_said_to_be_empty(bench: Bench) -> None:
    write(bench, b"")
    output = await read(bench)
    assert output.text == "[empty file]\n[end of file]"
    assert output.ok


async def test_an_offset_past_the_end_says_how_many_lines_there_are(bench: Bench) -> None:
    write(bench, b"one\ntwo\n")
    for offset in (3, 4, 400):
        output = await read(bench, offset=offset)
        assert output.text == f"error: offset {offset} is past the end: {bench.directory / 'file'} has 2 lines"
        assert not output.ok


async def test_bytes_that_are_no_text_are_replaced_and_it_is_said(bench: Bench) -> None:
    write(bench, b"caf\xe9\n")
    assert (await read(bench)).text == "1\tcaf\ufffd\n[not all UTF-8: 1 place shown as \ufffd]\n[end of file]"


async def test_control_sequences_are_not_shown(bench: Bench) -> None:
    write(bench, b"A\x1b]52;c;SGk=\x1b\\B\x1b[2J\xc2\x9b31mC\n\x1b]0;never closed\nnext\n")
    assert (await read(bench)).text == "1\tABC\n2\t\n3\tnext\n[end of file]"


async def test_a_binary_file_is_refused_with_its_size(bench: Bench) -> None:
    path = write(bench, b"\x7fELF\0\0" * 1000)
    output = await read(bench)
    assert output.text == f"error: {path} is a binary file (6,000 bytes)"
    assert not output.ok
    write(bench, "text".encode("utf-16"))
    assert "UTF-16" in (await read(bench)).text


async def test_a_long_line_is_clipped_with_what_is_left_and_a_way_to_it(bench: Bench) -> None:
    write(bench, b"x" * 70_000 + b"\nafter\n")
    output = await read(bench)
    shown, said = cast("re.Match[str]", re.match(r"1\t(x+)… \[(\S+) KiB more of this line", output.text)).groups()
    assert float(said) * 1024 >= 70_000 - len(shown)
    assert "\n2\tafter\n[end of file]" in output.text
    rest = await read(bench, offset=1, byte=len(shown) + 1)
    assert rest.text.startswith("1\t" + "x" * 1000)


@pytest.mark.parametrize("text", ["x" * 70_000, "é世🙂" * 5000, "\u001b[1mbold" * 3000], ids=["x", "wide", "bold"])
async def test_a_line_without_an_end_is_read_whole_page_by_page(bench: Bench, text: str) -> None:
    write(bench, text.encode())
    pieces = [re.sub(r"^1\t|… \[.*", "", page.partition("\n")[0]) for page in await all_pages(bench)]
    assert "".join(pieces) == text.replace("\u001b[1m", "")


async def test_a_page_that_ends_on_a_clipped_line_does_not_claim_the_end(bench: Bench) -> None:
    write(bench, b"one\n" + b"y" * 50_000)
    output = await read(bench)
    assert frames.END_OF_FILE not in output.text
    paging = frames.content(output.text).paging
    assert paging is not None
    assert (paging.offset, paging.byte is not None) == (2, True)


async def test_a_byte_order_mark_is_no_text(bench: Bench) -> None:
    write(bench, b"\xef\xbb\xbfone\n")
    assert (await read(bench)).text == "1\tone\n[end of file]"


def relative(path: Path) -> str:
    """A socket's address may be no longer than some hundred bytes, which a temporary directory's path may be."""
    return os.path.relpath(path)


async def test_what_is_not_a_regular_file_is_named_and_never_waited_for(bench: Bench) -> None:
    os.mkfifo(bench.directory / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(relative(bench.directory / "socket"))
        kinds = {"pipe": "a named pipe", "socket": "a socket", "/dev/null": "a character device"}
        async with asyncio.timeout(5):
            for path, kind in kinds.items():
                output = await read(bench, path)
                assert output.text.startswith("error: ")
                assert f"is {kind}, not a file" in output.text


async def test_a_directory_is_refused_with_what_it_holds(bench: Bench) -> None:
    write(bench, b"", "docs/one.md")
    write(bench, b"", "docs/sub/two.md")
    output = await read(bench, "docs")
    assert output.text == (
        f"error: {bench.directory / 'docs'} is a directory, not a file that can be read; it holds one.md, sub/"
    )


async def test_a_missing_file_suggests_names_that_are_there(bench: Bench) -> None:
    write(bench, b"", "overview.md")
    output = await read(bench, "Overveiw.md")
    place = bench.directory
    assert output.text == f"error: there is no file {place / 'Overveiw.md'}; did you mean {place / 'overview.md'}?"
    assert (await read(bench, "nowhere/at/all")).text == f"error: there is no directory {place / 'nowhere'}"
    assert (await read(bench, "overview.md/x")).text == f"error: {place / 'overview.md'} is a file, not a directory"


async def test_a_file_that_may_not_be_read_is_an_error(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    write(bench, b"secret")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert (await read(bench)).text == f"error: {bench.directory / 'file'} cannot be read: permission denied"


async def test_a_tilde_is_expanded_and_the_path_it_leads_to_is_shown(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(bench.directory))
    path = write(bench, b"one\n", "a b/x")
    output = await read(bench, "~/a b/x")
    assert output.text == f"[path: {path}]\n1\tone\n[end of file]"
    assert frames.content(output.text).lines == (frames.ContentLine("1\tone", beside_cut=False),)


async def test_a_link_is_followed_and_where_it_leads_is_shown(bench: Bench) -> None:
    path = write(bench, b"one\n")
    (bench.directory / "link").symlink_to(path)
    assert (await read(bench, "link")).text == f"[path: {path}]\n1\tone\n[end of file]"
    assert (await read(bench, "sub/../file")).text == "1\tone\n[end of file]"


async def test_nothing_in_a_path_is_hidden(bench: Bench) -> None:
    output = await read(bench, "a\u202eb\x1b[2J\nc")
    assert output.text == f"error: there is no file {bench.directory}/a<U+202E>b<U+001B>[2J<U+000A>c"


async def test_an_error_about_a_very_long_path_is_within_the_budget(bench: Bench) -> None:
    output = await read(bench, "/".join(["9" * 200] * 300))
    assert output.text.startswith("error: ")
    assert bench.budget.fits(output.text)


@pytest.mark.parametrize("path", ["", " ", "a\0b", "~nobody-of-this-name/x"])
async def test_a_path_that_is_none_is_a_fault_of_the_call(bench: Bench, path: str) -> None:
    with pytest.raises(BadArguments):
        await read(bench, path)


async def test_a_huge_file_is_not_read_whole(bench: Bench) -> None:
    path = write(bench, b"first\nsecond\n" + b"z" * 10_000)
    with path.open("r+b") as file:
        file.truncate(1 << 40)  # a sparse tebibyte: reading all of it would take minutes
    async with asyncio.timeout(10):
        output = await read(bench, limit=1)
        assert output.text == "1\tfirst\n[more from line 2: call read_file again with offset 2]"
        assert "3\tz" in (await read(bench, offset=2)).text


async def test_a_cancel_stops_the_reading_of_a_huge_file(bench: Bench) -> None:
    path = write(bench, b"first\n" + b"z" * 10_000)
    with path.open("r+b") as file:
        file.truncate(1 << 40)
    call = asyncio.create_task(read(bench, offset=2_000_000))
    async with asyncio.timeout(10):
        await asyncio.wait([call], timeout=0.2)  # by now it reads, and would for minutes
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.get_running_loop().shutdown_default_executor()


async def test_the_details_say_what_was_read_of_which_file(bench: Bench) -> None:
    path = write(bench, b"one\ntwo\nthree\n")
    output = await read(bench, offset=2)
    assert output.details == {
        "path": str(path),
        "firstLine": 2,
        "lastLine": 3,
        "linesRead": 2,
        "totalLines": 3,
        "end": True,
        "size": 14,
        "modified": path.stat().st_mtime_ns,
    }
