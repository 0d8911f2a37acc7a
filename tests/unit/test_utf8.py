"""Cuts fall between characters."""

from __future__ import annotations

import pytest

from wisp_tui.text.utf8 import character_edge


@pytest.mark.parametrize(
    ("data", "edge"),
    [
        (b"", 0),
        (b"ab", 2),
        ("a\u00e9".encode(), 3),
        ("a\u00e9".encode()[:2], 1),
        ("a\u20ac".encode()[:3], 1),
        ("a\U0001f642".encode()[:4], 1),
        ("a\U0001f642".encode(), 5),
        (b"a\x80\x80\x80\x80\x80", 6),
        (b"caf\xe9 au", 7),
    ],
)
def test_a_character_that_was_cut_is_left_out(data: bytes, edge: int) -> None:
    assert character_edge(data) == edge
