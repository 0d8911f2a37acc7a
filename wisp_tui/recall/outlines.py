"""Reading what has a shape of its own, exactly: the outline of a JSON text, the templates that a log's lines follow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic_core import from_json

from wisp_tui.outputs import StoredLine
from wisp_tui.text.json import Json, dump
from wisp_tui.text.sizes import count, shorten

KEYS = 40
"""Members of a JSON object that an outline names."""
_LARGEST = 4 * 1024 * 1024
"""Characters of a text that is read as JSON."""
_VARIES = re.compile(
    r"\b[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}\b|0x[0-9a-fA-F]+|\b(?=[a-fA-F]*\d)[0-9a-fA-F]{7,}\b|\d+",
)
_MASK = "#"
_READ = 400
"""Characters of a line by which it is sorted."""


def json_outline(lines: Sequence[StoredLine]) -> list[str] | None:
    """Outline a JSON object or array by its members, each with the line it stands on; None for any other text."""
    text = "\n".join(line.text for line in lines)
    if len(text) > _LARGEST or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value: Json = from_json(text)
    except ValueError:
        return None
    said = [f"line {lines[0].number}: a JSON {_shape(value)}"]
    members = value if isinstance(value, dict) else value[0] if isinstance(value, list) and value else {}
    if isinstance(value, list) and isinstance(members, dict):
        said.append(f"line {_place('', lines)}: its first item is {_shape(members)}")
    if isinstance(members, dict):
        named = list(members.items())
        said += [f"line {_place(name, lines)}: {shorten(name, 60)}: {_shape(item)}" for name, item in named[:KEYS]]
        said += [f"{len(named) - KEYS:,} more members"] if len(named) > KEYS else []
    return said


def _shape(value: Json) -> str:
    match value:
        case dict():
            return f"object of {count(len(value), 'member')}"
        case list():
            return f"array of {count(len(value), 'item')}"
        case str():
            return f'"{shorten(" ".join(value.split()), 60)}"'
        case _:
            return dump(value).decode()


def _place(name: str, lines: Sequence[StoredLine]) -> int:
    """Find the line of a member: the first that begins with its name, else the first of all."""
    wanted = f'"{name}"'
    return next((line.number for line in lines if line.text.lstrip(" {[").startswith(wanted)), lines[0].number)


@dataclass(slots=True)
class Template:
    """Lines that differ in numbers and ids only: an example, where the first and the last stand, how many there are."""

    example: str
    first: int
    last: int
    lines: int = 0


def templates(lines: Iterable[StoredLine]) -> list[Template]:
    """Sort lines into templates, in the order in which each begins; blank lines are in none."""
    found: dict[str, Template] = {}
    for line in lines:
        if not line.text.strip():
            continue
        masked = _VARIES.sub(_MASK, line.text[:_READ]).strip()
        template = found.setdefault(masked, Template(line.text.strip(), line.number, line.number))
        template.last = line.number
        template.lines += 1
    return list(found.values())
