"""What the tests against real model servers share: the small model, fetched once a machine."""

from __future__ import annotations

import asyncio
import fcntl
import os
from pathlib import Path

import platformdirs
import pytest

from wisp_tui.config.home import Home
from wisp_tui.models.pull import PullError, PullProgress, plan_pull, pull


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
