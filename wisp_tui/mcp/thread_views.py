"""What can be read of one thread: its context, facts, summary, outputs, reasoning and audit (MCP.md, "Resources")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from wisp_tui.audit import read_events
from wisp_tui.context.saved_contexts import context_markdown
from wisp_tui.context.view import TurnRow
from wisp_tui.events import AuditEvent, Kind
from wisp_tui.facts import Fact, FactBook, Scope, UnknownFact, full
from wisp_tui.facts.stored import write_summary
from wisp_tui.mcp.reading import MARKDOWN, Content, NotThere, as_lines, as_object, as_rows, as_text, lines_of
from wisp_tui.mcp.shapes import fact_uri
from wisp_tui.mcp.threads import NamedThread, ThreadState
from wisp_tui.mcp.uris import Address, address
from wisp_tui.pending import FactRequest, Outcome, Pending, resource
from wisp_tui.session.contexts import NoSuchTurn, recomposed, sent_in, turn_rows
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.kept import Kept
from wisp_tui.session.outputs import NothingToShow, find_output, whole_lines
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.json import Json, JsonObject

NEXT = "next"


def thread_row(named: NamedThread) -> dict[str, Json]:
    """Write a thread as the list of threads has it."""
    return {
        "thread_id": named.name,
        "model": named.model,
        "turns": named.turns,
        "created": named.created.isoformat(),
        "lastActive": named.last_active.isoformat(),
        "state": named.state.value,
        "uri": address("threads", named.name),
    }


def thread_shape(named: NamedThread) -> JsonObject:
    """Write one thread: what it is, and where all that can be read of it is."""
    row = thread_row(named) | {"session": named.session}
    if named.state is not ThreadState.OPEN:
        return row | {"audit": address("threads", named.name, "audit")}
    held = named.thread.conversation
    return {
        **row,
        "directory": str(held.directory),
        "window": held.window,
        "tools": list(held.tools),
        "entries": len(held.record),
        "running": named.thread.running,
        **{name: address("threads", named.name, name) for name in VIEWS},
    }


def _context(named: NamedThread, asked: Address) -> Content:
    held = named.thread.conversation
    upcoming: JsonObject = {
        "tokens": held.meter.estimate(held.next_context()),
        "window": held.window,
        "uri": address("threads", named.name, "context", NEXT),
    }
    rows = [_turn_row(named, row) for row in turn_rows(held)]
    return as_rows(asked, "turns", rows, {"thread_id": named.name}, {"next_request": upcoming})


def _turn_row(named: NamedThread, row: TurnRow) -> JsonObject:
    return {
        "turn": row.turn,
        "time": row.time.isoformat() if row.time is not None else None,
        "prompt": row.prompt,
        "tokens": row.tokens,
        "changed": list(row.changed),
        "uri": address("threads", named.name, "context", str(row.turn)),
    }


def context_text(named: NamedThread, asked: Address, which: str) -> Content:
    """Give the context of a turn, or that of the next request, as Markdown. Raises NotThere."""
    held = named.thread.conversation
    if which == NEXT:
        upcoming = held.next_context()
        text = context_markdown(upcoming, "The next request", held.meter.estimate(upcoming))
        return as_text(asked, lines_of(text), MARKDOWN)
    if not which.isdecimal() or not which.isascii():
        raise NotThere(f"{which!r:.40} is no turn: a turn's number, or {NEXT}")
    try:
        sent = sent_in(held, TurnNumber(int(which[:12])))
    except NoSuchTurn as error:
        raise NotThere(str(error)) from error
    text = context_markdown(recomposed(held, sent), f"Turn {which}", sent.tokens)
    return as_text(asked, lines_of(text), MARKDOWN)


# Facts --------------------------------------------------------------------------------------------------------------


def fact_row(named: NamedThread, book: FactBook, fact: Fact, pending: Pending | None = None) -> dict[str, Json]:
    """Write a fact as a collection has it; with ``pending``, also what became of the request to keep it."""
    row: dict[str, Json] = {**full(book, fact), "uri": fact_uri(named.name, fact.id)}
    return {**row, "request": request_of(named, fact, pending)} if pending is not None else row


def request_of(named: NamedThread, fact: Fact, pending: Pending) -> JsonObject | None:
    """Say what became of the last request to keep a fact of this thread; None where there was none."""
    snapshot = pending.snapshot()
    asked: list[tuple[FactRequest, Outcome | None]] = [
        (request, None) for request in snapshot.waiting if isinstance(request, FactRequest)
    ]
    asked += [(request, outcome) for request, outcome in snapshot.settled if isinstance(request, FactRequest)]
    own = [
        (request, outcome)
        for request, outcome in asked
        if (request.asker.session, request.asker.thread) == (named.session, named.name) and request.fact.id == fact.id
    ]
    return resource(*max(own, key=lambda each: each[0].asked)) if own else None


def conflicts_of(book: FactBook) -> list[Json]:
    """List the topics whose facts disagree: the fact that counts, and the others, the strongest first."""
    found: list[Json] = []
    for topic in book.conflicts():
        *others, winner = book.heads(topic)
        found.append(
            {
                "subject": topic.subject,
                "name": topic.name,
                "winner": winner.id,
                "others": [fact.id for fact in reversed(others)],
            }
        )
    return found


def facts_of(named: NamedThread, scope: Scope, asked: Address) -> Content:
    """Give the facts of a scope as a thread sees them; ``?all=true`` adds those that hold no longer."""
    book = Kept(named.thread.conversation).book
    ledger = book.ledger(scope)
    facts = (ledger.facts if asked.everything else ledger.current).values()
    rows = (fact_row(named, book, fact) for fact in facts)
    return as_rows(asked, "facts", rows, {"thread_id": named.name}, {"conflicts": conflicts_of(book)})


def one_fact(named: NamedThread, asked: Address, ident: str) -> Content:
    """Give a fact that a thread sees, with every version of its topic, oldest first. Raises NotThere."""
    del asked
    held = named.thread.conversation
    book = Kept(held).book
    try:
        fact = book.fact(ident)
    except UnknownFact as error:
        raise NotThere(f"the thread {named.name} has no fact {ident!r:.40}") from error
    return as_object(
        {
            "fact": fact_row(named, book, fact),
            "history": [fact_row(named, book, version) for version in book.history(fact.topic)],
            "request": request_of(named, fact, held.waiting.store) if held.waiting is not None else None,
        }
    )


def _facts(named: NamedThread, asked: Address) -> Content:
    return facts_of(named, Scope.THREAD, asked)


def _summary(named: NamedThread, asked: Address) -> Content:
    versions = Kept(named.thread.conversation).versions
    shape: dict[str, Json] = {
        "thread_id": named.name,
        "versions": versions[0].version if versions else 0,
        "summary": write_summary(versions[0]) if versions else None,
    }
    if not asked.everything:
        return as_object(shape)
    return as_rows(asked, "summaries", (write_summary(version) for version in versions), shape)


# Outputs ------------------------------------------------------------------------------------------------------------


def _outputs(named: NamedThread, asked: Address) -> Content:
    return as_rows(asked, "outputs", _output_rows(named), {"thread_id": named.name})


def _output_rows(named: NamedThread) -> Iterator[JsonObject]:
    for entry in named.thread.conversation.record:
        output = entry.output
        if output is None:
            continue
        ident = entry.sources[0] if entry.sources else output.call
        yield {
            "id": ident,
            "entry": entry.id,
            "call": output.call,
            "turn": entry.turn,
            "tool": output.tool,
            "ok": output.ok,
            "exitStatus": output.exit_status,
            "lines": output.lines,
            "bytes": output.bytes,
            "kept": output.kept,
            "uri": address("threads", named.name, "output", ident),
        }


def output_text(named: NamedThread, asked: Address, ident: str) -> Content:
    """Give an output whole, as plain text: by its result's event, its call or its entry. Raises NotThere."""
    held = named.thread.conversation
    entry = next((entry for entry in held.record if entry.output is not None and ident in entry.sources), None)
    try:
        shown = find_output(held, str(entry.id) if entry is not None else ident)
    except NothingToShow as error:
        raise NotThere(f"the thread {named.name} has no output {ident!r:.40}") from error
    lines = whole_lines(held, shown)
    if shown.stored is not None and held.store is not None and held.store.ends_a_line(shown.stored):
        lines = chain(lines, [""])
    return as_text(asked, lines, more={"remark": shown.remark})


# The log ------------------------------------------------------------------------------------------------------------


def _reasoning(named: NamedThread, asked: Address) -> Content:
    thoughts = (event for event in events_of(named.thread.conversation) if event.kind == Kind.MODEL_REASONING)
    rows = ({"turn": event.turn, "time": event.time, **event.details} for event in thoughts)
    return as_rows(asked, "reasoning", rows, {"thread_id": named.name})


def _audit(named: NamedThread, asked: Address) -> Content:
    return as_lines(asked, (event.line() for event in events_of(named.thread.conversation)))


def events_of(held: Conversation) -> Iterator[AuditEvent]:
    """Read a conversation's events from the log, oldest first."""
    return (event for event in read_events(held.audit.directory) if event.session == held.session)


View = Callable[[NamedThread, Address], Content]
VIEWS: Mapping[str, View] = {
    "context": _context,
    "facts": _facts,
    "summary": _summary,
    "output": _outputs,
    "reasoning": _reasoning,
    "audit": _audit,
}
"""What can be read of a thread, by the last name of its address."""
ITEMS: Mapping[str, Callable[[NamedThread, Address, str], Content]] = {
    "context": context_text,
    "facts": one_fact,
    "output": output_text,
}
"""What can be read of one turn, fact or output, by the name before its own."""
