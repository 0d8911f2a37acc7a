"""What is shown while the session is opened: the conversation's screen before there is a conversation.

It needs nothing but Textual, so it is there at once. What is written on it is taken over.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from wisp_tui.app.rows import Piece, Role
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.looks import ROLE_CLASSES
from wisp_tui.app.widgets.promptbox import PromptBox
from wisp_tui.app.widgets.welcome import Welcome


class DoorScreen(Screen[None]):
    """Has the conversation screen's parts that can be had early, in the same places."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}

    def __init__(self) -> None:
        super().__init__()
        self.prompt = PromptBox(id="prompt")
        self.sent: list[str] = []
        """The messages sent so far."""

    def compose(self) -> ComposeResult:
        """Put the parts in place."""
        with Horizontal(id="upper"), VerticalScroll(id="conversation", can_focus=False):
            yield Welcome()
        with Vertical(id="below"):
            yield Bar(id="activity")
            with Horizontal(id="entry"):
                yield Static("❯", id="mark", markup=False)
                yield self.prompt
            yield Bar(id="status")

    def on_mount(self) -> None:
        """Put the cursor into the prompt."""
        self.prompt.focus()
        self.query_one("#status", Bar).show([], [Piece("opening …", Role.FAINT)])

    def read_so_far(self, done: int, total: int) -> None:
        """Show how much of the conversation was read."""
        if self.is_mounted:
            self.query_one("#status", Bar).show([], [Piece(f"opening … {done / max(total, 1):.0%}", Role.FAINT)])

    def on_prompt_box_sent(self, message: PromptBox.Sent) -> None:
        """Keep a message until it can be sent."""
        message.stop()
        if message.text:
            self.sent.append(message.text)
            waiting = ", ".join(text.split("\n", 1)[0] for text in self.sent)
            self.query_one("#activity", Bar).show([Piece(f"┆ {waiting}", Role.MUTED)])

    async def settled(self) -> None:
        """Wait until each key it was given is where it goes: in the prompt, or in what was sent."""
        for node in (self.prompt, *self.prompt.ancestors_with_self):
            reached = asyncio.Event()
            node.call_later(reached.set)
            await reached.wait()

    def key_pressed(self, event: events.Key | events.Paste) -> None:
        """Take keys as they come."""
