"""What can complete the word at the cursor: commands and their values from the registry, paths after an @."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wisp_tui.text.clean import clean_line
from wisp_tui.text.completion import NOTHING, Completion

if TYPE_CHECKING:
    from wisp_tui.session import Thread

MOST = 200
"""Entries of a directory looked at."""


def complete(thread: Thread, before: str) -> Completion:
    """Complete what stands before the cursor on its line."""
    if before.startswith("/"):
        from wisp_tui.session.commands import commands, completions

        start, found = completions(thread, before)
        named = [commands()[name] for name in found] if not start else []
        return Completion(start, tuple(found), [one.runs_alone for one in named] == [True]) if found else NOTHING
    at = before.rfind("@")
    if at < 0 or " " in before[at:] or (at and not before[at - 1].isspace()):
        return NOTHING
    return Completion(at, tuple(f"@{path}" for path in _paths(thread.conversation.directory, before[at + 1 :])))


def _paths(directory: Path, begun: str) -> list[str]:
    """List the paths that begin so, relative to a directory, directories first and with a slash."""
    folder, _, name = begun.rpartition("/")
    folder = f"{folder}/" if "/" in begun else ""
    try:
        with os.scandir(directory / Path(folder).expanduser()) as entries:
            found = [(not entry.is_dir(), entry.name) for entry, _ in zip(entries, range(MOST * 10), strict=False)]
    except OSError:
        return []
    fitting = sorted(
        (is_file, entry)
        for is_file, entry in found
        if entry.startswith(name)
        and (name.startswith(".") or not entry.startswith("."))
        and entry == clean_line(entry)
        and " " not in entry
    )
    return [f"{folder}{entry}{'' if is_file else '/'}" for is_file, entry in fitting[:MOST]]
