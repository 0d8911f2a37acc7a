"""Where lines are, found from both ends, and the same once all pages are counted."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.pager import BytesSource
from wisp_tui.app.pager.index import LineIndex
from wisp_tui.app.pager.source import PAGE

LENGTHS = st.lists(st.sampled_from([0, 1, 5, 80, 4_000, PAGE - 1, PAGE, PAGE + 1, PAGE * 2 + 3]), max_size=12)


def _data(lengths: list[int], *, ended: bool) -> bytes:
    data = b"\n".join(bytes([97 + place % 26]) * length for place, length in enumerate(lengths))
    return data + b"\n" if ended and lengths else data


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return lines[:-1] if not lines[-1] else lines


@settings(max_examples=60, deadline=None)
@given(LENGTHS, st.booleans(), st.booleans(), st.booleans())
def test_each_line_is_where_splitting_puts_it(lengths: list[int], ended: bool, known: bool, whole: bool) -> None:
    data = _data(lengths, ended=ended)
    lines = _lines(data)
    source = BytesSource(data)
    index = LineIndex(source, len(lines) if known else None)
    while whole and index.step():
        pass
    offset = 0
    for number, line in enumerate(lines):
        span = index.span(number) if index.whole or known else LineIndex(source, len(lines)).span(number)
        assert span == (offset, offset + len(line))
        assert index.line_at(offset) == number
        assert index.line_at(offset + len(line)) == number
        offset += len(line) + 1
    while index.step():
        pass
    assert index.count == len(lines)
    assert index.span(len(lines)) is None
    assert index.span(-1) is None


def test_the_end_is_found_without_counting_what_is_before_it() -> None:
    source = BytesSource(b"a line of some length\n" * 200_000)
    index = LineIndex(source, 200_000)
    source.reads = 0
    assert source.read(*(index.span(199_999) or (0, 0))) == b"a line of some length"
    assert source.reads <= 3
    assert not index.whole


def test_without_a_known_count_lines_are_counted_as_far_as_they_are_asked_for() -> None:
    source = BytesSource(b"0123456789\n" * 100_000)
    index = LineIndex(source)
    assert not index.sure
    assert index.line_at(11 * 30_000) == 30_000
    assert 30_000 <= index.count < 100_000
    while index.step():
        pass
    assert (index.count, index.sure) == (100_000, True)


def test_a_count_that_is_wrong_gives_way_to_what_is_counted() -> None:
    source = BytesSource(b"one\ntwo\nthree\n" * 20_000)
    index = LineIndex(source, 90_000)
    for number in (0, 5, 59_999, 89_999):
        index.span(number)
    while index.step():
        pass
    assert index.count == 60_000
    assert source.read(*(index.span(59_999) or (0, 0))) == b"three"


def test_it_holds_a_number_a_page_and_not_one_a_line() -> None:
    import sys

    source = BytesSource(b"\n" * (PAGE * 32))
    index = LineIndex(source, PAGE * 32)
    while index.step():
        pass
    held = sum(sys.getsizeof(part) for part in vars(index).values())
    assert index.count == PAGE * 32
    assert held < 4_000


def test_nothing_has_no_lines() -> None:
    index = LineIndex(BytesSource(b""))
    assert (index.whole, index.count, index.span(0), index.line_at(0)) == (True, 0, None, 0)
