"""``wisp models check`` as it runs: each trial told as it ends, all of them recorded."""

from __future__ import annotations

import asyncio
import os

import click

from wisp_tui.cli.auditing import audit
from wisp_tui.cli.codes import Exit
from wisp_tui.cli.signals import stop_signals
from wisp_tui.cli.status_line import StatusLine
from wisp_tui.cli.tables import print_json
from wisp_tui.config import Home, load_settings
from wisp_tui.events import Kind
from wisp_tui.models import Model, Resolved
from wisp_tui.models.checking import Outcome, Trial, trials
from wisp_tui.models.choose import choose
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import JsonObject


def check_model(name: str | None, seconds: float, *, as_json: bool) -> int:
    """Check a model, the one ``auto`` chooses where none is named. Raises HomeError, ConfigError, ModelUnavailable."""
    return asyncio.run(_check(name, seconds, as_json=as_json))


async def _check(name: str | None, seconds: float, *, as_json: bool) -> int:
    home = Home.find(os.environ)
    home.prepare()
    settings = load_settings(home.config)
    with stop_signals() as stopped, StatusLine() as line:
        work = asyncio.create_task(_tried(home, name, seconds, line, as_json=as_json))
        await asyncio.wait({work, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
            return stopped.result()
    resolved, found = work.result()
    details = _details(resolved, found)
    audit(home, [(Kind.MODEL_CHECKED, details)], settings)
    if as_json:
        print_json(details)
    return Exit.FAILED if any(trial.outcome is Outcome.FAILED for trial in found) else Exit.DONE


async def _tried(
    home: Home, name: str | None, seconds: float, line: StatusLine, *, as_json: bool
) -> tuple[Resolved, list[Trial]]:
    line.doing("looking for the model")
    choice = await choose(home, load_settings(home.config), os.environ, name)
    model: Model = choice.model
    try:
        line.doing(f"opening {clean_line(model.id)}")
        resolved = await model.resolve()
        if not as_json:
            window = f"{resolved.window:,} tokens" if resolved.window is not None else "unknown"
            with line.lifted():
                click.echo(clean_line(f"{resolved.id}, window {window} ({resolved.window_source})"))
        found: list[Trial] = []

        def begins(name: str) -> None:
            line.doing(f"trying: {name}, {seconds:g} s at most")

        async for trial in trials(model, resolved, seconds, begins=begins):
            found.append(trial)
            if as_json:
                continue
            with line.lifted():
                click.echo(f"{trial.outcome.value:7}  {trial.name:9}  {trial.seconds:6.1f} s  {trial.said}")
        return resolved, found
    finally:
        await model.close()


def _details(resolved: Resolved, found: list[Trial]) -> JsonObject:
    return {
        "model": resolved.id,
        "window": resolved.window,
        "windowSource": resolved.window_source,
        "capabilities": sorted(capability.value for capability in resolved.capabilities),
        "trials": [trial.fields for trial in found],
    }
