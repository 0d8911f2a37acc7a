"""The panel's own words: its title, what changed, the keys that work now, what an empty view teaches."""

from __future__ import annotations

from typing import TypeAlias

from wisp_tui.app.actions import Place, actions_of, key_name
from wisp_tui.app.gauge import Piece, fullness
from wisp_tui.app.panel.drawn import cells
from wisp_tui.app.rows import Role
from wisp_tui.context.view import Change, spans
from wisp_tui.session.steps import ShownContext

_CHANGES = (
    (Change.NEW, "new", Role.GOOD),
    (Change.CUT, "cut", Role.WARNING),
    (Change.REFERENCED, "referenced", Role.ACCENT),
    (Change.DROPPED, "dropped", Role.ERROR),
)
Keys: TypeAlias = tuple[tuple[str, str], ...]
"""Actions by name, several joined by ``|``, each with what it does in a word; the most needed first."""

CONTEXT_KEYS: Keys = (
    ("leave_panel", "back"),
    ("step('before')|step('after')", "turn"),
    ("open", "open"),
    ("filter", "filter"),
    ("list_turns", "turns"),
    ("list_condensed", "condensed"),
    ("fold", "fold"),
    ("open_sent", "as sent"),
    ("sizes", "bytes"),
)
CONDENSED_KEYS: Keys = (("leave_panel", "back"), ("open", "the whole story"))
EMPTY_KEYS: Keys = (("leave_panel", "back"),)
TURN_KEYS: Keys = (("leave_panel", "back"), ("open", "goes there"))
FILTER_KEYS: Keys = (("leave_panel", "shows all"), ("open", "goes among them"))

_ARROWS = {"left": "←", "right": "→", "up": "↑", "down": "↓"}

NO_TURNS = (
    "No turn yet. Each message you send is a turn, and what its request carried can be composed again at any time: "
    "← and → step through the turns, and this list jumps to one."
)
NO_CONDENSATION = (
    "Nothing was condensed yet. When the context, your message and the room kept for the next turn reach the budget, "
    "outputs become references, and the oldest turns are distilled into facts and a summary before they leave. "
    "Nothing is lost: each entry stays whole in the record, and ← steps back to the turns that carried it."
)


def title(shown: ShownContext, turns: int) -> list[Piece]:
    """Name the context that is shown."""
    if shown.turn is not None:
        return [Piece(f"turn {shown.turn}", Role.STRONG), Piece(f" of {turns}", Role.FAINT)]
    running = [Piece(" · a turn runs", Role.ACCENT)] if shown.running else []
    return [Piece("next request", Role.STRONG), *running]


def amount(shown: ShownContext) -> list[Piece]:
    """Say how much of the window it takes."""
    gauge, tokens = shown.gauge, shown.view.tokens
    if gauge is None:
        return [Piece(f"{tokens:,} tokens", Role.MUTED)]
    role = fullness(tokens, gauge.window, gauge.budget)
    return [Piece(f"{tokens:,} of {gauge.window:,}  ", Role.MUTED), Piece(f"{tokens / gauge.window:.0%}", role)]


def since(shown: ShownContext) -> list[Piece]:
    """Say what changed since the context it is compared with."""
    if shown.since is None:
        return [Piece("nothing was sent before it", Role.FAINT)]
    pieces = [Piece(f"since turn {shown.since}: ", Role.FAINT)]
    changes = shown.view.changes
    named = {
        Change.NEW: changes.new,
        Change.CUT: changes.cut,
        Change.REFERENCED: changes.referenced,
        Change.DROPPED: changes.dropped,
    }
    found = [
        [Piece(word, role), Piece(f" {spans(named[change])}", Role.MUTED)]
        for change, word, role in _CHANGES
        if named[change]
    ]
    if changes.blocks:
        found.append([Piece("blocks", Role.LAYER_EARLIER)])
    if not found:
        return [*pieces, Piece("nothing changed", Role.FAINT)]
    for number, group in enumerate(found):
        pieces += [*([Piece(" · ", Role.FAINT)] if number else []), *group]
    return pieces


def keys(offered: Keys, width: int, place: Place = Place.PANEL) -> list[Piece]:
    """Write the keys that matter now, as many as there is room for: each action's first, and what it does in a word."""
    known = {action.name: _ARROWS.get(action.keys[0]) or key_name(action.keys[0]) for action in actions_of(place)}
    pieces: list[Piece] = []
    for name, word in offered:
        shown = " ".join(known[part] for part in name.split("|"))
        more = [*([Piece("  ")] if pieces else []), Piece(shown, Role.KEY), Piece(f" {word}", Role.FAINT)]
        if cells([*pieces, *more]) > width:
            break
        pieces += more
    return pieces
