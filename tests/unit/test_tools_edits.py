"""Edits of a file's bytes: what is not edited stays identical, and what cannot be done says what would do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.tools import edits
from wisp_tui.tools.edits import CannotEdit, Edit

LATIN = b"caf\xe9\r\nsecond\r\nthird"
LINES = st.lists(st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"")), min_size=1, max_size=6)


def applied(edit: Edit, old: bytes) -> bytes:
    assert edit.applied(old)[: edit.start] == old[: edit.start]
    return edit.applied(old)


def test_bytes_of_other_lines_stay_what_they_were() -> None:
    assert applied(edits.replace_lines(LATIN, 2, 2, "zwei"), LATIN) == b"caf\xe9\r\nzwei\r\nthird"
    assert applied(edits.replace_text(LATIN, "cond", "x\ny"), LATIN) == b"caf\xe9\r\nsex\r\ny\r\nthird"
    assert applied(edits.append(LATIN, "fourth\n"), LATIN) == b"caf\xe9\r\nsecond\r\nthird\r\nfourth\r\n"


@given(LINES, st.data())
def test_replacing_a_line_leaves_every_other_as_it_was(lines: list[bytes], data: st.DataObject) -> None:
    old = b"\n".join([*lines, b"end"])
    number = data.draw(st.integers(1, len(lines)))
    edit = edits.replace_lines(old, number, number, "new")
    assert edit.applied(old).count(b"\n") == old.count(b"\n")
    assert edit.applied(old).split(b"\n")[: number - 1] == old.split(b"\n")[: number - 1]
    assert edit.applied(old).split(b"\n")[number:] == old.split(b"\n")[number:]


@pytest.mark.parametrize(
    ("first", "last", "text", "new"),
    [
        (1, 1, "A", b"A\nb\nc"),
        (3, 3, "C\nD", b"a\nb\nC\nD"),
        (1, 2, "x\n", b"x\nc"),
        (2, 2, "", b"a\nc"),
        (3, 3, "", b"a\nb\n"),
        (2, 2, "\n", b"a\n\nc"),
    ],
)
def test_lines_are_replaced_by_any_number_of_lines(first: int, last: int, text: str, new: bytes) -> None:
    assert applied(edits.replace_lines(b"a\nb\nc", first, last, text), b"a\nb\nc") == new


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert edits.replace_lines(b"\xef\xbb\xbfa\nb\n", 1, 1, "x").applied(b"\xef\xbb\xbfa\nb\n") == b"\xef\xbb\xbfx\nb\n"


def test_the_text_to_find_matches_over_lines_of_either_ending() -> None:
    assert edits.replace_text(b"a\r\nb\r\nc", "a\nb", "x\ny").applied(b"a\r\nb\r\nc") == b"x\r\ny\r\nc"
    assert edits.replace_text(b"a\nb\nc", "a\nb", "x").applied(b"a\nb\nc") == b"x\nc"


def test_a_line_tells_which_of_two_occurrences_is_meant() -> None:
    assert edits.replace_text(b"a\nb\na\n", "a", "x", 3).applied(b"a\nb\na\n") == b"a\nb\nx\n"


@pytest.mark.parametrize(
    ("old", "find", "said"),
    [
        (b"aaa", "aa", "occurs 2 times, in line 1:"),
        (b"a\nb\na\n", "a", "occurs 2 times, in lines 1, 3:"),
        (b"x\n" * 20, "x", "occurs 20 times, in lines 1, 2, 3, 4, 5, 6, 7, 8 and 12 more"),
        (b"a", "", "find is empty"),
        (b"a\n  if x:\n", "if  x:", "line 2 is like it but for white space"),
        (b"a\nb\n", "2\tb", "leave out the line numbers"),
        (LATIN, "caf\u00e9", "not UTF-8"),
        (b"a", "b", "is not in the file"),
    ],
)
def test_text_that_is_not_there_once_is_refused_with_the_reason(old: bytes, find: str, said: str) -> None:
    with pytest.raises(CannotEdit, match=said.replace("(", r"\(")):
        edits.replace_text(old, find, "y")


def test_other_refusals_say_why() -> None:
    for call, said in (
        (lambda: edits.replace_lines(b"a\nb\n", 3, 3, "x"), "past the end: the file has 2 lines"),
        (lambda: edits.replace_lines(b"a\nb\n", 2, 1, "x"), "end_line 1 is before line 2"),
        (lambda: edits.append(b"a", ""), "nothing to append"),
        (lambda: edits.append(LATIN, "\u00e9"), "not UTF-8"),
        (lambda: edits.replace_lines(LATIN, 1, 1, "caf\ufffd"), "not UTF-8"),
    ):
        with pytest.raises(CannotEdit, match=said):
            call()


def test_an_edit_says_which_lines_it_leaves() -> None:
    old = b"a\nb\nc\n"
    assert edits.replace_lines(old, 2, 2, "x\ny").lines(old) == (2, (b"x", b"y"))
    assert edits.replace_text(old, "b", "bb").lines(old) == (2, (b"bb",))
    assert edits.replace_lines(old, 2, 2, "").lines(old) == (2, ())
    assert edits.append(old, "d\n").lines(old) == (4, (b"d",))
    assert edits.write(old, "z").lines(old) == (1, (b"z",))


def test_an_edit_that_changes_nothing_is_known() -> None:
    assert not edits.replace_text(b"a\nb", "b", "b").changes(b"a\nb")
    assert not edits.write(b"a\n", "a\n").changes(b"a\n")
    assert edits.write(b"", "a").changes(b"")
