"""The page of the keys says what the registry says."""

from __future__ import annotations

from pathlib import Path

from wisp_tui.app.actions import ACTIONS, key_name
from wisp_tui.app.keydoc import keys_page
from wisp_tui.session.commands import commands

PAGE = Path(__file__).parents[2] / "docs" / "keys.md"


def test_the_page_is_what_the_registry_makes_of_it() -> None:
    assert PAGE.read_text("utf-8") == keys_page()


def test_the_page_names_every_key() -> None:
    page = keys_page()
    for action in ACTIONS:
        for key in action.keys:
            assert f"`{key_name(key)}`" in page


def test_every_command_that_a_key_stands_for_exists() -> None:
    for action in ACTIONS:
        if action.slash is not None:
            assert action.slash.split()[0] in commands(), action.slash
