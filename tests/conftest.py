"""What every test starts from: a home of its own, no model server of the person's, and the small model where wanted."""

from __future__ import annotations

import asyncio
import fcntl
import os
from pathlib import Path

import platformdirs
import pytest

from wisp_tui.config.home import Home
from wisp_tui.models.pull import PullError, PullProgress, plan_pull, pull

NOWHERE = "http://127.0.0.1:9"
"""An address at which nothing listens."""

PERSONAL = ("NO_COLOR", "OPENAI_API_KEY", "OPENAI_BASE_URL", "LLAMA_API_KEY", "LM_API_TOKEN")
"""Variables of the person's environment that would change what a test sees."""


@pytest.fixture(autouse=True)
def wisp_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the test, not yet created, and a cache of its own: no test touches the person's."""
    home = tmp_path / "home"
    monkeypatch.setenv("WISP_HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OLLAMA_HOST", NOWHERE)
    for name in PERSONAL:
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(scope="session")
def small_model() -> Path:
    """The small model's file, in the person's cache: pulled by the first test of the first worker that needs it.

    Where it cannot be had the test is skipped with the reason, and fails on a build machine (``CI``).
    """
    home = Home(Path(platformdirs.user_cache_dir("wisp-tui-tests")))
    home.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (home.root / "pull.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return asyncio.run(pull(plan_pull("smollm2"), home, _say_nothing)).path
        except PullError as error:
            if os.environ.get("CI"):
                pytest.fail(f"the small model cannot be had: {error}")
            pytest.skip(f"the small model cannot be had: {error}")


def _say_nothing(_: PullProgress) -> None:
    """Take progress that nobody watches."""
