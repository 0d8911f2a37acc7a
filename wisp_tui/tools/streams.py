"""A command's two streams: in memory as far as a result needs them, the rest in the store while it arrives."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from wisp_tui.events import Kind
from wisp_tui.outputs import StoredOutput
from wisp_tui.outputs.captured import Capture
from wisp_tui.outputs.spill import Part
from wisp_tui.tools.base import ToolContext
from wisp_tui.tools.command_result import Keeping, Printed
from wisp_tui.tools.keeping import not_kept, recorded
from wisp_tui.tools.progress import Progress

LAST_BYTES = 16 * 1024
"""Bytes at the end of what a command printed in which it may say why it failed."""


@dataclass(frozen=True, slots=True)
class _Stream:
    name: str
    capture: Capture
    part: Part | None


class Streams:
    """Takes what a command prints. ``keep`` is how many bytes of a stream's start and end stay in memory."""

    def __init__(self, context: ToolContext, keep: int) -> None:
        self._context = context
        self._spill = context.store.spill(context.call) if context.store is not None else None
        self._out, self._err = self._stream("stdout", keep), self._stream("stderr", keep)
        self._progress = Progress(asyncio.get_running_loop(), context.progress)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.close()
        if self._spill is not None:
            self._spill.discard()

    def stdout(self, data: bytes) -> None:
        """Take bytes of standard output."""
        self._take(self._out, data)

    def stderr(self, data: bytes) -> None:
        """Take bytes of standard error."""
        self._take(self._err, data)

    def printed(self) -> tuple[Printed, ...]:
        """Give what was captured, a stream that printed nothing left out."""
        return tuple(
            Printed(stream.name, stream.capture.captured()) for stream in (self._out, self._err) if stream.capture.bytes
        )

    def last_words(self) -> str:
        """Give the end of standard error, or of standard output where nothing went to standard error."""
        stream = self._err if self._err.capture.bytes else self._out
        captured = stream.capture.captured()
        return (captured.head + captured.tail)[-LAST_BYTES:].decode("utf-8", "replace")

    async def kept(self) -> Keeping:
        """Store the whole output and record it; a store that cannot be written is told, not raised.

        Raises AuditUnavailable.
        """
        memory = self._context.memory
        if self._spill is None:
            return Keeping(why_not=not_kept("the audit log is off"), memory=memory)
        try:
            stored = await asyncio.to_thread(self._stored)
        except OSError as error:
            return Keeping(why_not=not_kept(error.strerror or str(error)), memory=memory)
        kept_as = recorded(stored, self._context) if stored is not None else None
        return Keeping(stored, kept_as, memory=memory)

    def keep_cancelled(self) -> None:
        """Store what a cancelled command had printed, so that the person can still read it. Raises AuditUnavailable."""
        try:
            stored = self._stored()
        except OSError as error:
            self._context.record(
                Kind.ERROR,
                {"message": f"the output of a cancelled command is not kept: {error.strerror or error}"},
                turn=self._context.turn,
                call=self._context.call,
            )
        else:
            if stored is not None:
                recorded(stored, self._context)

    def _stream(self, name: str, keep: int) -> _Stream:
        part = self._spill.part(name) if self._spill is not None else None
        return _Stream(name, Capture(keep, part.write if part is not None else None), part)

    def _take(self, stream: _Stream, data: bytes) -> None:
        stream.capture.feed(data)
        self._progress.printed(stream.capture, len(data))

    def _stored(self) -> StoredOutput | None:
        if self._spill is None:
            return None
        for stream in (self._out, self._err):
            if stream.part is not None and not stream.capture.spilled:
                stream.part.write(stream.capture.captured().head)
        return self._spill.commit()
