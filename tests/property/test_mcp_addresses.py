"""Addresses over MCP: what is written is read back, and nothing that is read leads anywhere else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.mcp.paging import BYTES, text_page
from wisp_tui.mcp.uris import Address, BadUri, address, read_address

_CHARACTERS = st.characters(exclude_categories=("C", "Z"), include_characters=" ", exclude_characters="/\\")
NAMES = st.text(_CHARACTERS, min_size=1, max_size=20).filter(lambda name: bool(name.strip(".")))


@given(st.lists(NAMES, min_size=1, max_size=5), st.booleans(), st.integers(1, 999_999_999))
def test_an_address_is_read_back_as_it_was_written(names: list[str], everything: bool, page: int) -> None:
    asked = Address(tuple(names), everything)
    assert read_address(address(*names)) == Address(tuple(names))
    assert read_address(asked.at(page)) == Address(tuple(names), everything, page)


@given(st.one_of(st.text(max_size=60), st.text(alphabet="wisp:/.%25F0aé?&=\0", max_size=40).map("wisp://".__add__)))
def test_whatever_is_read_is_names_alone_or_a_fault_that_can_be_shown(uri: str) -> None:
    try:
        asked = read_address(uri)
    except BadUri as fault:
        shown, names = str(fault), ()
    else:
        shown, names = asked.uri, asked.path
    assert shown.isprintable()
    for name in names:
        assert name.isprintable()
        assert name.strip(".")
        assert not {"/", "\\"} & set(name)


@given(st.lists(st.text(alphabet="aä€𝄞 ", max_size=40).map(lambda text: text * 400), max_size=12))
def test_the_pages_of_a_text_are_the_text(lines: list[str]) -> None:
    first = text_page(lines, 1)
    pages = [first, *(text_page(lines, number) for number in range(2, first.pages + 1))]
    assert "".join(piece for page in pages for piece in page.rows) == "\n".join(lines)
    assert all(sum(len(piece.encode()) for piece in page.rows) <= BYTES for page in pages)
    assert all(page.rows or page.pages == 1 for page in pages)
