"""What makes two pictures of one state the same: where they are kept, the zone, the home, no colours asked away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_textual_snapshot
from syrupy.location import PyTestLocation

SNAPSHOTS = Path(__file__).parents[2] / "snapshots"


class TopLevelSnapshots(pytest_textual_snapshot.SVGImageExtension):
    """Keeps the pictures in ``snapshots/`` at the top, where they are looked at."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(SNAPSHOTS / test_location.basename.removeprefix("test_"))


pytest_textual_snapshot.SVGImageExtension = TopLevelSnapshots


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
