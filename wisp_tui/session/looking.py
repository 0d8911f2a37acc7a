"""A saved conversation opened to be looked at: its record, facts and contexts are there, and nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wisp_tui.config import Home, Settings
from wisp_tui.models.choose import choose
from wisp_tui.outputs import OutputStore
from wisp_tui.sandbox import Found, NoSandbox
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.saving import Shelf, go_on_from
from wisp_tui.session.session import Chooser, Session
from wisp_tui.session.thread import ThreadOptions


def silent_session(
    home: Home, settings: Settings, environment: Mapping[str, str], directory: Path, chooser: Chooser = choose
) -> Session:
    """Open a session that records nothing, saves nothing and finds no sandbox. Raises HomeError."""
    unheard = settings.model_copy(update={"audit": settings.audit.model_copy(update={"enabled": False})})
    session = Session(home, unheard, environment, directory, choose=chooser, find=_nothing_runs)
    session.shelf = Shelf(home, mends=False)
    return session


def open_saved(
    home: Home, settings: Settings, environment: Mapping[str, str], directory: Path, name: str
) -> Conversation:
    """Open a saved conversation with all that was kept of it. Raises BadName, CannotResume, ConfigError, OSError."""
    session = silent_session(home, settings, environment, directory)
    saved = session.shelf.load(name)
    conversation = session.new_thread(ThreadOptions()).conversation
    go_on_from(conversation, name, saved)
    conversation.store = OutputStore(home.output, conversation.session)
    return conversation


async def _nothing_runs() -> Found:
    return Found(NoSandbox(), "nothing is run here")
