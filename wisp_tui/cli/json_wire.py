"""The lines of ``wisp chat --json``: what one that came in says, and how one that goes out is written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from wisp_tui.text.json import Json, JsonObject, dump, load_object

_CONTROLS = re.compile("[\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Hello:
    """What the front end carries: the names of its effects, and what it says it is."""

    effects: frozenset[str]
    client: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A chat line: a prompt, or a slash command as typed."""

    text: str


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The answer to an approval, as the front end wrote it."""

    id: str
    decision: str


@dataclass(frozen=True, slots=True)
class Choose:
    """The answer to a choice, as the front end wrote it; without a value it declines it, or changes nothing."""

    id: str
    value: str | None
    values: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Complete:
    """A wish for completions of ``text`` up to ``cursor``, which counts characters."""

    id: Json
    text: str
    cursor: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """End the running turn."""


Incoming: TypeAlias = Hello | Message | GivenAnswer | Choose | Complete | Cancel


def read_line(line: bytes) -> Incoming | None:
    """Read a line from the front end. None for one that means nothing here: blank, or of a type not known.

    A line that is not a JSON object is a message. A field that is missing or of another type takes its empty value.
    """
    text = line.decode("utf-8", "replace")
    if not text.strip():
        return None
    try:
        fields = load_object(text)
    except ValueError:
        return Message(text)
    match fields.get("type"):
        case "hello":
            effects = fields.get("effects")
            named = frozenset(str(effect) for effect in effects) if isinstance(effects, list) else frozenset[str]()
            said = Hello(named, _text(fields, "client") or None, _text(fields, "version") or None)
        case "message":
            said = Message(_text(fields, "text"))
        case "answer":
            said = GivenAnswer(_text(fields, "id"), _text(fields, "decision"))
        case "choose":
            values = fields.get("values")
            chosen = tuple(map(str, values)) if isinstance(values, list) else None
            said = Choose(_text(fields, "id"), _choice(fields) or None, chosen)
        case "complete":
            typed, cursor = _text(fields, "text"), fields.get("cursor")
            said = Complete(fields.get("id"), typed, cursor if isinstance(cursor, int) else len(typed))
        case "cancel":
            said = Cancel()
        case _:
            said = None
    return said


def write_line(fields: JsonObject) -> bytes:
    r"""Write an object as one line. No byte of it acts on a terminal, and no reader takes part of it for a line's end.

    JSON leaves DEL, the C1 controls and the Unicode line separators as they are; here they are ``\u`` escapes.
    """
    line = dump(fields)
    if line.isascii() and b"\x7f" not in line:
        return line + b"\n"
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", line.decode()).encode() + b"\n"


def _choice(fields: JsonObject) -> str:
    """Read what was chosen: words, or the number of an option, which may be written as a number of JSON."""
    value = fields.get("value")
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(fields, "value")


def _text(fields: JsonObject, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
