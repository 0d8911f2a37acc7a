"""The steps that bring the app to the state whose picture is taken."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from textual.pilot import Pilot
from textual.widgets import Input

from tests.fakes.screen import StillApp, talk_screen, until
from wisp_tui.session.status import GitState

Compare: TypeAlias = "Callable[..., bool]"
Size: TypeAlias = tuple[int, int]
Step: TypeAlias = "Callable[[Pilot[int], StillApp], Awaitable[object]]"


def after(*steps: Step) -> Callable[[Pilot[int]], Awaitable[None]]:
    """Take the steps, then wait until nothing moves any more."""

    async def run(pilot: Pilot[int]) -> None:
        app = pilot.app
        assert isinstance(app, StillApp)
        await until(pilot, lambda: app.thread.resolved is not None and talk_screen(app).fill is not None)
        for step in steps:
            await step(pilot, app)
        await until(pilot, lambda: not [worker for worker in app.workers if worker.group in {"git", "commands"}])
        app.clear_notifications()
        talk_screen(app).show_git(GitState("main", 12, 3))
        for written in app.screen.query(Input):
            written.cursor_blink = False
        await pilot.pause()

    return run


def press(*keys: str) -> Step:
    """Press keys."""

    async def step(pilot: Pilot[int], app: StillApp) -> None:
        del app
        await pilot.press(*keys)
        await pilot.pause()

    return step
