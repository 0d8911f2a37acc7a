"""The pager's bytes: read by the page, four held, faults said."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from tests.fakes.pager import BytesSource
from wisp_tui.app.pager.source import HELD, PAGE, FileSource, TextSource


def _file(tmp_path: Path, data: bytes) -> FileSource:
    path = tmp_path / "output"
    path.write_bytes(data)
    return FileSource(path)


def test_four_pages_are_held_at_most_however_much_is_read(tmp_path: Path) -> None:
    source = _file(tmp_path, os.urandom(PAGE * 9))
    for number in range(source.pages):
        source.page(number)
        assert source.held <= HELD == 4
    source.read(0, source.size)
    assert source.held <= HELD


def test_passing_over_all_pages_leaves_those_that_are_looked_at_where_they_are() -> None:
    source = BytesSource(b"x" * (PAGE * 9))
    source.page(3)
    for number in range(source.pages):
        source.page(number, keep=False)
    source.reads = 0
    source.page(3)
    assert source.reads == 0
    assert source.held == 1


def test_bytes_across_a_page_edge_are_those_of_the_file(tmp_path: Path) -> None:
    data = os.urandom(PAGE * 3 + 17)
    source = _file(tmp_path, data)
    for start, end in ((PAGE - 5, PAGE + 5), (0, len(data)), (PAGE, PAGE * 2), (len(data) - 3, len(data) + 50), (7, 7)):
        assert source.read(start, end) == data[start:end]
    assert source.read(-5, 4) == data[:4]


def test_a_byte_is_found_from_either_side_and_within_its_bounds_only() -> None:
    data = bytearray(b"." * (PAGE * 3))
    data[5] = data[PAGE * 2 + 9] = ord("!")
    source = BytesSource(bytes(data))
    assert source.find(b"!", 0, source.size) == 5
    assert source.find(b"!", 6, source.size) == PAGE * 2 + 9
    assert source.find(b"!", 6, PAGE * 2 + 9) == -1
    assert source.rfind(b"!", 0, source.size) == PAGE * 2 + 9
    assert source.rfind(b"!", 0, PAGE * 2 + 9) == 5
    assert source.rfind(b"!", 6, PAGE * 2) == -1


def test_a_file_that_became_shorter_is_a_fault_and_no_crash(tmp_path: Path) -> None:
    source = _file(tmp_path, b"x" * (PAGE * 2))
    os.truncate(tmp_path / "output", 10)
    assert source.page(1) == b""
    assert source.fault == "it has become shorter since it was opened"


def test_a_file_that_was_removed_is_still_read(tmp_path: Path) -> None:
    source = _file(tmp_path, b"still here")
    (tmp_path / "output").unlink()
    assert source.read(0, 10) == b"still here"
    assert source.fault is None


def test_after_closing_there_is_nothing_and_the_file_is_let_go(tmp_path: Path) -> None:
    source = _file(tmp_path, b"x" * 10)
    assert str(source.path) in {opened.path for opened in psutil.Process().open_files()}
    source.close()
    source.close()
    assert source.read(0, 10) == b""
    assert str(source.path) not in {opened.path for opened in psutil.Process().open_files()}


def test_a_text_is_its_bytes() -> None:
    assert TextSource("naïve \ud800").read(0, 20) == b"na\xc3\xafve ?"
