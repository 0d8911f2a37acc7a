"""The pictures of the docs are the snapshots that the app is held to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAIRS = re.findall(r"^(\S+) (\w+/test_\S+)$", (ROOT / ".ci" / "pictures").read_text("utf-8"), re.MULTILINE)


def test_every_picture_has_its_snapshot() -> None:
    assert {picture for picture, _ in PAIRS} == {path.stem for path in (ROOT / "docs" / "pictures").glob("*.svg")}


@pytest.mark.parametrize(("picture", "snapshot"), PAIRS)
def test_a_picture_is_its_snapshot(picture: str, snapshot: str) -> None:
    shown = (ROOT / "docs" / "pictures" / f"{picture}.svg").read_bytes()
    assert shown == (ROOT / "snapshots" / f"{snapshot}.svg").read_bytes(), "run .ci/pictures"


def test_every_picture_that_a_page_shows_is_there() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} shows {target}"
