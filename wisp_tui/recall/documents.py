"""What is recalled, as numbered lines under a heading that says what it is and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from wisp_tui.context.record import Entry, EntryKind, Origin, ThreadRecord
from wisp_tui.facts import Fact, FactBook, Summaries, history, summary_words
from wisp_tui.facts.kinds import TASK
from wisp_tui.outputs import NoSuchOutput, OutputStore, StoredLine, StoredOutput
from wisp_tui.recall.notes import Notebook
from wisp_tui.text.clean import clean, clean_line
from wisp_tui.text.ids import EntryId, SessionId
from wisp_tui.text.sizes import count, shorten


class NothingThere(Exception):
    """Nothing of what was asked for is kept; the message says what there is."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a conversation keeps, as a call of its memory sees it. No ``book`` where facts are off."""

    record: ThreadRecord
    store: OutputStore | None = None
    """None while the audit is off: no output is kept then."""
    book: FactBook | None = None
    summaries: Summaries = field(default_factory=Summaries)
    sessions: tuple[SessionId, ...] = ()
    """The sessions this conversation was carried on from, whose outputs are kept under their own ids."""
    notebook: Notebook | None = None
    """Where the model's notes go; None where facts are off."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text that is recalled: its heading, and its lines, clean, under their numbers from 1.

    ``lines`` starts at a line of which nothing before is needed. ``total`` is None where it is not known beforehand.
    ``source`` is the part of the conversation's memory it was read from.
    """

    heading: str
    lines: Callable[[int], Iterator[StoredLine]]
    total: int | None
    source: str


def heading(entry: Entry, record: ThreadRecord) -> str:
    """Write what an entry is: ``[entry 7: output of run_command, turn 2, 14:05:12, exit status 1, dropped]``."""
    said = [kind_words(entry), f"turn {entry.turn}" if entry.turn else "before the first turn"]
    said += ["of the session before"] if entry.origin is Origin.RESUMED else []
    said += [f"{entry.time:%H:%M:%S}"] if entry.time is not None else []
    output = entry.output
    if output is not None:
        status = output.exit_status
        said.append(f"exit status {status}" if status is not None else "ok" if output.ok else "failed")
        said += [f"shown in part, whole as output {output.call}"] if output.kept else []
    said += [] if record.state(entry.id).active else ["dropped from the context"]
    return f"[entry {entry.id}: {', '.join(said)}]"


def kind_words(entry: Entry) -> str:
    """Say what an entry is: ``output of run_command``."""
    if entry.call is not None:
        return f"call of {clean_line(entry.call.tool)}"
    if entry.output is not None and entry.kind is EntryKind.OUTPUT:
        return f"output of {clean_line(entry.output.tool)}"
    if entry.kind is EntryKind.PROMPT:
        return "the person's prompt"
    return "a command the person typed" if entry.kind is EntryKind.COMMAND else str(entry.kind)


def entry_document(number: int, past: Past) -> Document:
    """Give an entry as the model was shown it. Raises NothingThere."""
    record = past.record
    if not record.has(EntryId(number)):
        raise NothingThere(f"there is no entry {number}; this conversation's entries are 1 to {len(record)}")
    entry = record.entry(EntryId(number))
    return of_text(heading(entry, record), entry.text, "record")


def turn_document(number: int, past: Past) -> Document:
    """Give every entry of a turn. Raises NothingThere."""
    record = past.record
    entries = [entry for entry in record if entry.turn == number and entry.kind is not EntryKind.INSTRUCTIONS]
    if not entries:
        last = max((entry.turn for entry in record), default=0)
        raise NothingThere(f"there is no turn {number}; this conversation's turns are 1 to {last}")
    text = "\n".join(f"{heading(entry, record)}\n{entry.text}" for entry in entries)
    return of_text(f"[turn {number}: {count(len(entries), 'entry', 'entries')}]", text, "record")


def summary_document(past: Past) -> Document:
    """Give the running summary's versions, the newest first."""
    words = summary_words(past.summaries, everything=True)
    return of_text("[the running summary, the newest version first]", words, "summary")


def task_document(past: Past) -> Document:
    """Give the task's versions, and the prompt that the conversation began with. Raises NothingThere."""
    parts: list[str] = []
    if past.book is not None:
        parts += _histories(past.book, lambda fact: fact.identity.subject == TASK)
    first = next((entry for entry in past.record if entry.kind is EntryKind.PROMPT), None)
    if first is not None:
        parts.append(f"the conversation began with this prompt, entry {first.id}:\n{first.text}")
    if not parts:
        raise NothingThere("there is no task yet, and no prompt")
    return of_text("[the task: its versions, and the first prompt]", "\n".join(parts), "facts")


def fact_document(said: str, past: Past) -> Document:
    """Give every version of the facts of a subject, a topic or an id. Raises NothingThere."""
    if past.book is None:
        raise NothingThere("this conversation keeps no facts")
    wanted = said.casefold()

    def named(fact: Fact) -> bool:
        topic = f"{fact.identity.subject} {fact.identity.name}".strip().casefold()
        return wanted in {fact.id.casefold(), topic, fact.identity.subject.casefold()}

    found = _histories(past.book, named)
    if not found:
        subjects = {fact.identity.subject for ledger in past.book.ledgers for fact in ledger.facts.values()}
        there = ", ".join(sorted(subjects)) or "none yet"
        raise NothingThere(f"there is no fact {shorten(clean_line(said), 60)!r}; there are facts of: {there}")
    return of_text("[facts: every version, its source, and the entries it came from]", "\n".join(found), "facts")


def _histories(book: FactBook, wanted: Callable[[Fact], bool]) -> list[str]:
    found = {fact.topic: fact for ledger in book.ledgers for fact in ledger.facts.values() if wanted(fact)}
    return [history(book, fact) for fact in found.values()]


def output_document(ident: str, past: Past) -> Document:
    """Give a stored output. Raises NothingThere."""
    if past.store is None:
        raise NothingThere("no output is kept: the audit log is off")
    store = past.store
    try:
        stored = stored_output(ident, past)
    except NoSuchOutput as error:
        held = [entry.output.call for entry in past.record if entry.output is not None and entry.output.kept]
        there = f"kept are: {', '.join(held[-8:])}" if held else "nothing of this conversation was held back"
        raise NothingThere(f"{error}; {there}") from error
    kept = f"its first {count(stored.lines, 'line')} of {stored.of_lines:,}" if stored.cut else "whole"
    sizes = f"{count(stored.lines, 'line')}, {count(stored.bytes, 'byte')}"
    owner = next((entry for entry in past.record if entry.output is not None and entry.output.call == ident), None)
    of = f" of entry {owner.id}, {kind_words(owner)}" if owner is not None else ""
    return Document(
        f"[output {ident}{of}: kept {kept}, {sizes}]",
        lambda first: store.lines(stored, first),
        stored.lines,
        "output",
    )


def stored_output(ident: str, past: Past) -> StoredOutput:
    """Find a stored output, of this session or of one that it was carried on from. Raises NoSuchOutput."""
    if past.store is None:
        raise NoSuchOutput("no output is kept: the audit log is off")
    for session in past.sessions:
        with suppress(NoSuchOutput):
            return past.store.find(ident, session)
    return past.store.find(ident)


def of_text(title: str, text: str, source: str) -> Document:
    """Make a document of a text, cleaned."""
    lines = clean(text).split("\n")
    return Document(title, lambda first: _numbered(lines, first), len(lines), source)


def _numbered(lines: Iterable[str], first: int) -> Iterator[StoredLine]:
    for number, line in enumerate(lines, 1):
        if number >= first:
            yield StoredLine(number, line)
