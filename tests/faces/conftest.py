"""What makes two pictures of one state the same: where they are kept, the zone, the home, no colours asked away."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import pytest_textual_snapshot
from syrupy.location import PyTestLocation

from wisp_tui.config import Home, Settings
from wisp_tui.tools.base import Tool
from wisp_tui.tools.registry import built_in

SNAPSHOTS = Path(__file__).parents[2] / "snapshots"


class TopLevelSnapshots(pytest_textual_snapshot.SVGImageExtension):
    """Keeps the pictures in ``snapshots/`` at the top, where they are looked at."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(SNAPSHOTS / test_location.basename.removeprefix("test_"))


pytest_textual_snapshot.SVGImageExtension = TopLevelSnapshots


TOOLS = ("read_file", "run_command", "current_date")
"""The tools that a conversation has whose picture is taken: one that is added elsewhere changes no picture's sizes."""


@pytest.fixture(autouse=True)
def same_tools(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give what a picture is taken of these tools and no others."""

    def available(settings: Settings, home: Home) -> Mapping[str, Tool]:
        tools = built_in(settings, home)
        return {name: tools[name] for name in TOOLS}

    if request.path.stem.endswith("pictures"):
        monkeypatch.setattr("wisp_tui.session.session.available", available)


@pytest.fixture(autouse=True)
def same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pin what a picture would show of the machine."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
