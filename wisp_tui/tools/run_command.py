"""The tool that runs a shell command, once the person or a rule of theirs allows it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass

from wisp_tui.approval import Level, Permit
from wisp_tui.events import Kind
from wisp_tui.outputs import Cost
from wisp_tui.outputs.budget import room_in
from wisp_tui.sandbox import Changes
from wisp_tui.text.clean import clean_line, encodable
from wisp_tui.text.json import JsonObject
from wisp_tui.text.sizes import shorten
from wisp_tui.tools.base import Arguments, BadArguments, ToolContext, ToolOutput, ToolSpec
from wisp_tui.tools.command_result import CommandResult, Keeping
from wisp_tui.tools.paths import resolved, shown_path
from wisp_tui.tools.runner import Command, Ran, run
from wisp_tui.tools.streams import Streams

LEAST_KEPT = 64 * 1024
KEPT_BOUNDS = 4
"""A stream's head and tail in memory: four bounds each, since colours and redrawn lines shrink when cleaned."""
EXPLAINED = 300
"""Characters that say why a command failed: it may have named the path that it could not write."""
REFUSED = (
    "error: the person did not allow this command{why}; do not run it in another form: "
    "say what it was for, or go on without it"
)


@dataclass(frozen=True, slots=True)
class RunCommand:
    """``run_command``. ``limit`` is the longest a command may run, in seconds, and how long it runs by default.

    ``max_output_bytes`` replaces the budget for this tool (``commandMaxOutputBytes``).
    """

    limit: int = 120
    max_output_bytes: int | None = None

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        return ToolSpec(
            name="run_command",
            description="Run a shell command and return its exit status and output. It gets no input.",
            parameters={
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "the command line"},
                    "directory": {"type": "string", "description": "where to run it; default: the working directory"},
                    "timeout": {"type": "integer", "description": f"seconds it may run, at most {self.limit}"},
                },
                "required": ["command"],
            },
            reads_only=False,
            clause="run a shell command; the fallback for anything else",
            asks=True,
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Ask the gate, run the command, and show what it printed within the budget.

        Raises BadArguments and AuditUnavailable. A cancellation ends the command and keeps what it had printed.
        """
        line = encodable(arguments.text("command")).strip()
        if not line or "\0" in line:
            raise BadArguments("command must be a command line, without NUL characters")
        seconds = min(arguments.whole("timeout", self.limit, least=1), self.limit)
        directory = resolved(arguments.text("directory", "."), context.directory)
        if not await asyncio.to_thread(directory.is_dir):
            return _failed(f"error: {shown_path(directory)} is not a directory that can be entered")
        permit = await context.gate.permit(line, str(directory), turn=context.turn, call=context.call)
        if not permit.allowed:
            return _failed(REFUSED.format(why=f" ({shorten(permit.why, 200)})" if permit.why else ""), denied=True)
        environment = {**context.environment, **permit.environment}
        walls = await context.walls.around(_changes(permit))
        room = context.budget.room if self.max_output_bytes is None else room_in(self.max_output_bytes)
        return await execute(Command(line, directory, environment, walls, seconds), context, room)


def _changes(permit: Permit) -> Changes:
    """What a command that was let pass may change: no more than what it was judged by, or the person was shown."""
    match permit.level:
        case Level.SAFE:
            return Changes.NOTHING
        case Level.DANGEROUS:
            return Changes.ANYTHING
        case _:
            return Changes.GIT if permit.git else Changes.FILES


async def execute(command: Command, context: ToolContext, room: Cost) -> ToolOutput:
    """Run a command that may run, and show what it printed within ``room``, the whole kept where that is not all.

    Raises AuditUnavailable. A cancellation ends the command and keeps what it had printed.
    """
    with Streams(context, max(LEAST_KEPT, KEPT_BOUNDS * room.bytes)) as streams:
        try:
            ran = await run(command, streams.stdout, streams.stderr)
        except OSError as error:
            return _failed(f"error: the command could not be started: {error.strerror or error}")
        except asyncio.CancelledError:
            streams.keep_cancelled()
            raise
        context.record(Kind.COMMAND_OUTCOME, _details(command, ran), turn=context.turn, call=context.call)
        return await _unbroken(_output(command, ran, streams, room))


async def _output(command: Command, ran: Ran, streams: Streams, room: Cost) -> ToolOutput:
    """Write a command's result, the whole of its output kept where the model is not shown it byte for byte."""
    result = CommandResult(
        ran, streams.printed(), command.seconds, await asyncio.to_thread(_why, command, ran, streams)
    )
    text = await asyncio.to_thread(result.whole, room)
    keeping = Keeping()
    if text is None or result.changed:
        keeping = await streams.kept()
    if text is None:
        text = await asyncio.to_thread(result.bounded, room, keeping)
    return ToolOutput(
        text,
        ok=ran.status == 0 and not ran.timed_out,
        lines=sum(stream.output.lines for stream in result.printed),
        bytes=sum(stream.output.bytes for stream in result.printed),
        exit_status=ran.status,
        kept=keeping.stored is not None,
        details=_details(command, ran),
    )


def _why(command: Command, ran: Ran, streams: Streams) -> str | None:
    """Say what the walls had to do with a failure. What is said may name what the command printed."""
    explained = command.walls.explain(streams.last_words(), ran.status, command.directory)
    return shorten(clean_line(explained.text), EXPLAINED) if explained is not None else None


async def _unbroken(work: Coroutine[None, None, ToolOutput]) -> ToolOutput:
    """Finish the last steps, which take milliseconds, also when a cancellation comes; it then goes on after them."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def _failed(text: str, *, denied: bool = False) -> ToolOutput:
    return ToolOutput(text, ok=False, lines=1, bytes=len(text.encode()), details={"denied": True} if denied else None)


def _details(command: Command, ran: Ran) -> JsonObject:
    return {
        "command": command.line,
        "directory": str(command.directory),
        "exitStatus": ran.status,
        "signal": ran.signal,
        "seconds": round(ran.seconds, 3),
        "timedOut": ran.timed_out,
        "sandbox": command.walls.sandbox.name,
        "stillRunning": [{"pid": process.pid, "command": process.command} for process in ran.running],
    }
