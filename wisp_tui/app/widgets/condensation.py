"""Condensations on the screen: the strip while one runs, its line in the conversation, its whole story."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.timer import Timer

from wisp_tui.app.actions import Place, bindings
from wisp_tui.app.panel.condensed import MARK
from wisp_tui.app.panel.story import story_rows
from wisp_tui.app.panel.strip import strip_lines
from wisp_tui.app.rows import Role, Row, Span
from wisp_tui.app.widgets.pieces import Picture
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.session.condensations import Condensation
from wisp_tui.session.items import CondensationItem

SETTLE_SECONDS = 1.5
"""Seconds that the strip shows how it ended."""


class CondensationStrip(Picture):
    """Above the prompt while the context is condensed, and a moment longer. ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self.condensation: Condensation | None = None
        """The one that is shown."""
        self.short = False
        """Whether there is room for one line only."""
        self._distilling_since: float | None = None
        self._settling: Timer | None = None

    def take(self, condensation: Condensation) -> None:
        """Show what a condensation has come to."""
        if self.condensation is not condensation:
            self.condensation = condensation
            self._stay()
        if not condensation.distilling:
            self._distilling_since = None
        elif self._distilling_since is None:
            self._distilling_since = self._clock()
        self.display = True
        self.draw()
        if condensation.over and self._settling is None:
            self._settling = self.set_timer(SETTLE_SECONDS, self.settle)

    def _stay(self) -> None:
        if self._settling is not None:
            self._settling.stop()
            self._settling = None

    def settle(self) -> None:
        """Leave the screen."""
        self._stay()
        self.condensation = None
        self.display = False

    def draw(self) -> None:
        """Draw it as it is now."""
        shown = self.condensation
        if shown is not None:
            seconds = self._clock() - self._distilling_since if self._distilling_since is not None else 0.0
            self.show(lambda width: strip_lines(shown, seconds, width, short=self.short))


class CondensationView(RowView):
    """A condensation's line in the conversation. Chosen, it tells the whole story."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.CONDENSED_LINE)]

    class Chosen(Message):
        """The person wants the whole story."""

        def __init__(self, condensation: Condensation) -> None:
            super().__init__()
            self.condensation = condensation

    class Left(Message):
        """The person goes back to the prompt."""

    def __init__(self, item: CondensationItem) -> None:
        self.condensation = item.condensation
        super().__init__(condensed_rows(item.condensation), classes="line condensation")

    def action_tell(self) -> None:
        """Tell the whole story."""
        self.post_message(self.Chosen(self.condensation))

    def action_leave_line(self) -> None:
        """Go back to the prompt."""
        self.post_message(self.Left())

    def on_click(self, event: events.Click) -> None:
        """Tell the whole story, unless text is being marked."""
        if self.text_selection is None:
            event.stop()
            self.action_tell()


def condensed_rows(condensation: Condensation) -> list[Row]:
    """Draw the line of a condensation that is over."""
    line = condensation.line
    head, _, rest = line.partition(":")
    spans = (Span(0, len(head), Role.ACCENT), Span(len(head), len(line), Role.MUTED if rest else Role.ACCENT))
    return [Row(line, spans, None, f"{MARK} ", "  ", Role.ACCENT)]


class StoryView(RowView):
    """The whole story of a condensation, written for the width there is."""

    def __init__(self, condensation: Condensation) -> None:
        super().__init__()
        self.condensation = condensation

    def tell(self, condensation: Condensation) -> None:
        """Tell another one."""
        self.condensation = condensation
        self.replace(story_rows(condensation, self.wrapped_for))

    def rewrapped(self) -> None:
        """Write it for another width."""
        self._rows[:] = story_rows(self.condensation, self.wrapped_for)
