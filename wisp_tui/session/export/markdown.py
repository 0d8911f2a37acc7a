"""A conversation as a Markdown page: all that was said and run, what has left the context included."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wisp_tui.context.record import Entry, EntryKind, ThreadRecord
from wisp_tui.context.typed import told_apart
from wisp_tui.facts import summary_words, table
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.clean import clean, clean_line
from wisp_tui.text.sizes import count

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})", re.MULTILINE)


def markdown(conversation: Conversation) -> str:
    """Write a conversation as Markdown, clean: each turn under its number, calls with their results as they came."""
    held = conversation
    about = f"model `{held.resolved.id}` · directory `{held.directory}`" if held.resolved is not None else ""
    page = [f"# {title(held)}", *([about] if about else []), *_parts(held.record), *_kept(held)]
    return clean("\n\n".join(page)) + "\n"


def title(conversation: Conversation) -> str:
    """Name a conversation in one clean line: as it is saved, else by the time."""
    return clean_line(conversation.name or f"conversation of {conversation.clock.now():%Y-%m-%d %H:%M}")


def _kept(conversation: Conversation) -> Iterator[str]:
    """Write the facts that hold and the running summary, where there are any."""
    if conversation.facts is None:
        return
    if len(book := conversation.facts.present):
        yield from ("## Facts", fenced(table(book)))
    if conversation.facts.summaries.current is not None:
        yield from ("## Summary", _quoted(summary_words(conversation.facts.summaries)))


def _parts(record: ThreadRecord) -> Iterator[str]:
    for entry in record:
        match entry.kind:
            case EntryKind.PROMPT:
                yield from (f"## Turn {entry.turn}{_at(entry)}", _quoted(entry.text))
            case EntryKind.REPLY:
                yield entry.text.strip() or "(no text)"
                if entry.stopped:
                    yield f"*{clean_line(entry.stopped)}*"
            case EntryKind.CALL if entry.call is not None:
                yield from (f"**{clean_line(entry.call.tool)}**", fenced(entry.text, "json"))
            case EntryKind.OUTPUT:
                yield from (f"{result_words(entry)}:", fenced(entry.text))
            case EntryKind.COMMAND:
                line, printed = told_apart(entry.text)
                yield from (f"**! {clean_line(line)}**{_at(entry)}", fenced(printed))
            case _:
                continue


def _at(entry: Entry) -> str:
    return f" · {entry.time:%Y-%m-%d %H:%M}" if entry.time is not None else ""


def result_words(entry: Entry) -> str:
    """Say of an output how the call ended and how much it printed: ``result, exit status 2, 14 lines, 812 bytes``."""
    output = entry.output
    if output is None:
        return "Result"
    status = f"exit status {output.exit_status}, " if output.exit_status else "" if output.ok else "failed, "
    part = ", as the model was shown it" if output.kept else ""
    return f"Result, {status}{count(output.lines, 'line')}, {count(output.bytes, 'byte')}{part}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in clean(text).strip().split("\n"))


def fenced(text: str, language: str = "") -> str:
    """Put text in a code block whose fence no line of it can close."""
    longest = max((len(found[1]) for found in _FENCE.finditer(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
