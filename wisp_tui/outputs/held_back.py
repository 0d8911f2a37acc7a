"""Which lines of an output are shown when not all of it fits: a head and a tail, cut at line ends. Pure.

Spec "The tool-output budget, and the output store": a result is never cut without a marker, and no marker understates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wisp_tui.outputs.budget import Cost, most
from wisp_tui.outputs.captured import Captured, plain

CUT = "…"
"""Stands where a line is cut in its middle, which happens only where no whole line has room."""

_NOTHING = Cost(0, 0)


@dataclass(frozen=True, slots=True)
class Held:
    """What is not shown: lines ``first`` to ``last`` (from 1), and at least so many raw bytes of them.

    ``part``: a line at the edge is shown in part.
    """

    first: int
    last: int
    bytes: int
    part: bool

    @property
    def lines(self) -> int:
        """How many lines are held back, one shown in part included."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Shown:
    """What of an output is shown: all of it (``held`` is None), or lines before and after what is held back."""

    head: tuple[str, ...]
    tail: tuple[str, ...] = ()
    held: Held | None = None


def show(output: Captured, room: Cost) -> Shown:
    """Choose what to show of an output in the room for its lines, each with its newline (the marker has its own room).

    All of it where it fits, else the longest head of whole lines in half the room and the longest tail in the rest.
    Where whole lines would leave most of a half unused, part of the next line is shown there, its cut marked ``…``.
    """
    head = _Lines.read(output.head + output.tail if output.whole else output.head, whole=output.whole)
    if output.whole and _cost(head.texts).within(room):
        return Shown(tuple(head.texts))
    front = _from_front(head, room.share(1, 2))
    rest = room.less(front.cost)
    if output.whole:
        back = _from_back(head, len(head.texts) - front.lines, rest, ended=output.ended)
    else:
        tail = _Lines.read(output.tail, whole=True)
        back = _from_back(tail, len(tail.texts), rest, ended=output.ended, complete_first=False)
    shown = front.raw + back.raw
    held = Held(front.lines + 1, output.lines - back.lines, output.bytes - shown, part=front.part or back.part)
    return Shown(front.texts, back.texts, held)


def needs(output: Captured) -> Cost | None:
    """Measure all of an output as it would be shown; None when memory does not hold all of it."""
    return _cost(_Lines.read(output.head + output.tail, whole=True).texts) if output.whole else None


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines as shown beside their raw bytes, one to one. ``whole``: the last one is complete."""

    texts: list[str]
    raws: list[bytes]
    whole: bool

    @classmethod
    def read(cls, data: bytes, *, whole: bool) -> _Lines:
        if not data:
            return cls([], [], whole)
        if whole:
            data = data.removesuffix(b"\n")
        return cls(plain(data).split("\n"), data.split(b"\n"), whole)

    @property
    def complete(self) -> int:
        """How many lines, from the first, are known to their end."""
        return len(self.texts) if self.whole else len(self.texts) - 1


@dataclass(frozen=True, slots=True)
class _Edge:
    """Lines chosen at one end: their texts, what they cost, the raw bytes they show, how many of them are whole."""

    texts: tuple[str, ...]
    cost: Cost
    raw: int
    lines: int
    part: bool


def _from_front(lines: _Lines, room: Cost) -> _Edge:
    taken = most(min(lines.complete, room.bytes), lambda number: _cost(lines.texts[:number]), room)
    texts, raw = lines.texts[:taken], _raw(lines.raws[:taken])
    cost = _cost(texts)
    if taken == len(lines.texts) or not _mostly_unused(cost, room):
        return _Edge(tuple(texts), cost, raw, taken, part=False)
    line = lines.texts[taken]
    size = most(min(len(line), room.bytes), lambda number: _cost([line[:number] + CUT]), room.less(cost))
    if not size:
        return _Edge(tuple(texts), cost, raw, taken, part=False)
    part = line[:size]
    texts = [*texts, part + CUT]
    return _Edge(tuple(texts), _cost(texts), raw + _raw_of(part), taken, part=True)


def _from_back(lines: _Lines, available: int, room: Cost, *, ended: bool, complete_first: bool = True) -> _Edge:
    """Choose among the last ``available`` lines; the first of all may be known only from its middle on."""
    whole = available if complete_first else max(available - 1, 0)
    end = len(lines.texts)
    taken = most(min(whole, room.bytes), lambda number: _cost(lines.texts[end - number :]), room)
    texts, raw = lines.texts[end - taken :], max(_raw(lines.raws[end - taken :]) - (not ended), 0)
    cost = _cost(texts)
    if taken >= available or not _mostly_unused(cost, room):
        return _Edge(tuple(texts), cost, raw, taken, part=False)
    line = lines.texts[end - taken - 1]
    size = most(min(len(line), room.bytes), lambda number: _cost([CUT + line[len(line) - number :]]), room.less(cost))
    if not size:
        return _Edge(tuple(texts), cost, raw, taken, part=False)
    part = line[len(line) - size :]
    texts = [CUT + part, *texts]
    return _Edge(tuple(texts), _cost(texts), raw + _raw_of(part), taken, part=True)


def _cost(texts: Sequence[str]) -> Cost:
    """Measure lines, each with its newline."""
    return Cost.of("\n".join(texts) + "\n") if texts else _NOTHING


def _raw(raws: Sequence[bytes]) -> int:
    """Count the bytes of lines, each with its newline."""
    return sum(map(len, raws)) + len(raws)


def _raw_of(part: str) -> int:
    """Count the fewest raw bytes that can stand behind a part of a line: U+FFFD may stand for a single one."""
    return len(part.encode("utf-8", "replace")) - 2 * part.count("\ufffd")


def _mostly_unused(cost: Cost, room: Cost) -> bool:
    return cost.within(room.share(1, 2))
