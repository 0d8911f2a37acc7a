"""The prompt box: where a message is written, with its history, its pastes and its completion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TextArea

from wisp_tui.app.actions import Place, action_for, bindings
from wisp_tui.app.pastes import Pastes
from wisp_tui.text.completion import NOTHING, Completion

if TYPE_CHECKING:
    from wisp_tui.session.history import PromptHistory


COMMAND_MARK = "!"
"""What a message begins with that is a command for the shell."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What was found to complete a text, ``before`` its cursor."""

    text: str
    before: str
    found: Completion


def _nothing(before: str) -> Completion:
    return NOTHING


class PromptBox(TextArea):
    """A text area that sends. It knows nothing of the conversation: it says what was sent or asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.PROMPT)]

    class Sent(Message):
        """The person sent a message; ``text`` has its pastes in place. It is empty when nothing was written."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class TakeBack(Message):
        """The person asks for the last queued message back."""

    class Completing(Message):
        """The text before the cursor has changed, or a completion was asked for."""

        def __init__(self, *, asked: bool) -> None:
            super().__init__()
            self.asked = asked

    def __init__(self, sent: PromptHistory | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id, soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True)
        self.sent = sent
        self.pastes = Pastes()
        self.completer: Callable[[str], Completion] = _nothing
        """What completes the text before the cursor."""
        self.chosen = 0
        self._looked_at = _Look("", "", NOTHING)
        self._from_history = False

    @property
    def completion(self) -> Completion:
        """What completes the text before the cursor, never what completed an earlier text.

        Keys typed fast come before the word of the change that they follow. A cursor that has moved completes nothing.
        """
        look = self._looked_at if self._looked_at.text == self.text else self.look()
        return look.found if look.before == self.before_cursor else NOTHING

    def look(self) -> _Look:
        """Look anew for what completes the text before the cursor."""
        text, before = self.text, self.before_cursor
        if text != self._looked_at.text:
            self.chosen = 0
        self._looked_at = _Look(text, before, self.completer(before))
        return self._looked_at

    @property
    def before_cursor(self) -> str:
        """The text before the cursor on its line; empty on other lines than the first for a command."""
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        return before if row == 0 or not before.startswith("/") else ""

    def write(self, text: str) -> None:
        """Put a text into the box, the cursor at its end."""
        self.load_text(text)
        self.move_cursor(self.document.end)

    def take_over(self, other: PromptBox) -> None:
        """Go on with what was written in another box."""
        self.pastes = other.pastes
        self.write(other.text)
        self.selection = other.selection

    # Keys ------------------------------------------------------------------------------------------------------

    def action_send(self) -> None:
        """Send what is written; a completion that is open is taken first, and sent at once where it is ready."""
        ready = False
        if self.completion.candidates and self._completes_more():
            ready = self.completion.ready
            self.action_complete()
            if not ready:
                return
        text = self.text.rstrip(" ") if ready else self.text
        if not text.strip():
            self.clear()
            self.post_message(self.Sent(""))
            return
        whole = self.pastes.expand(text)
        self.clear()
        self.post_message(self.Sent(whole))

    def action_newline(self) -> None:
        """Begin a new line."""
        self.insert("\n")

    def action_complete(self) -> None:
        """Take the completion: what all candidates share, then one after the other."""
        if not self.completion.candidates:
            self.post_message(self.Completing(asked=True))
            return
        self.take_completion(self.completion.candidates[self.chosen])

    def take_completion(self, candidate: str) -> None:
        """Put a candidate in the place of what it completes."""
        row, column = self.cursor_location
        ending = "" if candidate.endswith("/") else " "
        self.replace(candidate + ending, (row, self.completion.start), (row, column))

    def action_back(self) -> None:
        """Go up: among the completions, in the text, to the message before, or to the queue."""
        if self.completion.candidates:
            self._choose(-1)
        elif not self.text:
            self.post_message(self.TakeBack())
        elif not self.cursor_at_first_line:
            self.action_cursor_up()
        else:
            self.go_back()

    def go_back(self) -> None:
        """Show the message before in the history."""
        if self.sent is not None:
            self._show(self.sent.back(self.text))

    def action_on(self) -> None:
        """Go down: among the completions, in the text, or to the message after."""
        if self.completion.candidates:
            self._choose(1)
        elif not self.cursor_at_last_line:
            self.action_cursor_down()
        elif self.sent is not None:
            self._show(self.sent.on())

    def _show(self, text: str | None) -> None:
        if text is not None:
            self._from_history = True
            self.write(text)

    def _choose(self, step: int) -> None:
        self.chosen = (self.chosen + step) % len(self.completion.candidates)
        self.post_message(self.Completing(asked=False))

    def _completes_more(self) -> bool:
        """Whether the chosen candidate is more than what is written."""
        candidate = self.completion.candidates[self.chosen]
        return self.before_cursor[self.completion.start :] != candidate

    async def on_key(self, event: events.Key) -> None:
        """Run our keys here, before the text area sees them, in the order in which they were typed.

        A binding with priority would run before the letters that were typed ahead of it are in the text.
        """
        for place, namespace in ((Place.PROMPT, ""), (Place.ANYWHERE, "app.")):
            action = action_for(place, event.key)
            if action is not None:
                event.stop()
                event.prevent_default()
                await self.run_action(namespace + action.name)
                return

    # What happens ------------------------------------------------------------------------------------------------

    def on_text_area_changed(self) -> None:
        """Notice a change: the history is left, the completion is asked for anew."""
        if not self._from_history and self.sent is not None:
            self.sent.leave()
        self._from_history = False
        if isinstance(self.parent, Widget):
            self.parent.set_class(self.text.startswith(COMMAND_MARK), "-command")
        self.chosen = 0
        self.post_message(self.Completing(asked=False))

    async def _on_paste(self, event: events.Paste) -> None:
        """Put in what was pasted, or its placeholder."""
        event.prevent_default()
        event.stop()
        self.insert(self.pastes.take(event.text))
