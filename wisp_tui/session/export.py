"""A conversation as a Markdown page: all that was said and run, what has left the context included."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from wisp_tui.config.home import PRIVATE_FILE
from wisp_tui.context.record import Entry, EntryKind, ThreadRecord
from wisp_tui.context.typed import told_apart
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.clean import clean, clean_line
from wisp_tui.text.sizes import count

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})", re.MULTILINE)


class NotExported(Exception):
    """The page was not written; the message says where to and why."""


def markdown(conversation: Conversation) -> str:
    """Write a conversation as Markdown, clean: each turn under its number, calls with their results as they came."""
    held = conversation
    name = held.name or f"conversation of {held.clock.now():%Y-%m-%d %H:%M}"
    about = [f"directory `{held.directory}`"]
    if held.resolved is not None:
        about.insert(0, f"model `{held.resolved.id}`")
    return clean("\n\n".join([f"# {clean_line(name)}", " · ".join(about), *_parts(held.record)])) + "\n"


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
                yield from (_result(entry), fenced(entry.text))
            case EntryKind.COMMAND:
                line, printed = told_apart(entry.text)
                yield from (f"**! {clean_line(line)}**{_at(entry)}", fenced(printed))
            case _:
                continue


def _at(entry: Entry) -> str:
    return f" · {entry.time:%Y-%m-%d %H:%M}" if entry.time is not None else ""


def _result(entry: Entry) -> str:
    output = entry.output
    if output is None:
        return "Result:"
    status = f"exit status {output.exit_status}, " if output.exit_status else "" if output.ok else "failed, "
    part = ", as the model was shown it" if output.kept else ""
    return f"Result, {status}{count(output.lines, 'line')}, {count(output.bytes, 'byte')}{part}:"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in clean(text).strip().split("\n"))


def fenced(text: str, language: str = "") -> str:
    """Put text in a code block whose fence no line of it can close."""
    longest = max((len(found[1]) for found in _FENCE.finditer(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def export(conversation: Conversation, wanted: str) -> Path:
    """Write the page to a new file, 0600: the one named, from the conversation's directory, else one named by the time.

    Nothing there is ever replaced. Raises NotExported.
    """
    name = wanted or f"wisp-{conversation.clock.now():%Y-%m-%d-%H%M%S}.md"
    path = conversation.directory / Path(name).expanduser()
    page = markdown(conversation).encode()
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
        with os.fdopen(handle, "wb") as file:
            file.write(page)
    except FileExistsError as error:
        raise NotExported(f"{path} is there already, and is left as it is; /export PATH takes another one") from error
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NotExported(f"{path} cannot be written: {reason}") from error
    return path
