"""Conversations that are cut short: their process is gone, and what it had not written with it."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.model import ScriptedModel
from tests.fakes.session import session_with
from wisp_tui.config import Home, Settings
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.live import LiveFolder


def begun(tmp_path: Path, model: ScriptedModel, *, save: str | None = None) -> tuple[Session, Thread]:
    """Begin a conversation that keeps a live copy."""
    session = session_with(tmp_path, model)
    return session, session.new_thread(ThreadOptions(save=save, autosave=True))


def died(thread: Thread) -> None:
    """Let go of a conversation as the end of its process does: its files and its lock are closed, and nothing else."""
    thread.conversation.live.close(remove=False)


def only_id(session: Session) -> str:
    """Give the id of the one conversation that was cut short."""
    (one,) = session.shelf.recoverable()
    return one.ident


def copies(home: Home) -> list[str]:
    """Name the files of the live copies."""
    return sorted(path.name for path in home.live.iterdir())


def resumed(tmp_path: Path, wanted: str, model: ScriptedModel, settings: Settings | None = None) -> Thread:
    """Go on with a conversation in a new session."""
    session = session_with(tmp_path, model, settings=settings)
    return session.new_thread(ThreadOptions(resume=wanted, autosave=True))


def folder(session: Session) -> LiveFolder:
    """The folder of the live copies."""
    return LiveFolder(session.home)
