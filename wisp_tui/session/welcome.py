"""What the first start in a home says: what was found on this machine, what was chosen and why. Said once in a home.

It asks nobody what the conversation or ``wisp doctor`` does not ask, and nothing waits for it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from wisp_tui.config import Home
from wisp_tui.config.home import PRIVATE_FILE
from wisp_tui.models.catalogue import Listed, list_models
from wisp_tui.session.doctor import Check, State
from wisp_tui.session.doctor.machine import Screen, clipboard_check, terminal_check, walls_check
from wisp_tui.session.thread import Thread
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import count
from wisp_tui.text.tries import TRIES

TITLE = "What wisp found here"
AGAIN = "/welcome says it again"
NAMED = 3
"""Models of a runtime that are named."""
_NOBODY = "no model answers yet"


def claim_welcome(home: Home) -> bool:
    """Take the welcome of a home on oneself; False where another process has. A home that cannot be written is new."""
    try:
        os.close(os.open(home.welcomed, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE))
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


@dataclass(frozen=True, slots=True)
class Welcome:
    """What was found: a check each, in the order they are told."""

    checks: Sequence[Check]
    known: tuple[str, ...] = ()
    """Clauses that the checks repeat from what the conversation says by itself when it begins."""

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it as lines, as a command answers."""
        return (
            f"{TITLE} ({AGAIN}):",
            *(f"  {check.name:{self.width}}  {sentence(check)}" for check in self.checks),
            "Things to try:",
            *(f"  {text}" for text, _ in TRIES),
        )

    @property
    def width(self) -> int:
        """The cells of the longest name."""
        return max(len(check.name) for check in self.checks)


def sentence(check: Check) -> str:
    """Say what a check found, and what to do where it matters; clean, on one line."""
    matters = check.remedy and check.state in {State.WARNING, State.FAULT}
    return clean_line(f"{check.said}; {check.remedy}" if matters else check.said)


async def look_around(thread: Thread, screen: Screen, fault: str = "") -> Welcome:
    """Gather what was found, once the model was looked for; ``fault`` says why there is none. Takes a second or so."""
    held = thread.conversation
    listed = await list_models(thread.shelf.home, held.settings, held.environment)
    found = await held.walls.found()
    checks = (
        models_found(listed),
        _answering(thread, fault),
        walls_check(found, held.walls.wide, held.settings),
        terminal_check(held.environment, screen),
        clipboard_check(held.environment),
    )
    return Welcome(checks, tuple(text for text in (thread.why, fault, found.why) if text))


def models_found(listed: Sequence[Listed]) -> Check:
    """Say which models can be used, runtime by runtime, and how many cannot."""
    usable = [one for one in listed if one.usable]
    broken = len(listed) - len(usable)
    if not usable:
        return Check("models", State.WARNING, "none can be used: `wisp models` says why")
    said = " · ".join(_of_runtime([*ones]) for _, ones in groupby(usable, key=lambda one: one.runtime))
    return Check("models", State.OK, f"{said}; {broken} cannot be used: `wisp models`" if broken else said)


def _of_runtime(ones: Sequence[Listed]) -> str:
    runtime = ones[0].runtime
    names = [one.name.removeprefix(f"{runtime}:") for one in ones]
    if names == [runtime]:
        return runtime
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{runtime}: {', '.join(names[:NAMED])}{more}"


def _answering(thread: Thread, fault: str) -> Check:
    resolved = thread.resolved
    if resolved is None:
        return Check("chosen", State.FAULT, fault or _NOBODY)
    window = f"window {count(resolved.window, 'token')}" if resolved.window else "window unknown"
    return Check("chosen", State.OK, f"{resolved.id}, {window}: {thread.why}")
