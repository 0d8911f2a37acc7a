"""What a client is told of changes: in the protocol's older era what it subscribed to, in the newer what it listens to.

A change is told by the address of what has changed, and read anew by whoever cares. Nothing is told to a client that
did not ask, but that the list of resources changed, which the older era's is told of always.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from mcp import MCPError
from mcp.server.session import ServerSession
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


@dataclass(slots=True)
class Changes:
    """Follows a session and its threads, and tells the client."""

    session: Session
    threads: Threads
    older: ServerSession | None = None
    """The way to a client of the older era, once it has said that it is there."""
    _bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    _subscribed: dict[str, Address] = field(default_factory=dict[str, Address])
    _happened: asyncio.Queue[ServerEvent] = field(default_factory=asyncio.Queue[ServerEvent])
    _tasks: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]])
    _listening: ListenHandler | None = None

    def start(self) -> None:
        """Follow from now until ``close``."""
        self.threads.changed = self._thread_changed
        self._tasks = [asyncio.create_task(self._follow()), asyncio.create_task(self._tell())]

    async def close(self) -> None:
        """Stop following, and end what the client listens to."""
        self.listening.close()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    @property
    def listening(self) -> ListenHandler:
        """What serves the streams of the newer era."""
        if self._listening is None:
            self._listening = ListenHandler(self._bus)
        return self._listening

    def subscribe(self, uri: str, client: ServerSession) -> None:
        """Tell a client of the older era of changes at an address. Raises BadUri."""
        self._subscribed[uri], self.older = read_address(uri), client

    def unsubscribe(self, uri: str) -> None:
        """Tell it no more."""
        self._subscribed.pop(uri, None)

    def _thread_changed(self, named: NamedThread) -> None:
        self._happened.put_nowait(ResourcesListChanged())
        for uri in (address("threads"), address("threads", named.name), address("status")):
            self._happened.put_nowait(ResourceUpdated(uri))

    async def _follow(self) -> None:
        with self.session.bus.subscribe() as events:
            async for event in events:
                for uri in changed_addresses(event, self.session, self.threads):
                    self._happened.put_nowait(ResourceUpdated(uri))

    async def _tell(self) -> None:
        while True:
            event = await self._happened.get()
            await self._bus.publish(event)
            with suppress(MCPError):  # the client has gone: so has whoever would read it
                await self._tell_older(event)

    async def _tell_older(self, event: ServerEvent) -> None:
        client = self.older
        if client is None:
            return
        if isinstance(event, ResourcesListChanged):
            await client.send_resource_list_changed()
        elif isinstance(event, ResourceUpdated):
            path = read_address(event.uri).path
            for uri in [uri for uri, subscribed in self._subscribed.items() if subscribed.path == path]:
                await client.send_resource_updated(uri)


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
