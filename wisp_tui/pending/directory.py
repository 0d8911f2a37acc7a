"""The files of ``pending/``: what is there, read again only when it changed, and how an answer gets there first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from wisp_tui.keeping.locking import locked
from wisp_tui.pending.files import TEMPORARY, write_once
from wisp_tui.pending.requests import (
    CommandRequest,
    FactRequest,
    Outcome,
    QuestionRequest,
    Request,
    Unreadable,
    read_outcome,
    read_request,
)
from wisp_tui.text.json import dump, load_object

_ID = re.compile(r"[0-9a-f]{8}")
_ANSWER = ".answer.json"
_SUFFIXES = (FactRequest.SUFFIX, CommandRequest.SUFFIX, QuestionRequest.SUFFIX)
_Signature: TypeAlias = tuple[int, int, int]


class UnknownRequest(Exception):
    """No request of this id is there."""

    def __init__(self, ident: str) -> None:
        super().__init__(f"no request {ident!r:.40} waits; `wisp facts pending` lists those that do")
        self.ident = ident


class AlreadySettled(Exception):
    """Somebody was first; ``outcome`` says how it was settled."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"request {outcome.id} {outcome.words}")
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The directory at one moment: what waits, the oldest first; what was settled; what cannot be read."""

    waiting: tuple[Request, ...] = ()
    settled: tuple[tuple[Request, Outcome], ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(slots=True)
class PendingDirectory:
    """One home's ``pending/``, 0700, its files 0600. A file there is written once and never changed."""

    path: Path
    _requests: dict[Path, tuple[_Signature, Request | Unreadable]] = field(
        default_factory=dict[Path, tuple[_Signature, Request | Unreadable]]
    )

    def prepare(self) -> None:
        """Create the directory if need be. Raises OSError."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def locked(self) -> AbstractContextManager[None]:
        """Hold the directory while something is asked or answered. Raises Busy, OSError."""
        self.prepare()
        return locked(self.path / ".lock")

    def add(self, request: Request) -> bool:
        """Write a request under its id; False when the id is taken. Raises OSError."""
        if any(self._file(request.id, suffix).exists() for suffix in (*_SUFFIXES, _ANSWER)):
            return False
        return write_once(self._file(request.id, request.SUFFIX), dump(request.written()) + b"\n")

    def settle(self, outcome: Outcome) -> Outcome:
        """Write an answer. Raises AlreadySettled when one is there, OSError."""
        if not write_once(self._file(outcome.id, _ANSWER), dump(outcome.written()) + b"\n"):
            first = self.outcome(outcome.id)
            if first is not None:
                raise AlreadySettled(first)
        return outcome

    def request(self, ident: str) -> Request:
        """Read a request anew, whether it waits or not. Raises UnknownRequest."""
        for suffix in _SUFFIXES:
            path = self._file(ident, suffix)
            self._requests.pop(path, None)
            found = self._load(path)
            if found is not None and not isinstance(found, Unreadable):
                return found
        raise UnknownRequest(ident)

    def outcome(self, ident: str) -> Outcome | None:
        """Read how a request was settled; None while it waits.

        Raises UnknownRequest for an answer that cannot be read: what it settled is then not known.
        """
        try:
            return read_outcome(load_object(self._file(ident, _ANSWER).read_bytes()))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise UnknownRequest(ident) from error

    def snapshot(self) -> Snapshot:
        """Read the directory. A file that cannot be read is named and left as it is."""
        waiting: list[Request] = []
        settled: list[tuple[Request, Outcome]] = []
        unreadable: list[Unreadable] = []
        for path in self._files():
            found = self._load(path)
            if isinstance(found, Unreadable):
                unreadable.append(found)
            elif found is not None:
                try:
                    outcome = self.outcome(found.id)
                except UnknownRequest:
                    unreadable.append(Unreadable(self._file(found.id, _ANSWER), "it is no answer"))
                    continue
                if outcome is None:
                    waiting.append(found)
                else:
                    settled.append((found, outcome))
        waiting.sort(key=lambda request: (request.asked, request.id))
        return Snapshot(tuple(waiting), tuple(settled), tuple(unreadable))

    def forget(self, ident: str) -> None:
        """Remove a request and its answer."""
        for suffix in (*_SUFFIXES, _ANSWER):
            self._file(ident, suffix).unlink(missing_ok=True)

    def forget_unfinished(self, before: datetime) -> None:
        """Remove what a process that died left half written before a time."""
        for path in self.path.glob(f"{TEMPORARY}*"):
            if datetime.fromtimestamp(path.stat().st_mtime, UTC) < before:
                path.unlink(missing_ok=True)

    def _file(self, ident: str, suffix: str) -> Path:
        """Return the path of a file. Raises UnknownRequest for what is no id, so that no other path is ever made."""
        if _ID.fullmatch(ident) is None:
            raise UnknownRequest(ident)
        return self.path / f"{ident}{suffix}"

    def _files(self) -> Iterator[Path]:
        """Find the requests' files, by name; the directory may not be there yet."""
        if self.path.is_dir():
            yield from sorted(
                path
                for path in self.path.iterdir()
                if path.name.endswith(_SUFFIXES) and _ID.fullmatch(path.name.partition(".")[0]) is not None
            )

    def _load(self, path: Path) -> Request | Unreadable | None:
        """Read a request's file, or return what was read of it when it is the same; None when it is gone."""
        try:
            status = path.stat()
            signature = (status.st_ino, status.st_mtime_ns, status.st_size)
            known = self._requests.get(path)
            if known is not None and known[0] == signature:
                return known[1]
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        found = _read(path, data)
        self._requests[path] = (signature, found)
        return found


def _read(path: Path, data: bytes) -> Request | Unreadable:
    try:
        request = read_request(load_object(data))
    except ValueError as error:
        return Unreadable(path, str(error))
    if path.name != f"{request.id}{request.SUFFIX}":
        return Unreadable(path, "its name is not its id's")
    return request
