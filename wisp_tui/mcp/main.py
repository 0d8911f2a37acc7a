"""``wisp mcp``: one client served over the standard streams, until it is done, or its process or ours is to end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping

from mcp.server.stdio import stdio_server

from wisp_tui.mcp.ending import ended_by_signals
from wisp_tui.mcp.server import Face
from wisp_tui.mcp.wire import Wire, standard_streams
from wisp_tui.session import Session

LOOK_SECONDS = 1.0
"""How often it is looked whether the process that started this one is still there."""


def serve(environment: Mapping[str, str], model: str | None = None) -> int:
    """Serve until the client is done; return the exit code. Raises HomeError, ConfigError."""
    return asyncio.run(_serve(Session.open(environment), model))


async def _serve(session: Session, model: str | None) -> int:
    with standard_streams() as streams, ended_by_signals(streams.wire.end) as caught:
        orphaned = asyncio.create_task(_end_with_parent(streams.wire))
        try:
            async with Face(session, model) as face:
                server = face.server()
                async with stdio_server(streams.source, streams.sink) as (reading, writing):
                    try:
                        await server.run(reading, writing, server.create_initialization_options())
                    finally:
                        streams.wire.end()  # else the transport waits for a line that may never come
        finally:
            orphaned.cancel()
            await session.close()
    return 128 + caught[0] if caught else 0


async def _end_with_parent(wire: Wire) -> None:
    """End the wire when the process that started this one is gone: its other children may hold our input open."""
    parent = os.getppid()
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if os.getppid() != parent:
            wire.end()
            return
