"""The conversation on the screen: its latest items mounted, older ones on demand, the end followed as it grows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.message import Message
from textual.widget import AwaitMount

from wisp_tui.app.finding import Spot
from wisp_tui.app.rows import Row
from wisp_tui.app.widgets.items import CallView, ThinkingView, rows_of, view_of
from wisp_tui.app.widgets.reply import ReplyView
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.session.items import Added, Change, Changed, Grew, Item, ReplyItem

if TYPE_CHECKING:
    from wisp_tui.app.pager.search import Needle

MOST_LINES = 3000
"""Lines kept mounted while the end is followed; above it the oldest items leave the screen."""
KEPT_LINES = 2000
"""Lines left mounted once the oldest have left."""
MOST_AT_ONCE = 150
"""Items mounted in one go."""
OLDER = 30
"""Items mounted at a time when the person scrolls to the first one, or on past the last."""


@dataclass(frozen=True, slots=True)
class Looking:
    """What is looked at: an item by its number, and how many lines of it are above the screen."""

    item: int
    above: int


class Conversation(VerticalScroll):
    """Draws a transcript. Only the items near what is looked at are widgets; the others wait as values."""

    BINDINGS: ClassVar[list[BindingType]] = []
    can_focus = False

    class Moved(Message):
        """Whether the end is on the screen has changed, or something came below it."""

    def __init__(self, items: list[Item], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._items = items
        self._views: dict[Item, RowView] = {}
        self._first = 0
        """The index of the first item that is mounted."""
        self._end: int | None = None
        """The index after the last item that is mounted, where those after it are not; None where all are."""
        self._needle: Needle | None = None
        self._pointed: RowView | None = None
        """The view with the match that a search stands at."""
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
        if overflows and not self.is_anchored and self._end is None and self._pointed is None:
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
        return self._end is None and not (self.is_anchored and self._left_end)

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
        if self._end is not None:
            pass  # they come below what is mounted, and are when the person gets there
        elif len(added) > MOST_AT_ONCE:
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
        view.look_for(self._needle)
        return view

    def _show_latest(self) -> None:
        """Show the latest items alone: so many came at once that mounting all would hold up the screen."""
        self._show_only(max(len(self._items) - MOST_AT_ONCE, 0), len(self._items))

    def _show_only(self, first: int, end: int) -> AwaitMount:
        """Show these items and no others."""
        self.remove_children()
        self._views.clear()
        self._first, self._end = first, end if end < len(self._items) else None
        return self.mount_all([self._view(item) for item in self._items[first:end]])

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
        self._first, self._end = 0, None
        self.remove_children()

    def unfold(self, unfolded: bool) -> None:
        """Show all thinking, or fold it."""
        self._unfolded = unfolded
        for view in self._views.values():
            if isinstance(view, ThinkingView):
                view.unfold(unfolded)

    def follow(self) -> None:
        """Go to the end and follow it."""
        if self._end is not None:
            self._show_latest()
        if self.is_anchored:
            self._follow_end()
        else:
            self._pin(self.virtual_size.height)
        self.new_below = False
        self.post_message(self.Moved())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notice the end, and the start of what is mounted."""
        super().watch_scroll_y(old_value, new_value)
        if self._end is not None and new_value >= self.max_scroll_y and new_value > old_value:
            self.call_later(self._load_newer)
        elif self._left_end and self._end is None and new_value >= self.max_scroll_y:
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

    async def _load_newer(self) -> None:
        """Mount the items after the last one, below what is looked at."""
        if self._end is not None:
            self.release_anchor()
            await self._mount_to(self._end + OLDER)

    async def _mount_to(self, end: int) -> None:
        start, self._end = self._end or 0, end if end < len(self._items) else None
        await self.mount_all([self._view(item) for item in self._items[start:end]])

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

    # Searching ----------------------------------------------------------------------------------------------------

    def rows_of(self, item: Item) -> Sequence[Row]:
        """Return an item's rows as they are drawn, or would be."""
        view = self._views.get(item)
        if view is not None and view.wrapped_for:
            return view.rows
        width = next((view.wrapped_for for view in self._views.values() if isinstance(view, ReplyView)), 0)
        return rows_of(item, width or 80, unfolded=self._unfolded)

    def look_for(self, needle: Needle | None) -> None:
        """Mark what a search finds; nothing for None."""
        self._needle, self._pointed = needle, None
        for view in self._views.values():
            view.look_for(needle)

    @property
    def looked_at(self) -> Looking | None:
        """What the top of the screen shows; None while the end is followed."""
        if self.following:
            return None
        top = round(self.scroll_y)
        for place, item in enumerate(self._items[self._first : self._end], self._first):
            view = self._views.get(item)
            if view is not None and view.virtual_region.bottom > top:
                return Looking(place, top - view.virtual_region.y)
        return None

    @property
    def last_seen(self) -> Spot:
        """The end of the last row on the screen."""
        bottom = round(self.scroll_y) + self.size.height - 1
        for place in range(min(self._end or len(self._items), len(self._items)) - 1, self._first - 1, -1):
            view = self._views.get(self._items[place])
            if view is not None and view.virtual_region.y <= bottom:
                row = view.row_at(bottom - view.virtual_region.y)
                return Spot(place, row, len(view.rows[row].text) if view.rows else 0)
        return Spot(0, 0, 0)

    def point_at(self, spot: Spot) -> None:
        """Show a match, in the upper part of the screen unless it is on it already."""
        self.call_later(self._point_at, spot)

    async def _point_at(self, spot: Spot) -> None:
        await self._bring(spot.item)
        self.release_anchor()
        if self._pointed is not None:
            self._pointed.look_for(self._needle)
        view = self._pointed = self._views.get(self._items[spot.item]) if spot.item < len(self._items) else None
        if view is not None:
            view.look_for(self._needle, (spot.row, spot.start))
            self.call_after_refresh(self._show_line, view, spot.row, spot.start)

    def _show_line(self, view: RowView, row: int, start: int) -> None:
        line, height = view.virtual_region.y + view.line_at(row, start), self.size.height
        if not self.scroll_y <= line < self.scroll_y + height:
            self.scroll_to(y=max(line - height // 3, 0), animate=False, immediate=True, force=True)

    def look_at(self, looking: Looking | None) -> None:
        """Go back to what was looked at; to the end for None."""
        if looking is None:
            self.follow()
        else:
            self.call_later(self._look_at, looking)

    async def _look_at(self, looking: Looking) -> None:
        await self._bring(looking.item)
        view = self._views.get(self._items[looking.item]) if looking.item < len(self._items) else None
        if view is not None:
            self.call_after_refresh(self._scroll_into, view, looking.above)

    def _scroll_into(self, view: RowView, above: int) -> None:
        self.scroll_to(y=view.virtual_region.y + above, animate=False, immediate=True, force=True)

    async def _bring(self, place: int) -> None:
        """Mount what stands between an item and those that are mounted; only what is around it where that is much."""
        if place >= len(self._items) or self._items[place] in self._views:
            return
        self.release_anchor()
        near = MOST_AT_ONCE // 2
        few = len(self._views) <= MOST_AT_ONCE
        if few and 0 < self._first - place <= near:
            start, self._first = self._first, max(place - OLDER, 0)
            await self.mount_all([self._view(item) for item in self._items[self._first : start]], before=0)
        elif few and self._end is not None and 0 <= place - self._end <= near:
            await self._mount_to(place + OLDER)
        else:
            await self._show_only(max(place - near, 0), place + near)
