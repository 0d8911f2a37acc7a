"""Sending messages: one turn at a time, the others queued behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wisp_tui.app.outbox import Outbox

if TYPE_CHECKING:
    from wisp_tui.session import Thread


@dataclass(slots=True)
class Talk:
    """A thread and what waits for it. ``changed`` is called when the queue has changed."""

    thread: Thread
    changed: Callable[[], None]
    outbox: Outbox = field(default_factory=Outbox)
    busy: bool = False
    """Whether a turn runs, or one is about to."""

    def take(self, text: str) -> str | None:
        """Take a message: it is returned when it is to be sent now, and queued when a turn runs."""
        if not self.busy:
            self.busy = True
            self.outbox.release()
            return text
        self.outbox.add(text)
        self.changed()
        return None

    async def send(self, text: str) -> None:
        """Run the turn of a message that was taken, then those queued meanwhile.

        What waits is held when a turn did not end well.
        """
        try:
            following: str | None = text
            while following is not None:
                if not await self._run(following):
                    self.outbox.hold()
                following = self.outbox.next()
                self.changed()
        finally:
            self.busy = False

    async def _run(self, text: str) -> bool:
        """Run a message's turn, or the command it is; tell whether it ended well. A fault of the log is told by it."""
        from wisp_tui.audit import AuditUnavailable
        from wisp_tui.session.typed import typed_command

        line = typed_command(text)
        try:
            if line is not None:
                return await self.thread.run_typed(line)
            return (await self.thread.submit(_spoken(text))).outcome == "ok"
        except AuditUnavailable:
            return False

    def go_on(self) -> str | None:
        """Take the first of the messages that were held; None when none waits or a turn runs."""
        self.outbox.release()
        text = None if self.busy else self.outbox.next()
        self.busy = self.busy or text is not None
        return text

    def take_back(self) -> str | None:
        """Take the last queued message back."""
        text = self.outbox.take_back()
        if text is not None:
            self.changed()
        return text


def _spoken(text: str) -> str:
    """Give what is sent for a message: a second slash at its start only kept it from being a command."""
    return text[1:] if text.startswith("//") else text
