"""Facts in words for the person: the note after a turn, the table, a fact's history; and as JSON for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wisp_tui.facts.book import FactBook
from wisp_tui.facts.changes import Change, Recorded, ScopeChanged
from wisp_tui.facts.fact import Fact
from wisp_tui.facts.identity import Scope, Topic
from wisp_tui.facts.lines import source_words
from wisp_tui.facts.stored import write_fact
from wisp_tui.facts.summary import Summaries
from wisp_tui.facts.values import shown_name, shown_value
from wisp_tui.text.json import Json
from wisp_tui.text.sizes import count, shorten

NOTED = 6
"""Facts that a note names; the rest are counted."""
NOTE_CHARACTERS = 48
"""Characters of a value in a note."""


def new_facts(changes: Iterable[Change]) -> tuple[Fact, ...]:
    """Return the facts that changes brought, each once, as they are now."""
    found: dict[str, Fact] = {}
    for change in changes:
        match change:
            case Recorded(fact) | ScopeChanged(_, fact):
                found[fact.id] = fact
            case _:
                pass
    return tuple(found.values())


def note(facts: Sequence[Fact]) -> str | None:
    """Write the note after a turn: ``1 new fact: c7 branch = main``; None for no facts.

    A proposal says how it is kept.
    """
    if not facts:
        return None
    named = " · ".join(_brief(fact) for fact in facts[:NOTED])
    more = f" · {len(facts) - NOTED:,} more" if len(facts) > NOTED else ""
    proposed = next((fact for fact in facts if fact.proposed), None)
    keep = f" (proposed: /fact {proposed.id} permanent keeps it)" if proposed is not None else ""
    return f"{count(len(facts), 'new fact')}: {named}{more}{keep}"


def _brief(fact: Fact) -> str:
    return f"{fact.id} {_topic(fact)} = {shorten(fact.value, NOTE_CHARACTERS)}"


def _topic(fact: Fact) -> str:
    return f"{fact.identity.subject} {shown_name(fact.identity.name)}".rstrip()


_HEADINGS = {
    Scope.PERMANENT: "permanent: every conversation sees them",
    Scope.THREAD: "thread: this conversation's",
    Scope.SESSION: "session: of the machine now, until this process ends",
}


def table(book: FactBook, *, everything: bool = False) -> str:
    """Write ``/inspect facts``: by scope, the ids aligned; ``everything`` adds what holds no longer."""
    conflicts = book.conflicts()
    parts = [part for scope in Scope for part in _scope_table(book, scope, frozenset(conflicts), everything=everything)]
    if not parts:
        return "no facts yet; /fact SUBJECT [NAME] = VALUE states one"
    if conflicts:
        named = ", ".join(topic.words for topic in conflicts[:NOTED])
        parts.append(
            f"{count(len(conflicts), 'conflict')}: {named}; state the value (/fact SUBJECT [NAME] = VALUE) "
            "or delete a side (/fact delete ID)"
        )
    return "\n".join(parts)


def _scope_table(book: FactBook, scope: Scope, disputed: frozenset[Topic], *, everything: bool) -> Iterator[str]:
    ledger = book.ledger(scope)
    facts = list((ledger.facts if everything else ledger.current).values())
    if not facts:
        return
    yield _HEADINGS[scope]
    width = max(len(fact.id) for fact in facts)
    for fact in facts:
        others = book.disagreeing(fact) if fact.topic in disputed else ()
        yield f"  {fact.id:{width}}  {_topic(fact)} = {shown_value(fact.value)}  — {details(fact, others)}"


def details(fact: Fact, disagreeing: Sequence[Fact]) -> str:
    """Write what a table says beside a fact's value: its source, version, and what is to be known of its state."""
    said = [source_words(fact)]
    said += [f"version {fact.version}"] if fact.version > 1 else []
    said += ["kept by the person"] if fact.approved else []
    if not fact.current:
        said.append(f"superseded by {fact.superseded_by}" if fact.superseded_by else str(fact.state))
    else:
        said += ["proposed"] if fact.proposed else []
        said += [f"{other.source.says} says {shown_value(other.value)} ({other.id})" for other in disagreeing]
    return "; ".join(said)


def history(book: FactBook, fact: Fact) -> str:
    """Write every version of a fact's topic, oldest first, each with when, by whom and from where."""
    lines = [_topic(fact)]
    for version in book.history(fact.topic):
        where = [f"turn {version.turn}"] if version.turn else []
        where += [f"{'entry' if len(version.entries) == 1 else 'entries'} {_span(version)}"] if version.entries else []
        when = f"{version.recorded:%Y-%m-%d %H:%M:%S}"
        lines.append(
            f"  {version.id}  {version.value}\n"
            f"      {', '.join([when, str(version.scope), *where])} — {details(version, book.disagreeing(version))}"
        )
    return "\n".join(lines)


def _span(fact: Fact) -> str:
    first, last = fact.entries[0], fact.entries[-1]
    return str(first) if first == last else f"{first}-{last}"


def summary_words(summaries: Summaries, *, everything: bool = False) -> str:
    """Write ``/inspect summary``: the current version with who wrote it and when; ``everything`` adds those before."""
    if summaries.current is None:
        return "no summary is written yet: the first is written when three turns have left the context"
    versions = summaries.versions if everything else summaries.versions[-1:]
    return "\n\n".join(
        f"version {version.version}: {count(version.covered, 'turn')}, through entry {version.through}, written by "
        f"{version.model} in turn {version.turn} at {version.recorded:%Y-%m-%d %H:%M:%S}\n{version.text}"
        for version in reversed(versions)
    )


# JSON ---------------------------------------------------------------------------------------------------------------


def brief(fact: Fact) -> dict[str, Json]:
    """Return a fact as a turn's end and ``respond`` carry it."""
    return {
        "id": fact.id,
        "scope": fact.scope.value,
        "subject": fact.identity.subject,
        "name": fact.identity.name,
        "value": fact.value,
        "source": fact.source.kind.value,
        "proposed": fact.proposed,
    }


def full(book: FactBook, fact: Fact) -> dict[str, Json]:
    """Return a fact as the facts resources carry it, all but its ``uri``."""
    conflict: list[Json] = [
        {"id": other.id, "source": other.source.kind.value, "value": other.value} for other in book.disagreeing(fact)
    ]
    return {**write_fact(fact), "proposed": fact.proposed, "conflict": conflict if fact.current and conflict else None}
