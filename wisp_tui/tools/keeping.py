"""Keeping the whole of an output: in the store, on the record, and named in what the model is shown."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.events import Kind
from wisp_tui.outputs import Cost, StoredOutput
from wisp_tui.outputs.captured import Captured
from wisp_tui.outputs.held_back import Shown, show
from wisp_tui.text import frames
from wisp_tui.text.frames import KeptAs, Span
from wisp_tui.text.sizes import human_bytes
from wisp_tui.tools.base import ToolContext, ToolOutput

NUMBER = "8" * 11
"""As wide as any number or size in a marker or note gets, and as dear in tokens: room is kept for one of these."""


def recorded(stored: StoredOutput, context: ToolContext) -> KeptAs:
    """Record that an output was kept, and say under what name. Raises AuditUnavailable."""
    context.record(
        Kind.OUTPUT_KEPT,
        {
            "output": stored.call,
            "bytes": stored.bytes,
            "lines": stored.lines,
            "sha256": stored.sha256,
            "cut": stored.cut,
            "ofBytes": stored.of_bytes,
            "ofLines": stored.of_lines,
        },
        turn=context.turn,
        call=context.call,
    )
    return KeptAs(stored.call, stored.lines, stored.of_lines, stored.cut)


def not_kept(reason: str) -> str:
    """Write the line under a result whose held-back part is kept nowhere."""
    return frames.truncated(f"what is held back is not kept: {reason}")


def cut_note(stored: StoredOutput) -> str:
    """Write the line under a result whose stored output was cut."""
    return frames.truncated(
        f"the output is {human_bytes(stored.of_bytes)}; only its first {human_bytes(stored.bytes)} are kept"
    )


def lines_of(shown: Shown) -> list[str]:
    """Write what is shown of an output, the marker between its head and its tail."""
    if shown.held is None:
        return list(shown.head)
    return [*shown.head, frames.held_marker(shown.held.lines, shown.held.bytes), *shown.tail]


def span_of(shown: Shown, *, stream: str | None = None, first_line: int = 1) -> Span | None:
    """Name what of an output is held back, numbered as in the stored file, where it starts at ``first_line``."""
    held = shown.held
    if held is None:
        return None
    above = first_line - 1
    return Span(held.first + above, held.last + above, held.bytes, stream, part=held.part)


def bound(text: str, context: ToolContext, *, ok: bool = True) -> ToolOutput:
    """Make a tool's result of clean text: whole where it fits the budget, else its head and tail, the whole kept.

    Raises AuditUnavailable.
    """
    output = Captured.of(text.encode("utf-8", "replace"))
    room = context.budget.room
    if Cost.of(text).within(room):
        return ToolOutput(text, ok=ok, lines=output.lines, bytes=output.bytes)
    kept: KeptAs | None = None
    trailers: list[str] = []
    if context.store is None:
        trailers.append(not_kept("the audit log is off"))
    else:
        try:
            stored = context.store.keep(context.call, output.head)
        except OSError as error:
            trailers.append(not_kept(error.strerror or str(error)))
        else:
            if stored is not None:
                kept = recorded(stored, context)
                trailers += [cut_note(stored)] if stored.cut else []
    shown = show(output, room.less(_reserve(trailers, kept, memory=context.memory)))
    span = span_of(shown)
    note = [frames.held_note([span], kept, memory=context.memory, command=False)] if span else []
    return ToolOutput(
        "\n".join([*lines_of(shown), *note, *trailers]),
        ok=ok,
        lines=output.lines,
        bytes=output.bytes,
        kept=kept is not None,
    )


def _reserve(trailers: list[str], kept: KeptAs | None, *, memory: bool) -> Cost:
    return Cost.of("\n".join([*trailers, widest_marker(), widest_note([None], kept, memory=memory, command=False)]))


def widest_marker() -> str:
    """Write a held-back marker that no real one exceeds, its newline included."""
    return f"[… {NUMBER} lines ({NUMBER}) held back …]\n"


def widest_note(streams: Sequence[str | None], kept: KeptAs | None, *, memory: bool, command: bool) -> str:
    """Write a held-back note over these streams that no real one exceeds, its newline included."""
    spans = [Span(int(NUMBER), int(NUMBER) + 1, 1023, stream) for stream in streams]
    return frames.held_note(spans, kept, memory=memory, command=command) + "\n"
