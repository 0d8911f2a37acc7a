"""What a line looks like: colours as values, and no byte of it that means anything to a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wisp_tui.app.pager.looks import PLAIN, Look, Stretch, changed, styled


@pytest.mark.parametrize(
    ("parameters", "look"),
    [
        ("31", Look(ink=1)),
        ("1;4;31", Look(ink=1, bold=True, underline=True)),
        ("97;100", Look(ink=15, ground=8)),
        ("38;5;9", Look(ink=9)),
        ("38;5;208", Look(ink=(255, 135, 0))),
        ("48;5;244", Look(ground=(128, 128, 128))),
        ("38;2;1;2;3;1", Look(ink=(1, 2, 3), bold=True)),
        ("38:2:1:2:3", Look(ink=(1, 2, 3))),
        ("38:2::1:2:3;1", Look(ink=(1, 2, 3), bold=True)),
        ("48:5:9", Look(ground=9)),
        ("4:3", Look(underline=True)),
        ("4:0", PLAIN),
        ("38;2;999;0;0", Look(ink=(255, 0, 0))),
        ("38;5;999;1", Look(bold=True)),
        ("38;5", PLAIN),
        ("38", PLAIN),
        ("38;2;1;2", PLAIN),
        ("", PLAIN),
        (";;", PLAIN),
        ("5;8;73;1234567890", PLAIN),
        ("2;3;7;9", Look(dim=True, italic=True, reverse=True, struck=True)),
    ],
)
def test_each_way_to_ask_for_a_colour_is_read(parameters: str, look: Look) -> None:
    assert changed(PLAIN, parameters) == look


def test_each_is_ended_by_its_own_end_and_all_by_zero() -> None:
    everything = Look(1, 2, bold=True, dim=True, italic=True, underline=True, struck=True, reverse=True)
    assert changed(everything, "22;23;24;27;29;39;49") == PLAIN
    assert changed(everything, "0") == changed(everything, "") == PLAIN
    assert changed(everything, "0;32") == Look(ink=2)


def test_text_has_its_colours_beside_it_and_no_sequence_in_it() -> None:
    line = styled(b"\x1b[32mok\x1b[0m and \x1b[1;31mbad\x1b[m.")
    assert line.text == "ok and bad."
    assert line.stretches == (Stretch(0, 2, Look(ink=2)), Stretch(7, 10, Look(ink=1, bold=True)))


def test_a_colour_that_is_not_ended_colours_its_line_only() -> None:
    assert styled(b"\x1b[31mred").stretches == (Stretch(0, 3, Look(ink=1)),)
    assert styled(b"next").stretches == ()


@pytest.mark.parametrize(
    "hostile",
    [
        b"A\x1b]52;c;SGk=\x1b\\B\x1b[2J\x1b[6n\xc2\x9b31m",
        b"\x1b]0;title\x07AB",
        b"\x1b]0;never ended AB",
        b"\x1bPq\x1b\\AB\x1b[?1049h\x1b[?25l",
        b"A\x00\x08\x7f\x0b\x0cB\xc2\x85\xc2\x9d",
        b"\x1b[31",
        b"\x1b",
        b"\x1b[" + b"9" * 5000 + b"mAB",
        b"\x1b(0A\x1b7B\x1b8\x1bc",
    ],
)
def test_everything_else_that_steers_a_terminal_is_removed(hostile: bytes) -> None:
    text = styled(hostile).text
    assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in text)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                b"\x1b",
                b"[",
                b"]",
                b"3",
                b"1",
                b";",
                b":",
                b"m",
                b"\x07",
                b"\x9b",
                b"\xc2",
                b"\r",
                b"\t",
                b"x",
                b"\xff",
                "宽".encode(),
            ]
        ),
        max_size=24,
    ).map(b"".join)
)
def test_no_bytes_give_a_control_character_or_stretches_out_of_order(data: bytes) -> None:
    line = styled(data)
    assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in line.text)
    edges = [edge for stretch in line.stretches for edge in (stretch.start, stretch.end)]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(line.text) for edge in edges)
    assert line.copied(0, len(line.text)) == line.source


def test_only_the_last_frame_of_a_redrawn_line_is_shown_in_the_colour_that_was_on() -> None:
    line = styled(b"\x1b[32m 1%\r 50%\r100%\x1b[0m\r")
    assert line.text == "100%"
    assert line.stretches == (Stretch(0, 4, Look(ink=2)),)


def test_bytes_that_are_no_utf8_show_as_replacements() -> None:
    assert styled(b"caf\xe9 \xf0\x9f\x98").text == "caf\ufffd \ufffd"


def test_tabs_go_to_the_next_stop_of_eight_counting_wide_characters_as_two() -> None:
    assert styled(b"a\tb").text == "a       b"
    assert styled("宽\tb".encode()).text == "宽      b"
    assert styled(b"12345678\tb").text == "12345678        b"


def test_copying_gives_tabs_back() -> None:
    line = styled(b"a\tb\tc")
    assert line.copied(0, len(line.text)) == "a\tb\tc"
    assert line.copied(0, 1) == "a"
    assert line.copied(3, 9) == "\tb"
    assert line.copied(8, 9) == "b"
    assert line.copied(4, 4) == ""
