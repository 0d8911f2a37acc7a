"""The conversation on the screen: its latest items mounted, older ones on demand, the end followed as it grows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.message import Message

from wisp_tui.app.widgets.items import CallView, ThinkingView, view_of
from wisp_tui.app.widgets.reply import ReplyView
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.session.transcript import Added, Change, Changed, Grew, Item, ReplyItem

MOST_LINES = 3000
"""Lines kept mounted while the end is followed; above it the oldest items leave the screen."""
KEPT_LINES = 2000
"""Lines left mounted once the oldest have left."""
MOST_AT_ONCE = 150
"""Items mounted in one go."""
OLDER = 30
"""Items mounted at a time when the person scrolls back to the first one."""


class Conversation(VerticalScroll):
    """Draws a transcript. Only the items near what is looked at are widgets; the others wait as values."""

    BINDINGS: ClassVar[list[BindingType]] = []
    can_focus = False

    class Moved(Message):
        """Whether the end is on the screen has changed, or something came below it."""

    def __init__(self, items: list[Item], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._items = items
        self._views: dict[Item, RowView] = {}
        self._first = 0
        """The index of the first item that is mounted."""
        self._unfolded = False
        self._left_end = False
        self.new_below = False
        """Whether something came below what is on the screen."""

    def watch_virtual_size(self, size: Size) -> None:
        """Begin to follow the end once there is more than the screen holds."""
        self._pin(size.height)

    def on_resize(self) -> None:
        """See whether there is more than the screen holds now."""
        self._pin(self.virtual_size.height)

    def _pin(self, height: int) -> None:
        """Follow the end only while there is one below the screen: what fits stays at the top, where it is."""
        overflows = height > self.container_size.height and bool(self._views)
        if overflows and not self.is_anchored:
            self._follow_end()
        elif not overflows and self.is_anchored:
            self.anchor(anchor=False)
            self.scroll_to(y=0, animate=False, immediate=True, force=True)

    def _follow_end(self) -> None:
        self.anchor()
        self._left_end = False

    def release_anchor(self) -> None:
        """Notice that the person scrolls away from the end."""
        super().release_anchor()
        self._left_end = True

    @property
    def following(self) -> bool:
        """Whether the end is kept on the screen as it grows."""
        return not (self.is_anchored and self._left_end)

    @property
    def unfolded(self) -> bool:
        """Whether thinking is shown whole."""
        return self._unfolded

    def take(self, changes: Iterable[Change]) -> None:
        """Draw what has changed. An item that was added is drawn as it is after all the changes."""
        added: dict[Item, None] = {}
        came = False
        for change in changes:
            came = True
            match change:
                case Added(item):
                    added[item] = None
                case Grew(item, text) if item not in added:
                    self._grow(item, text)
                case Changed(item) if item not in added:
                    self._change(item)
                case _:
                    pass
        if len(added) > MOST_AT_ONCE:
            self._show_latest()
        elif added:
            self.mount_all([self._view(item) for item in added])
        if came:
            if not self.following and not self.new_below:
                self.new_below = True
                self.post_message(self.Moved())
            self.call_after_refresh(self._prune)

    def _view(self, item: Item) -> RowView:
        view = self._views[item] = view_of(item, unfolded=self._unfolded)
        return view

    def _show_latest(self) -> None:
        """Show the latest items alone: so many came at once that mounting all would hold up the screen."""
        self.remove_children()
        self._views.clear()
        self._first = max(len(self._items) - MOST_AT_ONCE, 0)
        self.mount_all([self._view(item) for item in self._items[self._first :]])

    def _grow(self, item: Item, text: str) -> None:
        match self._views.get(item):
            case ReplyView() as view:
                view.append(text)
            case ThinkingView() as view if view.unfolded:
                view.update()
            case _:
                pass

    def _change(self, item: Item) -> None:
        match self._views.get(item):
            case ReplyView() as view if isinstance(item, ReplyItem) and item.done:
                view.finish(item.stopped)
            case ThinkingView() | CallView() as view:
                view.update()
            case _:
                pass

    def clear(self) -> None:
        """Show an empty conversation."""
        self._views.clear()
        self._first = 0
        self.remove_children()

    def unfold(self, unfolded: bool) -> None:
        """Show all thinking, or fold it."""
        self._unfolded = unfolded
        for view in self._views.values():
            if isinstance(view, ThinkingView):
                view.unfold(unfolded)

    def follow(self) -> None:
        """Go to the end and follow it."""
        if self.is_anchored:
            self._follow_end()
        self.new_below = False
        self.post_message(self.Moved())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notice the end, and the start of what is mounted."""
        super().watch_scroll_y(old_value, new_value)
        if self._left_end and new_value >= self.max_scroll_y:
            self._left_end = False
            if self.new_below:
                self.new_below = False
                self.post_message(self.Moved())
        if new_value < 1 and old_value > new_value and self._first:
            self.call_later(self._load_older)

    async def _load_older(self) -> None:
        """Mount the items before the first one, and keep what is looked at where it is."""
        if not self._first:
            return
        start = max(self._first - OLDER, 0)
        views = [self._view(item) for item in self._items[start : self._first]]
        before = self.virtual_size.height
        self._first = start
        await self.mount_all(views, before=0)
        self.call_after_refresh(self._keep_place, before)

    def _keep_place(self, before: int) -> None:
        self.scroll_to(y=self.scroll_y + self.virtual_size.height - before, animate=False, immediate=True)

    def _prune(self) -> None:
        """Let the oldest items leave the screen once there are many lines, while the end is looked at."""
        if self.virtual_size.height <= MOST_LINES or not self.following:
            return
        surplus = self.virtual_size.height - KEPT_LINES
        leaving: list[RowView] = []
        for item in self._items[self._first :]:
            view = self._views.get(item)
            if view is None or surplus < view.outer_size.height:
                break
            surplus -= view.outer_size.height
            leaving.append(view)
            del self._views[item]
            self._first += 1
        self.call_later(self.remove_children, leaving)
