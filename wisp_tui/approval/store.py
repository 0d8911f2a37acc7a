"""The standing approvals, in ``approvals.json``: thirty days each; listed, revoked, cleared by several processes."""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from wisp_tui.approval.base import Answer, Level
from wisp_tui.approval.patterns import BadPattern, Pattern
from wisp_tui.approval.verdict import Part
from wisp_tui.config import Home
from wisp_tui.text.json import Json, JsonObject, dump, load_object

LIFETIME = timedelta(days=30)
VERSION = 1


@dataclass(frozen=True, slots=True)
class Coverage:
    """What an approval covers. ``directory``: the only one it holds in; None for anywhere."""

    pattern: Pattern
    directory: str | None

    def covers(self, part: Part) -> bool:
        """Whether it covers a command: one that is no more than its words, not dangerous, and where it was granted.

        A command that runs what is in its directory is covered only by an approval granted in that directory.
        """
        if part.pattern is None or part.level is Level.DANGEROUS or not self.pattern.covers(part.words):
            return False
        return part.directory == self.directory or (self.directory is None and not part.local)


@dataclass(frozen=True, slots=True)
class Standing:
    """An approval that outlives its session."""

    id: str
    coverage: Coverage
    granted: datetime
    expires: datetime

    @property
    def anywhere(self) -> bool:
        """Whether it holds in every directory."""
        return self.coverage.directory is None


@dataclass(frozen=True, slots=True)
class Listing:
    """What the store holds: the approvals in force, and how many it holds besides: expired, or not understood."""

    approvals: tuple[Standing, ...]
    expired: int = 0
    strange: int = 0
    fault: str | None = None
    """Why the file is not used at all; None when it is."""


class ApprovalStore:
    """The approvals of one home. Each change is a whole new file, made under a lock."""

    def __init__(
        self,
        home: Home,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = lambda: secrets.token_hex(4),
    ) -> None:
        self.path = home.root / "approvals.json"
        self._home = home
        self._now = now
        self._new_id = new_id

    def list(self) -> Listing:
        """Read what is in force. A file that others may write, or that is no JSON, is not used and says why."""
        try:
            written = self._read()
        except FileNotFoundError:
            return Listing(())
        except (OSError, ValueError) as error:
            return Listing((), fault=f"{self.path} is not used: {error}")
        understood = [standing for standing in map(_standing, written) if standing is not None]
        now = self._now()
        in_force = tuple(one for one in understood if one.granted <= now < one.expires)
        return Listing(in_force, expired=len(understood) - len(in_force), strange=len(written) - len(understood))

    def covering(self, part: Part) -> Standing | None:
        """Find an approval in force that covers a command."""
        return next((standing for standing in self.list().approvals if standing.coverage.covers(part)), None)

    def grant(self, part: Part, scope: Answer) -> Standing:
        """Keep an approval for thirty days: in this directory (``project``) or anywhere (``always``).

        Raises ValueError for a command that is not kept, OSError when it cannot be written.
        """
        anywhere = scope is Answer.ALWAYS
        if part.pattern is None or part.level is Level.DANGEROUS or (anywhere and part.local):
            raise ValueError(f"{part.command} is not approved beyond the session")
        now = self._now()
        coverage = Coverage(part.pattern, None if anywhere else part.directory)
        standing = Standing(self._new_id(), coverage, now, now + LIFETIME)
        with self._locked():
            kept = [record for record in self._kept() if (one := _standing(record)) is None or one.coverage != coverage]
            self._write([*kept, _written(standing)])
        return standing

    def revoke(self, ident: str) -> Standing | None:
        """Take an approval back by its id, and return it; None when there is none. Raises OSError."""
        with self._locked():
            kept = self._kept()
            rest = [record for record in kept if record.get("id") != ident]
            if len(rest) == len(kept):
                return None
            self._write(rest)
        return next((_standing(record) for record in kept if record.get("id") == ident), None)

    def clear(self) -> int:
        """Take every approval back, and return how many there were. Raises OSError."""
        with self._locked():
            number = len(self._kept())
            self._write([])
        return number

    # The file -------------------------------------------------------------------------------------------------------

    def _read(self) -> list[JsonObject]:
        """Read the records. Raises FileNotFoundError, OSError, and ValueError for a file not to be trusted."""
        status = self.path.stat()
        if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise ValueError("others than you may write it")
        approvals = load_object(self.path.read_bytes()).get("approvals", [])
        if not isinstance(approvals, list):
            raise ValueError("its approvals are no list")  # a fault of the file, not of the program
        return [dict(record) for record in approvals if isinstance(record, dict)]

    def _kept(self) -> list[JsonObject]:
        """The records to carry into a new file. One that is not to be trusted is set aside, not carried."""
        try:
            return self._read()
        except FileNotFoundError:
            return []
        except ValueError:
            self.path.replace(self.path.with_name(f"approvals.unused-{self._new_id()}.json"))
            return []

    def _write(self, records: list[JsonObject]) -> None:
        value: Json = {"version": VERSION, "approvals": records}
        self._home.write(self.path, dump(value) + b"\n")

    @contextmanager
    def _locked(self) -> Generator[None]:
        self._home.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self._home.root / ".approvals.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _written(standing: Standing) -> JsonObject:
    return {
        "id": standing.id,
        "pattern": str(standing.coverage.pattern),
        "directory": standing.coverage.directory,
        "granted": standing.granted.isoformat(),
        "expires": standing.expires.isoformat(),
    }


def _standing(record: JsonObject) -> Standing | None:
    """Read a record; None for one of another shape, which is kept, counted and never in force."""
    ident, pattern, directory = record.get("id"), record.get("pattern"), record.get("directory")
    granted, expires = record.get("granted"), record.get("expires")
    if not (
        isinstance(ident, str)
        and isinstance(pattern, str)
        and (directory is None or isinstance(directory, str))
        and "directory" in record
        and isinstance(granted, str)
        and isinstance(expires, str)
    ):
        return None
    try:
        times = [datetime.fromisoformat(text) for text in (granted, expires)]
        if any(time.tzinfo is None for time in times):
            return None
        return Standing(ident, Coverage(Pattern.read(pattern), directory), times[0], times[1])
    except (ValueError, BadPattern):
        return None
