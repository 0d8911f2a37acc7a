"""The line in which words are looked for in the conversation: what is written, which match is shown, of how many."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from time import perf_counter
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from wisp_tui.app.actions import Place, action_for, bindings
from wisp_tui.app.finding import Finding, Spot
from wisp_tui.app.pager.ask import AskInput
from wisp_tui.app.panel import saying
from wisp_tui.app.panel.drawn import cells
from wisp_tui.app.rows import Piece, Role
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.conversation import Conversation, Looking
from wisp_tui.session.items import Change, Item

SLICE = 0.008
"""Seconds that are searched at a time; keys are answered in between."""
_KEYS: saying.Keys = (
    ("leave_find('back')", "back"),
    ("other('older')", "older"),
    ("other('newer')", "newer"),
    ("leave_find('here')", "stay here"),
    ("find_everywhere", "in all saved"),
)


class FindBar(Horizontal):
    """Looks for words in all items of a conversation, mounted or not, and shows their matches there."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.FIND)]

    class Left(Message):
        """The search has ended."""

    class Everywhere(Message):
        """The search goes on in all saved conversations, for these words."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    def __init__(self, conversation: Conversation, items: list[Item], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._conversation = conversation
        self.finding = Finding(items, conversation.rows_of)
        self._before: Looking | None = None
        """What was looked at when the search began."""
        self._origin = Spot(0, 0, 0)
        self._shown: Spot | None = None
        self.input = AskInput()
        self._count = Bar(id="find-count")

    def compose(self) -> ComposeResult:
        """Put the input between its label and the count."""
        yield Static("find", id="find-label", markup=False)
        yield self.input
        yield self._count

    def on_mount(self) -> None:
        """Begin out of sight."""
        self.display = False

    @property
    def count_text(self) -> str:
        """What the count says."""
        return self._count.text

    def open(self) -> None:
        """Ask for words; those that were looked for before are there to be written over."""
        if not self.display:
            self._before, self._origin = self._conversation.looked_at, self._conversation.last_seen
            self.display = True
            self._look()
        self.input.focus()
        self.input.select_all()

    def close(self) -> None:
        """End the search, wherever it stands."""
        self.display = False
        self.finding.forget()
        self._conversation.look_for(None)

    def take(self, changes: Iterable[Change]) -> None:
        """Count what has come, or changed, in the conversation."""
        if self.display:
            self.finding.changed(dict.fromkeys(change.item for change in changes))
            self._say()

    def look_again(self) -> None:
        """Look for the words anew: what is drawn of the items has changed."""
        if self.display:
            self._origin = self.finding.here or self._origin
            self.finding.forget()
            self._look()

    def on_resize(self) -> None:
        """Look anew in what is drawn for another width."""
        self.look_again()

    # Keys ---------------------------------------------------------------------------------------------------------

    async def on_key(self, event: events.Key) -> None:
        """Run the search's keys here, before the input's own bindings for them."""
        action = action_for(Place.FIND, event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(action.name)

    def action_other(self, which: str) -> None:
        """Go to the match before, or after."""
        self.finding.go(older=which == "older")
        self._show()

    def action_leave_find(self, where: str) -> None:
        """End the search, and go back to where it began, or stay."""
        self.close()
        if where == "back":
            self._conversation.look_at(self._before)
        self.post_message(self.Left())

    def action_find_everywhere(self) -> None:
        """End the search, and have the words looked for in all saved conversations."""
        self.action_leave_find("back")
        self.post_message(self.Everywhere(self.input.value))

    def on_input_changed(self, message: Input.Changed) -> None:
        """Look for what is written now, from where the search began."""
        message.stop()
        self._look()

    def keys(self, width: int) -> list[Piece]:
        """Write the keys of the search, as many as there is room for."""
        return saying.keys(_KEYS, width, Place.FIND)

    # Looking ------------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        self._shown = None
        self.finding.look_for(self.input.value, self._origin)
        self._conversation.look_for(self.finding.needle)
        self.run_worker(self._search, group="find", exclusive=True)

    async def _search(self) -> None:
        """Count a slice at a time."""
        going = True
        while going:
            until = perf_counter() + SLICE
            while going and perf_counter() < until:
                going = self.finding.step()
            self._show()
            await asyncio.sleep(0)

    def _show(self) -> None:
        here = self.finding.here
        if here is not None and here != self._shown:
            self._shown = here
            self._conversation.point_at(here)
        self._say()

    def _say(self) -> None:
        pieces = self._said()
        fits = cells(pieces) + 2 <= self._count.size.width
        self._count.show([] if fits else pieces, pieces if fits else [])

    def _said(self) -> list[Piece]:
        finding = self.finding
        if finding.needle is None:
            return []
        if not finding.total:
            said = "not in this conversation" if finding.whole else "looking …"
            return [Piece(said, Role.WARNING if finding.whole else Role.FAINT)]
        of = f"{finding.total:,}" if finding.whole else f"{finding.total:,}+"
        at = f"{finding.ordinal:,} of " if finding.ordinal is not None else ""
        went_round = [Piece("went round · ", Role.FAINT)] if finding.went_round else []
        return [*went_round, Piece(f"{at}{of}", Role.MUTED)]
