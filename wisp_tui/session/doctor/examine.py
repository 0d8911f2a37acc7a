"""All checks, in the order they are told: those that need nobody else at once, the models and the sandbox meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from wisp_tui.config import ConfigError, Home
from wisp_tui.config.editing import usable
from wisp_tui.config.settings import Settings, read_config
from wisp_tui.session.doctor.checks import Check
from wisp_tui.session.doctor.home import (
    config_check,
    home_check,
    live_check,
    log_check,
    outputs_check,
    stores_check,
    target_check,
)
from wisp_tui.session.doctor.machine import Screen, clipboard_check, sandbox_check, terminal_check, version_check
from wisp_tui.session.doctor.models import models_check
from wisp_tui.session.doctor.widths import widths_check


async def examine(
    home: Home, environment: Mapping[str, str], directory: Path, screen: Screen, now: datetime
) -> Sequence[Check]:
    """Make every check; a few seconds at most. Nothing is changed, and the home need not be there."""
    settings = _settings(home)
    models = asyncio.create_task(models_check(home, settings, environment))
    sandbox = asyncio.create_task(sandbox_check(home, settings, environment, directory))
    within = await asyncio.to_thread(_within, home, settings, now)
    return (
        version_check(),
        *within,
        await models,
        await sandbox,
        terminal_check(environment, screen),
        clipboard_check(environment),
        widths_check(screen.widths),
    )


def _within(home: Home, settings: Settings, now: datetime) -> Sequence[Check]:
    return (
        home_check(home),
        config_check(home, settings),
        target_check(settings),
        log_check(home, settings),
        outputs_check(home, settings, now),
        stores_check(home),
        live_check(home),
    )


def _settings(home: Home) -> Settings:
    """Read the settings as far as they can be used; that some cannot is a check's own."""
    try:
        return usable(read_config(home.config))
    except ConfigError:
        return Settings()
