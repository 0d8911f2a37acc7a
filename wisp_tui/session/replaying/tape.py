"""What answers tool calls in a replay: the results that were recorded, and never a tool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from wisp_tui.context.record import Entry
from wisp_tui.session.replaying.comparing import canonical
from wisp_tui.session.replaying.recording import RecordedTurn
from wisp_tui.session.toolcalls import not_run
from wisp_tui.text.frames import REPEATED
from wisp_tui.text.json import dump
from wisp_tui.tools import Arguments, ToolContext, ToolOutput
from wisp_tui.tools.base import ToolSpec

NOT_RUN = (
    "error: not run in a replay: this call was not made when the conversation was recorded, so there is no result "
    "of it to give back; answer from what is here"
)
UNGIVEN = "not run"

_Key = tuple[str, str]


@dataclass(slots=True)
class Tape:
    """The recorded results by call, each with the turn it is of."""

    _results: dict[_Key, list[tuple[int, Entry]]] = field(default_factory=dict[_Key, list[tuple[int, Entry]]])
    _asked: dict[tuple[int, _Key], int] = field(default_factory=dict[tuple[int, _Key], int])
    given: dict[tuple[int, _Key], str] = field(default_factory=dict[tuple[int, _Key], str])
    """Where the last result of a turn's call came from, in words."""

    @classmethod
    def of(cls, turns: Iterable[RecordedTurn]) -> Tape:
        """Make the tape of some turns."""
        tape = cls()
        for turn in turns:
            calls = {entry.call.id: entry for entry in turn.entries if entry.call is not None}
            for entry in turn.entries:
                call = calls.get(entry.output.call) if entry.output is not None else None
                if call is not None and call.call is not None:
                    key = (call.call.tool, canonical(call.text))
                    tape._results.setdefault(key, []).append((turn.number, entry))
        return tape

    def answer(self, turn: int, tool: str, arguments: Arguments) -> ToolOutput:
        """Answer a call as the same one was: in this turn, else in the nearest before it, else in the nearest after."""
        key = (tool, canonical(dump(arguments.values).decode()))
        found = self._results.get(key, [])
        here = [entry for number, entry in found if number == turn]
        if here:
            place = self._asked[turn, key] = self._asked.get((turn, key), -1) + 1
            return self._give(turn, key, turn, here[min(place, len(here) - 1)])
        if not found:
            self.given[turn, key] = UNGIVEN
            return not_run(NOT_RUN)
        before = [item for item in found if item[0] < turn]
        number, entry = before[-1] if before else found[0]
        return self._give(turn, key, number, entry)

    def _give(self, turn: int, key: _Key, of: int, entry: Entry) -> ToolOutput:
        self.given[turn, key] = "given back" if of == turn else f"given back from turn {of}"
        output = entry.output
        text = entry.text.removeprefix(f"{REPEATED}\n")
        if output is None:
            return not_run(NOT_RUN)
        return ToolOutput(
            text,
            ok=output.ok,
            lines=output.lines,
            bytes=output.bytes,
            exit_status=output.exit_status,
            details={"givenBack": of},
        )


@dataclass(frozen=True, slots=True)
class TapedTool:
    """A tool by its words alone: the model is told of it as ever, and its calls are answered from the tape."""

    spec: ToolSpec
    tape: Tape

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Give back what was recorded of the call; nothing is run."""
        return self.tape.answer(context.turn, self.spec.name, arguments)
