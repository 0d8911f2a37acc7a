"""An output as the person looks at it: the whole of it where it was kept, else what the tool returned."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.outputs import OutputStore, StoredOutput
from wisp_tui.outputs.store import NoSuchOutput
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.clean import clean
from wisp_tui.text.ids import CallId, EntryId
from wisp_tui.text.sizes import count, human_bytes


class NothingToShow(Exception):
    """No output is meant by what was asked for; the message says what can be asked for."""


@dataclass(frozen=True, slots=True)
class ShownOutput:
    """An output to look at. ``stored`` is the whole of it; without, ``text`` is what the tool returned (clean)."""

    entry: EntryId
    call: CallId
    tool: str
    text: str
    stored: StoredOutput | None
    remark: str
    """A line that says which of the two it is, and whether anything is missing."""
    lost: bool = False
    """Whether there was more than ``text``, and it cannot be had any more."""


def latest_output(conversation: Conversation) -> ShownOutput:
    """Return the last output of the conversation. Raises NothingToShow."""
    for entry in reversed(list(conversation.record)):
        if entry.kind in {EntryKind.OUTPUT, EntryKind.COMMAND} and entry.output is not None:
            return shown_output(conversation, entry)
    raise NothingToShow("no tool has been called in this conversation yet")


def find_entry(conversation: Conversation, wanted: str) -> ShownOutput:
    """Return an output as ``find_output`` does, and any other entry by its number. Raises NothingToShow."""
    record = conversation.record
    if wanted.isdecimal() and record.has(EntryId(int(wanted))):
        entry = record.entry(EntryId(int(wanted)))
        if entry.output is None:
            tool = f"{entry.kind} {entry.call.tool}" if entry.call is not None else str(entry.kind)
            return ShownOutput(entry.id, CallId(""), tool, clean(entry.text), None, "the whole entry")
    return find_output(conversation, wanted)


def find_output(conversation: Conversation, wanted: str) -> ShownOutput:
    """Return an output by its entry's number or its call's id. Raises NothingToShow."""
    for entry in reversed(list(conversation.record)):
        if entry.output is not None and wanted in {str(entry.id), entry.output.call}:
            return shown_output(conversation, entry)
    raise NothingToShow(
        f"there is no entry and no output {wanted!r:.40}; name an entry's number or an output's id, or use /last"
    )


def whole_lines(conversation: Conversation, shown: ShownOutput) -> Iterator[str]:
    """Read an output line by line, clean; one that was kept is read as it is asked for, however long it is."""
    if shown.stored is None or conversation.store is None:
        yield from clean(shown.text).split("\n")
        return
    for line in conversation.store.lines(shown.stored, 1):
        yield line.text


def _find(conversation: Conversation, store: OutputStore, call: CallId) -> StoredOutput:
    """Find a stored output, of this session or of one that the conversation was resumed from."""
    for session in reversed(conversation.carried_from):
        with suppress(NoSuchOutput):
            return store.find(call, session)
    return store.find(call)


def shown_output(conversation: Conversation, entry: Entry) -> ShownOutput:
    """Return what an output's entry printed. Raises NothingToShow for an entry that is no output."""
    output = entry.output
    if output is None:
        raise NothingToShow(f"entry {entry.id} is no output")
    stored, remark = None, "all of it, as the tool returned it"
    if output.kept and conversation.store is not None:
        try:
            stored = _find(conversation, conversation.store, output.call)
        except NoSuchOutput as error:
            remark = f"what the tool returned: {error}"
        else:
            cut = f"; it was cut at {human_bytes(stored.bytes)}" if stored.cut else ""
            remark = f"the whole output: {count(stored.lines, 'line')}, {human_bytes(stored.bytes)}{cut}"
    elif output.kept:
        remark = "what the tool returned: the audit is off, so nothing more was kept"
    lost = output.kept and stored is None
    return ShownOutput(entry.id, output.call, output.tool, entry.text, stored, remark, lost)
