"""A first start: a home nobody was welcomed in, on a machine with models of two runtimes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from wisp_tui.config import Home, Settings
from wisp_tui.models.catalogue import Listed
from wisp_tui.text.ids import ModelId

LISTED = (
    *(Listed(ModelId(f"ollama:{name}"), "ollama") for name in ("granite4.1:8b", "qwen3:8b", "gemma3:4b", "phi4:14b")),
    Listed(ModelId("embedded:smollm2"), "embedded"),
    Listed(ModelId("openai"), "openai", fault="no key", remedy="set OPENAI_API_KEY"),
)


def new_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Make the home of ``session_with`` one that was not started in, and its machine one with these models."""
    home = Home(tmp_path / "home")
    home.welcomed.unlink(missing_ok=True)

    async def listed(home: Home, settings: Settings, environment: Mapping[str, str]) -> list[Listed]:
        del home, settings, environment
        return list(LISTED)

    monkeypatch.setattr("wisp_tui.session.welcome.list_models", listed)
    return home
