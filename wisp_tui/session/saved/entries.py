"""The entries of a conversation's files, read one by one and not as a whole: where each begins, and what it says.

Both files hold their entries as JSON objects that begin with their id, ``{"id":"7-0123456789ab",``. Inside of a JSON
text a quotation mark is escaped, so these bytes stand nowhere but at an entry's beginning, whatever the entries say;
a file can be looked into at any place, and what is damaged in it takes only the entries it is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecoder

from wisp_tui.context.record import EntryKind
from wisp_tui.text.json import Json, JsonObject, load_object

_BEGINS = re.compile(rb'\{"id":"(\d{1,9})-[0-9a-f]{12}",')
_DECODER = JSONDecoder()
PROMPT = re.compile(rb'\{"id":"\d{1,9}-[0-9a-f]{12}",(?:"position":\d+,)?"kind":"prompt"')
"""Where a prompt begins, in either file."""


@dataclass(frozen=True, slots=True)
class SavedEntry:
    """An entry as its file has it, not clean. ``kind`` is None for one of a later version."""

    id: int
    kind: EntryKind | None
    text: str
    tool: str = ""
    """The tool of a call or an output."""
    ok: bool = True
    lines: int = 0
    """Lines of an output."""
    stopped: str = ""
    """Why a reply did not end by itself."""


def pieces(data: bytes, start: int = 0) -> Iterator[tuple[int, int, int]]:
    """Say of each entry from a place on where it begins and ends in the file, and its number."""
    before: re.Match[bytes] | None = None
    for found in _BEGINS.finditer(data, start):
        if before is not None:
            yield before.start(), found.start(), int(before[1])
        before = found
    if before is not None:
        yield before.start(), len(data), int(before[1])


def read_piece(piece: bytes, number: int) -> SavedEntry | None:
    """Read one entry; None for one that is damaged, or that holds nothing here: its content is in the other file."""
    fields = _object(piece)
    if fields is None:
        return None
    dropped = fields.get("entry")
    return _entry(dropped if isinstance(dropped, dict) else fields, fields.get("kind"), number)


def copied_entries(data: bytes) -> list[SavedEntry]:
    """Read the entries in lines of a live copy; a reply that was being written is the last. Others are passed over."""
    entries: list[SavedEntry] = []
    said = ""
    for line in data.split(b"\n"):
        if not line.startswith((b'{"entry":', b'{"said":')):
            continue
        fields = _object(line)
        if fields is None:
            continue
        whole = _fields(fields.get("entry"))
        content, links = _fields(whole.get("content")), _fields(whole.get("links"))
        number = links.get("position")
        said = "" if whole else said + _text(fields.get("said"))
        entry = _entry(content, links.get("kind"), number if isinstance(number, int) else 0)
        entries += [entry] if entry is not None else []
    if said:
        entries.append(SavedEntry(0, EntryKind.REPLY, said, stopped="cut short"))
    return entries


def _entry(content: JsonObject, kind: Json, number: int) -> SavedEntry | None:
    text = content.get("text")
    if not isinstance(text, str):
        return None
    output, call = _fields(content.get("output")), _fields(content.get("call"))
    lines = output.get("lines")
    return SavedEntry(
        id=number,
        kind=_kind(kind),
        text=text,
        tool=_text(output.get("tool")) or _text(call.get("tool")),
        ok=output.get("ok") is not False,
        lines=lines if isinstance(lines, int) else 0,
        stopped=_text(content.get("stopped")),
    )


def _object(piece: bytes) -> JsonObject | None:
    """Read the object that a piece begins with: what follows the last entry of a file is left alone."""
    for end in (b",", b"]}"):
        try:
            return load_object(piece.removesuffix(end))
        except ValueError:
            continue
    text = piece.decode("utf-8", "replace")
    try:
        _, length = _DECODER.raw_decode(text)
        return load_object(text[:length])
    except (ValueError, RecursionError):
        return None


def _kind(name: Json) -> EntryKind | None:
    return next((kind for kind in EntryKind if kind.value == name), None)


def _fields(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
