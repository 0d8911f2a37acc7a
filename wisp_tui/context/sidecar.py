"""A conversation as its two files hold it: the active transcript, and beside it the links (spec "The store").

The transcript (``NAME.json``) holds the entries that are composed; the links (``NAME.store``) hold, for every entry,
where it came from and what became of it, and each dropped entry itself. Reading them back gives the record as it was,
seen from before the resuming session's first turn. Fields and kinds of a later version are kept and written again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from wisp_tui.context.record import Entry, EntryKind, State, ThreadRecord
from wisp_tui.context.saved_entries import (
    CONTENT,
    LINKS,
    content_of,
    entry_from,
    links_of,
    state_from,
    unknown_fields,
)
from wisp_tui.text.ids import EntryId, SessionId
from wisp_tui.text.json import Json, JsonObject, dump, load_object

VERSION = 1
ABOUT = "about"
"""The field, before a transcript's entries, that says in a few words what they are: lists read no further."""
_TRANSCRIPT = {"version", "type", ABOUT, "entries"}
_STORE = {"version", "sessions", "sha256", "entries"}


Progress: TypeAlias = Callable[[int, int], None]
"""Is told now and then how much of how much of a conversation was read."""
TOLD_EVERY = 500
"""Entries after which it is told."""


def say_nothing(done: int, total: int) -> None:
    """Take progress that nobody watches."""
    del done, total


class CannotResume(Exception):
    """A transcript cannot be resumed: its links are missing, do not decode, are not version 1 or do not match it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"transcript '{name}' was saved by an older wisp and cannot be resumed; start a new conversation"
        )
        self.name = name


Unknown: TypeAlias = tuple[JsonObject, JsonObject]
"""Fields of an entry's content and of its links that a later version wrote."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a later version wrote and this one does not know, to be written again as it was."""

    transcript: JsonObject = field(default_factory=dict[str, Json])
    links: JsonObject = field(default_factory=dict[str, Json])
    entries: Mapping[EntryId, Unknown] = field(default_factory=dict[EntryId, Unknown])
    """By entry: the fields of its content and of its links, its kind among them where that is unknown."""


NOTHING_KEPT = Kept()


@dataclass(frozen=True, slots=True)
class Saved:
    """A conversation read back. ``more`` is what others keep in the links: facts, summaries."""

    record: ThreadRecord
    sessions: tuple[SessionId, ...]
    """The sessions whose audit events its entries refer to, oldest first."""
    sha256: str | None
    """The digest of the composition the saving session would have sent next."""
    more: JsonObject
    kept: Kept


def write_transcript(record: ThreadRecord, kept: Kept = NOTHING_KEPT, *, about: JsonObject | None = None) -> bytes:
    """Write the active entries, whole, after what a list says ``about`` the conversation."""
    entries: list[Json] = [
        {"id": _ident(entry), **content_of(entry), **kept.entries.get(entry.id, ({}, {}))[0]} for entry in record.active
    ]
    head: JsonObject = {ABOUT: about} if about is not None else {}
    return dump({"version": VERSION, "type": "wisp.transcript", **head, "entries": entries, **kept.transcript})


def write_links(
    record: ThreadRecord,
    *,
    sessions: Sequence[SessionId],
    sha256: str | None,
    more: JsonObject | None = None,
    kept: Kept = NOTHING_KEPT,
) -> bytes:
    """Write the links of every entry, and the dropped ones whole. ``more`` is what others keep beside them."""
    entries: list[Json] = []
    for entry in record:
        state = record.state(entry.id)
        content, links = kept.entries.get(entry.id, ({}, {}))
        whole: JsonObject = {} if state.active else {"entry": {**content_of(entry), **content}}
        entries.append({"id": _ident(entry), **links_of(entry, state), **links, **whole})
    fields: JsonObject = {"version": VERSION, "sessions": list(sessions), "sha256": sha256, "entries": entries}
    return dump({**kept.links, **(more or {}), **fields})


def resume(name: str, transcript: bytes, links: bytes | None, progress: Progress = say_nothing) -> Saved:
    """Read a conversation back, as it stands before the resuming session's first turn. Raises CannotResume.

    An entry that a turn produced is ``resumed``, a carried one stays so. What was dropped or sent as a reference was so
    at turn 0. The active entries' content is the transcript's.
    """
    if links is None:
        raise CannotResume(name)
    try:
        store, active = load_object(links), load_object(transcript)
        if store.get("version") != VERSION:
            raise CannotResume(name)
        return _matched(store, active, progress)
    except (ValueError, LookupError, TypeError) as error:
        raise CannotResume(name) from error


def _matched(store: JsonObject, transcript: JsonObject, progress: Progress) -> Saved:
    rows, waiting = _objects(store["entries"]), _objects(transcript["entries"])[::-1]
    entries, states = list[Entry](), dict[EntryId, State]()
    unknown = dict[EntryId, Unknown]()
    for place, row in enumerate(rows, 1):
        content = waiting.pop() if row["active"] is True else _object(row["entry"])
        if row["active"] is True and (row["id"], row["kind"]) != (content["id"], content["kind"]):
            raise ValueError(f"entry {place} does not match the transcript")
        entry, states[EntryId(place)], extra = read_entry(EntryId(place), row, content)
        entries.append(entry)
        if any(extra):
            unknown[entry.id] = extra
        if place % TOLD_EVERY == 0:
            progress(place, len(rows))
    if waiting:
        raise ValueError("the transcript holds entries that the links do not")
    sessions = store.get("sessions")
    digest = store.get("sha256")
    return Saved(
        record=ThreadRecord.restored(entries, states),
        sessions=tuple(SessionId(str(item)) for item in sessions) if isinstance(sessions, list) else (),
        sha256=digest if isinstance(digest, str) else None,
        more=unknown_fields(store, _STORE),
        kept=Kept(unknown_fields(transcript, _TRANSCRIPT), unknown_fields(store, _STORE), unknown),
    )


def read_entry(place: EntryId, links: JsonObject, content: JsonObject) -> tuple[Entry, State, Unknown]:
    """Read an entry as a resuming session has it, what became of it, and the fields that this version does not know.

    Raises ValueError, LookupError or TypeError when it is none.
    """
    entry = entry_from(place, links, content)
    extra = unknown_fields(content, CONTENT), unknown_fields(links, LINKS)
    if entry.kind is EntryKind.UNKNOWN:
        extra = {**extra[0], "kind": links["kind"]}, {**extra[1], "kind": links["kind"]}
    return entry, state_from(links), extra


def _ident(entry: Entry) -> str:
    """Name an entry in both files: its place, and a digest that tells one conversation's entries from another's."""
    written = f"{entry.kind.value}\n{entry.text}".encode("utf-8", "replace")
    return f"{entry.id}-{hashlib.sha256(written).hexdigest()[:12]}"


def _objects(value: Json) -> list[JsonObject]:
    if not isinstance(value, list):
        raise TypeError("not a list of entries")
    return [_object(item) for item in value]


def _object(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        raise TypeError("not an entry")
    return value
