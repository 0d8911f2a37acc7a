"""Which events of the log are asked for."""

from __future__ import annotations

from dataclasses import dataclass

from wisp_tui.events import AuditEvent


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an event must be to be wanted; the empty value of a field wants every one.

    ``kinds`` are kinds or how they begin (``tool`` is every ``tool.…``), ``session`` how its id begins, ``since`` a
    moment as the log writes it.
    """

    kinds: tuple[str, ...] = ()
    session: str = ""
    turn: int | None = None
    since: str = ""

    def __call__(self, event: AuditEvent) -> bool:
        """Say whether an event is wanted."""
        return (
            (not self.kinds or any(f"{event.kind}.".startswith(f"{kind.rstrip('.')}.") for kind in self.kinds))
            and event.session.startswith(self.session)
            and (self.turn is None or event.turn == self.turn)
            and event.time >= self.since
        )
