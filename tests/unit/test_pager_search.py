"""Searching bytes by the page: what is found is what a person sees, counted once, from any place."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.pager import BytesSource
from wisp_tui.app.pager.search import Needle, Search, Seek
from wisp_tui.app.pager.source import PAGE


def _all(data: bytes, text: str) -> list[int]:
    source = BytesSource(data)
    search = Search(source, Needle.of(text))
    places = [place for page in range(source.pages) for place in search.places(page)]
    while search.step():
        pass
    assert search.total == len(places)
    return places


def _next(data: bytes, text: str, offset: int, *, forward: bool = True) -> tuple[int | None, bool]:
    source = BytesSource(data)
    seek = Seek(Search(source, Needle.of(text)), offset, forward, source.pages)
    while seek.step():
        pass
    return seek.found, seek.wrapped


def test_small_letters_find_both_and_a_capital_only_itself() -> None:
    data = b"Error error ERROR"
    assert _all(data, "error") == [0, 6, 12]
    assert _all(data, "Error") == [0]


def test_letters_past_ascii_are_folded_too() -> None:
    data = "École école ÉCOLE".encode()
    assert len(_all(data, "école")) == 3
    assert len(_all(data, "É")) == 2


def test_what_is_looked_for_is_text_and_no_pattern() -> None:
    assert _all(b"a.c abc a[c", "a.c") == [0]
    assert _all(b"(x) [/] \\d", "[/]") == [4]


@pytest.mark.parametrize("shift", range(-9, 3))
def test_a_match_across_a_page_edge_is_found_once(shift: int) -> None:
    data = bytearray(b"." * (PAGE * 3))
    at = PAGE + shift
    data[at : at + 8] = b"boundary"
    assert _all(bytes(data), "boundary") == [at]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["ab", "a", "b", "\n", "--", "aba"]), min_size=1, max_size=40),
    st.sampled_from(["a", "ab", "aba", "aa", "--", "bab"]),
)
def test_what_is_counted_is_what_reading_from_the_start_counts(pieces: list[str], text: str) -> None:
    unit = "".join(pieces).encode()
    data = (unit + b"\n") * (PAGE * 2 // (len(unit) + 1) + 3)
    assert _all(data, text) == [found.start() for found in re.finditer(re.escape(text.encode()), data)]


def test_sequences_are_neither_found_nor_in_the_way() -> None:
    data = b"\x1b[31mer\x1b[1mror\x1b[0m 31m [0m plain error"
    assert _all(data, "error") == [5, data.rindex(b"error")]
    assert _all(data, "31m") == [data.index(b" 31m") + 1]
    assert _all(data, "[0m") == [data.index(b" [0m") + 1]
    assert _all(b"\x1b]0;error\x07", "error") == []


@pytest.mark.parametrize("shift", range(-6, 3))
def test_a_sequence_across_a_page_edge_is_not_found(shift: int) -> None:
    data = bytearray(b"\x1b[1m" + b"." * (PAGE * 2))
    at = PAGE + shift
    data[at : at + 5] = b"\x1b[31m"
    assert _all(bytes(data), "31m") == []


def test_the_next_one_is_the_nearest_in_its_direction_and_goes_on_at_the_other_end() -> None:
    data = bytearray(b"." * (PAGE * 4))
    places = [100, PAGE + 5, PAGE * 3 + 7]
    for place in places:
        data[place : place + 6] = b"needle"
    found = bytes(data)
    assert _next(found, "needle", 0) == (100, False)
    assert _next(found, "needle", 100) == (100, False)
    assert _next(found, "needle", 101) == (PAGE + 5, False)
    assert _next(found, "needle", PAGE * 3 + 8) == (100, True)
    assert _next(found, "needle", 100, forward=False) == (PAGE * 3 + 7, True)
    assert _next(found, "needle", PAGE * 3 + 7, forward=False) == (PAGE + 5, False)
    assert _next(found, "absent", 5) == (None, False)
    assert _next(found, "absent", 5, forward=False) == (None, False)


def test_the_only_match_is_found_again_from_itself() -> None:
    data = b"." * 50 + b"needle" + b"." * PAGE
    assert _next(data, "needle", 51) == (50, True)
    assert _next(data, "needle", 50, forward=False) == (50, True)


def test_a_match_knows_which_one_it_is_once_what_is_before_it_was_searched() -> None:
    source = BytesSource((b"x" * 99 + b"\n") * 5_000)
    search = Search(source, Needle.of("x" * 99))
    last = source.size - 100
    assert search.ordinal(last) is None
    while search.step():
        pass
    assert search.ordinal(last) == search.total == 5_000
    assert search.ordinal(0) == 1


def test_a_page_without_matches_is_not_searched_again() -> None:
    source = BytesSource(b"." * (PAGE * 8) + b"needle")
    search = Search(source, Needle.of("needle"))
    while search.step():
        pass
    source.reads = 0
    seek = Seek(search, 0, True, source.pages)
    while seek.step():
        pass
    assert seek.found == PAGE * 8
    assert source.reads <= 2


def test_nothing_to_look_for_is_an_error_and_nothing_to_look_in_is_none() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Needle.of("")
    assert _next(b"", "x", 0) == (None, False)


def test_matches_in_a_drawn_line_are_in_characters() -> None:
    needle = Needle.of("ß")
    assert Needle.of("b").in_text("aBc b") == [(1, 2), (4, 5)]
    assert needle.in_text("宽 ß 宽ß") == [(2, 3), (5, 6)]


def test_matches_that_could_overlap_are_counted_the_same_across_a_page_edge() -> None:
    data = b"." * (PAGE - 6) + b"\n" + b"-" * 9 + b"\n"
    assert _all(data, "--") == [PAGE - 5, PAGE - 3, PAGE - 1, PAGE + 1]
