"""The line of what is done now, on a terminal's standard error, while nothing else is to be seen."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status


class StatusLine:
    """A line that is drawn over and leaves nothing behind; nothing at all where no line can be drawn."""

    def __init__(self, *, stops: bool = True) -> None:
        """``stops``: Ctrl-C stops it, and the line says so."""
        self._stops = " (Ctrl-C stops)" if stops else ""
        self._status: Status | None = None

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.rest()

    def doing(self, what: str) -> None:
        """Say what is done now; ``what`` is one line, and clean."""
        if not os.isatty(2) or os.environ.get("TERM", "") in {"", "dumb"}:
            return
        from rich.console import Console
        from rich.text import Text

        said = Text(f"{what}{self._stops}", style="dim")
        if self._status is None:
            console = Console(stderr=True, highlight=False, markup=False, emoji=False)
            self._status = console.status(said, spinner="simpleDots")
            self._status.start()
        else:
            self._status.update(said)

    def rest(self) -> None:
        """Take the line away."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    @contextmanager
    def lifted(self) -> Generator[None]:
        """Take the line away while something is printed."""
        status = self._status
        if status is not None:
            status.stop()
        try:
            yield
        finally:
            if status is not None:
                status.start()
