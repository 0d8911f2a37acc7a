"""The record: every entry of a conversation once, in order, under a stable id (spec "The store and the composer").

It only grows. What happens to an entry later (dropped, cut, sent as a reference) is added beside it, stamped with the
record's revision, so that the context of any earlier moment can be composed again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import NewType

from wisp_tui.text.ids import CallId, EntryId, EventId, TurnNumber

Revision = NewType("Revision", int)
"""A moment of a record: how many changes it had seen. Each addition and each change of state is one."""


class EntryKind(StrEnum):
    """What an entry is."""

    INSTRUCTIONS = "instructions"
    PROMPT = "prompt"
    COMMAND = "command"
    """A command the person typed, with what it printed: told to the model with the next turn, no turn of its own."""
    REPLY = "reply"
    CALL = "call"
    OUTPUT = "output"
    UNKNOWN = "unknown"
    """An entry of a kind that a later version saved: kept, and told to the model as text."""


class Origin(StrEnum):
    """Where an entry came from."""

    TURN = "turn"
    """A turn of this session."""
    CARRIED = "carried"
    """Carried in with the instructions, or carried when it was saved."""
    RESUMED = "resumed"
    """A turn of the session that saved it; its turn number and its sources belong to that session."""


@dataclass(frozen=True, slots=True)
class CallPart:
    """What a call entry adds to its arguments, which are its text (JSON as the model wrote it)."""

    id: CallId
    tool: str


@dataclass(frozen=True, slots=True)
class OutputPart:
    """What an output entry adds to its text, the result as the model was shown it.

    ``lines`` and ``bytes`` count the whole output, which is in the output store when ``kept``.
    """

    call: CallId
    tool: str
    ok: bool
    lines: int
    bytes: int
    reads_only: bool
    exit_status: int | None = None
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """A stretch of a reply that repeats an output exactly: bytes ``start`` to ``end`` of its UTF-8."""

    start: int
    end: int
    output: EntryId
    tool: str
    words: int
    segment: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. Its content never changes. ``time`` carries the person's zone, so it reads the same everywhere.

    ``stopped`` marks a reply that did not end by itself and says why, in a few words.
    """

    id: EntryId
    kind: EntryKind
    origin: Origin
    turn: TurnNumber
    text: str
    time: datetime | None
    sources: tuple[EventId, ...] = ()
    call: CallPart | None = None
    output: OutputPart | None = None
    stopped: str | None = None
    added: Revision = Revision(0)


@dataclass(frozen=True, slots=True)
class State:
    """What became of an entry; None and empty for nothing. Turns are of this session, 0 for before it."""

    dropped_by: EventId | None = None
    dropped_at: TurnNumber | None = None
    dropped_in: Revision | None = None
    referenced_at: TurnNumber | None = None
    referenced_in: Revision | None = None
    cuts: tuple[Cut, ...] = ()
    cut_in: Revision | None = None

    def at(self, moment: Revision) -> State:
        """Return the state as it was at a moment: what came later is not there yet."""
        state = self
        if state.dropped_in is not None and state.dropped_in > moment:
            state = replace(state, dropped_by=None, dropped_at=None, dropped_in=None)
        if state.referenced_in is not None and state.referenced_in > moment:
            state = replace(state, referenced_at=None, referenced_in=None)
        if state.cut_in is not None and state.cut_in > moment:
            state = replace(state, cuts=(), cut_in=None)
        return state

    @property
    def active(self) -> bool:
        """Whether the entry is composed."""
        return self.dropped_in is None


_UNTOUCHED = State()
_BEFORE = Revision(0)


def _then(happened: object) -> Revision | None:
    return None if happened is None else _BEFORE


Follower = Callable[[Sequence[EntryId]], None]
"""Is told, right after each change of a record, of the entries that are new or that something became of."""


@dataclass(slots=True)
class ThreadRecord:
    """A conversation's record. ``add``, ``drop``, ``reference`` and ``cut`` are all that can happen to it."""

    _entries: list[Entry] = field(default_factory=list[Entry])
    _states: dict[EntryId, State] = field(default_factory=dict[EntryId, State])
    _active: list[Entry] = field(default_factory=list[Entry])
    _revision: int = 0
    _left: list[tuple[Revision, tuple[Entry, ...]]] = field(default_factory=list[tuple[Revision, tuple[Entry, ...]]])
    """What was active after each drop, oldest first, so that a past moment costs what was active then."""
    follower: Follower | None = field(default=None, compare=False, repr=False)
    """Who follows it; None for nobody."""

    @classmethod
    def restored(cls, entries: Iterable[Entry], states: Mapping[EntryId, State]) -> ThreadRecord:
        """Build a record from what was saved of one, as it stood before this session's first turn.

        Entries take their places in the order given; all that happened to them happened at revision 0. Raises
        ValueError when an entry's id is not its place.
        """
        record = cls()
        for place, entry in enumerate(entries, 1):
            if entry.id != place:
                raise ValueError(f"entry {entry.id} stands in place {place}")
            record._entries.append(replace(entry, added=_BEFORE))
        record._states.update(
            (
                of,
                replace(
                    state,
                    dropped_in=_then(state.dropped_by),
                    referenced_in=_then(state.referenced_at),
                    cut_in=_then(state.cuts or None),
                ),
            )
            for of, state in states.items()
            if record.has(of)
        )
        record._active = [entry for entry in record._entries if record.state(entry.id).active]
        record._left.append((_BEFORE, tuple(record._active)))
        return record

    @property
    def revision(self) -> Revision:
        """The record's present moment."""
        return Revision(self._revision)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    @property
    def active(self) -> Sequence[Entry]:
        """The entries that are composed, in order."""
        return tuple(self._active)

    def entry(self, wanted: EntryId) -> Entry:
        """Return an entry by its id. Raises KeyError when there is none."""
        if not 1 <= wanted <= len(self._entries):
            raise KeyError(wanted)
        return self._entries[wanted - 1]

    def has(self, wanted: EntryId) -> bool:
        """Say whether there is an entry of this id."""
        return 1 <= wanted <= len(self._entries)

    def state(self, of: EntryId) -> State:
        """Return what became of an entry until now."""
        return self._states.get(of, _UNTOUCHED)

    def add(
        self,
        kind: EntryKind,
        text: str,
        *,
        turn: TurnNumber,
        time: datetime | None,
        sources: Iterable[EventId] = (),
        origin: Origin = Origin.TURN,
        call: CallPart | None = None,
        output: OutputPart | None = None,
        stopped: str | None = None,
    ) -> Entry:
        """Add an entry at the end and return it."""
        entry = Entry(
            id=EntryId(len(self._entries) + 1),
            kind=kind,
            origin=origin,
            turn=turn,
            text=text,
            time=time,
            sources=tuple(sources),
            call=call,
            output=output,
            stopped=stopped,
            added=self._next(),
        )
        self._entries.append(entry)
        self._active.append(entry)
        self._tell((entry.id,))
        return entry

    def drop(self, entries: Iterable[EntryId], *, by: EventId, turn: TurnNumber) -> None:
        """Mark entries as dropped by a condensation's event, during a turn. They stay, and are no longer composed."""
        moment, touched = self._next(), list[EntryId]()
        for entry in entries:
            state = self.state(entry)
            if state.active:
                self._states[entry] = replace(state, dropped_by=by, dropped_at=turn, dropped_in=moment)
                touched.append(entry)
        self._active = [entry for entry in self._active if self.state(entry.id).active]
        self._left.append((moment, tuple(self._active)))
        self._tell(touched)

    def reference(self, entries: Iterable[EntryId], *, turn: TurnNumber) -> None:
        """Mark outputs as sent by reference from a turn on."""
        moment, touched = self._next(), list[EntryId]()
        for entry in entries:
            state = self.state(entry)
            if state.referenced_in is None:
                self._states[entry] = replace(state, referenced_at=turn, referenced_in=moment)
                touched.append(entry)
        self._tell(touched)

    def cut(self, entry: EntryId, cuts: Sequence[Cut]) -> None:
        """Mark stretches of a reply as cut. A reply is cut once."""
        self._states[entry] = replace(self.state(entry), cuts=tuple(cuts), cut_in=self._next())
        self._tell((entry,))

    def at(self, moment: Revision) -> list[tuple[Entry, State]]:
        """Return the entries composed at a moment, each with its state then."""
        if moment >= self._revision:
            return [(entry, self.state(entry.id)) for entry in self._active]
        after = bisect_right(self._left, moment, key=lambda drop: drop[0])
        since, left = self._left[after - 1] if after else (Revision(-1), ())
        first = bisect_right(self._entries, since, key=lambda entry: entry.added)
        last = bisect_right(self._entries, moment, key=lambda entry: entry.added)
        return [(entry, self.state(entry.id).at(moment)) for entry in (*left, *self._entries[first:last])]

    def _tell(self, touched: Sequence[EntryId]) -> None:
        if self.follower is not None and touched:
            self.follower(touched)

    def _next(self) -> Revision:
        self._revision += 1
        return Revision(self._revision)


def turns_of(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Group entries into turns, each a prompt with all up to the next (spec "Condensing").

    The instructions are in none. A command the person typed goes with the turn after it; one after the last turn is
    left out, since it waits for the turn that will tell the model of it.
    """
    turns: list[list[Entry]] = []
    waiting: list[Entry] = []
    for entry in entries:
        match entry.kind:
            case EntryKind.INSTRUCTIONS:
                continue
            case EntryKind.COMMAND:
                waiting.append(entry)
            case EntryKind.PROMPT:
                turns.append([*waiting, entry])
                waiting = []
            case _:
                if turns:
                    turns[-1].append(entry)
    return turns
