"""Renaming and deleting saved conversations: under one lock, and whole at whatever instant it is cut off."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.facts import PersonAct
from wisp_tui.session.saved.files import BadName, SavedFiles, alone, files_of
from wisp_tui.session.saved.listing import SavedName, saved_name
from wisp_tui.session.saved.naming import forget, remember


def rename(home: Home, act: PersonAct, old: str, new: str) -> None:
    """Give a saved conversation another name. Raises BadName with the reason, OSError; nothing is changed then.

    What it refers to it names by the sessions that recorded it, and its former name leads to it from now on
    (``naming.called_now``), so no link breaks.
    """
    del act  # only the person renames; every caller has to have one
    before, after = files_of(home, old), files_of(home, new)
    if old == new:
        raise BadName(f"it is called {old} already")
    with alone(home):
        if not before.transcript.exists():
            raise BadName(f"no conversation is saved as {old} any more")
        if not after.transcript.exists():
            _move(home, before, after)
        elif before.transcript.samefile(after.transcript):  # the names differ in capitals, and the disk does not care
            for was, now in zip(before.all, after.all, strict=True):
                with suppress(FileNotFoundError):
                    was.rename(now)
        else:
            raise BadName(f"another conversation is saved as {new}; choose another name")
        remember(home, old, new)


def _move(home: Home, before: SavedFiles, after: SavedFiles) -> None:
    """Move the files of a conversation: it is whole under its old name until its transcript has the new one."""
    moved = ((before.links, after.links), (before.waiting, after.waiting))
    for was, now in moved:
        now.unlink(missing_ok=True)  # without a transcript it is of no conversation
        if was.exists():
            _double(home, was, now)
    before.transcript.rename(after.transcript)
    for was, _ in moved:
        was.unlink(missing_ok=True)


def _double(home: Home, was: Path, now: Path) -> None:
    try:
        os.link(was, now)
    except OSError:  # a disk without links
        home.write(now, was.read_bytes())


def delete(home: Home, act: PersonAct, shown: SavedName) -> None:
    """Delete the files of a saved conversation as it was shown. Raises BadName with the reason, OSError.

    One that was saved anew since is left: it is not what the person was asked about.
    """
    del act  # only the person deletes; every caller has to have one
    files = files_of(home, shown.name)
    with alone(home):
        now = saved_name(home, files.transcript)
        if now is None:
            raise BadName(f"no conversation is saved as {shown.name} any more")
        if (now.saved, now.size) != (shown.saved, shown.size):
            raise BadName(f"{shown.name} was saved again meanwhile; look at it again")
        for path in files.all:
            path.unlink(missing_ok=True)
        forget(home, shown.name)
