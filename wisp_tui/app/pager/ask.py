"""The line at the bottom in which the pager is told what to look for, which line to go to, where to save."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from wisp_tui.text.clean import clean_line


class Asking(Enum):
    """What is asked for; the value is what stands before it."""

    FORWARD = "/"
    BACKWARD = "?"
    LINE = "line"
    SAVE = "save to"
    REPLACE = "replace it? y/n"


class AskInput(Input):
    """An input of one line, clean whatever is pasted into it."""

    def __init__(self) -> None:
        super().__init__(compact=True, select_on_focus=False)
        self.cursor_blink = False
        self.answers: frozenset[str] = frozenset()
        """Letters that are an answer by themselves."""

    async def on_key(self, event: events.Key) -> None:
        """Take a letter that answers."""
        if self.answers and event.character is not None and event.is_printable:
            event.stop()
            event.prevent_default()
            if event.character in self.answers:
                self.value = event.character
                await self.action_submit()

    def on_paste(self, event: events.Paste) -> None:
        """Put in the first line of what was pasted, without control characters."""
        event.stop()
        event.prevent_default()
        lines = event.text.splitlines()
        if lines:
            self.insert_text_at_cursor(clean_line(lines[0]))


class AskBar(Horizontal):
    """Asks for one thing at a time, and says what is typed and what was answered."""

    @dataclass
    class Typed(Message):
        """What is written has changed."""

        asking: Asking
        text: str

    @dataclass
    class Answered(Message):
        """It was answered."""

        asking: Asking
        text: str

    def __init__(self) -> None:
        super().__init__(id="ask")
        self.asking: Asking | None = None
        self._label = Static("", id="ask-label", markup=False)
        self.input = AskInput()

    def compose(self) -> ComposeResult:
        """Put the label before the input."""
        yield self._label
        yield self.input

    def ask(self, asking: Asking, text: str = "", label: str = "") -> None:
        """Ask for something, with a text that may be changed."""
        self.asking = asking
        self._label.update(label or asking.value)
        self.input.answers = frozenset("ynYN") if asking is Asking.REPLACE else frozenset()
        with self.input.prevent(Input.Changed):
            self.input.value = text
        self.input.cursor_position = len(text)
        self.display = True
        self.input.focus()

    def close(self) -> None:
        """Stop asking."""
        self.asking = None
        self.display = False

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what is written now."""
        event.stop()
        if self.asking is not None:
            self.post_message(self.Typed(self.asking, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Say what was answered."""
        event.stop()
        if self.asking is not None:
            self.post_message(self.Answered(self.asking, event.value))
