"""The threads that clients hold by name: opened, used in order, closed, and let go when there are too many."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import count

from wisp_tui.config import ConfigError
from wisp_tui.mcp.approving import ClientsPerson
from wisp_tui.mcp.asking import ClientsLine
from wisp_tui.mcp.parking import Parking
from wisp_tui.models import ModelError
from wisp_tui.pending import Asker, this_process
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.text.ids import SessionId, ThreadId
from wisp_tui.tools.registry import UnknownTool

_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
KEPT_PAST = 256
"""Threads that have ended and are still listed."""
KEPT_CLIENTS = 16
"""Clients that are still named."""


class ThreadFault(Exception):
    """A thread cannot be had, or used as asked; the message says why and what to do."""


class ThreadState(StrEnum):
    """Whether a thread can be used."""

    OPEN = "open"
    CLOSED = "closed"
    EVICTED = "evicted"


@dataclass(frozen=True, slots=True)
class Opening:
    """What may be said when a thread starts, and only then. None leaves it as it is set up."""

    model: str | None = None
    instructions: str | None = None
    tools: tuple[str, ...] | None = None


@dataclass(slots=True)
class NamedThread:
    """A thread by its name, whether it is still open or not. What it holds is let go when it ends."""

    name: ThreadId
    session: SessionId
    opening: Opening
    created: datetime
    last_active: datetime
    state: ThreadState = ThreadState.OPEN
    model: str | None = None
    turns: int = 0
    asker: Asker | None = None
    """Who it is to the person that is asked."""
    line: ClientsLine | None = None
    _thread: Thread | None = None
    _order: asyncio.Lock = field(default_factory=asyncio.Lock)
    calls: int = 0
    """How many calls run on it or wait for their turn."""
    use: int = 0
    """Which use of all threads its last one was: the higher, the later."""

    @property
    def thread(self) -> Thread:
        """The conversation. Raises ThreadFault when the thread has ended."""
        if self._thread is None:
            raise ThreadFault(f"the thread {self.name} was {self.state}")
        return self._thread

    @asynccontextmanager
    async def in_order(self) -> AsyncGenerator[None]:
        """Wait until the calls before this one are done, and keep those after it waiting."""
        self.calls += 1
        try:
            async with self._order:
                yield
        finally:
            self.calls -= 1

    def used(self, now: datetime) -> None:
        """Take note that something happened on it."""
        self.last_active = now
        if self._thread is not None:
            held = self._thread.conversation
            self.model, self.turns = (held.resolved.id if held.resolved else None), held.turn

    def take(self, thread: Thread) -> None:
        """Take the conversation it stands for."""
        self._thread = thread

    async def leave(self) -> None:
        """Take back what its model asked and nobody has answered."""
        if self.line is not None and self.line.parking is not None:
            await self.line.parking.close()

    def release(self, state: ThreadState) -> Thread:
        """Let go of the conversation; the thread is only listed from now on."""
        thread = self.thread
        self.state, self._thread, self.line = state, None, None
        return thread


@dataclass(slots=True)
class Threads:
    """One server's threads over one session, which its clients share.

    ``limit`` are open at most; ``changed`` is told when the list changes.
    """

    session: Session
    limit: int
    model: str | None = None
    """The model of threads that name none; None for the settings'."""
    clients: tuple[str, ...] = ()
    """Who was served, as they call themselves, the latest last."""
    changed: Callable[[NamedThread], None] = lambda named: None
    _named: dict[str, NamedThread] = field(default_factory=dict[str, NamedThread])
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _uses: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def all(self) -> tuple[NamedThread, ...]:
        """Every thread that is listed, the oldest first."""
        return tuple(self._named.values())

    @property
    def open(self) -> tuple[NamedThread, ...]:
        """The threads that can be used."""
        return tuple(named for named in self._named.values() if named.state is ThreadState.OPEN)

    def find(self, name: str) -> NamedThread:
        """Return a thread, open or not. Raises ThreadFault."""
        found = self._named.get(checked_name(name))
        if found is None:
            raise ThreadFault(f"there is no thread {name}; wisp://threads lists them")
        return found

    def find_open(self, name: str) -> NamedThread:
        """Return a thread that can be used. Raises ThreadFault."""
        found = self.find(name)
        if found.state is not ThreadState.OPEN:
            raise ThreadFault(f"the thread {name} was {found.state}")
        return found

    @asynccontextmanager
    async def using(
        self, name: str | None, opening: Opening, client: str | None
    ) -> AsyncGenerator[tuple[NamedThread, bool]]:
        """Have a thread to oneself, in order; it is opened where there is none, which the second value says.

        Raises ThreadFault, and ModelError for a new one whose model cannot be used: then it is not there.
        """
        given = checked_name(name) if name is not None else ThreadId(f"t-{secrets.token_hex(4)}")
        while True:
            named, created = await self._opened(given, opening, client)
            async with named.in_order():
                if named.state is not ThreadState.OPEN:
                    continue  # it was closed while this call waited: the name is free again
                if created:
                    await self._begin(named)
                self.touch(named)
                try:
                    yield named, created
                finally:
                    self.touch(named)
                return

    async def close(self, name: str) -> NamedThread:
        """Close a thread once the calls before are done. Raises ThreadFault."""
        named = self.find_open(name)
        async with named.in_order():
            self.find_open(name)
            await self._end(named, ThreadState.CLOSED)
        return named

    async def leave(self) -> None:
        """Take back what the models of all threads asked and nobody has answered: the server ends."""
        for named in self.open:
            await named.leave()

    def touch(self, named: NamedThread) -> None:
        """Take note that a thread was used now."""
        named.use = next(self._uses)
        named.used(self._now())

    def met(self, client: str) -> None:
        """Take note of a client that was served."""
        if self.clients[-1:] != (client,):
            self.clients = (*(known for known in self.clients if known != client), client)[-KEPT_CLIENTS:]

    async def _opened(self, name: ThreadId, opening: Opening, client: str | None) -> tuple[NamedThread, bool]:
        async with self._opening:
            found = self._named.get(name)
            if found is not None and found.state is ThreadState.OPEN:
                _check_same(found, opening)
                return found, False
            await self._make_room()
            return self._open(name, opening, client), True

    def _open(self, name: ThreadId, opening: Opening, client: str | None) -> NamedThread:
        line = ClientsLine(float(self.session.settings.approval.timeout_seconds))
        person = ClientsPerson(self.session.waiting.store, line)
        options = ThreadOptions(opening.model or self.model, opening.instructions, opening.tools, asker=person)
        try:
            thread = self.session.new_thread(options)
        except (UnknownTool, ConfigError) as error:
            raise ThreadFault(str(error)) from error
        now, session = self._now(), thread.conversation.session
        asker = this_process(session, name, client)
        named = NamedThread(name, session, opening, now, now, asker=asker, line=line)
        named.take(thread)
        person.serve(thread.conversation, asker)
        thread.conversation.person = line
        line.asking = thread.conversation.asking
        line.parking = Parking(self.session.waiting.store, thread.conversation, asker)
        self._named.pop(name, None)  # an older one of the name makes way, also in the order of the list
        self._named[name] = named
        self.changed(named)
        return named

    async def _begin(self, named: NamedThread) -> None:
        """Have the model ready before anything is asked of it; without it the thread is taken back."""
        try:
            await named.thread.ready()
        except ModelError:
            await self._end(named, ThreadState.CLOSED)
            self._named.pop(named.name, None)
            raise

    async def _make_room(self) -> None:
        """Let the least recently used threads go that nobody uses. Raises ThreadFault when all are in use."""
        while len(self.open) >= self.limit:
            idle = [named for named in self.open if not named.calls]
            if not idle:
                raise ThreadFault(f"all {self.limit} threads are in use (mcp.maxThreads); wait for one, or close one")
            await self._end(min(idle, key=lambda named: named.use), ThreadState.EVICTED)
        past = [named.name for named in self._named.values() if named.state is not ThreadState.OPEN]
        for name in past[: max(len(past) - KEPT_PAST, 0)]:
            del self._named[name]

    async def _end(self, named: NamedThread, state: ThreadState) -> None:
        named.used(named.last_active if state is ThreadState.EVICTED else self._now())
        await named.leave()
        thread = named.release(state)
        self.changed(named)
        await self.session.end(thread)

    def _now(self) -> datetime:
        return self.session.clock.now()


def checked_name(name: str) -> ThreadId:
    """Check a thread's name. Raises ThreadFault."""
    if _NAME.fullmatch(name) is None or not name.strip("."):
        raise ThreadFault(
            f"{name!r:.80} is no thread's name: 1 to 64 letters, digits, dots, underscores and hyphens, not dots alone"
        )
    return ThreadId(name)


def _check_same(named: NamedThread, opening: Opening) -> None:
    """Hold that what is only said when a thread starts is not said otherwise later. Raises ThreadFault."""
    for field_name in ("model", "instructions", "tools"):
        given = getattr(opening, field_name)
        if given is not None and given != getattr(named.opening, field_name):
            raise ThreadFault(
                f"{field_name} is settled when a thread starts, and {named.name} has: leave it out, close the thread, "
                "or use another"
            )
