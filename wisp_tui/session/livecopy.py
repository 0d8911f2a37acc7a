"""The live copy of a running conversation: each change is in the file before anything else happens (docs/sessions.md).

It is not forced to the device with each change, which survives the death of the process; it is after each prompt and
each turn, beside the conversation, for the death of the machine. A disk that fails stops the copying, never a turn.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from wisp_tui.config.home import PRIVATE_FILE
from wisp_tui.context.journal import (
    NOTHING_UNSENT,
    Typed,
    Unsent,
    ended_line,
    entry_lines,
    facts_line,
    head_line,
    said_line,
    saved_line,
    sessions_line,
    summaries_line,
    typed_line,
    unsent_line,
)
from wisp_tui.context.record import EntryKind
from wisp_tui.facts import FactLedger, Scope, Summaries, write_summaries
from wisp_tui.facts.stored import write_fact
from wisp_tui.keeping import Busy
from wisp_tui.keeping.locking import Hold
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.live import Claim, LiveFolder, lock_of
from wisp_tui.text.ids import EntryId

EVERY_SECONDS = 0.2
"""How often a reply that streams is written."""
_NO_FACTS = FactLedger(Scope.THREAD)


class LiveCopy:
    """Copies one conversation, which has none yet, or goes on with the copy of one that was cut short, in its file.

    Nothing is on disk before the first prompt. Where the disk fails it is said once, and tried again, whole, at the end
    of each turn.
    """

    def __init__(self, conversation: Conversation, folder: LiveFolder, claim: Claim | None = None) -> None:
        self._held = conversation
        self._folder = folder
        self._path = claim.path if claim is not None else None
        self._lock = claim.hold if claim is not None else None
        self._file: int | None = None
        self._failed = False
        self._named = False
        """Whether the file's name was forced to the device too."""
        self._forget()
        if claim is None:
            self._start()
        else:
            self._follow()
            self._written = len(claim.journal.entries)
            self._facts, self._summaries = self._present
            self._guarded(lambda: self._go_on(claim.path))

    @property
    def ident(self) -> str | None:
        """The id of the copy; None while there is none."""
        return self._path.stem if self._path is not None else None

    # What happens -------------------------------------------------------------------------------------------------

    def said(self, text: str) -> None:
        """Take a fragment of the reply that streams."""
        self._said += text
        now = self._held.clock.elapsed()
        if self._file is not None and now - self._said_at >= EVERY_SECONDS:
            self._said_at = now
            self._append([said_line(self._said)])
            self._said = ""

    def typed(self, typed: Typed | None) -> None:
        """Take the beginning of a command that the person typed; with None, its end where it left no entry."""
        self._append([typed_line(typed)])

    def turn_ended(self) -> None:
        """Take the end of a turn."""
        self._said, self._said_at = "", float("-inf")
        if self._failed:
            self._try_again()
        self._append([ended_line(self._held.turn)])
        self._force()

    def caught_up(self) -> None:
        """Take what has changed of the facts and the summary."""
        self._append([])

    def saved(self, name: str) -> None:
        """Take that all until now is saved under a name."""
        self._append([saved_line(name)])

    def unsent(self, unsent: Unsent) -> None:
        """Take what the person has not sent yet."""
        if unsent != self._unsent:
            self._unsent = unsent
            self._append([unsent_line(unsent)])

    def restart(self) -> None:
        """Remove the copy, and begin anew with the conversation's present record."""
        self.close(remove=True)
        self._forget()
        self._start()

    def close(self, *, remove: bool) -> None:
        """Stop copying. Without ``remove`` the copy stays, to go on from."""
        self._held.record.follower = None
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self._lock is None:
            return
        lock, path, self._lock = self._lock, self._path, None
        with suppress(OSError):  # what cannot be removed is offered once more, and can be discarded then
            if remove and path is not None:
                path.unlink(missing_ok=True)
            lock.release(remove=remove)
        lock.release()

    # Writing ------------------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._written = 0
        self._facts: FactLedger = _NO_FACTS
        self._summaries = Summaries()
        self._said, self._said_at = "", float("-inf")
        self._unsent = NOTHING_UNSENT

    def _start(self) -> None:
        self._follow()
        if any(entry.kind is EntryKind.PROMPT for entry in self._held.record):
            self._begin()  # a saved conversation is copied before its next turn, in whose way that would be
            if self._held.name is not None:
                self.saved(self._held.name)

    def _follow(self) -> None:
        self._held.record.follower = self._changed

    def _changed(self, touched: Sequence[EntryId]) -> None:
        record = self._held.record
        kind = record.entry(touched[0]).kind
        if self._file is None and not self._failed:
            if kind is not EntryKind.PROMPT or touched[0] <= self._written:
                return
            self._begin()
        else:
            self._said = "" if kind is EntryKind.REPLY else self._said
            self._append(self._entries(touched))
        if kind is EntryKind.PROMPT:
            self._force()

    def _entries(self, touched: Sequence[EntryId]) -> list[bytes]:
        lines = list(entry_lines(self._held.record, touched, written=self._written, kept=self._held.kept))
        self._written = max(self._written, *touched)
        return lines

    def _begin(self) -> None:
        """Take the lock and write all there is."""
        self._guarded(self._write_whole)

    def _write_whole(self) -> None:
        held = self._held
        if self._lock is None:
            path = self._folder.path(secrets.token_hex(8))
            self._folder.home.live.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock, self._path = Hold.on(lock_of(path)), path
        if self._path is None:
            return
        self._facts, self._summaries, self._written = _NO_FACTS, Summaries(), 0
        sessions = [*held.carried_from, held.session]
        lines = [head_line(sessions, str(held.directory), held.name, held.kept)]
        lines += [*self._entries([entry.id for entry in held.record]), *self._more()]
        if self._unsent != NOTHING_UNSENT:
            lines.append(unsent_line(self._unsent))
        if self._path.exists():
            self._folder.home.write(self._path, b"".join(lines))
            self._open(self._path)
        else:
            self._open(self._path, os.O_CREAT | os.O_EXCL)
            self._append(lines)

    def _go_on(self, path: Path) -> None:
        """Open a copy as it is, and write into it who goes on, and what ended what was cut short."""
        self._open(path)
        added = [entry.id for entry in self._held.record][self._written :]
        lines = [sessions_line([*self._held.carried_from, self._held.session])]
        lines += self._entries(added) if added else []
        lines += [typed_line(None), ended_line(self._held.turn), unsent_line(NOTHING_UNSENT)]
        self._append(lines)

    def _open(self, path: Path, how: int = 0) -> None:
        if self._file is not None:
            os.close(self._file)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | how, PRIVATE_FILE)
        self._failed = self._named = False

    @property
    def _present(self) -> tuple[FactLedger, Summaries]:
        facts = self._held.facts
        return (facts.book.thread, facts.summaries) if facts is not None else (_NO_FACTS, Summaries())

    def _more(self) -> Iterator[bytes]:
        """Write the facts and the summary where they are not those that were written last."""
        facts, summaries = self._present
        if facts is not self._facts:
            changed = [fact for ident, fact in facts.facts.items() if self._facts.facts.get(ident) is not fact]
            unread = facts.unread if facts.unread != self._facts.unread else ()
            yield facts_line([*(write_fact(fact) for fact in changed), *unread], facts.last)
        if summaries is not self._summaries and summaries != self._summaries:
            yield summaries_line(write_summaries(summaries))
        self._facts, self._summaries = facts, summaries

    def _append(self, lines: Sequence[bytes]) -> None:
        file = self._file
        if file is not None and (data := b"".join([*self._more(), *lines])):
            self._guarded(lambda: _write_all(file, data))

    def _guarded(self, write: Callable[[], None]) -> None:
        """Write, or say once that it cannot be."""
        try:
            write()
        except (OSError, Busy) as error:
            if self._file is not None:
                os.close(self._file)
                self._file = None
            if not self._failed:
                self._failed = True
                self._held.note(
                    f"the conversation's live copy cannot be written: {_reason(error)}; a crash would lose what comes "
                    "from here on; /save NAME saves it, and each turn's end tries again",
                    "warning",
                )

    def _try_again(self) -> None:
        try:
            self._write_whole()
        except (OSError, Busy):
            return
        self._held.note("the conversation's live copy is written again")

    def _force(self) -> None:
        """Force what was written to the device, beside everything else."""
        with suppress(RuntimeError, OSError):  # without a loop nothing waits for it; a failing disk is met by a write
            if self._file is not None:
                loop = asyncio.get_running_loop()
                directory, self._named = (None if self._named else self._folder.home.live), True
                loop.run_in_executor(None, _forced, os.dup(self._file), directory)


def _forced(file: int, directory: Path | None) -> None:
    """Force a file to the device, and its name where its directory is given."""
    named = [] if directory is None else [os.open(directory, os.O_RDONLY | os.O_CLOEXEC)]
    for handle in (file, *named):
        try:
            with suppress(OSError):
                os.fsync(handle)
        finally:
            os.close(handle)


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _reason(error: OSError | Busy) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
