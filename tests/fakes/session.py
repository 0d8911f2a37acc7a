"""A session over a temporary home with a scripted model, its clock standing still."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.fakes.walls import paper
from wisp_tui.config import Home, Settings
from wisp_tui.models import Model
from wisp_tui.models.choose import Choice
from wisp_tui.sandbox import Find
from wisp_tui.session import Session
from wisp_tui.session.conversation import Clock

MOMENT = datetime(2026, 3, 1, 14, 5, 12, tzinfo=UTC)
STILL = Clock(now=lambda: MOMENT, elapsed=lambda: 0.0)


def session_with(
    tmp_path: Path, *models: Model, settings: Settings | None = None, directory: Path | None = None, find: Find = paper
) -> Session:
    """Open a session whose conversations use ``models``: the first one chosen, then each as it is named.

    Its commands run as they are, in what says it is a sandbox, unless ``find`` finds another.
    """
    home = Home(tmp_path / "home")
    home.prepare()
    home.welcomed.touch(0o600)
    work = directory or tmp_path / "work"
    work.mkdir(exist_ok=True)
    by_name: dict[str | None, Model] = {model.id: model for model in models}

    async def choose(
        home: Home, settings: Settings, environment: Mapping[str, str], named: str | None = None
    ) -> Choice:
        del home, settings, environment
        return Choice(by_name.get(named, models[0]), "a test says so")

    return Session(home, settings or Settings(), {"PATH": "/usr/bin:/bin"}, work, choose=choose, find=find, clock=STILL)
