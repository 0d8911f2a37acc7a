"""What plain chat prints: each thing once, as lines, in the words of the app's conversation.

The model's replies go to standard output as they come, everything else to standard error. Nothing is ever drawn over.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wisp_tui.cli.faults import tell
from wisp_tui.cli.streams import Writer
from wisp_tui.events import AuditEvent, Kind, Transient
from wisp_tui.session.items import (
    Added,
    CallItem,
    CallState,
    Change,
    CondensationItem,
    FactsItem,
    Grew,
    Item,
    LineItem,
    ReplyItem,
    ThinkingItem,
    Tone,
)
from wisp_tui.session.lines import line_for
from wisp_tui.session.transcript import Transcript

Above: TypeAlias = Callable[[Callable[[], None]], Awaitable[None]]


@dataclass(slots=True)
class PlainLines:
    """Prints one conversation. ``out`` carries the replies."""

    transcript: Transcript
    out: Writer
    above: Above
    """Has something written while a line may be being typed."""
    _open: bool = False
    """Whether the line that the reply has reached is not ended yet."""

    async def take(self, event: AuditEvent | Transient) -> None:
        """Print what an event changed, and who refused what was not run. Raises BrokenOutput."""
        if isinstance(event, AuditEvent) and event.kind == Kind.APPROVAL_DECIDED and (line := line_for(event)):
            await self.tell([line])
        for change in self.transcript.take(event):
            if reply := _reply_of(change):
                await self._reply(reply)
            elif isinstance(change, Grew):
                continue
            elif lines := list(_lines_of(change)):
                await self.tell(lines, dim=not _weighs(change.item))
            elif isinstance(change.item, ReplyItem):
                await self._end_line()

    async def tell(self, lines: Sequence[str], *, dim: bool = True) -> None:
        """Say lines on standard error, after what the reply has so far. Raises BrokenOutput."""
        await self._end_line()

        def write() -> None:
            for line in lines:
                tell(line, dim=dim)

        await self.above(write)

    async def _end_line(self) -> None:
        if self._open:
            await self._reply("\n")

    async def _reply(self, text: str) -> None:
        self._open = not text.endswith("\n")
        self.out.say(text.encode("utf-8", "replace"))
        await self.out.written()


def _reply_of(change: Change) -> str:
    match change:
        case Added(item=ReplyItem() as reply):
            return reply.text
        case Grew(item=ReplyItem(), text=text):
            return text
        case _:
            return ""


def _lines_of(change: Change) -> Iterator[str]:
    """Write what a change other than more of a text is worth saying."""
    match change.item:
        case CallItem() as call:
            yield from _call(call, new=isinstance(change, Added))
        case ReplyItem(stopped=str() as why):
            yield why
        case ThinkingItem(seconds=float() | int()) as thinking:
            yield f"∴ {thinking.title}"
        case LineItem(text=text) | FactsItem(text=text):
            yield text
        case CondensationItem(condensation=condensation):
            yield f"◂ {condensation.line}"
        case _:
            return


def _call(call: CallItem, *, new: bool) -> Iterator[str]:
    """Write a call when it begins, and its result with its folded output when it has one."""
    if new:
        yield f"! {call.line}" if call.typed else call.line
    elif call.state is not CallState.RUNNING:
        yield call.result or ""
        if call.folded is not None and call.state is not CallState.REFUSED:
            yield from (f"  {line}" for line in call.folded.shown.split("\n"))
            if fold := call.folded.fold_line(f"/show {call.call}"):
                yield fold


def _weighs(item: Item) -> bool:
    return isinstance(item, LineItem) and item.tone is not Tone.NOTE
