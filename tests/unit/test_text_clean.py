"""What is left of text that is not ours before it reaches a screen or a store."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.text.clean import StreamCleaner, clean, clean_line, encodable, last_frames, visible

PIECES = (
    *("a", "é", "漢", "\t", "\n", "\r", "\r\n", " ", "~", "/", "[", "]", "\\", "3", "1;", "m", "J", "B", "?", "0;t"),
    *("\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b\\", "\x1b(", "\x9b", "\x9d", "\x9c", "\x07"),
    *("\x00", "\x7f", "\x85", "\ud800", "\u202e"),
)
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
ACTING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@pytest.mark.parametrize(
    ("dirty", "left"),
    [
        ("A\x1b]52;c;SGk=\x1b\\B\x1b[2J\x1b[6n\x9b31m", "AB"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0;2;0\x1b\\after", "after"),
        ("\x1b_apc\x9cafter", "after"),
        ("\x9dosc\x9cafter", "after"),
        ("\x1b(Bplain\x1b=", "plain"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[?25l\x1b[>4;2mx", "x"),
        ("\x1b]0;never ended\nnext line", "\nnext line"),
        ("\x1b]0;one\x1b[2Jtwo", "two"),
        ("a\x00b\x08c\x7fd\x85e", "abcde"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("half \ud83d emoji", "half \ufffd emoji"),
        ("ends with \x1b", "ends with "),
        ("ends with \x1b[12", "ends with "),
    ],
)
def test_control_sequences_of_every_form_are_removed_and_the_text_kept(dirty: str, left: str) -> None:
    assert clean(dirty) == left


@given(HOSTILE)
def test_nothing_that_is_cleaned_can_act_on_a_terminal(text: str) -> None:
    assert not ACTING.search(clean(text))


@given(HOSTILE)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs"))))
def test_text_without_controls_comes_back_as_it_is(text: str) -> None:
    assert clean(text) == text


@given(st.lists(HOSTILE, max_size=12))
def test_fragments_cleaned_as_they_come_are_the_whole_cleaned(fragments: list[str]) -> None:
    cleaner = StreamCleaner()
    streamed = "".join([*(cleaner.feed(fragment) for fragment in fragments), cleaner.end()])
    assert streamed == clean("".join(fragments))


@given(HOSTILE)
def test_the_split_of_a_stream_does_not_matter_down_to_single_characters(text: str) -> None:
    cleaner = StreamCleaner()
    assert "".join([*map(cleaner.feed, text), cleaner.end()]) == clean(text)


def test_a_sequence_of_a_megabyte_is_removed_whole_from_a_stream() -> None:
    cleaner = StreamCleaner()
    shown = [cleaner.feed("\x1b]52;c;")]
    shown += [cleaner.feed("QUJD" * 1000) for _ in range(250)]
    shown += [cleaner.feed("\x1b\\after"), cleaner.end()]
    assert "".join(shown) == "after"


def test_text_of_a_stream_is_not_held_back_without_need() -> None:
    cleaner = StreamCleaner()
    assert cleaner.feed("Hello") == "Hello"
    assert cleaner.feed(" wor\x1b[3") == " wor"
    assert cleaner.feed("1mld") == "ld"


def test_a_line_for_a_title_has_no_newline_or_tab() -> None:
    assert clean_line(" two\n lines\tand \x1b[1mmore\r\n") == "two lines and more"


def test_what_is_to_be_judged_shows_what_would_hide_or_reorder() -> None:
    assert visible("rm \u202e-rf\u2066 x\u200b\x1b[8m") == "rm <U+202E>-rf<U+2066> x<U+200B><U+001B>[8m"
    assert visible("two\nlines") == "two\nlines"
    assert visible("a\tb") == "a<U+0009>b"
    assert visible("plain é 漢") == "plain é 漢"


@given(st.text())
def test_encodable_text_can_be_written_as_utf8(text: str) -> None:
    encodable(text + "\udc80").encode()


@pytest.mark.parametrize(
    ("drawn", "left"),
    [
        ("1%\r2%\r3%\nend\r\n", "3%\nend\n"),
        ("no frames\n", "no frames\n"),
        ("gone\r\rlast\r", "last"),
        ("a\rb\r\nc", "b\nc"),
    ],
)
def test_the_last_frame_of_a_redrawn_line_stays(drawn: str, left: str) -> None:
    assert last_frames(drawn) == left
