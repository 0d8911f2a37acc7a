"""The permanent facts in ``facts.json``: read by every conversation, changed only by the person (spec "Facts")."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import TypeAlias

from wisp_tui.config import Home
from wisp_tui.facts import BadStored, Changed, FactLedger, PersonAct, Scope, read_ledger, write_ledger
from wisp_tui.keeping.locking import Busy, locked
from wisp_tui.keeping.watching import ticks
from wisp_tui.text.json import dump, load_object
from wisp_tui.text.reasons import reason

_Signature: TypeAlias = tuple[int, int, int]


class StoreError(Exception):
    """``facts.json`` cannot be read or written; the message says why. It is left as it is."""


class PermanentFacts:
    """The shared store of one home. Several processes may use it at once: each change is made on what is there then."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._read: tuple[_Signature, FactLedger] | None = None

    @property
    def path(self) -> Path:
        """The file: 0600, replaced whole on each change."""
        return self._home.root / "facts.json"

    def load(self) -> FactLedger:
        """Read the permanent facts; none for a file that is not there. Raises StoreError when it cannot be read.

        While the file is the same one, so is what is returned: it is replaced whole, never written to.
        """
        try:
            signature = self._signature()
            if self._read is None or self._read[0] != signature:
                self._read = (signature, self._parsed(self.path.read_bytes()))
        except FileNotFoundError:
            self._read = None
            return FactLedger(Scope.PERMANENT)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be read: {error.strerror or error}") from error
        return self._read[1]

    def change(self, act: PersonAct, edit: Callable[[FactLedger], Changed]) -> Changed:
        """Change the facts as the person asked, and write them before anybody sees them changed.

        ``edit`` is given the facts as they are now, under a lock between processes, and returns the changed book.
        Blocks for milliseconds, at most seconds while others write: from an event loop, use a thread.
        Raises StoreError, and what ``edit`` raises; then nothing is changed.
        """
        del act
        try:
            with locked(self._home.root / ".facts.lock"):
                before = self.load()
                changed = edit(before)
                after = changed.book.permanent
                if after is not before:
                    self._home.write(self.path, dump(write_ledger(after)) + b"\n")
                    self._read = (self._signature(), after)
        except (OSError, Busy) as error:
            raise StoreError(f"the fact was not kept: {self.path} cannot be written: {reason(error)}") from error
        return changed

    async def watch(self, stop: asyncio.Event | None = None) -> AsyncGenerator[FactLedger | StoreError]:
        """Yield the facts as they are now and each time they change, from whatever process, well within a second.

        A file that cannot be read is yielded as the error it is, once.
        """
        seen: FactLedger | str | None = None
        async with aclosing(ticks(self._home.root, stop)) as moments:
            async for _ in moments:
                try:
                    found = await asyncio.to_thread(self.load)
                except StoreError as error:
                    if str(error) != seen:
                        seen = str(error)
                        yield error
                    continue
                if found != seen:
                    seen = found
                    yield found

    def _signature(self) -> _Signature:
        status = self.path.stat()
        return status.st_ino, status.st_mtime_ns, status.st_size

    def _parsed(self, data: bytes) -> FactLedger:
        try:
            return read_ledger(Scope.PERMANENT, load_object(data))
        except (BadStored, ValueError) as error:
            raise StoreError(f"{self.path} cannot be read: {error}; it is left as it is") from error
