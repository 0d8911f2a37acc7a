"""Turns as the distiller and the summary read them: one line a text, each cut to its share of a bound."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.facts.values import one_line
from wisp_tui.text.ids import EntryId, EventId, TurnNumber
from wisp_tui.text.json import JsonObject, load_object
from wisp_tui.text.sizes import cut_bytes, shorten

MAX_BYTES = 12_000
"""Bytes of turns that a call reads at most, whatever the window."""
UNKNOWN_WINDOW = 4_096
"""Tokens taken for a window that nobody knows."""
LEAST_BYTES = 24
"""Bytes of a text below which it says nothing: before that, the oldest turns are left out."""
CALL_CHARACTERS = 160
_GAP = " … "


@dataclass(frozen=True, slots=True)
class Said:
    """One text of a turn: who it is from, in the words that introduce it, and the text on one line."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class TurnText:
    """A turn's texts, oldest first. The entries and events are those of its prompt and its replies."""

    turn: TurnNumber
    said: tuple[Said, ...]
    entries: tuple[EntryId, ...] = ()
    events: tuple[EventId, ...] = ()


def read_turn(entries: Sequence[Entry], *, calls: bool, replies: bool = True) -> TurnText:
    """Read a turn from its entries: commands as one line each, its prompt, its calls if wanted, its replies.

    Tool output is left out: its facts are extracted, and it is the largest part.
    """
    said: list[Said] = []
    sources: list[Entry] = []
    for entry in entries:
        match entry.kind:
            case EntryKind.COMMAND:
                said.append(Said("The person ran", _first_line(entry.text)))
            case EntryKind.PROMPT:
                said.append(Said("The person", one_line(entry.text)))
                sources.append(entry)
            case EntryKind.CALL if calls and entry.call is not None:
                said.append(Said("The assistant called", call_words(entry.call.tool, entry.text)))
            case EntryKind.REPLY if replies:
                said.append(Said("The assistant", one_line(entry.text)))
                sources.append(entry)
            case _:
                pass
    number = next((entry.turn for entry in entries if entry.kind is EntryKind.PROMPT), TurnNumber(0))
    return TurnText(
        number,
        tuple(part for part in said if part.text),
        tuple(entry.id for entry in sources),
        tuple(event for entry in sources for event in entry.sources),
    )


def call_words(tool: str, arguments: str) -> str:
    """Write a call for a reader: its tool and its arguments, an absolute path cut to its last two components."""
    try:
        values: JsonObject = load_object(arguments or "{}")
    except ValueError:
        values = {}
    words = " ".join(f"{name}={short_paths(str(value))}" for name, value in values.items() if value is not None)
    return shorten(one_line(f"{tool} {words}"), CALL_CHARACTERS)


_ABSOLUTE = re.compile(r"""(?<![^\s"'=:(\[])~?(?:/[^\s/"'`;|&<>()]+){3,}/?""")


def short_paths(text: str) -> str:
    """Cut each absolute path in a text to its last two components."""
    return _ABSOLUTE.sub(lambda found: "/".join(found[0].rstrip("/").split("/")[-2:]), text)


def bound_for(window: int | None) -> int:
    """Return how many bytes of turns a call reads: a third of its window, at most 12,000."""
    return min((window or UNKNOWN_WINDOW) // 3 * 4, MAX_BYTES)


def listing(turns: Iterable[TurnText], bound: int) -> str:
    """Write turns one text a line, within a bound in bytes: each text is cut to its share of it.

    What a short text does not need of its share goes to the longer ones. When there are more texts than room, the
    oldest turns are left out.
    """
    kept = [(turn, part) for turn in turns for part in turn.said]
    labels = [f"{part.who}: " for _, part in kept]
    sizes = [len(part.text.encode()) for _, part in kept]
    start = _first_that_fits(labels, sizes, bound)
    room = bound - sum(len(label) + 1 for label in labels[start:])
    limit = fair_share(sizes[start:], room)
    return "\n".join(
        f"{label}{cut_middle(part.text, limit)}" for label, (_, part) in zip(labels[start:], kept[start:], strict=True)
    )


def fair_share(sizes: Sequence[int], bound: int) -> int:
    """Return the most bytes any text may have, so that all of them cut to it come to at most ``bound``."""
    left = bound
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return max(share, 0)
        left -= size
    return max(sizes, default=0)


def cut_middle(text: str, limit: int) -> str:
    """Cut text to at most ``limit`` bytes, keeping two thirds of them from its start and the rest from its end."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text
    room = limit - len(_GAP.encode())
    if room < LEAST_BYTES:
        return cut_bytes(text, limit)
    tail = room // 3
    return cut_bytes(text, room - tail) + _GAP + data[len(data) - tail :].decode("utf-8", "ignore")


def _first_line(text: str) -> str:
    line, _, rest = text.strip().partition("\n")
    return shorten(one_line(line), CALL_CHARACTERS) + (" …" if rest else "")


def _first_that_fits(labels: Sequence[str], sizes: Sequence[int], bound: int) -> int:
    """Return the first text from which on all have room for at least a few words."""
    room = bound
    for place in range(len(labels) - 1, -1, -1):
        room -= len(labels[place]) + 1 + min(sizes[place], LEAST_BYTES)
        if room < 0:
            return place + 1
    return 0
