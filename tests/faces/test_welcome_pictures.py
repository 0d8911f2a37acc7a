"""Pictures of the first start in a home."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.fakes.model import ScriptedModel, says
from tests.fakes.pictures import Compare, Size, after
from tests.fakes.screen import StillApp, app_over, said, until
from tests.fakes.session import session_with
from tests.fakes.welcome import new_home
from wisp_tui.config import Settings


@pytest.mark.parametrize(
    ("theme", "size"),
    [("wisp-dark", (100, 28)), ("wisp-light", (80, 24)), ("wisp-dark", (40, 12))],
    ids=["dark", "light", "small"],
)
def test_first_start(
    snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theme: str, size: Size
) -> None:
    async def welcomed(pilot: Pilot[int], app: StillApp) -> None:
        await until(pilot, lambda: "What wisp found" in said(app))

    settings = Settings.model_validate({"display": {"theme": theme}})
    session = session_with(tmp_path, ScriptedModel([says("x")], name="ollama:granite4.1:8b"), settings=settings)
    session.environment = {**session.environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    new_home(tmp_path, monkeypatch)
    assert snap_compare(app_over(session), terminal_size=size, run_before=after(welcomed))
