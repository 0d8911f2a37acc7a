"""What is done with outputs once their turn is over: sent as references, their copies in replies cut (spec)."""

from __future__ import annotations

from collections.abc import Iterable

from wisp_tui.context.cuts import find_cuts
from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.context.references import reference_for
from wisp_tui.events import Kind
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.ids import EntryId, TurnNumber

BYTES_A_TOKEN = 4
"""The spec's unit for what a reference or a cut saved."""


def reference(conversation: Conversation, entries: Iterable[EntryId], turn: TurnNumber) -> int:
    """Send outputs as references from here on, each that saves something audited; return how many do."""
    record, saving = conversation.record, 0
    entries = tuple(entries)
    if not entries:
        return 0
    calls = {entry.call.id: entry for entry in record.active if entry.call is not None}
    for entry in map(record.entry, entries):
        call = calls.get(entry.output.call) if entry.output else None
        short = reference_for(entry, call.text if call else "{}", memory=conversation.memory)
        if short is None or entry.output is None:
            continue
        saved = len(entry.text.encode("utf-8", "replace")) - len(short.encode("utf-8", "replace"))
        conversation.write(
            Kind.CONTEXT_REFERENCE,
            {
                "entry": entry.id,
                "tool": entry.output.tool,
                "result": entry.sources[0] if entry.sources else None,
                "bytes": saved,
                "tokens": saved // BYTES_A_TOKEN,
            },
            turn=turn,
            call=entry.output.call,
        )
        saving += 1
    record.reference(entries, turn=turn)
    return saving


def cut_copies(conversation: Conversation, turn: TurnNumber) -> int:
    """Cut from a turn's replies the stretches that copy its outputs exactly; return how many were cut."""
    record = conversation.record
    own = [entry for entry in record.active if entry.turn == turn and entry.added > 0]
    outputs = [entry for entry in own if entry.kind is EntryKind.OUTPUT]
    if not outputs:
        return 0
    return sum(_cut(conversation, reply, outputs, turn) for reply in own if reply.kind is EntryKind.REPLY)


def _cut(conversation: Conversation, reply: Entry, outputs: list[Entry], turn: TurnNumber) -> int:
    cuts = find_cuts(reply.text, outputs)
    for cut in cuts:
        removed = cut.end - cut.start
        conversation.write(
            Kind.CONTEXT_CUT,
            {
                "reply": reply.id,
                "output": cut.output,
                "tool": cut.tool,
                "bytes": removed,
                "tokens": removed // BYTES_A_TOKEN,
                "words": cut.words,
                "coverage": 1.0,
            },
            turn=turn,
        )
    if cuts:
        conversation.record.cut(reply.id, cuts)
    return len(cuts)
