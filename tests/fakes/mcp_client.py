"""``wisp mcp`` with the SDK's own client before it: in one process, or as a process of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from mcp import Client, types
from mcp.client.context import ClientRequestContext
from mcp.client.session import MessageHandlerFnT
from mcp.client.stdio import StdioServerParameters

from tests.fakes.wisp_process import environment
from wisp_tui.mcp.server import Face
from wisp_tui.session import Session
from wisp_tui.text.json import JsonObject, load_object

OLDER, NEWER = "legacy", "auto"
"""The protocol's two eras, as the client takes them."""


class Person:
    """The person at the client, who answers its questions in order; without an answer left they dismiss them."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        del context
        self.asked.append(params.message)
        match self.answers.pop(0) if self.answers else "cancel":
            case "cancel":
                return types.ElicitResult(action="cancel")
            case "decline":
                return types.ElicitResult(action="decline")
            case answer:
                return types.ElicitResult(action="accept", content={"answer": answer})


@dataclass(frozen=True, slots=True)
class Answered:
    """What a tool answered."""

    result: types.CallToolResult

    @property
    def failed(self) -> bool:
        """Whether it is an error."""
        return self.result.is_error is True

    @property
    def text(self) -> str:
        """Its text."""
        return "".join(item.text for item in self.result.content if isinstance(item, types.TextContent))

    @property
    def content(self) -> Mapping[str, Any]:
        """Its structured content."""
        return cast("Mapping[str, Any]", self.result.structured_content)


@dataclass(frozen=True, slots=True)
class Caller:
    """A client that is connected, and what it heard that it did not ask for."""

    client: Client
    heard: asyncio.Queue[object]

    async def call(self, tool: str, **arguments: object) -> Answered:
        """Call a tool."""
        return Answered(await self.client.call_tool(tool, arguments))

    async def respond(self, prompt: str, **more: object) -> Answered:
        """Call ``respond``."""
        return await self.call("respond", prompt=prompt, **more)

    async def read(self, uri: str) -> str:
        """Read a resource's text."""
        result = await self.client.read_resource(uri)
        return "".join(item.text for item in result.contents if isinstance(item, types.TextResourceContents))

    async def shape(self, uri: str) -> JsonObject:
        """Read a resource that is JSON."""
        return load_object(await self.read(uri))


def into(heard: asyncio.Queue[object]) -> MessageHandlerFnT:
    """Make what takes everything that a client hears unasked."""

    async def hear(message: object) -> None:
        await heard.put(message)

    return hear


@asynccontextmanager
async def served(session: Session, *, mode: str = NEWER, person: Person | None = None) -> AsyncGenerator[Caller]:
    """Serve a client over a session, within this process; both are closed at the end."""
    heard = asyncio.Queue[object]()
    try:
        async with (
            Face(session) as face,
            Client(
                face.server(), mode=mode, elicitation_callback=person, message_handler=into(heard), cache=None
            ) as client,
        ):
            yield Caller(client, heard)
    finally:
        await session.close()


@asynccontextmanager
async def process(home: Path, model: str, *, mode: str = NEWER, person: Person | None = None) -> AsyncGenerator[Caller]:
    """Start ``wisp mcp`` and connect to it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "wisp_tui.entry", "mcp", "-m", model],
        env=environment(home),
        cwd=home.parent,
    )
    heard = asyncio.Queue[object]()
    async with Client(server, mode=mode, elicitation_callback=person, message_handler=into(heard)) as client:
        yield Caller(client, heard)
