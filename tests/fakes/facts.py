"""Facts as tests need them: the shipped kinds, moments in order, books built from a few words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from wisp_tui.config import shipped
from wisp_tui.facts import (
    Assertion,
    Changed,
    FactBook,
    Kinds,
    Moment,
    PersonAct,
    Place,
    Source,
    Via,
    read_kinds,
    read_statement,
    record,
    state,
)
from wisp_tui.text.ids import EntryId, EventId, TurnNumber
from wisp_tui.text.json import load

PLACE = Place(
    "/code/harbour", "/home/maria", lambda path: "/code/harbour" if path.startswith("/code/harbour/") else None
)
START = datetime(2026, 10, 1, 14, 5, 12, tzinfo=UTC)
ACT = PersonAct(Via.CHAT)
TOOL = Source.of_tool("run_command")


def kinds() -> Kinds:
    """Return the kinds the package ships."""
    return read_kinds(load(shipped("resources", "subject-kinds.json").read_bytes()))


KINDS = kinds()


def moment(second: int = 0, turn: int | None = None) -> Moment:
    """Return a moment some seconds after the start."""
    return Moment(START + timedelta(seconds=second), TurnNumber(turn) if turn is not None else None)


def said(
    text: str,
    source: Source,
    *,
    turn: int | None = None,
    entry: int | None = None,
    turns: tuple[int, int] | None = None,
) -> Assertion:
    """Make an assertion of ``SUBJECT [NAME] = VALUE``."""
    statement = read_statement(text, KINDS, PLACE)
    first, last = turns or (turn, turn)
    return Assertion(
        statement.topic,
        statement.value,
        statement.temporal,
        source,
        (EntryId(entry),) if entry is not None else (),
        (EventId(f"{entry:016x}"),) if entry is not None else (),
        (TurnNumber(first), TurnNumber(last)) if first is not None and last is not None else None,
    )


def recorded(book: FactBook, *assertions: Assertion, at: Moment | None = None) -> FactBook:
    """Record assertions and return the book."""
    return record(book, assertions, at or moment()).book


def stated(book: FactBook, text: str, at: Moment | None = None) -> Changed:
    """Let the person state something."""
    return state(ACT, book, read_statement(text, KINDS, PLACE), at or moment())


def lines(book: FactBook) -> list[str]:
    """Return what holds, as words: ``c1 person tests swift test = flaky``."""
    return [f"{fact.id} {fact.source.kind} {fact.topic.words} = {fact.value}" for fact in book]
