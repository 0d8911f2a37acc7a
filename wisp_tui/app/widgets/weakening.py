"""The question before a setting is changed that weakens the gate, the sandbox or the audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from wisp_tui.app.actions import Place, action_for, bindings
from wisp_tui.app.rows import Role, plain_rows
from wisp_tui.app.widgets.rowview import RowView

LEAVING = frozenset({"ctrl+c", "ctrl+q"})


class WeakeningQuestion(RowView, can_focus=True):
    """Says what would be weakened, and takes the person's y or n while it has the keyboard."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.WEAKENING)]

    class Answered(Message):
        """The person has answered."""

        def __init__(self, *, yes: bool) -> None:
            super().__init__()
            self.yes = yes

    def ask(self, sentences: Sequence[str]) -> None:
        """Ask whether what the sentences say is wanted."""
        self.replace(plain_rows("\n".join([*sentences, "change it all the same? y or n"]), Role.WARNING))
        self.display = True
        self.focus()

    def on_key(self, event: events.Key) -> None:
        """Keep every key from the form and the app but the answers, and those that leave."""
        if event.key not in LEAVING and action_for(Place.WEAKENING, event.key) is None:
            event.stop()

    def action_answer(self, answer: str) -> None:
        """Take the answer."""
        self.post_message(self.Answered(yes=answer == "yes"))
