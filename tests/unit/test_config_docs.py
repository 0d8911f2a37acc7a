"""docs/config.md names every setting as it is."""

from __future__ import annotations

from tests.fakes.settings_table import PAGE, table


def test_the_page_of_settings_is_what_the_settings_are() -> None:
    assert table() + "\n" in PAGE.read_text("utf-8"), "run: python -m tests.fakes.settings_table"
