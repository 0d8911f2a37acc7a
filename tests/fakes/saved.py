"""A home with saved conversations, used last at moments that stand still."""

from __future__ import annotations

import os
from pathlib import Path

from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import MOMENT, session_with
from wisp_tui.session import ThreadOptions

TALKS = {
    "harbour": (
        ["What does harbour sync do?", "Where is its journal?"],
        "It copies files between two folders.\nThe journal is in [b]journal.db[/b].",
    ),
    "reviews": (["Summarise the reviews."], "Maria prefers early returns."),
    "tides": (["Read the tide tables."], "\x1b[2JHigh water at \u202e14:05."),
}


async def home_with(tmp_path: Path, *names: str, directory: Path | None = None, model: str = "fake:scripted") -> None:
    """Save conversations, each used last a day before the one named before it."""
    for place, name in enumerate(names or TALKS):
        prompts, reply = TALKS[name]
        session = session_with(tmp_path, ScriptedModel([says(reply)] * 4, name=model), directory=directory)
        thread = session.new_thread(ThreadOptions(save=name))
        for text in prompts:
            await thread.submit(text)
        await session.close()
        moment = MOMENT.timestamp() - 86_400 * place - 240
        os.utime(session.home.transcripts / f"{name}.json", (moment, moment))
