"""The browser's own words: its title, how the search stands, the keys that work now, what an empty list teaches."""

from __future__ import annotations

from wisp_tui.app.panel.saying import Keys
from wisp_tui.app.rows import Piece, Role
from wisp_tui.app.sessions.model import BrowserModel
from wisp_tui.text.sizes import count

LIST_KEYS: Keys = (
    ("leave_sessions", "back"),
    ("open", "resume"),
    ("search", "search"),
    ("rename", "rename"),
    ("delete", "delete"),
    ("sort", "sort"),
    ("look('back')|look('on')", "scroll"),
)
SEARCH_KEYS: Keys = (("leave_sessions", "shows all"), ("open", "goes among them"), ("go('up')|go('down')", "choose"))
RENAME_KEYS: Keys = (("open", "renames"), ("leave_sessions", "does not"))
EMPTY_KEYS: Keys = (("leave_sessions", "back"), ("search", "search"))
HINT = "words that were said in any of them"
NONE = (
    "No conversation is saved yet. /save NAME saves the one you are in, and it is saved again when it ends. Every "
    "saved one is listed here: look into it, search it, go on with it."
)
READING = "reading …"


def title(model: BrowserModel) -> tuple[list[Piece], list[Piece]]:
    """Name the list, and say how it is sorted."""
    left = [Piece("saved conversations", Role.STRONG)]
    if model.loaded:
        left.append(Piece(f"  {model.total:,}", Role.FAINT))
    return left, [Piece(model.order.value, Role.FAINT)]


def counted(model: BrowserModel) -> list[Piece]:
    """Say how a search stands."""
    if not model.words:
        return []
    if model.searching:
        going = f"{len(model.lines)} so far …" if model.hits else "looking …"
        return [Piece(going, Role.FAINT)]
    if not model.lines:
        return [Piece("in none of them", Role.WARNING)]
    return [Piece(f"in {len(model.lines)} of {model.total:,} · {count(model.hits, 'line')}", Role.MUTED)]


def empty(model: BrowserModel) -> str:
    """Say why nothing is listed; empty where something is."""
    if model.lines or model.searching:
        return ""
    if not model.loaded:
        return READING
    return "nothing saved has these words; esc lists all" if model.words else NONE
