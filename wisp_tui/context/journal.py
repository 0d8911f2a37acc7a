"""A running conversation as lines, each written as it happens: read to any line, they give the conversation as it was.

One JSON object a line, its one field naming what the line says. The first is the head; an entry follows the entries
before it; what became of an entry later is a line of its own. A reader passes over fields it does not know and stops at
a line that is no JSON or does not follow, so that what was written before a fault is always had (docs/sessions.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from wisp_tui.context.record import Entry, EntryKind, State, ThreadRecord
from wisp_tui.context.saved_entries import content_of, links_of
from wisp_tui.context.sidecar import NOTHING_KEPT, TOLD_EVERY, Kept, Progress, Saved, Unknown, read_entry, say_nothing
from wisp_tui.text.ids import CallId, EntryId, SessionId, TurnNumber
from wisp_tui.text.json import Json, JsonObject, dump, load_object

VERSION = 1
TYPE = "wisp.live"
_HEAD = {"version", "type", "sessions", "directory", "name"}
_SPOKEN = {EntryKind.PROMPT.value, EntryKind.COMMAND.value}


class NotAJournal(Exception):
    """The lines cannot be read as a conversation; the message says why."""


class LaterVersion(NotAJournal):
    """Another version of this program wrote the lines, in a format that this one does not know."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A command that the person typed, while it runs."""

    call: CallId
    line: str


@dataclass(frozen=True, slots=True)
class Unsent:
    """What the person had written and not sent: the messages that waited, and what stood in the prompt."""

    queued: tuple[str, ...] = ()
    draft: str = ""

    def without(self, sent: str) -> Unsent:
        """Return what is left once a message was sent."""
        if self.queued[:1] == (sent,):
            return Unsent(self.queued[1:], self.draft)
        return Unsent(self.queued, "") if self.draft == sent else self


NOTHING_UNSENT = Unsent()


# Writing ------------------------------------------------------------------------------------------------------------


def head_line(sessions: Sequence[SessionId], directory: str, name: str | None, kept: Kept = NOTHING_KEPT) -> bytes:
    """Write the first line. ``sessions`` are those whose audit events the entries refer to, oldest first."""
    fields: JsonObject = {
        "version": VERSION,
        "type": TYPE,
        "sessions": list(sessions),
        "directory": directory,
        "name": name,
    }
    more: JsonObject = {"transcript": kept.transcript, "links": kept.links} if kept != NOTHING_KEPT else {}
    return _line({**more, **fields})


def entry_lines(record: ThreadRecord, touched: Collection[EntryId], *, written: int, kept: Kept) -> Iterator[bytes]:
    """Write what is new of some entries: those after the first ``written`` whole, of the others what became of them."""
    states: list[Json] = []
    for ident in touched:
        entry, state = record.entry(ident), record.state(ident)
        content, links = kept.entries.get(ident, ({}, {}))
        linked = {**links_of(entry, state), **links}
        if ident > written:
            yield _line({"entry": {"content": {**content_of(entry), **content}, "links": linked}})
        else:
            states.append([ident, linked])
    if states:
        yield _line({"states": states})


def said_line(text: str) -> bytes:
    """Write a fragment of the reply that is being written."""
    return _line({"said": text})


def typed_line(typed: Typed | None) -> bytes:
    """Write that a command the person typed began, or with None that it ended without an entry."""
    return _line({"typed": {"call": typed.call, "line": typed.line} if typed is not None else None})


def ended_line(turn: TurnNumber) -> bytes:
    """Write that a turn ended."""
    return _line({"ended": turn})


def facts_line(facts: Sequence[JsonObject], last: int) -> bytes:
    """Write the conversation's own facts that are new or changed, and the number of the latest."""
    return _line({"facts": {"set": list(facts), "last": last}})


def summaries_line(summaries: Json) -> bytes:
    """Write the versions of the running summary, in the place of those before."""
    return _line({"summaries": summaries})


def saved_line(name: str) -> bytes:
    """Write that all until here is saved under a name, which the conversation has from here on."""
    return _line({"saved": name})


def sessions_line(sessions: Sequence[SessionId]) -> bytes:
    """Write that another session goes on with the conversation."""
    return _line({"sessions": list(sessions)})


def unsent_line(unsent: Unsent) -> bytes:
    """Write what the person has not sent yet, in the place of what was written before."""
    return _line({"unsent": {"queued": list(unsent.queued), "draft": unsent.draft}})


def _line(fields: JsonObject) -> bytes:
    return dump(fields) + b"\n"


# Reading ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Look:
    """What a list shows of a conversation, without reading its entries."""

    directory: str = ""
    name: str | None = None
    turns: int = 0
    first: str = ""
    """Its first prompt."""
    midway: bool = False
    """Whether a turn, or a command the person typed, had begun and not ended."""
    saved: bool = False
    """Whether all of it is saved under its name."""
    sessions: tuple[SessionId, ...] = ()
    """The sessions whose audit events its entries refer to, oldest first."""


@dataclass(slots=True)
class Journal:
    """A conversation as it is read, line by line."""

    sessions: tuple[SessionId, ...]
    directory: str
    name: str | None
    _kept: Kept
    entries: list[Entry] = field(default_factory=list[Entry])
    states: dict[EntryId, State] = field(default_factory=dict[EntryId, State])
    said: str = ""
    """What there is of the reply that was being written."""
    typed: Typed | None = None
    midway: TurnNumber | None = None
    """The turn that had not ended."""
    unsent: Unsent = NOTHING_UNSENT
    saved_as: set[str] = field(default_factory=set[str])
    _facts: dict[str, JsonObject] = field(default_factory=dict[str, "JsonObject"])
    _last: int = 0
    _summaries: Json = None
    _unknown: dict[EntryId, Unknown] = field(default_factory=dict[EntryId, Unknown])

    @property
    def kept(self) -> Kept:
        """What a later version wrote into a saved conversation that this one began as."""
        return Kept(self._kept.transcript, self._kept.links, self._unknown)

    def saved(self, more: Iterable[Entry] = ()) -> Saved:
        """Give the conversation as one that is resumed, with entries that end what was cut short."""
        facts: JsonObject = {"version": 1, "last": self._last, "facts": list(self._facts.values())}
        return Saved(
            record=ThreadRecord.restored([*self.entries, *more], self.states),
            sessions=self.sessions,
            sha256=None,
            more={"facts": facts, "summaries": self._summaries or []},
            kept=self.kept,
        )

    def take(self, line: JsonObject) -> None:
        """Take the next line. Raises ValueError, LookupError or TypeError when it does not follow; nothing changes."""
        known = {
            "entry": self._add,
            "states": self._become,
            "said": self._say,
            "typed": self._type,
            "ended": self._end,
            "facts": self._state,
            "summaries": self._summarise,
            "saved": self._save,
            "sessions": self._go_on,
            "unsent": self._leave,
        }
        for name, value in line.items():
            if name in known:
                known[name](value)

    def _say(self, value: Json) -> None:
        self.said += _text(value)

    def _type(self, value: Json) -> None:
        self.typed = _typed(value)

    def _end(self, value: Json) -> None:
        del value
        self.midway, self.said = None, ""

    def _summarise(self, value: Json) -> None:
        self._summaries = _list(value)

    def _save(self, value: Json) -> None:
        self.name = _text(value)
        self.saved_as.add(self.name)

    def _go_on(self, value: Json) -> None:
        self.sessions = tuple(SessionId(_text(item)) for item in _list(value))

    def _leave(self, value: Json) -> None:
        self.unsent = _unsent(_object(value))

    def _add(self, value: Json) -> None:
        place, fields = EntryId(len(self.entries) + 1), _object(value)
        links, content = _object(fields["links"]), _object(fields["content"])
        if links["position"] != place:
            raise ValueError(f"entry {links['position']!r:.20} stands in place {place}")
        entry, state, extra = read_entry(place, links, content)
        self.entries.append(entry)
        self.states[place] = state
        if any(extra):
            self._unknown[place] = extra
        match entry.kind:
            case EntryKind.PROMPT:
                self.midway, self.said = entry.turn, ""
                self.unsent = self.unsent.without(entry.text)
            case EntryKind.REPLY:
                self.said = ""
            case EntryKind.COMMAND:
                self.typed = None
            case _:
                pass

    def _become(self, rows: Json) -> None:
        read: dict[EntryId, State] = {}
        for row in _list(rows):
            place, links = _pair(row)
            entry, state, extra = read_entry(place, links, content_of(self.entries[place - 1]))
            read[entry.id] = state
            if place in self._unknown or extra[1]:
                self._unknown[place] = self._unknown.get(place, ({}, {}))[0], extra[1]
        self.states |= read

    def _state(self, value: Json) -> None:
        fields = _object(value)
        self._facts |= {_text(_object(item)["id"]): _object(item) for item in _list(fields["set"])}
        last = fields.get("last")
        self._last = last if isinstance(last, int) else self._last


Read: TypeAlias = tuple[Journal, int]


def read_journal(data: bytes, progress: Progress = say_nothing) -> Read:
    """Read a conversation as far as its lines follow; return it, and how many bytes were read of the data.

    Where that is not all, the rest is torn (the last line) or damaged. Raises NotAJournal.
    """
    journal: Journal | None = None
    good = 0
    for line, end in _lines(data):
        try:
            if journal is None:
                journal = _head(load_object(line))
            else:
                journal.take(load_object(line))
        except (ValueError, LookupError, TypeError) as error:
            if journal is None:
                raise NotAJournal(f"its first line is none of a conversation: {error}") from error
            break
        good = end
        if len(journal.entries) % TOLD_EVERY == TOLD_EVERY - 1:
            progress(good, len(data))
    if journal is None:
        raise NotAJournal("it has no whole line")
    return journal, good


def look(data: bytes) -> Look:
    """Read what a list shows of a conversation. Raises NotAJournal."""
    lines = _lines(data)
    first = next(lines, None)
    if first is None:
        raise NotAJournal("it has no whole line")
    try:
        head = _head(load_object(first[0]))
    except (ValueError, LookupError, TypeError) as error:
        raise NotAJournal(f"its first line is none of a conversation: {error}") from error
    found = Look(head.directory, head.name, sessions=head.sessions)
    for line, _ in lines:
        try:
            _look_at(found, load_object(line))
        except (ValueError, LookupError, TypeError):
            break
    return found


def _look_at(found: Look, line: JsonObject) -> None:
    if "saved" in line:
        found.name, found.saved = str(line["saved"]), True
    elif line.keys() & {"entry", "states", "facts", "summaries", "said"}:
        found.saved = False
    if "ended" in line:
        found.midway = False
    if "sessions" in line:
        found.sessions = tuple(SessionId(_text(item)) for item in _list(line["sessions"]))
    if "typed" in line:
        found.midway, found.saved = line["typed"] is not None, False
    if "entry" not in line:
        return
    content = _object(_object(line["entry"])["content"])
    if content["kind"] == EntryKind.PROMPT.value:
        found.turns += 1
        found.first = found.first or str(content["text"])
    if content["kind"] in _SPOKEN:
        found.midway = content["kind"] == EntryKind.PROMPT.value


def _head(fields: JsonObject) -> Journal:
    if fields.get("type") != TYPE:
        raise ValueError("it says that it is something else")
    if fields.get("version") != VERSION:
        raise LaterVersion(f"another version of wisp wrote it, in format {fields.get('version')!r:.20}")
    name, directory = fields.get("name"), fields.get("directory")
    return Journal(
        sessions=tuple(SessionId(_text(item)) for item in _list(fields["sessions"])),
        directory=directory if isinstance(directory, str) else "",
        name=name if isinstance(name, str) else None,
        _kept=Kept(_object(fields.get("transcript", {})), _object(fields.get("links", {}))),
    )


def _lines(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Give each whole line, and where it ends. A last one without its newline is torn, and is not given."""
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end], end + 1
        start = end + 1


def _typed(value: Json) -> Typed | None:
    if value is None:
        return None
    fields = _object(value)
    return Typed(CallId(_text(fields["call"])), _text(fields["line"]))


def _unsent(value: JsonObject) -> Unsent:
    return Unsent(tuple(_text(text) for text in _list(value.get("queued", []))), _text(value.get("draft", "")))


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value


def _pair(value: Json) -> tuple[EntryId, JsonObject]:
    match value:
        case [int() as place, Mapping() as links] if place > 0:
            return EntryId(place), links
        case _:
            raise TypeError("not an entry's place and links")


def _object(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _list(value: Json) -> Sequence[Json]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value
