"""What a saved conversation's file says of it at its beginning, so that a list of hundreds reads none of them whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import JSONDecoder
from pathlib import Path

from wisp_tui.context.record import EntryKind
from wisp_tui.context.sidecar import ABOUT
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.saved.entries import PROMPT, pieces, read_piece
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import Json, JsonObject, load_object
from wisp_tui.text.sizes import shorten

FIRST = 200
"""Characters of the first prompt that a head keeps."""
SESSIONS = 64
"""Audit sessions that a head names: the last ones."""
REACH = 16 * 1024
"""Bytes of a file in which its head is looked for."""
_BEGINS = re.compile(rb'\{"version":\d{1,9},"type":"[a-z.]{1,40}","' + ABOUT.encode() + rb'":(?=\{)')
_DECODER = JSONDecoder()


@dataclass(frozen=True, slots=True)
class Head:
    """What a list says of a conversation; clean. None is what the file does not say."""

    turns: int
    first: str
    """How its first prompt begins; empty without one."""
    entries: int | None = None
    outputs: int | None = None
    """Outputs that the output store holds whole."""
    facts: int | None = None
    """Facts of its own that hold, and go with it."""
    model: str | None = None
    """The model that answered last."""
    directory: str | None = None
    """The directory it worked in last."""
    sessions: tuple[str, ...] = ()
    """The audit sessions that recorded it last, the oldest first."""


def about(conversation: Conversation) -> JsonObject:
    """Write a conversation's head."""
    record, resolved = conversation.record, conversation.resolved
    prompts = [entry for entry in record if entry.kind is EntryKind.PROMPT]
    return {
        "turns": len(prompts),
        "entries": len(record),
        "outputs": sum(entry.output is not None and entry.output.kept for entry in record),
        "facts": len(conversation.facts.book.thread.current) if conversation.facts is not None else 0,
        "model": resolved.id if resolved is not None else None,
        "directory": str(conversation.directory),
        "sessions": list(dict.fromkeys([*conversation.carried_from, conversation.session]))[-SESSIONS:],
        "first": shorten(clean_line(prompts[0].text[: FIRST * 4]), FIRST) if prompts else "",
    }


def read_head(path: Path) -> Head:
    """Read a file's head; where it has none, what its entries say of it. Raises OSError."""
    with path.open("rb") as file:
        found = _BEGINS.match(beginning := file.read(REACH))
        if found is not None:
            text = beginning[found.end() :].decode("utf-8", "ignore")
            try:
                _, end = _DECODER.raw_decode(text)
                return _head(load_object(text[:end]))
            except (ValueError, RecursionError):
                pass  # cut off, or of a shape that is not known: the entries say it
        return _of_entries(beginning + file.read())


def _head(fields: JsonObject) -> Head:
    """Read a head. Raises ValueError when it does not say what it must."""
    turns, first, sessions = fields.get("turns"), fields.get("first"), fields.get("sessions")
    if not isinstance(turns, int) or not isinstance(first, str):
        raise ValueError("not a head")
    return Head(
        turns=turns,
        first=clean_line(first),
        entries=_number(fields.get("entries")),
        outputs=_number(fields.get("outputs")),
        facts=_number(fields.get("facts")),
        model=_line(fields.get("model")),
        directory=_line(fields.get("directory")),
        sessions=tuple(str(one) for one in sessions) if isinstance(sessions, list) else (),
    )


def _of_entries(data: bytes) -> Head:
    """Make the head of a file that has none: of one saved before there were heads, or that is damaged."""
    starts = [found.start() for found in PROMPT.finditer(data)]
    first = ""
    if starts:
        start, end, number = next(pieces(data, starts[0]))
        entry = read_piece(data[start:end], number)
        first = shorten(clean_line(entry.text[: FIRST * 4]), FIRST) if entry is not None else ""
    return Head(len(starts), first)


def _number(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _line(value: Json) -> str | None:
    return clean_line(value) or None if isinstance(value, str) else None
