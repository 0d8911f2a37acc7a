"""Going on with a conversation that was cut short: as it was, with an end for what had none (docs/sessions.md)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from wisp_tui.context.journal import Journal
from wisp_tui.context.record import Entry, EntryKind, Origin, OutputPart
from wisp_tui.context.sidecar import Saved
from wisp_tui.context.typed import told
from wisp_tui.events import Kind
from wisp_tui.facts.identity import COMMAND
from wisp_tui.outputs import NoSuchOutput
from wisp_tui.session.conversation import Conversation, CutOff
from wisp_tui.session.live import Claim, LiveFolder, own_name
from wisp_tui.session.livecopy import LiveCopy
from wisp_tui.session.saved.files import files_of
from wisp_tui.session.saved.naming import called_now
from wisp_tui.session.saving import Shelf, go_on_from, take_over
from wisp_tui.text.clean import clean
from wisp_tui.text.ids import CallId, EntryId, EventId, TurnNumber
from wisp_tui.text.json import Json, JsonObject

INTERRUPTED = "error: interrupted: wisp was ended before this call was done; what it has done until then is not known"
CUT_OFF = "wisp was ended while this reply was written"


def find(shelf: Shelf, wanted: str) -> Saved | Claim:
    """Find a conversation to go on with: saved under a name, or cut short, by its id.

    Where a saved one was gone on with and then cut short, that is the one meant. Raises BadName, CannotResume,
    NotRecovered, OSError.
    """
    folder, name = LiveFolder(shelf.home), called_now(shelf.home, wanted)
    if not files_of(shelf.home, name).transcript.exists() and folder.has(wanted):
        return folder.claim(wanted, shelf.reading)
    later = next((one for one in folder.cut_short() if one.goes_on_from(shelf.home, name)), None)
    return shelf.load(name) if later is None else folder.claim(later.ident, shelf.reading)


def begin(
    conversation: Conversation, found: Saved | Claim, wanted: str, shelf: Shelf, details: JsonObject | None = None
) -> None:
    """Record that a conversation goes on from another one, and take that one over. Raises AuditUnavailable."""
    start: dict[str, Json] = {**(details or {}), "resumed": wanted}
    if isinstance(found, Claim):
        start |= {"carriedFrom": list(found.journal.sessions), "cutShort": found.cut.isoformat()}
        try:
            conversation.write(Kind.SESSION_START, start)
            _take_up(conversation, found, shelf)
        except BaseException:
            give_back(found)
            raise
        return
    start |= go_on_from(conversation, called_now(shelf.home, wanted), found)
    conversation.write(Kind.SESSION_START, start)
    conversation.live.restart()


def give_back(found: Saved | Claim) -> None:
    """Let go of what was found to go on with: it stays as it was, for another time."""
    if isinstance(found, Claim):
        found.hold.release()


def _take_up(conversation: Conversation, claim: Claim, shelf: Shelf) -> None:
    """Take over a conversation that was cut short.

    A call that was running gets a result that says so, a reply that was being written is kept and marked. It is copied
    on where it was, whatever the settings say. Raises AuditUnavailable.
    """
    journal = claim.journal
    take_over(conversation, journal.saved(_ends(conversation, journal)))
    conversation.cut_off = CutOff(claim.cut, journal.midway is not None, journal.unsent, claim.aside)
    if (name := own_name(journal.name)) is not None:
        conversation.name = called_now(shelf.home, name)
        conversation.saved_as = {called_now(shelf.home, name) for name in journal.saved_as if own_name(name)}
    conversation.live = LiveCopy(conversation, LiveFolder(shelf.home), claim)


def _ends(conversation: Conversation, journal: Journal) -> Iterator[Entry]:
    """End what had not ended: record it, and give the entries that stand for its ends. Raises AuditUnavailable."""
    ends = _Ends(conversation, journal)
    if journal.said:
        details: JsonObject = {"text": journal.said, "calls": 0, "stopped": CUT_OFF}
        event = conversation.write(Kind.RESPONSE, details)
        yield replace(ends.entry(EntryKind.REPLY, journal.said, event.id), stopped=CUT_OFF)
    outputs = (entry.output for entry in journal.entries if entry.kind is EntryKind.OUTPUT)
    answered = {output.call for output in outputs if output is not None}
    for asked in journal.entries:
        call = asked.call
        if call is None or call.id in answered:
            continue
        output = _interrupted(conversation, journal, call.id, call.tool)
        event = conversation.write(Kind.TOOL_RESULT, _details(call.tool, output), call=call.id)
        yield replace(ends.entry(EntryKind.OUTPUT, INTERRUPTED, event.id), output=output)
    if (typed := journal.typed) is not None:
        output = _interrupted(conversation, journal, typed.call, COMMAND)
        said: JsonObject = {"command": typed.line, "directory": journal.directory}
        event = conversation.write(Kind.COMMAND_TYPED, {**said, **_details(COMMAND, output)}, call=typed.call)
        yield replace(ends.entry(EntryKind.COMMAND, told(clean(typed.line), INTERRUPTED), event.id), output=output)


@dataclass(slots=True)
class _Ends:
    """Makes the entries that stand for what had not ended, each after the one before."""

    conversation: Conversation
    journal: Journal
    made: int = 0

    def entry(self, kind: EntryKind, text: str, event: EventId) -> Entry:
        """Make the next one, of the turn that was cut short."""
        entries = self.journal.entries
        self.made += 1
        return Entry(
            id=EntryId(len(entries) + self.made),
            kind=kind,
            origin=Origin.RESUMED,
            turn=self.journal.midway or (entries[-1].turn if entries else TurnNumber(0)),
            text=text,
            time=self.conversation.clock.now(),
            sources=(event,),
        )


def _interrupted(conversation: Conversation, journal: Journal, call: CallId, tool: str) -> OutputPart:
    """Make the result of a call that was running; what a command had printed is kept where it still can be."""
    stored = None
    if conversation.store is not None and journal.sessions:
        with suppress(OSError, NoSuchOutput):
            stored = conversation.store.salvage(call, journal.sessions[-1])
    lines, size = (stored.lines, stored.bytes) if stored is not None else (1, len(INTERRUPTED))
    return OutputPart(call, tool, ok=False, lines=lines, bytes=size, reads_only=False, kept=stored is not None)


def _details(tool: str, output: OutputPart) -> JsonObject:
    return {
        "tool": tool,
        "output": INTERRUPTED,
        "ok": False,
        "exitStatus": None,
        "lines": output.lines,
        "bytes": output.bytes,
        "kept": output.kept,
        "interrupted": True,
    }
