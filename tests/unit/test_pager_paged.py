"""What the pager is given to show: what is said of it, and the name that saving suggests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.pager import shown_output, stored
from wisp_tui.app.pager.paged import Paged


def test_an_output_that_is_whole_has_no_notice(tmp_path: Path) -> None:
    paged = Paged.of_output(shown_output(stored(tmp_path, b"one\ntwo\n")), "run_command make")
    assert (paged.lines, paged.remark, paged.notice, paged.closing) == (2, "the whole output", "", "")
    assert paged.source.read(0, 99) == b"one\ntwo\n"


def test_both_streams_that_were_cut_say_how_much_each_lost(tmp_path: Path) -> None:
    line = b"0123456789abcdef\n"
    paged = Paged.of_output(shown_output(stored(tmp_path, line * 1_000, line * 1_000, limit=4_000)))
    first, second = paged.section_lines
    assert first == 0
    assert paged.source.read(0, paged.source.size).splitlines()[second] == b"stderr:"
    assert "stdout above was cut" in paged.headings[second]
    assert "more lines" in paged.closing
    section = paged.section_at(second)
    assert section is not None
    assert section.name == "stderr"
    above = paged.section_at(second - 1)
    assert above is not None
    assert above.name == "stdout"


def test_one_stream_has_no_sections_worth_saying(tmp_path: Path) -> None:
    paged = Paged.of_output(shown_output(stored(tmp_path, b"one\n")))
    assert (paged.section_at(0), paged.headings) == (None, {})


@pytest.mark.parametrize("tool", ["../../etc/passwd", "a/b", "x\x1b[2J", "宽" * 300, "."])
def test_the_name_to_save_under_is_a_plain_one_whatever_the_tool_was_called(tool: str) -> None:
    name = Paged.of_output(replace(shown_output(None, "text"), tool=tool)).name
    assert name.endswith("-1a2b3c4d.txt")
    assert name.isascii()
    assert "/" not in name
    assert not name.startswith(".")
    assert len(name) < 60


def test_a_title_is_clean_and_of_one_line() -> None:
    assert Paged.of_text("a\x1b[2J\nb\t[/x]", "").title == "a b [/x]"
