"""What of the turns that leave can still be found afterwards."""

from __future__ import annotations

import pytest

from wisp_tui.facts import retention


@pytest.mark.parametrize(
    "word",
    [
        "docs/overview.md",
        "/code/harbour/docs/overview.md",
        "~/notes/a.txt",
        "./run.sh",
        "overview.md",
        "HARB-4127",
        "snake_case",
        "camelCase",
        "HTTPServer2",
        "module.name",
        "std::vector",
        "HERON",
        "--dry-run",
        "8080",
        "3.14",
        "14:05:12",
        "85%",
        "7",
    ],
)
def test_an_identifier_a_path_or_a_number_is_looked_for(word: str) -> None:
    looked = retention([f"We use ({word}), then."], [])
    assert looked.missing == (word,)
    assert retention([f"We use {word}."], [f'now "{word}".']).found == (word,)


@pytest.mark.parametrize(
    "text", ["The person asked for it, and it was done.", "Well - yes / no; I (too) agree...", "", "a.b"]
)
def test_plain_words_are_not_looked_for(text: str) -> None:
    assert retention([text.replace("a.b", "")], []).total == 0


def test_with_nothing_to_look_for_all_is_found() -> None:
    assert retention(["Good morning."], []).share == 1.0


def test_a_number_is_not_found_within_another_nor_a_name_within_a_longer_one() -> None:
    assert retention(["port 80, HERON"], ["8080 HERONRY"]).missing == ("80", "HERON")


def test_case_and_the_commas_of_a_number_do_not_count() -> None:
    assert retention(["2,270 lines, BLUE"], ["blue 2270"]).share == 1.0


def test_a_path_is_found_under_its_last_two_components() -> None:
    assert retention(["/code/harbour/docs/overview.md"], ["read docs/overview.md"]).share == 1.0
    assert retention(["docs/overview.md"], ["- file /code/harbour/docs/overview.md: read"]).share == 1.0
    assert retention(["/code/harbour/docs/overview.md"], ["read src/overview.md"]).share == 0.0


def test_a_path_is_found_under_its_name_alone_unless_another_ends_in_the_same() -> None:
    assert retention(["/a/b/overview.md"], ["overview.md"]).share == 1.0
    assert retention(["/a/b/overview.md and /c/d/overview.md"], ["overview.md"]).found == ()


def test_each_is_counted_once_in_the_order_of_the_turns() -> None:
    looked = retention(["HARB-1 then HARB-2", "HARB-1 again and 8080"], ["HARB-2"])
    assert (looked.found, looked.missing) == (("HARB-2",), ("HARB-1", "8080"))
    assert round(looked.share, 2) == 0.33


def test_numbers_and_names_within_other_scripts_are_found() -> None:
    assert retention(["请把端口改成8080，代号BLUE"], ["端口8080"]).missing == ("BLUE",)
