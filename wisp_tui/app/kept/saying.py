"""The facts panel's own words: its title, the keys that work now, what an empty list teaches."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from wisp_tui.app.panel.saying import Keys
from wisp_tui.app.rows import Piece, Role, drawable
from wisp_tui.pending import Request, request_words
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import count, shorten


class Listing(Enum):
    """What the panel lists; the value is its title and what ``/inspect`` calls it."""

    FACTS = "facts"
    SUMMARY = "summary"
    PENDING = "pending"


FACT_KEYS: Keys = (
    ("leave_facts", "back"),
    ("other('before')|other('after')", "lists"),
    ("open", "its entry"),
    ("keep", "keep"),
    ("move('thread')", "thread"),
    ("drop", "delete"),
    ("state('new')", "new"),
    ("state('again')", "restate"),
    ("everything", "history"),
    ("filter", "filter"),
    ("move('session')", "session"),
)
KIND_KEYS: Keys = (
    ("leave_facts", "back"),
    ("other('before')|other('after')", "lists"),
    ("fold", "fold"),
    ("state('new')", "new"),
    ("everything", "history"),
    ("filter", "filter"),
)
SUMMARY_KEYS: Keys = (
    ("leave_facts", "back"),
    ("other('before')|other('after')", "lists"),
    ("open", "what it stands for"),
)
PENDING_FACT_KEYS: Keys = (
    ("leave_facts", "back"),
    ("keep", "keep"),
    ("drop", "drop"),
    ("other('before')|other('after')", "lists"),
)
PENDING_COMMAND_KEYS: Keys = (
    ("leave_facts", "back"),
    ("keep", "run it once"),
    ("drop", "refuse"),
    ("other('before')|other('after')", "lists"),
)
PENDING_QUESTION_KEYS: Keys = (
    ("leave_facts", "back"),
    ("open", "answer"),
    ("drop", "decline"),
    ("other('before')|other('after')", "lists"),
)
EMPTY_KEYS: Keys = (("leave_facts", "back"), ("other('before')|other('after')", "lists"), ("state('new')", "new fact"))
LINE_KEYS: Keys = (
    ("leave_line", "back"),
    ("move('permanent')", "keep"),
    ("move('thread')", "thread"),
    ("move('session')", "session"),
    ("drop", "delete"),
    ("other('before')|other('after')", "others"),
    ("open", "facts"),
)
FILTER_KEYS: Keys = (("leave_facts", "shows all"), ("open", "goes among them"))
ANSWER_KEYS: Keys = (("leave_facts", "leaves it"), ("open", "answers"))
STATE_KEYS: Keys = (("leave_facts", "leaves it"), ("open", "states it"))

NO_FACTS = (
    "No facts yet. A fact is a short line that outlives the turns it was said in: what you state, what a tool finds, "
    "what the model concludes, each with its source. n states one, as in: preference editor = vim"
)
NO_SUMMARY = (
    "No summary yet. When the window fills, the oldest turns leave it, and once three have left, the model writes what "
    "was done in them in a few sentences. Each version stays here, with what it added. The turns themselves stay whole "
    "in the record."
)
NOTHING_WAITS = (
    "Nothing waits for you. When another program that talks to a conversation asks for a fact to be kept for every "
    "conversation, or a conversation without a screen asks to run a command or asks you something, it waits here: "
    "k keeps, d drops, enter answers. Nobody but you can."
)
FACTS_OFF = "This conversation keeps no facts: facts.enabled is off in the settings."


def title(listing: Listing, facts: int, version: int | None, waiting: int) -> list[Piece]:
    """Name the three lists with how much each holds, the one that is shown in strong letters."""
    held = {
        Listing.FACTS: f"{facts:,}",
        Listing.SUMMARY: f"v{version}" if version is not None else "0",
        Listing.PENDING: f"{waiting:,}",
    }
    pieces: list[Piece] = []
    for one, amount in held.items():
        here = one is listing
        attention = one is Listing.PENDING and waiting
        pieces += [
            *([Piece("   ")] if pieces else []),
            Piece(one.value, Role.STRONG if here else Role.FAINT),
            Piece(f" {amount}", Role.WARNING if attention else Role.ACCENT if here else Role.FAINT),
        ]
    return pieces


ANNOUNCED = 160
"""Characters of a request in the line that says it waits."""


def announcement(new: Sequence[Request]) -> tuple[str, str]:
    """Say that something has begun to wait: a title and a line, clean for a screen and for a terminal."""
    if len(new) > 1:
        return "wisp: your answer is wanted", f"{count(len(new), 'request waits', 'requests wait')} for you"
    (request,) = new
    asked = shorten(clean_line(drawable(request_words(request))), ANNOUNCED)
    return "wisp: your answer is wanted", f"{clean_line(drawable(request.asker.words))} asks: {asked}"
