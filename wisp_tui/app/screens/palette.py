"""What the command palette offers: the actions and the slash commands, from their registries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from wisp_tui.app.actions import ACTIONS, key_name
from wisp_tui.session.commands import commands


class PaletteProvider(Provider):
    """Everything the app can do, found by its name or by what it does."""

    async def discover(self) -> Hits:
        """List everything."""
        for title, what, run in self._entries():
            yield DiscoveryHit(Content(title), run, text=title, help=_plain(what))

    async def search(self, query: str) -> Hits:
        """Find by a few letters."""
        matcher = self.matcher(query)
        for title, what, run in self._entries():
            score = max(matcher.match(title), matcher.match(what) * 0.5)
            if score > 0:
                yield Hit(score, Content(title), run, text=title, help=_plain(what))

    def _entries(self) -> Iterator[tuple[str, str, partial[object]]]:
        for action in ACTIONS:
            if action.in_palette:
                keys = ", ".join(map(key_name, action.keys))
                yield f"{action.title}  {keys}", action.help, partial(self.app.run_action, action.name)
        for command in commands().values():
            yield command.usage, command.help, partial(self.app.run_action, f"slash({command.name!r})")


def _plain(what: str) -> str:
    """Write what an entry does, without its arguments, as the palette shows it: it reads markup, and ours is none."""
    return what.partition(": /")[0].replace("[", r"\[")
