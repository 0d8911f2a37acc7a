"""How amounts are written for a person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.text.sizes import count, cut_bytes, human_bytes, human_seconds, shorten, shorten_start


def test_a_count_has_its_plural_and_its_commas() -> None:
    assert [count(0, "line"), count(1, "line"), count(3612, "byte"), count(2, "entry", "entries")] == [
        "0 lines",
        "1 line",
        "3,612 bytes",
        "2 entries",
    ]


@pytest.mark.parametrize(
    ("size", "written"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (102_300, "99.9 KiB"),
        (102_399, "100 KiB"),
        (184_320, "180 KiB"),
        (1024**2 - 1, "1 MiB"),
        (9_878_424_780, "9.2 GiB"),
        (1024**4 * 5000, "5000 TiB"),
    ],
)
def test_a_size_is_written_in_the_unit_it_is_read_in(size: int, written: str) -> None:
    assert human_bytes(size) == written


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0, "0.0 s"),
        (0.44, "0.4 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (12.4, "12 s"),
        (59.7, "1 m 00 s"),
        (185, "3 m 05 s"),
    ],
)
def test_a_duration_never_shows_sixty_seconds(seconds: float, written: str) -> None:
    assert human_seconds(seconds) == written


@given(st.text(max_size=40), st.integers(1, 50))
def test_shortened_text_is_within_its_limit_and_says_that_it_was_cut(text: str, limit: int) -> None:
    for short, kept in ((shorten(text, limit), text.startswith), (shorten_start(text, limit), text.endswith)):
        assert len(short) <= limit
        assert short == text if len(text) <= limit else "…" in short and kept(short.strip("…"))


@given(st.text(max_size=40), st.integers(0, 80))
def test_text_cut_at_bytes_is_whole_characters_within_them(text: str, limit: int) -> None:
    cut = cut_bytes(text, limit)
    assert len(cut.encode()) <= limit or cut == text
    assert text.startswith(cut)
    if len(text.encode()) > limit:
        assert len(cut.encode()) > limit - 4
