"""The app over a scripted model, driven without a terminal, with a clock that moves only when a test says so."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from textual.pilot import Pilot

from tests.fakes.session import session_with
from wisp_tui.app.app import WispApp
from wisp_tui.app.screens.talk import TalkScreen
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.conversation import Conversation
from wisp_tui.app.widgets.promptbox import PromptBox
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.config import Settings
from wisp_tui.models import Model
from wisp_tui.session import Session, ThreadOptions

SIZE = (100, 32)


@dataclass
class Tick:
    """A clock in seconds that stands still until it is moved."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += seconds


class StillApp(WispApp):
    """The app with its cursor lit, so that two pictures of one state are the same."""

    def on_ready(self) -> None:
        self.main.prompt.cursor_blink = False


def app_with(
    tmp_path: Path,
    *models: Model,
    settings: Settings | None = None,
    clock: Callable[[], float] | None = None,
    named: str | None = None,
    no_color: bool = False,
) -> StillApp:
    """Make the app over a session whose conversation talks to these models."""
    session = session_with(tmp_path, *models, settings=settings)
    if no_color:
        session.environment = {**session.environment, "NO_COLOR": "1"}
    return app_over(session, clock=clock, named=named)


def app_over(session: Session, *, clock: Callable[[], float] | None = None, named: str | None = None) -> StillApp:
    """Make the app over a session."""
    wanted = {"NO_COLOR": "1"} if "NO_COLOR" in session.environment else {}
    with patch.dict(os.environ, wanted):  # Textual looks for it in the process's own
        return StillApp.over(session, session.new_thread(ThreadOptions(model=named)), clock=clock or Tick())


def talk_screen(app: WispApp) -> TalkScreen:
    """Return the conversation's screen."""
    screen = app.screen_stack[0]
    assert isinstance(screen, TalkScreen)
    return screen


def prompt(app: WispApp) -> PromptBox:
    """Return the prompt box."""
    return talk_screen(app).prompt


def said(app: WispApp) -> str:
    """Return what the conversation shows, a line a row, as text."""
    views = talk_screen(app).query_one(Conversation).query(RowView)
    return "\n".join(f"{row.prefix}{row.text}" for view in views for row in view.rows)


def bar(app: WispApp, name: str) -> str:
    """Return what a line of one row shows: ``activity``, ``status``, ``fault``."""
    return talk_screen(app).query_one(f"#{name}", Bar).text


async def until(pilot: Pilot[int], condition: Callable[[], object], seconds: float = 20) -> None:
    """Let the app run until a condition holds."""
    async with asyncio.timeout(seconds):
        while not condition():
            await pilot.pause()


async def write(pilot: Pilot[int], text: str) -> None:
    """Press the keys of a text, letter by letter."""
    names = {" ": "space", "/": "slash", "@": "at", ".": "full_stop", "?": "question_mark", ",": "comma", "-": "minus"}
    names |= {"!": "exclamation_mark", ";": "semicolon"}
    await pilot.press(*(names.get(letter, letter) for letter in text))


async def send(pilot: Pilot[int], text: str) -> None:
    """Write a message and send it."""
    await write(pilot, text)
    await pilot.press("enter")
