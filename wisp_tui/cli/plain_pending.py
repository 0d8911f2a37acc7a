"""What plain chat says when another process's conversation begins to wait for the person: a line each, once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from wisp_tui.pending import CommandRequest, FactRequest, Request, Snapshot, request_words
from wisp_tui.text.clean import drawable
from wisp_tui.text.sizes import shorten

ASKED, ASKER = 160, 60
"""Characters of what is asked, and of who asks, in such a line."""
AT_ONCE = 3
"""How many are named; of more that begin to wait together, how many they are."""


@dataclass(slots=True)
class PlainPending:
    """Remembers what was said of one home's requests."""

    _said: set[str] = field(default_factory=set[str])

    def lines(self, snapshot: Snapshot) -> Iterator[str]:
        """Write what waits now and was not said before."""
        new = [request for request in snapshot.waiting if request.id not in self._said]
        self._said = {request.id for request in snapshot.waiting}
        if len(new) > AT_ONCE:
            yield f"{len(new)} requests wait for you; /pending lists them"
            return
        for request in new:
            asked = shorten(drawable(request_words(request)), ASKED)
            yield f"waits for you: {asked} — {shorten(drawable(request.asker.words), ASKER)}; {_ways(request)}"


def _ways(request: Request) -> str:
    match request:
        case FactRequest():
            return f"/pending keep|drop {request.id}"
        case CommandRequest():
            return f"/pending shows it whole; /pending once|no {request.id}"
        case _:
            return f"/pending answer {request.id} …"
