"""The whole story of a condensation, over the conversation; from one to the next, and to the contexts it saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import getters
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from wisp_tui.app.actions import Place, bindings
from wisp_tui.app.base import BaseApp
from wisp_tui.app.pager.paged import Paged
from wisp_tui.app.rows import Piece, Role
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.condensation import StoryView
from wisp_tui.app.widgets.looks import ROLE_CLASSES
from wisp_tui.session.condensations import Condensation


class CondensationScreen(ModalScreen[None]):
    """Tells one condensation's story; ← and → tell the others'."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}
    app = getters.app(BaseApp)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.STORY)]

    def __init__(self, condensations: Sequence[Condensation], told: Condensation) -> None:
        super().__init__()
        self._all = condensations
        self._story = StoryView(told)
        self._keys = Bar(id="story-keys")

    @property
    def told(self) -> Condensation:
        """The condensation whose story is told."""
        return self._story.condensation

    @property
    def text(self) -> str:
        """The story as it is told, a line a row."""
        return "\n".join(f"{row.prefix}{row.text}" for row in self._story.rows)

    def compose(self) -> ComposeResult:
        """Draw the story and the keys."""
        with Vertical(id="story"):
            with VerticalScroll(id="story-text"):
                yield self._story
            yield self._keys

    def on_mount(self) -> None:
        """Let the arrow keys scroll."""
        self.query_one("#story-text").focus()
        self._say_keys()

    def _say_keys(self) -> None:
        keys = [("esc", "closes"), ("↑ ↓", "scroll")]
        if len(self._all) > 1:
            keys.append(("← →", "the others"))
        if self.told.audited is not None and self.told.audited.saved_before is not None:
            keys.append(("b a", "the context before, after"))
        pieces = [piece for key, what in keys for piece in (Piece(key, Role.KEY), Piece(f" {what}   ", Role.FAINT))]
        place = self._all.index(self.told) + 1
        self._keys.show(pieces, [Piece(f"{place} of {len(self._all)}", Role.FAINT)])

    def action_leave_story(self) -> None:
        """Go back."""
        self.dismiss()

    def action_tell_other(self, where: str) -> None:
        """Tell the story of the condensation before, or after."""
        place = self._all.index(self.told) + (-1 if where == "before" else 1)
        if 0 <= place < len(self._all):
            self._story.tell(self._all[place])
            self.query_one("#story-text").scroll_home(animate=False)
            self._say_keys()

    def action_saved(self, which: str) -> None:
        """Show the context as it was saved before the condensation, or after it."""
        audited = self.told.audited
        path = None if audited is None else audited.saved_before if which == "before" else audited.saved_after
        if path is None:
            self.notify("no context was saved: contexts are saved only while the audit is on")
            return
        from wisp_tui.app.screens.pager import PagerScreen

        try:
            text = Path(path).read_text("utf-8", "replace")
        except OSError as error:
            self.notify(f"the saved context cannot be read: {error.strerror or error}", severity="warning")
        else:
            title = f"context {which} the condensation of turn {self.told.turn}"
            self.app.push_screen(PagerScreen(Paged.of_text(title, text, remark=path, name=Path(path).name)))
