"""What a turn is doing now, as the activity line shows it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from wisp_tui.events import Activity, Bus
from wisp_tui.text.ids import SessionId


@dataclass(slots=True)
class ActivityBoard:
    """One turn's activity. Each change is published once, with the turn's seconds until then."""

    bus: Bus
    session: SessionId
    elapsed: Callable[[], float]
    started: float
    _doing: str | None = None
    _asking: bool = False
    _thinking_since: float | None = None

    @property
    def seconds(self) -> float:
        """Seconds since the turn began."""
        return self.elapsed() - self.started

    def doing(self, what: str | None) -> None:
        """Say what runs now; None when the turn is over."""
        if what != self._doing or self._thinking_since is not None:
            self._doing, self._thinking_since = what, None
            self._publish()

    def thinking(self) -> float:
        """Say that the model thinks; return the seconds it has so far."""
        if self._thinking_since is None:
            self._doing, self._thinking_since = "thinking", self.elapsed()
            self._publish()
        return self.elapsed() - self._thinking_since

    @contextmanager
    def asking(self) -> Generator[None]:
        """Say that the turn waits for the person's answer while the block runs."""
        self._asking = True
        self._publish()
        try:
            yield
        finally:
            self._asking = False
            self._publish()

    def _publish(self) -> None:
        self.bus.publish(
            Activity(self.session, self._doing, self._asking, self.seconds, self._thinking_since is not None)
        )
