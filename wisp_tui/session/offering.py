"""What a start says of conversations that were cut short, the same in every face (docs/sessions.md)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.context.journal import Unsent
from wisp_tui.session.live import CutShort, LiveFolder, Unreadable
from wisp_tui.session.status import short_path
from wisp_tui.text.clean import clean
from wisp_tui.text.sizes import count, shorten_start

WHERE = 120
"""Characters of a directory that are shown, its last: a live copy gives it, and may be damaged."""
RESUME, DISCARD = "/sessions resume", "/sessions discard"


@dataclass(frozen=True, slots=True)
class Offer:
    """The conversations that were cut short, the latest first, and the copies that cannot be read."""

    cut_short: tuple[CutShort, ...]
    unreadable: tuple[Unreadable, ...]

    def lines(self, now: datetime) -> tuple[str, ...]:
        """Write what is said of them: what there is, and what can be done."""
        if not self.cut_short:
            return self.faults
        first, *others = self.cut_short
        more = f" · {count(len(others), 'other was', 'others were')}, and all stay in /sessions" if others else ""
        stays = more or " · it stays in /sessions until then"
        return (words_of(first, now), f"{RESUME} goes on with it · {DISCARD} removes it{stays}", *self.faults)

    @property
    def faults(self) -> tuple[str, ...]:
        """Say what cannot be read, a line each."""
        return tuple(_fault(one) for one in self.unreadable)


def offer(home: Home) -> Offer:
    """Look for conversations that were cut short; what is damaged is kept aside, what holds nothing is removed.

    From an event loop, use a thread.
    """
    folder = LiveFolder(home)
    folder.tidy()
    return Offer(tuple(folder.cut_short()), tuple(folder.put_aside()))


def words_of(one: CutShort, now: datetime) -> str:
    """Say in a line which conversation was cut short: when, in the middle of what, where, how it began."""
    return f"{called(one, now)}: {one.first}"


def called(one: CutShort, now: datetime) -> str:
    """Say which conversation was cut short, without how it began."""
    cut = one.cut.astimezone(now.tzinfo)
    when = f"today at {cut:%H:%M}" if cut.date() == now.date() else f"on {cut:%Y-%m-%d at %H:%M}"
    turns = f"in the middle of turn {one.turns}" if one.midway else f"after {count(one.turns, 'turn')}"
    name = f" ({one.name})" if one.name is not None else ""
    where = shorten_start(short_path(Path(one.directory), Path.home()), WHERE)
    return f"a conversation{name} was cut short {when}, {turns}, in {where}"


def unsent_lines(unsent: Unsent) -> tuple[str, ...]:
    """Repeat what the person had written and not sent, where there is no prompt to put it into."""
    texts = [*unsent.queued, *([unsent.draft] if unsent.draft else [])]
    return ("you had not sent:", *(clean(text) for text in texts)) if texts else ()


def _fault(one: Unreadable) -> str:
    if one.later:
        return f"a conversation was cut short that this wisp cannot read: {one.reason}; it is left in {one.path}"
    return f"a conversation's live copy cannot be read: {one.reason}; it is kept in {one.path}"
