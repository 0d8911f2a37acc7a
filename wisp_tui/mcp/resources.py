"""The resources: which there are, and what reading one gives. Nothing here changes anything."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ParamSpec

from mcp import types

from wisp_tui import __version__
from wisp_tui.approval import ApprovalStore
from wisp_tui.approval.listing import approval_remarks
from wisp_tui.audit import read_events
from wisp_tui.config.fields import settings_by_name
from wisp_tui.facts import FactBook, Scope, UnknownFact, full
from wisp_tui.mcp.reading import (
    JSON,
    JSON_LINES,
    MARKDOWN,
    PLAIN,
    Content,
    NotThere,
    as_lines,
    as_object,
    as_rows,
    as_text,
    lines_of,
    unlisted,
)
from wisp_tui.mcp.thread_views import (
    ITEMS,
    VIEWS,
    conflicts_of,
    fact_row,
    thread_row,
    thread_shape,
)
from wisp_tui.mcp.threads import NamedThread, Threads, ThreadState
from wisp_tui.mcp.uris import Address, address
from wisp_tui.pending import CommandRequest, QuestionRequest
from wisp_tui.session import Session
from wisp_tui.session.callers import proposals
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.kept import Kept
from wisp_tui.text.ids import SessionId
from wisp_tui.text.json import Json, JsonObject, load
from wisp_tui.tools.listing import described, markdown
from wisp_tui.tools.registry import built_in

P = ParamSpec("P")

STATIC: Mapping[str, tuple[str, str]] = {
    "config": (JSON, "the settings in force, no secret shown"),
    "status": (JSON, "this server: its version, its directory, its threads, what waits for the person"),
    "tools": (JSON, "the tools a model can be given"),
    "tools.md": (MARKDOWN, "the same, as a page"),
    "approvals": (JSON, "the approvals that stand, and the commands and questions that wait for the person"),
    "audit": (JSON_LINES, "the audit log of this home, oldest first"),
    "threads": (JSON, "the threads of this server"),
    "facts": (JSON, "the permanent facts, which every conversation sees"),
    "facts/proposed": (JSON, "the facts that wait in their threads for the person to keep them"),
    "session/facts": (JSON, "the facts of the machine now, which every thread sees"),
}
_OF_A_THREAD: Mapping[str, tuple[str, str]] = {
    "context": (JSON, "what each turn's request carried, and what the next one would"),
    "facts": (JSON, "its own facts"),
    "summary": (JSON, "the running summary of the turns that left its context"),
    "output": (JSON, "its outputs"),
    "reasoning": (JSON, "what the model thought"),
    "audit": (JSON_LINES, "its part of the audit log"),
}
_TEMPLATES: tuple[tuple[str, str, str], ...] = (
    ("threads/{thread_id}", JSON, "a thread"),
    *(
        (f"threads/{{thread_id}}/{name}{{?all,page}}", mime, f"of a thread: {what}")
        for name, (mime, what) in _OF_A_THREAD.items()
    ),
    ("threads/{thread_id}/context/{turn}{?page}", MARKDOWN, "what a turn's request carried; next: the next one's"),
    ("threads/{thread_id}/facts/{fact_id}", JSON, "a fact with its history and the request to keep it"),
    ("threads/{thread_id}/output/{id}{?page}", PLAIN, "an output, whole"),
    ("facts/{fact_id}", JSON, "a permanent fact with its history"),
    ("audit/{session}{?page}", JSON_LINES, "the audit log of one session"),
)


@dataclass(slots=True)
class Resources:
    """What a client may read of a session and of its threads."""

    session: Session
    threads: Threads

    def listed(self) -> Iterator[types.Resource]:
        """List the resources there are now."""
        for name, (mime, what) in STATIC.items():
            yield types.Resource(name=name, uri=address(*name.split("/")), description=what, mime_type=mime)
        for named in self.threads.open:
            yield types.Resource(
                name=named.name, uri=address("threads", named.name), description="a thread", mime_type=JSON
            )
            for name, (mime, what) in _OF_A_THREAD.items():
                uri = address("threads", named.name, name)
                yield types.Resource(name=f"{named.name}/{name}", uri=uri, description=what, mime_type=mime)

    @staticmethod
    def templates() -> list[types.ResourceTemplate]:
        """List the kinds of resource there are."""
        return [
            types.ResourceTemplate(
                name=template.partition("{?")[0], uri_template=f"wisp://{template}", description=what, mime_type=mime
            )
            for template, mime, what in _TEMPLATES
        ]

    async def read(self, asked: Address) -> Content:
        """Read a resource. Raises NotThere, NoSuchPage, ThreadFault.

        What takes files to read is read beside the event loop.
        """
        match asked.path:
            case ("threads", name, *rest):
                return await self._of_thread(asked, name, rest)
            case ("facts", ident) if ident != "proposed":
                return self._permanent_fact(ident)
            case ("audit", session):
                return await asyncio.to_thread(self._audit, asked, SessionId(session))
            case _:
                reader = self._readers().get("/".join(asked.path))
                if reader is None:
                    raise unlisted(asked, [address(*name.split("/")) for name in STATIC])
                return await asyncio.to_thread(reader, asked)

    def _readers(self) -> Mapping[str, Callable[[Address], Content]]:
        return {
            "config": self._config,
            "status": self._status,
            "tools": self._tools,
            "tools.md": self._tools_page,
            "approvals": self._approvals,
            "audit": lambda asked: self._audit(asked, None),
            "threads": lambda asked: as_rows(asked, "threads", map(thread_row, self.threads.all)),
            "facts": lambda asked: self._shared(asked, Scope.PERMANENT),
            "facts/proposed": self._proposed,
            "session/facts": lambda asked: self._shared(asked, Scope.SESSION),
        }

    async def _of_thread(self, asked: Address, name: str, rest: list[str]) -> Content:
        named = self.threads.find(name)
        match rest:
            case []:
                return as_object(thread_shape(named))
            case ["audit"] if named.state is not ThreadState.OPEN:
                return await asyncio.to_thread(self._audit, asked, named.session)
            case [view] if view in VIEWS:
                return await _in_its_place(view, VIEWS[view], named, asked)
            case [view, ident] if view in ITEMS:
                return await _in_its_place(view, ITEMS[view], named, asked, ident)
            case _:
                raise unlisted(asked, [address("threads", named.name, view) for view in VIEWS])

    # The program ----------------------------------------------------------------------------------------------------

    def _config(self, asked: Address) -> Content:
        del asked
        settings = self.session.settings
        shown: dict[str, Json] = {}
        for setting in settings_by_name().values():
            words = setting.shown(setting.value(settings))
            shown[setting.name] = words if setting.secret and words != "null" else load(words)
        return as_object({"file": str(self.session.home.config), "settings": shown})

    def _status(self, asked: Address) -> Content:
        del asked
        snapshot, threads = self.session.waiting.store.snapshot(), self.threads
        return as_object(
            {
                "version": __version__,
                "process": os.getpid(),
                "home": str(self.session.home.root),
                "directory": str(self.session.directory),
                "model": threads.model or self.session.settings.model,
                "clients": list(threads.clients),
                "threads": {"open": len(threads.open), "most": threads.limit, "uri": address("threads")},
                "approval": {
                    "threshold": self.session.settings.approval.threshold,
                    "timeoutSeconds": self.session.settings.approval.timeout_seconds,
                },
                "waiting": len(snapshot.waiting),
                "audit": self.session.settings.audit.enabled,
                "facts": self.session.settings.facts.enabled,
                "fault": self.session.facts.fault,
                "repaired": list(self.session.repaired),
            }
        )

    def _tools(self, asked: Address) -> Content:
        settings = self.session.settings
        tools = built_in(settings, self.session.home)
        rows = (described(tool.spec, disabled=name in settings.tools.disabled) for name, tool in tools.items())
        return as_rows(asked, "tools", rows)

    def _tools_page(self, asked: Address) -> Content:
        settings = self.session.settings
        page = markdown(built_in(settings, self.session.home), settings.tools.disabled)
        return as_text(asked, lines_of(page), MARKDOWN)

    def _approvals(self, asked: Address) -> Content:
        listing = ApprovalStore(self.session.home).list()
        rows: Iterator[JsonObject] = (
            {
                "id": standing.id,
                "pattern": str(standing.coverage.pattern),
                "directory": standing.coverage.directory,
                "granted": standing.granted.isoformat(),
                "expires": standing.expires.isoformat(),
            }
            for standing in listing.approvals
        )
        found = self.session.waiting.store.snapshot().waiting
        waiting: list[Json] = [
            {"id": request.id, **request.shown, "asked": request.asked.isoformat(), "until": request.until.isoformat()}
            for request in found
            if isinstance(request, CommandRequest)
        ]
        questions: list[Json] = [
            {"id": request.id, **request.shown, "asked": request.asked.isoformat()}
            for request in found
            if isinstance(request, QuestionRequest)
        ]
        more: JsonObject = {"waiting": waiting, "questions": questions, "remarks": list(approval_remarks(listing))}
        return as_rows(asked, "approvals", rows, None, more)

    def _audit(self, asked: Address, session: SessionId | None) -> Content:
        directory = self.session.home.logs
        lines = (event.line() for event in read_events(directory) if session is None or event.session == session)
        content = as_lines(asked, lines)
        if session is not None and not content.text:
            raise NotThere(f"the audit log has no session {session!r:.40}")
        return content

    # Facts ----------------------------------------------------------------------------------------------------------

    def _book(self) -> FactBook:
        shared = self.session.facts
        if not self.session.threads:
            shared.load()
        return FactBook(session=shared.session, permanent=shared.permanent)

    def _shared(self, asked: Address, scope: Scope) -> Content:
        """Give the facts that every thread sees. Those of the session have no address but a thread's."""
        book = self._book()
        ledger = book.ledger(scope)
        facts = (ledger.facts if asked.everything else ledger.current).values()
        rows = (
            {**full(book, fact), "uri": address("facts", fact.id) if scope is Scope.PERMANENT else asked.uri}
            for fact in facts
        )
        return as_rows(asked, "facts", rows, None, {"conflicts": conflicts_of(book)})

    def _permanent_fact(self, ident: str) -> Content:
        book = self._book()
        try:
            fact = book.fact(ident)
        except UnknownFact as error:
            raise NotThere(f"there is no permanent fact {ident!r:.40}; {address('facts')} lists them") from error
        if fact.scope is not Scope.PERMANENT:
            raise NotThere(f"{ident} is no permanent fact: it is read under its thread")
        versions = (fact, *book.history(fact.topic))
        shown, *history = [{**full(book, each), "uri": address("facts", each.id)} for each in versions]
        return as_object({"fact": shown, "history": history, "request": None})

    def _proposed(self, asked: Address) -> Content:
        pending = self.session.waiting.store
        found = pending.snapshot()
        rows: Iterator[JsonObject] = (
            {"thread_id": named.name, **fact_row(named, Kept(held).book, fact, pending)}
            for named, held in self._held()
            if named.asker is not None
            for fact in proposals(held, found, named.asker)
        )
        return as_rows(asked, "facts", rows, None, {"conflicts": []})

    def _held(self) -> Iterator[tuple[NamedThread, Conversation]]:
        for named in self.threads.open:
            yield named, named.thread.conversation


async def _in_its_place(view: str, read: Callable[P, Content], *given: P.args, **named: P.kwargs) -> Content:
    """Read beside the event loop what takes files; a context is composed on it, whose the composer is."""
    return read(*given, **named) if view == "context" else await asyncio.to_thread(read, *given, **named)
