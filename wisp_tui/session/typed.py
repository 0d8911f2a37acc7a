"""Commands the person types after ``!``: run within the walls, unjudged and unasked, and told to the model as theirs.

The person's own denials hold all the same. What a command printed is shown to them at once and goes with the model's
next request; it is no turn of its own (spec "Condensing", "Versions and precedence").
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from wisp_tui.context.journal import Typed
from wisp_tui.context.record import EntryKind, OutputPart
from wisp_tui.context.typed import MARK, told
from wisp_tui.events import CommandStarted, Kind, ToolProgress
from wisp_tui.facts import ToolUse, note
from wisp_tui.facts.identity import COMMAND
from wisp_tui.outputs import Cost
from wisp_tui.sandbox import Changes
from wisp_tui.session.activity import ActivityBoard
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.guarding import put_up_walls
from wisp_tui.session.toolcalls import cancelled, failure
from wisp_tui.text.clean import clean, encodable
from wisp_tui.text.ids import CallId
from wisp_tui.text.json import Json
from wisp_tui.tools import ToolContext, ToolOutput
from wisp_tui.tools.run_command import execute
from wisp_tui.tools.runner import Command

NO_COMMAND = "there is no command after the !; a space before it sends the line to the model"
LONGEST_SECONDS = 86_400
"""How long such a command may run: the person watches it, and can stop it."""
STOPPED = "error: stopped by the person"


def typed_command(text: str) -> str | None:
    """Return the command line of a message that is one: after a ``!`` at its very start. None for any other."""
    line = encodable(text.removeprefix(MARK)).strip()
    return line if text.startswith(MARK) and line and "\0" not in line else None


@dataclass(slots=True)
class TypedCommand:
    """One such command."""

    conversation: Conversation
    line: str
    new_id: Callable[[], str] = lambda: secrets.token_hex(4)
    call: CallId = field(init=False)

    def __post_init__(self) -> None:
        self.call = CallId(self.new_id())

    async def run(self) -> bool:
        """Run it, audit it, record it, and take its facts; tell whether it was not stopped, as a cancellation does.

        Raises AuditUnavailable, before anything runs where the log cannot be written.
        """
        try:
            return await self._through()
        except asyncio.CancelledError:
            self.conversation.note("stopped")
            return False

    async def _through(self) -> bool:
        held = self.conversation
        activity = ActivityBoard(held.bus, held.session, held.clock.elapsed, held.clock.elapsed())
        activity.doing(f"{MARK} {self.line}")
        try:
            await put_up_walls(held)
            denied = await held.gate.denied(self.line, str(held.directory))
            decision: dict[str, Json] = {"decision": "deny" if denied else "allow", "command": self.line}
            held.write(
                Kind.POLICY_DECISION, {**decision, "rule": "commandPolicy" if denied else "typed"}, call=self.call
            )
            held.live.typed(Typed(self.call, self.line))
            held.bus.publish(CommandStarted(held.session, self.call, self.line))
            if denied is not None:
                self._settle(failure(f"error: {denied}"), ran=False, more={"denied": True, "why": denied})
                return True
            stopped = False
            try:
                output = await self._run()
            except asyncio.CancelledError:
                output, stopped = cancelled(held, self.call, STOPPED), True
            self._settle(output, ran=True, more=output.details or {})
            return not stopped
        finally:
            held.live.typed(None)
            activity.doing(None)

    async def _run(self) -> ToolOutput:
        held = self.conversation
        room = held.budget.room.less(Cost.of(told(clean(self.line), "")))
        command = Command(
            self.line, held.directory, held.environment, await held.walls.around(Changes.ANYTHING), LONGEST_SECONDS
        )
        return await execute(command, self._context(), room)

    def _context(self) -> ToolContext:
        held = self.conversation
        return ToolContext(
            session=held.session,
            turn=held.turn,
            call=self.call,
            directory=held.directory,
            environment=held.environment,
            budget=held.budget,
            store=held.store,
            gate=held.gate,
            walls=held.walls,
            record=held.write,
            progress=lambda text, size: held.bus.publish(ToolProgress(held.session, self.call, text, size)),
            memory=held.memory,
        )

    def _settle(self, output: ToolOutput, *, ran: bool, more: Mapping[str, Json]) -> None:
        """Audit how it ended, and tell the model, unless it was not run."""
        held = self.conversation
        details: dict[str, Json] = {
            "command": self.line,
            "directory": str(held.directory),
            "output": output.text,
            "ok": output.ok,
            "exitStatus": output.exit_status,
            "lines": output.lines,
            "bytes": output.bytes,
            "kept": output.kept,
        }
        event = held.write(Kind.COMMAND_TYPED, {**details, **more}, call=self.call)
        if not ran:
            return
        entry = held.record.add(
            EntryKind.COMMAND,
            told(clean(self.line), output.text),
            turn=held.turn,
            time=held.clock.now(),
            sources=(event.id,),
            output=OutputPart(
                call=self.call,
                tool=COMMAND,
                ok=output.ok,
                lines=output.lines,
                bytes=output.bytes,
                reads_only=False,
                exit_status=output.exit_status,
                kept=output.kept,
            ),
        )
        if held.facts is None or output.exit_status is None:
            return
        use = ToolUse(
            tool="run_command",
            arguments={"command": self.line},
            output=output.text,
            ok=output.ok,
            turn=held.turn,
            exit_status=output.exit_status,
            bytes=output.bytes,
            entry=entry.id,
            event=event.id,
            typed=True,
        )
        if (said := note(held.facts.observed(held, (use,)))) is not None:
            held.note(said)
