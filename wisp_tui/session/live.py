"""The folder of live copies: which conversations were cut short, and who may go on with one (docs/sessions.md).

``live/ID.jsonl`` is a conversation as it runs. Its process holds the lock on ``ID.lock`` for as long as it lives, so
one whose lock nobody holds was cut short. Whoever goes on with it takes the lock first: two never take the same.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.context.journal import Journal, LaterVersion, Look, NotAJournal, look, read_journal
from wisp_tui.context.sidecar import Progress, say_nothing
from wisp_tui.facts import PersonAct
from wisp_tui.keeping import Busy
from wisp_tui.keeping.locking import Hold, is_held
from wisp_tui.session.saved.files import NAME, files_of
from wisp_tui.session.saved.heads import Head, read_head
from wisp_tui.session.saved.listing import SavedName
from wisp_tui.session.saved.naming import called_now
from wisp_tui.text.clean import clean_line
from wisp_tui.text.reasons import reason
from wisp_tui.text.sizes import shorten

DAMAGED = ".damaged"
SHOWN = 80
"""Characters of a first prompt that a list shows."""
_WAIT_SECONDS = 0.2
"""How long a lock is waited for that somebody only looks at."""
_ID = re.compile(r"[0-9a-f]{16}")


class NotRecovered(Exception):
    """A conversation that was cut short cannot be gone on with, or removed; the message says why."""


@dataclass(frozen=True, slots=True)
class CutShort:
    """A conversation that was cut short, as a list shows it. ``first`` is how its first prompt begins, clean."""

    ident: str
    name: str | None
    """The name it was to be saved under."""
    cut: datetime
    """When it was last written to."""
    turns: int
    first: str
    directory: str
    midway: bool
    """Whether it was cut short in the middle of a turn."""
    size: int
    """Bytes of its copy."""
    sessions: tuple[str, ...]
    """The audit sessions that recorded it, the oldest first."""

    def goes_on_from(self, home: Home, name: str) -> bool:
        """Say whether it is a saved conversation that went on: what is saved holds nothing that it does not."""
        if self.name is None or called_now(home, self.name) != name:
            return False
        try:
            saved = read_head(files_of(home, name).transcript).sessions
        except FileNotFoundError:
            return True
        return bool(saved) and saved[-1] in self.sessions

    @property
    def row(self) -> SavedName:
        """The conversation as a row of the list of saved ones, its id for a name."""
        head = Head(self.turns, self.first, directory=self.directory, sessions=self.sessions)
        return SavedName(self.ident, self.cut, head, resumable=True, size=self.size, cut_short=True, copy=self.ident)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A live copy that this version cannot read. Nothing of it is removed; ``reason`` is a clause."""

    path: Path
    reason: str
    later: bool = False
    """Whether another version of this program wrote it, and can read it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A conversation that was cut short, held by this process: nobody else can go on with it or remove it."""

    path: Path
    hold: Hold
    journal: Journal
    cut: datetime
    aside: Path | None
    """Where all of a damaged copy is kept, of which only the start could be read."""


@dataclass(frozen=True, slots=True)
class LiveFolder:
    """The live copies of one home."""

    home: Home

    def path(self, ident: str) -> Path:
        """Return the path of a live copy. Raises NotRecovered for what is no id, so that no other path is ever made."""
        if not _ID.fullmatch(ident):
            raise NotRecovered(_unknown(ident))
        return self.home.live / f"{ident}.jsonl"

    def has(self, ident: str) -> bool:
        """Say whether there is a live copy of this id, whosever it is."""
        return _ID.fullmatch(ident) is not None and self.path(ident).exists()

    def cut_short(self) -> list[CutShort]:
        """List the conversations that were cut short and had a turn, the latest first.

        Takes milliseconds a copy, more where one is long: from an event loop, use a thread.
        """
        found = [one for path in self._copies() if (one := self._listed(path)) is not None]
        return sorted(found, key=lambda one: one.cut, reverse=True)

    def tidy(self) -> None:
        """Remove the copies that nobody has and that hold nothing more than what is saved, or no turn."""
        for path in self._copies():
            with suppress(OSError, NotAJournal, NotRecovered):
                if is_held(lock_of(path)) or self._worth(look(path.read_bytes())):
                    continue
                hold = self._held(path, path.stem)
                path.unlink(missing_ok=True)
                hold.release(remove=True)

    def unheld(self) -> list[str]:
        """List the ids of the copies that nobody has, without reading any."""
        return sorted(path.stem for path in self._copies() if not is_held(lock_of(path)))

    def unreadable(self) -> list[Unreadable]:
        """List the copies that cannot be read, and those kept aside because they were damaged."""
        found = [Unreadable(path, "it was damaged") for path in sorted(self.home.live.glob(f"*{DAMAGED}"))]
        for path in self._copies():
            try:
                look(path.read_bytes())
            except (NotAJournal, OSError) as error:
                if not is_held(lock_of(path)):
                    found.append(Unreadable(path, str(error), later=isinstance(error, LaterVersion)))
        return found

    def put_aside(self) -> list[Unreadable]:
        """Keep aside the copies that are damaged from their start; return them, and those of a later version.

        What is kept aside is not returned again. Raises nothing: a copy that cannot be moved stays.
        """
        found: list[Unreadable] = []
        for one in self.unreadable():
            if one.path.suffix == DAMAGED:
                continue
            if one.later:
                found.append(one)
                continue
            with suppress(NotRecovered, OSError):
                hold = self._held(one.path, one.path.stem)
                aside = one.path.replace(one.path.with_suffix(DAMAGED))
                hold.release(remove=True)
                found.append(Unreadable(aside, one.reason))
        return found

    def claim(self, ident: str, progress: Progress = say_nothing) -> Claim:
        """Take a conversation that was cut short, to go on with it.

        What cannot be read of a damaged copy is kept aside with the rest of it. Raises NotRecovered: there is none, or
        it runs still, or somebody was first, or it cannot be read.
        """
        path = self.path(ident)
        hold = self._held(path, ident)
        try:
            data = path.read_bytes()
            cut = _moment(path)
            journal, good = read_journal(data, progress)
            rest = data[good:]
            aside = path.with_suffix(DAMAGED) if b"\n" in rest else None
            if aside is not None:
                self.home.write(aside, data)
            if rest:
                self.home.write(path, data[:good])
        except (OSError, NotAJournal) as error:
            hold.release()
            raise NotRecovered(f"{path} cannot be read: {reason(error)}; it is left as it is") from error
        return Claim(path, hold, journal, cut, aside)

    def discard(self, ident: str, act: PersonAct) -> None:
        """Remove a conversation that was cut short, for good. Raises NotRecovered."""
        del act
        path = self.path(ident)
        hold = self._held(path, ident)
        try:
            path.unlink(missing_ok=True)
            hold.release(remove=True)
        except OSError as error:
            hold.release()
            raise NotRecovered(f"{path} cannot be removed: {error.strerror or error}") from error

    def _held(self, path: Path, ident: str) -> Hold:
        """Take the lock of a copy that is there. Raises NotRecovered."""
        if not path.exists():
            raise NotRecovered(_unknown(ident))
        try:
            hold = Hold.on(lock_of(path), wait=_WAIT_SECONDS)
        except Busy as error:
            raise NotRecovered(f"the conversation {ident} runs in another process, which has it") from error
        except OSError as error:
            raise NotRecovered(f"{path} cannot be taken: {error.strerror or error}") from error
        if not path.exists():  # whoever had it came to its end meanwhile
            hold.release(remove=True)
            raise NotRecovered(_unknown(ident))
        return hold

    def _copies(self) -> list[Path]:
        return [path for path in self.home.live.glob("*.jsonl") if _ID.fullmatch(path.stem)]

    def _listed(self, path: Path) -> CutShort | None:
        """Look at one copy; None where it is no conversation to go on with."""
        try:
            if is_held(lock_of(path)):
                return None
            cut, found = _moment(path), look(path.read_bytes())
        except (OSError, NotAJournal):
            return None
        if not self._worth(found):
            return None
        first = shorten(clean_line(found.first), SHOWN)
        directory, size = clean_line(found.directory), path.stat().st_size
        name = own_name(found.name)
        return CutShort(path.stem, name, cut, found.turns, first, directory, found.midway, size, found.sessions)

    def _worth(self, found: Look) -> bool:
        """Say whether a copy holds a turn that is not saved."""
        name = own_name(found.name)
        if not found.saved or name is None:
            return found.turns > 0
        return not files_of(self.home, called_now(self.home, name)).transcript.exists()


def own_name(name: str | None) -> str | None:
    """Return a name that a copy gives, where it is one that a conversation can have: a copy may be damaged."""
    return name if name is not None and NAME.fullmatch(name) else None


def lock_of(path: Path) -> Path:
    """Return the file whose lock says that a live copy's conversation runs."""
    return path.with_suffix(".lock")


def _moment(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).astimezone()


def _unknown(ident: str) -> str:
    return f"no conversation {ident!r:.40} was cut short, or somebody goes on with it; /sessions lists those that were"
