"""Models behind ``/v1/chat/completions``: llama.cpp, LM Studio, any server of that kind (spec: runtimes)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace

from wisp_tui.config.settings import Settings
from wisp_tui.models.base import (
    Capability,
    Chunk,
    ModelError,
    PromptProgress,
    Request,
    Resolved,
    ToolsUnsupported,
)
from wisp_tui.models.chat_connection import Connection, Lost, Patience, Refused, Silent
from wisp_tui.models.chat_faults import model_error
from wisp_tui.models.chat_probe import Known, probe
from wisp_tui.models.chat_servers import Server, ServerKind, configured_window, find_server
from wisp_tui.models.chat_wire import ReplyReader, Stated, chat_body, stream_body
from wisp_tui.models.fields import whole
from wisp_tui.models.sse import Event, EventReader, EventTooLarge
from wisp_tui.text.clean import clean_line
from wisp_tui.text.ids import ModelId
from wisp_tui.text.sizes import shorten

_NO_SUCH_PATH = frozenset({404, 405, 501})


def chat_model(id: ModelId, settings: Settings, environment: Mapping[str, str]) -> ChatCompletionsModel:
    """Make the model that a ``llamacpp:``, ``lmstudio:`` or ``openai:`` name stands for, without asking its server.

    Raises ModelUnavailable when nothing says where the server is.
    """
    runtime, _, name = id.partition(":")
    kind = ServerKind(runtime)
    return ChatCompletionsModel(
        id, find_server(kind, settings, environment), name, window=configured_window(kind, settings)
    )


class ChatCompletionsModel:
    """One model of a chat-completions server. Implements ``Model``."""

    def __init__(
        self,
        id: ModelId,
        server: Server,
        name: str,
        *,
        window: int | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Make it without I/O. ``name`` is the server's own, ``window`` the configured one, in tokens."""
        self._id = id
        self._server = server
        self._name = name
        self._window = window
        self._connection = Connection(server, patience or Patience())
        self._resolved: Resolved | None = None
        self._is_final = False

    @property
    def id(self) -> ModelId:
        """The model's full name."""
        return self._id

    async def resolve(self) -> Resolved:
        """Ask the server for the window and what the model can do. Raises ModelUnavailable.

        Asked again as long as the server has more to say, which LM Studio has once the model is loaded.
        """
        if self._resolved is None or not self._is_final:
            try:
                known = await probe(self._connection, self._name, self._window)
            except Refused as refusal:
                raise self._typed(refusal) from refusal
            self._resolved = self._as_resolved(known)
            self._is_final = known.final
        return self._resolved

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        """Run a request; see ``Model.stream``.

        A request that broke before the reply began is made once more on a new connection.
        """
        self._check_tools(request)
        may_repeat = True
        while True:
            try:
                async with aclosing(self._reply(request)) as chunks:
                    async for chunk in chunks:
                        may_repeat = may_repeat and isinstance(chunk, PromptProgress)
                        yield chunk
            except Lost as failure:
                await self._connection.drop()
                if not may_repeat:
                    raise failure.error from failure
                may_repeat = False
            else:
                return

    async def count(self, request: Request) -> int | None:
        """Ask a llama.cpp server for a request's tokens; None from any other server."""
        if self._server.kind is not ServerKind.LLAMACPP:
            return None
        url = f"{self._server.api}/chat/completions/input_tokens"
        try:
            answer = await self._connection.ask("POST", url, chat_body(request, self._name))
        except Refused as refusal:
            if refusal.fault.status in _NO_SUCH_PATH:
                return None
            raise self._typed(refusal, tools=bool(request.tools)) from refusal
        return whole(answer.get("input_tokens"))

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.drop()

    async def _reply(self, request: Request) -> AsyncGenerator[Chunk]:
        """Make the request once. Raises Lost where it may be made again, as long as nothing of the reply was used."""
        reply = ReplyReader()
        try:
            async with aclosing(self._events(request, reply)) as events:
                async for event in events:
                    for chunk in reply.hear(event):
                        yield chunk
        except (Refused, Stated) as failure:
            raise self._typed(failure, tools=bool(request.tools)) from failure
        except EventTooLarge as failure:
            raise ModelError(f"{self._server.where} sent more in one piece than any reply holds") from failure
        except (Silent, Lost) as failure:
            calls_stand = bool(reply.calls) and isinstance(failure, Lost)
            if not reply.ended and not calls_stand:
                raise
        for chunk in self._closing(reply):
            yield chunk

    def _closing(self, reply: ReplyReader) -> Iterator[Chunk]:
        """Answer the last chunks of a reply whose stream is over; raise for one that stopped in the middle."""
        if reply.begun and not (reply.ended or reply.calls):
            raise Lost(self._connection.gone())
        if reply.odd and not reply.begun:
            raise ModelError(f"{self._server.where} answered with no chat reply: {shorten(clean_line(reply.odd), 120)}")
        yield from reply.finish()

    async def _events(self, request: Request, reply: ReplyReader) -> AsyncGenerator[Event]:
        """Send the request and give the events of its answer until the reply's closing mark."""
        body = stream_body(request, self._name, progress=self._server.kind is ServerKind.LLAMACPP)
        reader = EventReader()
        async with (
            self._connection.stream(f"{self._server.api}/chat/completions", body) as response,
            aclosing(self._connection.pieces(response, lambda: self._limit(reply))) as pieces,
        ):
            async for piece in pieces:
                for event in reader.feed(piece):
                    yield event
                    if reply.closed:
                        return
            for event in reader.finish():
                yield event
            reply.odd = reply.odd or reader.odd

    def _limit(self, reply: ReplyReader) -> float:
        """Answer how long the next piece may take, in seconds."""
        patience = self._connection.patience
        if reply.ended:
            return patience.closing
        return patience.between if reply.begun else patience.first

    def _typed(self, failure: Refused | Stated, *, tools: bool = False) -> ModelError | Lost:
        """Make what to raise for what the server said, and remember that the model takes no tools.

        An error in the stream that blames nothing is as a broken connection: llama.cpp closes it without a word, after
        a reply that its parser could not read.
        """
        error = model_error(failure.fault, self._server, self._id, tools=tools)
        if isinstance(error, ToolsUnsupported) and self._resolved is not None:
            capabilities = self._resolved.capabilities - {Capability.TOOLS}
            self._resolved, self._is_final = replace(self._resolved, capabilities=capabilities), True
        if isinstance(failure, Stated) and type(error) is ModelError and failure.fault.may_pass:
            return Lost(error)
        return error

    def _check_tools(self, request: Request) -> None:
        """Refuse what would be dropped in silence: a chat template without tools leaves them out and says nothing."""
        known = self._resolved
        if request.tools and known is not None and Capability.TOOLS not in known.capabilities:
            raise ToolsUnsupported(self._id)

    def _as_resolved(self, known: Known) -> Resolved:
        return Resolved(self._id, known.window, known.source, known.capabilities)
