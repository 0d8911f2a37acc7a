"""A command's result as the model is shown it: status, streams, notes, all within the room there is. Pure.

Spec "The tool-output budget, and the output store": the result is bounded as a whole, its notes included; the room is
shared between stdout and stderr in proportion to their size, never less than a fifth to one with something to show.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wisp_tui.outputs import Cost, StoredOutput
from wisp_tui.outputs.captured import Captured, plain
from wisp_tui.outputs.held_back import Shown, needs, show
from wisp_tui.text import frames
from wisp_tui.text.frames import KeptAs
from wisp_tui.tools.keeping import cut_note, lines_of, span_of, widest_marker, widest_note
from wisp_tui.tools.runner import Ran

_BOUNDLESS = Cost(sys.maxsize, sys.maxsize)
_LEAST = 5
"""A fifth: the least share of a stream with something to show."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command printed on one stream, under the heading it has in the result."""

    name: str
    output: Captured


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where the whole output is: ``stored`` and ``kept_as``, or neither and the line that says why not."""

    stored: StoredOutput | None = None
    kept_as: KeptAs | None = None
    why_not: str | None = None
    memory: bool = False

    @property
    def lines(self) -> list[str]:
        """The lines under the note: a cut of the stored output, or why nothing is stored."""
        cut = [cut_note(self.stored)] if self.stored is not None and self.stored.cut else []
        return cut + ([self.why_not] if self.why_not is not None else [])

    def first_line(self, stream: str) -> int:
        """Give the line of the stored file at which a stream starts; 1 where nothing is stored."""
        sections = self.stored.sections if self.stored is not None else ()
        return next((section.first_line for section in sections if section.name == stream), 1)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """A command that ended and what it printed, streams that printed nothing left out. ``limit`` is in seconds."""

    ran: Ran
    printed: tuple[Printed, ...]
    limit: int
    explained: str | None = None
    """What the walls had to do with its failure; None when nothing points to them."""

    def whole(self, room: Cost) -> str | None:
        """Write all of it; None when it does not fit the room, or memory does not hold all of the output."""
        if not all(stream.output.whole for stream in self.printed):
            return None
        parts = [(stream.name, show(stream.output, _BOUNDLESS).head) for stream in self.printed]
        text = self.written(parts, ())
        return text if Cost.of(text).within(room) else None

    @property
    def changed(self) -> bool:
        """Whether showing the output changes it: what is shown is not, byte for byte, what was printed."""
        return any(not _is_plain(stream.output) for stream in self.printed)

    def bounded(self, room: Cost, keeping: Keeping) -> str:
        """Write as much as the room allows, with a marker where something is held back and the note that names it.

        Where the notes alone would fill a small room, they are written more briefly.
        """
        forms = (
            _Form(self, keeping),
            _Form(self, replace(keeping, memory=False)),
            _Form(self, replace(keeping, memory=False), brief=True),
        )
        form = next((form for form in forms if form.frame.within(room.share(_LEAST - 2, _LEAST))), forms[-1])
        return form.filled(_shared([stream.output for stream in self.printed], room.less(form.frame)))

    def written(self, parts: Sequence[tuple[str, Sequence[str]]], below: Sequence[str], *, brief: bool = False) -> str:
        """Write the result around the lines shown of each stream, ``below`` under its own notes."""
        lines = [frames.exit_status(self.ran.status, self.ran.signal)]
        for name, content in parts:
            lines += [f"{name}:", *content]
        if not parts:
            lines.append(frames.NO_OUTPUT)
        if self.ran.timed_out:
            lines.append(frames.timed_out(self.limit))
        if self.ran.running or self.ran.held:
            named = [(process.pid, process.command) for process in self.ran.running]
            lines.append(frames.some_running(max(len(named), 1)) if brief else frames.still_running(named))
        if self.explained is not None and not brief:
            lines.append(frames.explained(self.explained))
        return "\n".join([*lines, *below])


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to write the lines around the streams of a bounded result."""

    result: CommandResult
    keeping: Keeping
    brief: bool = False

    @property
    def frame(self) -> Cost:
        """What the lines around the streams cost at most."""
        names = [stream.name for stream in self.result.printed]
        widest = widest_note(names, self.keeping.kept_as, memory=self.keeping.memory, command=True)
        frame = self.result.written([(name, ()) for name in names], self.keeping.lines, brief=self.brief)
        return Cost.of(f"{frame}\n{widest}{widest_marker() * len(names)}")

    def filled(self, shown: Sequence[Shown]) -> str:
        """Write the result with what is shown of each stream."""
        keeping = self.keeping
        parts = list(zip([stream.name for stream in self.result.printed], shown, strict=True))
        spans = [
            span
            for name, part in parts
            if (span := span_of(part, stream=name, first_line=keeping.first_line(name))) is not None
        ]
        note = [frames.held_note(spans, keeping.kept_as, memory=keeping.memory, command=True)] if spans else []
        lines = [(name, lines_of(part)) for name, part in parts]
        return self.result.written(lines, [*note, *keeping.lines], brief=self.brief)


def _is_plain(output: Captured) -> bool:
    data = output.head + output.tail
    return output.whole and plain(data).encode() == data


def _shared(outputs: Sequence[Captured], room: Cost) -> list[Shown]:
    """Show one stream in all the room, or two in their shares of it; what one does not need goes to the other."""
    if len(outputs) < 2:
        return [show(output, room) for output in outputs]
    first, second = outputs
    both = first.bytes + second.bytes
    share = room.share(min(max(_LEAST * first.bytes, both), (_LEAST - 1) * both), _LEAST * both)
    need, other = needs(first), needs(second)
    if need is not None and need.within(share):
        share = need
    elif other is not None and other.within(room.less(share)):
        share = room.less(other)
    return [show(first, share), show(second, room.less(share))]
