"""The conversation under the cursor of the list: what was found in it, and its last turns, read beside the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll

from wisp_tui.app.sessions import drawing
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.config import Home
from wisp_tui.session.saved.files import BadName
from wisp_tui.session.saved.glimpse import Glimpse, glimpse
from wisp_tui.session.saved.listing import SavedName
from wisp_tui.session.saved.searching import FoundLine


class GlimpseView(Vertical):
    """Shows one conversation, read only. ``person`` is the person's own directory, written ``~``."""

    def __init__(self, home: Home, person: Path, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._home, self._person = home, person
        self._item: SavedName | None = None
        self._seen: Glimpse | None = None
        self._fault = ""
        self._found: Sequence[FoundLine] = ()
        self._words: Sequence[str] = ()
        self._about = Bar(id="glimpse-about")
        self._rows = RowView(id="glimpse-rows")
        self._scroll = VerticalScroll(self._rows, id="glimpse-scroll", can_focus=False)

    def compose(self) -> ComposeResult:
        """Put what is said of it above its turns."""
        yield self._about
        yield self._scroll

    @property
    def text(self) -> str:
        """What is shown, a line a row."""
        return "\n".join([self._about.text, *(f"{row.prefix}{row.text}" for row in self._rows.rows)])

    @property
    def read(self) -> bool:
        """Whether what is shown has been read."""
        return self._item is None or self._seen is not None or bool(self._fault)

    def show(self, item: SavedName | None, found: Sequence[FoundLine], words: Sequence[str]) -> None:
        """Show a conversation, with what was found in it."""
        if item != self._item:
            self._item, self._seen, self._fault = item, None, ""
            self._scroll.scroll_home(animate=False)
            if item is not None:
                self.run_worker(partial(self._read, item), group="glimpse", exclusive=True)
        self._found, self._words = found, words
        self._draw()

    def look(self, where: str) -> None:
        """Go a page ``on`` or ``back``."""
        if where == "on":
            self._scroll.scroll_page_down(animate=False)
        else:
            self._scroll.scroll_page_up(animate=False)

    async def _read(self, item: SavedName) -> None:
        try:
            self._seen = await asyncio.to_thread(glimpse, self._home, item)
        except BadName as error:
            self._fault = str(error)
        except OSError as error:
            self._fault = f"it cannot be read: {error.strerror or error}"
        self._draw()

    def _draw(self) -> None:
        item = self._item
        self._about.show(*(drawing.about(item, self._person) if item is not None else ([], [])))
        rows = drawing.preview_rows(item, self._seen, self._found, self._words, self._fault) if item is not None else []
        if list(self._rows.rows) != rows:
            self._rows.replace(rows)
