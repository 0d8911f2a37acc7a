"""What a conversation shows, made from the events as they come: a list of items, and what changed of it.

A face draws items and is told which one changed; what it shows can be checked without a screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from wisp_tui.context.record import EntryKind, OutputPart, ThreadRecord
from wisp_tui.context.typed import told_apart
from wisp_tui.events import (
    AuditEvent,
    AuditFault,
    CommandStarted,
    Kind,
    Note,
    ReplyDelta,
    ReplyEnded,
    SettingChanged,
    ThinkingDelta,
    ToolProgress,
    Transient,
    TurnEnded,
    TurnStarted,
)
from wisp_tui.facts import FactId
from wisp_tui.session.agent import STOPPED_BY_PERSON
from wisp_tui.session.condensations import Condensations
from wisp_tui.session.items import (
    Added,
    AnswerItem,
    CallItem,
    CallState,
    Change,
    Changed,
    CondensationItem,
    FactsItem,
    Grew,
    Item,
    LineItem,
    PromptItem,
    ReplyItem,
    ThinkingItem,
    Tone,
)
from wisp_tui.session.lines import Folded, fold, fold_output, line_for
from wisp_tui.session.toolcalls import summary
from wisp_tui.text.clean import clean, clean_line
from wisp_tui.text.ids import CallId, TurnNumber
from wisp_tui.text.json import Json
from wisp_tui.text.sizes import count, human_bytes

STOPPED = "stopped"
BROKE_OFF = "the reply broke off"


@dataclass(slots=True)
class Transcript:
    """The items of one conversation, oldest first. ``shown_lines`` is how many lines of an output are shown."""

    shown_lines: int = 20
    items: list[Item] = field(default_factory=list[Item])
    condensations: Condensations = field(default_factory=Condensations)
    _reply: ReplyItem | None = None
    _thinking: ThinkingItem | None = None
    _last_reply: ReplyItem | None = None
    _last_thinking: ThinkingItem | None = None
    _calls: dict[CallId, CallItem] = field(default_factory=dict[CallId, CallItem])
    _facts: tuple[FactId, ...] = ()
    """The facts of the turn that ended last."""

    @property
    def last_call(self) -> CallItem | None:
        """The latest call that has a result."""
        return next((item for item in reversed(self.items) if isinstance(item, CallItem) and item.result), None)

    @property
    def last_reply(self) -> ReplyItem | None:
        """The latest reply."""
        return next((item for item in reversed(self.items) if isinstance(item, ReplyItem)), None)

    def clear(self) -> None:
        """Forget everything: a new conversation began."""
        self.items.clear()
        self.condensations.clear()
        self._calls.clear()
        self._facts = ()
        self._reply = self._thinking = self._last_reply = self._last_thinking = None

    def recall(self, record: ThreadRecord) -> None:
        """Show what a resumed conversation held, oldest first, what has left the context included."""
        for entry in record:
            match entry.kind:
                case EntryKind.PROMPT:
                    self.items.append(PromptItem(entry.turn, clean(entry.text)))
                case EntryKind.REPLY:
                    self.items.append(ReplyItem(entry.turn, [clean(entry.text)], done=True, stopped=entry.stopped))
                case EntryKind.CALL if entry.call is not None:
                    line = f"⚙ {clean_line(entry.call.tool)} {summary(entry.text)}".rstrip()
                    item = CallItem(entry.turn, entry.call.id, line)
                    self._calls[entry.call.id] = item
                    self.items.append(item)
                case EntryKind.OUTPUT if entry.output is not None and entry.output.call in self._calls:
                    self._recall_output(self._calls.pop(entry.output.call), entry.output, entry.text)
                case EntryKind.COMMAND if entry.output is not None:
                    line, printed = told_apart(entry.text)
                    item = self._typed(entry.turn, entry.output.call, line)
                    self.items.append(item)
                    self._recall_output(self._calls.pop(entry.output.call), entry.output, printed)
                case _:
                    continue

    def _recall_output(self, item: CallItem, output: OutputPart, text: str) -> None:
        item.output, item.kept = clean(text), output.kept
        item.state = CallState.DONE if output.ok else CallState.FAILED
        item.result = f"↳ {count(output.lines, 'line')}, {count(output.bytes, 'byte')}"
        item.folded = self._fold(item, output.lines, output.bytes)

    def say(self, text: str, tone: Tone = Tone.NOTE) -> Added:
        """Add a line for the person."""
        return self._add(LineItem(clean(text), tone))

    def answered(self, command: str, lines: tuple[str, ...], *, failed: bool = False) -> Added:
        """Add a command and its answer."""
        return self._add(AnswerItem(clean(command), tuple(clean(line) for line in lines), failed))

    def take(self, event: AuditEvent | Transient) -> Iterator[Change]:
        """Take an event; say what changed, in order."""
        condensation = self.condensations.take(event)
        if condensation is not None and condensation.over:
            yield self._add(CondensationItem(condensation))
        match event:
            case TurnStarted():
                yield self._add(PromptItem(event.turn, clean(event.prompt)))
            case ThinkingDelta():
                yield from self._thought(event)
            case ReplyDelta():
                yield from self._said(event)
            case ReplyEnded():
                yield from self._end_reply()
            case ToolProgress():
                yield from self._progressed(event)
            case CommandStarted():
                yield self._add(self._typed(TurnNumber(0), event.call, event.line))
            case AuditEvent():
                yield from self._recorded(event)
            case TurnEnded():
                yield from self._turn_ended(event)
            case _:
                yield from self._told(event)

    def _told(self, event: Transient) -> Iterator[Change]:
        match event:
            case Note(names_facts=True) if self._facts:
                yield self._add(FactsItem(clean_line(event.text), self._facts))
            case Note():
                tones = {"warning": Tone.WARNING, "error": Tone.ERROR}
                yield self.say(event.text, tones.get(event.level, Tone.NOTE))
            case AuditFault():
                yield self.say(event.reason, Tone.ERROR)
            case SettingChanged(name="display.shownOutputLines", value=int() as lines):
                self.shown_lines = lines
            case _:
                return

    def _add(self, item: Item) -> Added:
        self.items.append(item)
        return Added(item)

    def _thought(self, event: ThinkingDelta) -> Iterator[Change]:
        if self._thinking is None:
            self._thinking = self._last_thinking = ThinkingItem(event.turn, [event.text])
            yield self._add(self._thinking)
        else:
            self._thinking.parts.append(event.text)
            yield Grew(self._thinking, event.text)

    def _said(self, event: ReplyDelta) -> Iterator[Change]:
        yield from self._end_thinking()
        if self._reply is not None:
            self._reply.parts.append(event.text)
            yield Grew(self._reply, event.text)
        elif event.text.strip():
            self._reply = self._last_reply = ReplyItem(event.turn, [event.text])
            yield self._add(self._reply)

    def _end_reply(self) -> Iterator[Change]:
        yield from self._end_thinking()
        if self._reply is not None:
            self._reply.done = True
            yield Changed(self._reply)
            self._reply = None

    def _end_thinking(self) -> Iterator[Change]:
        if self._thinking is not None:
            self._thinking.done = True
            yield Changed(self._thinking)
            self._thinking = None

    def _typed(self, turn: TurnNumber, call: CallId, line: str) -> CallItem:
        item = CallItem(turn, call, clean_line(line), typed=True)
        self._calls[call] = item
        return item

    def _progressed(self, event: ToolProgress) -> Iterator[Change]:
        item = self._calls.get(event.call)
        if item is not None and item.state is CallState.RUNNING:
            item.progress, item.progress_bytes = clean(event.text), event.bytes
            yield Changed(item)

    def _recorded(self, event: AuditEvent) -> Iterator[Change]:
        match event.kind:
            case Kind.TOOL_CALL:
                yield from self._end_reply()
                item = CallItem(event.turn or TurnNumber(0), event.call or CallId(""), line_for(event) or "")
                self._calls[item.call] = item
                yield self._add(item)
            case Kind.TOOL_RESULT | Kind.COMMAND_TYPED:
                yield from self._settled(event)
            case Kind.MODEL_REASONING:
                seconds = event.details.get("seconds")
                if self._last_thinking is not None and isinstance(seconds, int | float):
                    yield from self._end_thinking()
                    self._last_thinking.seconds = seconds
                    yield Changed(self._last_thinking)
            case Kind.RESPONSE:
                stopped = event.details.get("stopped")
                if self._last_reply is not None and isinstance(stopped, str):
                    self._last_reply.stopped = _shown_reason(stopped)
                    yield Changed(self._last_reply)
            case _:
                return

    def _settled(self, event: AuditEvent) -> Iterator[Change]:
        item = self._calls.pop(event.call or CallId(""), None)
        if item is None:
            return
        details = event.details
        output = details.get("output")
        item.output = clean(output) if isinstance(output, str) else ""
        item.result = line_for(event) or ""
        item.kept = details.get("kept") is True
        item.folded = self._fold(item, details.get("lines"), details.get("bytes"))
        item.progress = ""
        if details.get("denied"):
            item.state = CallState.REFUSED
        else:
            status = details.get("exitStatus")
            failed = details.get("ok") is False or (isinstance(status, int) and status != 0)
            item.state = CallState.FAILED if failed else CallState.DONE
        yield Changed(item)

    def _fold(self, item: CallItem, lines: Json, size: Json) -> Folded | None:
        """Fold an output; what is hidden is counted of all that was kept, of so many lines and bytes."""
        if item.kept and isinstance(lines, int) and isinstance(size, int):
            return fold_output(item.output, self.shown_lines, lines=lines, size=size)
        return fold(item.output, self.shown_lines) if item.output else None

    def _turn_ended(self, event: TurnEnded) -> Iterator[Change]:
        yield from self._end_reply()
        if event.outcome == "cancelled" and (self._last_reply is None or self._last_reply.stopped is None):
            yield self.say(STOPPED, Tone.NOTE)
        if event.message:
            yield self.say(event.message, Tone.ERROR)
        if event.cited:
            yield self.say(f"the reply cites what the record does not hold: {', '.join(event.cited)}", Tone.WARNING)
        self._facts = tuple(FactId(str(fact["id"])) for fact in event.facts)
        if event.ran:
            yield self.say(event.ran, Tone.RAN)
        self._last_reply = self._last_thinking = None


def _shown_reason(stopped: str) -> str:
    """Say why a reply did not end by itself, where no line below it says that already."""
    if stopped == STOPPED_BY_PERSON:
        return STOPPED
    return BROKE_OFF if stopped.startswith(BROKE_OFF) else clean(stopped)


def progress_line(item: CallItem) -> str:
    """Say how much a running call has printed."""
    return human_bytes(item.progress_bytes) if item.progress_bytes else "running"
