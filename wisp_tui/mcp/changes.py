"""What clients are told of changes: in the protocol's older era what it subscribed to, in the newer what it listens to.

A change is told by the address of what has changed, and read anew by whoever cares. Nothing is told to a client that
did not ask, but that the list of resources changed, which the older era's is told of always.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from mcp import MCPError
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)

from wisp_tui.events import FactsChanged, PendingChanged, TurnEnded, TurnStarted
from wisp_tui.events.bus import Event
from wisp_tui.mcp.shapes import fact_uri
from wisp_tui.mcp.thread_views import NEXT, VIEWS
from wisp_tui.mcp.threads import NamedThread, Threads
from wisp_tui.mcp.uris import Address, address, read_address
from wisp_tui.pending import FactRequest
from wisp_tui.session import Session

SUBSCRIPTIONS = 256
"""Addresses of whose changes a client of the older era is told at most."""


class TooMuch(Exception):
    """A client asks to be told of more than it can be; the message says of how much."""


class Way(Protocol):
    """The way to a client of the older era."""

    def send_resource_updated(self, uri: str) -> Awaitable[None]:
        """Tell it that a resource has changed."""
        ...

    def send_resource_list_changed(self) -> Awaitable[None]:
        """Tell it that the list of them has."""
        ...


@dataclass(slots=True)
class Told:
    """A client of the older era that is told. While it lags the same change waits once: it holds up nobody."""

    client: Way
    subscribed: dict[str, Address] = field(default_factory=dict[str, Address])
    _waiting: dict[ServerEvent, None] = field(default_factory=dict[ServerEvent, None])
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Tell it from now on what is put here."""
        self._task = asyncio.create_task(self._tell())

    async def stop(self) -> None:
        """Tell it no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def put(self, event: ServerEvent) -> None:
        """Let a change wait, when it is told of it."""
        if isinstance(event, ResourceUpdated):
            path = read_address(event.uri).path
            of = [uri for uri, address in self.subscribed.items() if address.path == path]
            self._waiting.update(dict.fromkeys(map(ResourceUpdated, of)))
        else:
            self._waiting[event] = None
        if self._waiting:
            self._news.set()

    async def _tell(self) -> None:
        while await self._news.wait():
            self._news.clear()
            while self._waiting:
                event = next(iter(self._waiting))
                del self._waiting[event]
                with suppress(MCPError):  # the client has gone: so has whoever would read it
                    await self._send(event)

    async def _send(self, event: ServerEvent) -> None:
        if isinstance(event, ResourcesListChanged):
            await self.client.send_resource_list_changed()
        elif isinstance(event, ResourceUpdated):
            await self.client.send_resource_updated(event.uri)


@dataclass(slots=True)
class Changes:
    """Follows a session and its threads, and tells the clients; one of the older era by its connection's key."""

    session: Session
    threads: Threads
    _bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    _older: dict[str, Told] = field(default_factory=dict[str, Told])
    _happened: asyncio.Queue[ServerEvent] = field(default_factory=asyncio.Queue[ServerEvent])
    _tasks: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]])
    _listening: ListenHandler | None = None

    def start(self) -> None:
        """Follow from now until ``close``."""
        self.threads.changed = self._thread_changed
        self._tasks = [asyncio.create_task(self._follow()), asyncio.create_task(self._publish())]

    async def close(self) -> None:
        """Stop following, and end what the clients listen to."""
        self.listening.close()
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for key in tuple(self._older):
            await self.forget(key)

    @property
    def listening(self) -> ListenHandler:
        """What serves the streams of the newer era."""
        if self._listening is None:
            self._listening = ListenHandler(self._bus)
        return self._listening

    def greet(self, key: str, client: Way) -> Told:
        """Tell a client of the older era from now on, until it is forgotten, that the list of resources changed."""
        told = self._older.get(key)
        if told is None:
            told = self._older[key] = Told(client)
            told.start()
        return told

    async def forget(self, key: str) -> None:
        """Tell a client nothing more: its connection is over."""
        told = self._older.pop(key, None)
        if told is not None:
            await told.stop()

    def subscribe(self, uri: str, key: str, client: Way) -> None:
        """Tell a client of the older era of changes at an address. Raises BadUri, TooMuch."""
        address, told = read_address(uri), self.greet(key, client)
        if len(told.subscribed) >= SUBSCRIPTIONS and uri not in told.subscribed:
            raise TooMuch(f"a client is told of changes at {SUBSCRIPTIONS} addresses at most; unsubscribe from one")
        told.subscribed[uri] = address

    def unsubscribe(self, uri: str, key: str) -> None:
        """Tell it no more."""
        told = self._older.get(key)
        if told is not None:
            told.subscribed.pop(uri, None)

    def _thread_changed(self, named: NamedThread) -> None:
        self._happened.put_nowait(ResourcesListChanged())
        for uri in (address("threads"), address("threads", named.name), address("status")):
            self._happened.put_nowait(ResourceUpdated(uri))

    async def _follow(self) -> None:
        with self.session.bus.subscribe() as events:
            async for event in events:
                for uri in changed_addresses(event, self.session, self.threads):
                    self._happened.put_nowait(ResourceUpdated(uri))

    async def _publish(self) -> None:
        while True:
            event = await self._happened.get()
            await self._bus.publish(event)
            for told in self._older.values():
                told.put(event)


def changed_addresses(event: Event, session: Session, threads: Threads) -> Iterator[str]:
    """Say what has changed with an event, by its addresses."""
    match event:
        case TurnStarted() | TurnEnded():
            for named in threads.open:
                if named.session == event.session:
                    yield from _of_turn(named)
            yield address("audit")
        case FactsChanged(session=of):
            yield address("facts")
            yield address("facts", "proposed")
            yield address("session", "facts")
            for named in threads.open:
                if of in (None, named.session):
                    yield from _of_facts(named)
        case PendingChanged():
            yield address("approvals")
            yield address("status")
            yield address("facts", "proposed")
            snapshot = session.waiting.snapshot
            for request in (*snapshot.waiting, *(request for request, _ in snapshot.settled)):
                if isinstance(request, FactRequest) and request.asker.thread is not None:
                    yield fact_uri(request.asker.thread, request.fact.id)
        case _:
            pass


def _of_turn(named: NamedThread) -> Iterator[str]:
    yield address("threads")
    yield address("threads", named.name)
    for view in VIEWS:
        yield address("threads", named.name, view)
    yield address("threads", named.name, "context", NEXT)


def _of_facts(named: NamedThread) -> Iterator[str]:
    yield address("threads", named.name, "facts")
    yield address("threads", named.name, "context", NEXT)
    keeper = named.thread.conversation.facts
    for ledger in (keeper.book.thread, keeper.book.session) if keeper is not None else ():
        for ident in ledger.facts:
            yield fact_uri(named.name, ident)
