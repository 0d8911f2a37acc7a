"""The first start in a home: what was found, what was chosen and why, shown where nothing else is yet."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from wisp_tui.app.rows import Role, Row, Span, drawable
from wisp_tui.app.widgets.welcome import Welcome as EmptyState
from wisp_tui.session import Thread
from wisp_tui.session.doctor import Check, State
from wisp_tui.session.doctor.machine import Screen as Terminal
from wisp_tui.session.welcome import AGAIN, TITLE, Welcome, claim_welcome, look_around, sentence

_NAMES = {State.OK: Role.GOOD, State.NOTE: Role.MUTED, State.WARNING: Role.WARNING, State.FAULT: Role.ERROR}


async def greet(screen: Screen[None], thread: Thread, fault: str) -> None:
    """Say what was found, unless the conversation has begun by then, or another process says it.

    ``fault`` says why there is no model.
    """
    welcome = await look_around(thread, Terminal(screen.size.width, screen.size.height), fault)
    for empty in screen.query(EmptyState):
        if not empty.left and claim_welcome(thread.shelf.home):
            empty.greet(found_rows(welcome), welcome.known)


def found_rows(welcome: Welcome) -> Sequence[Row]:
    """Draw what was found: a line each, its name in the colour of how it stands."""
    title = f"{TITLE}  {AGAIN}"
    head = Row(title, (Span(0, len(TITLE), Role.SUBHEADING),), Role.FAINT)
    return [head, *(_row(check, welcome.width) for check in welcome.checks)]


def _row(check: Check, width: int) -> Row:
    name = f"{check.name:{width}}  "
    return Row(drawable(sentence(check)), (), Role.MUTED, name, " " * len(name), _NAMES[check.state])
