"""What a saved conversation is called, and was called before: a name that was written down still leads to it.

``CONVERSATION/ID`` in another conversation, a line of a script, ``--resume`` in the shell's history: all name a
conversation as it was called then. A renaming is remembered beside the conversations, until the name is taken anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from wisp_tui.config import Home
from wisp_tui.session.saved.files import NAME, files_of
from wisp_tui.text.json import Json, dump, load_object

MOST = 1000
"""Former names that are remembered, the latest ones."""
_FILE = ".names"


def called_now(home: Home, name: str) -> str:
    """Say what the conversation is called that is, or once was, called so; the name itself where none is known.

    Raises BadName for what can be no name.
    """
    return name if files_of(home, name).transcript.exists() else former(home).get(name, name)


def former(home: Home) -> Mapping[str, str]:
    """Return the present name of each former one, the latest renaming first. What cannot be read is none."""
    try:
        names = load_object((home.transcripts / _FILE).read_bytes()).get("names")
    except (OSError, ValueError):
        return {}
    found = names.items() if isinstance(names, dict) else ()
    return {was: now for was, now in found if isinstance(now, str) and NAME.fullmatch(was) and NAME.fullmatch(now)}


def remember(home: Home, old: str, new: str) -> None:
    """Note a renaming; hold ``files.alone``. Raises OSError."""
    names = {was: now for was, now in former(home).items() if was not in (old, new)}
    _write(home, {old: new} | {was: new if now == old else now for was, now in names.items()})


def forget(home: Home, name: str) -> None:
    """Note that a conversation is gone, with the names it had; hold ``files.alone``. Raises OSError."""
    names = former(home)
    if left := {was: now for was, now in names.items() if name not in (was, now)}:
        _write(home, left)
    elif names:
        (home.transcripts / _FILE).unlink(missing_ok=True)


def _write(home: Home, names: Mapping[str, str]) -> None:
    kept: dict[str, Json] = dict(islice(names.items(), MOST))
    home.write(home.transcripts / _FILE, dump({"version": 1, "names": kept}))
