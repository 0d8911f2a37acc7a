"""The server: the SDK's, its handlers those of its clients over one session."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeAlias

from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from starlette.requests import Request

from wisp_tui import __version__
from wisp_tui.keeping import Busy
from wisp_tui.mcp.asking import AskClient, Form, Reply
from wisp_tui.mcp.calls import Call, CallGone, Calls, reply_of, written
from wisp_tui.mcp.changes import Changes, TooMuch
from wisp_tui.mcp.paging import ROWS, NoSuchPage
from wisp_tui.mcp.reading import NotThere
from wisp_tui.mcp.resources import Resources
from wisp_tui.mcp.respond import Caller, NoSuchTool, Tools, failed
from wisp_tui.mcp.threads import ThreadFault, Threads
from wisp_tui.mcp.tools import definitions
from wisp_tui.mcp.uris import SHOWN, BadUri, read_address
from wisp_tui.session import Session
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import shorten

Context: TypeAlias = "ServerRequestContext[dict[str, Any], Request]"

SESSION_HEADER = "mcp-session-id"
"""What names a connection of the older era over HTTP."""
CLIENT = 80
"""Characters of a client's name that the person is shown."""
INSTRUCTIONS = (
    "wisp answers with a model on this machine. respond runs a turn of a thread; what could do harm asks the person, "
    "who answers in the client or in wisp, never over a tool. wisp://threads lists the threads, and under each are its "
    "context, facts, outputs and audit."
)


class _Server(Server[dict[str, Any]]):
    """A server that says of itself, whoever asks it, that it tells when the list of resources changes."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Say what a client of the older era is told the server can do."""
        told = notification_options or NotificationOptions(resources_changed=True)
        return super().create_initialization_options(told, experimental_capabilities, extensions)


class Face:
    """What clients are served with, their threads shared, while it is entered, which ends before the session does."""

    def __init__(self, session: Session, model: str | None = None) -> None:
        self.session = session
        self.threads = Threads(session, session.settings.mcp.max_threads, model)
        self._tools = Tools(session, self.threads)
        self._resources = Resources(session, self.threads)
        self._changes = Changes(session, self.threads)
        self._calls = Calls()

    async def __aenter__(self) -> Self:
        await self._sweep()
        self.session.waiting.watch()
        self._changes.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.finish()

    async def finish(self) -> None:
        """End the calls under way: each turn ends as one that was stopped, nothing of it lost."""
        await self._calls.close()
        await self.threads.leave()
        await self._changes.close()

    async def forget(self, connection: str) -> None:
        """Take note that a connection of the older era is over, by its session's id."""
        await self._changes.forget(connection)

    async def _sweep(self) -> None:
        """Clear ``pending/`` of what processes that are gone have asked; what cannot be cleared is no fault here."""
        with suppress(OSError, Busy):
            await asyncio.to_thread(self.session.waiting.store.sweep, self.session.clock.now())

    def server(self) -> Server[dict[str, Any]]:
        """Make the server."""
        server = _Server(
            "wisp",
            version=__version__,
            title="wisp",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._changes.listening,
        )
        server.add_notification_handler("notifications/initialized", types.NotificationParams, self._greet)
        return server

    async def _list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        del context
        _place(params, 0)
        return types.ListToolsResult(tools=definitions())

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        client = self._client(context)
        try:
            call = self._call(context, params, client)
            return await self._calls.outcome(call)
        except CallGone:
            return failed("the call that this goes on with is over")
        except NoSuchTool as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error

    def _call(self, context: Context, params: types.CallToolRequestParams, client: str | None) -> Call:
        if params.request_state is not None:
            call = self._calls.going_on(params.request_state)
            call.progress = context.session.report_progress
            call.answer(params.input_responses)
            return call

        def work(call: Call) -> Coroutine[None, None, types.CallToolResult]:
            call.progress = context.session.report_progress
            ask = asker_for(context, call) if self.session.settings.mcp.ask_client else None
            caller = Caller(call, ask, client)
            return self._tools.run(params.name, params.arguments, caller)

        return self._calls.begin(work)

    async def _list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        del context
        listed = list(self._resources.listed())
        start = _place(params, len(listed))
        end = start + ROWS
        return types.ListResourcesResult(
            resources=listed[start:end], next_cursor=str(end) if end < len(listed) else None
        )

    async def _list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        del context
        _place(params, 0)
        return types.ListResourceTemplatesResult(resource_templates=self._resources.templates())

    async def _read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        self._client(context)
        try:
            content = await self._resources.read(read_address(params.uri))
        except (BadUri, NotThere, NoSuchPage, ThreadFault) as error:
            raise MCPError(types.INVALID_PARAMS, str(error), {"uri": params.uri[:SHOWN]}) from error
        about = dict(content.about) if content.about is not None else None
        shown = types.TextResourceContents(uri=params.uri, mime_type=content.mime, text=content.text, _meta=about)
        return types.ReadResourceResult(contents=[shown])

    async def _subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        try:
            self._changes.subscribe(params.uri, _connection(context), context.session)
        except (BadUri, TooMuch) as error:
            raise MCPError(types.INVALID_PARAMS, str(error), {"uri": params.uri[:SHOWN]}) from error
        return types.EmptyResult()

    async def _unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._changes.unsubscribe(params.uri, _connection(context))
        return types.EmptyResult()

    async def _greet(self, context: Context, params: types.NotificationParams) -> None:
        """Take note of a client of the older era, which is told of changes from now on."""
        del params
        self._changes.greet(_connection(context), context.session)

    def _client(self, context: Context) -> str | None:
        """Say who calls, as it calls itself; take note of it."""
        info = context.session.client_params
        if info is None:
            return None
        name = shorten(clean_line(info.client_info.name), CLIENT)
        self.threads.met(name)
        return name


def _connection(context: Context) -> str:
    """Name the connection of the older era that a message came by: over HTTP its session; a pipe is the only one."""
    return context.request.headers.get(SESSION_HEADER, "") if context.request is not None else ""


def _place(params: types.PaginatedRequestParams | None, end: int) -> int:
    """Read where a list goes on. Raises MCPError for what was never given out."""
    cursor = params.cursor if params is not None else None
    if cursor is None:
        return 0
    if not cursor.isdecimal() or not cursor.isascii() or len(cursor) > 9 or not 0 < int(cursor) <= end:
        raise MCPError(types.INVALID_PARAMS, f"{cursor!r:.40} is no cursor of this list")
    return int(cursor)


def asker_for(context: Context, call: Call) -> AskClient | None:
    """Say how the client puts a question before the person; None when it shows none.

    A client of the older era is sent one at once; one of the newer era is answered with it, and calls again.
    """
    capabilities = context.session.client_capabilities
    shows = capabilities.elicitation if capabilities is not None else None
    if shows is None or (shows.form is None and shows.url is not None):
        return None
    return _asking(context) if context.session.can_send_request else call.park


def _asking(context: Context) -> AskClient:
    async def ask(form: Form) -> Reply:
        shown = written(form)
        try:
            result = await context.session.elicit_form(shown.message, shown.requested_schema, context.request_id)
        except MCPError:
            return Reply(None)  # the client cannot after all, or has gone
        return reply_of(result)

    return ask
