"""Which lines are asked for: a range, the first, the last, or those that match; and where a page goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a line is matched with, whatever its case: words as they stand, ``|`` between alternatives, ``*`` for a gap.

    The time it takes grows with the line and nothing else, so no pattern of a model's can hold a turn up.
    """

    alternatives: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, text: str) -> Pattern:
        """Read a pattern; the ``.*`` and the escapes of a regular expression are taken as what they mean here."""
        plain = re.sub(r"\\([^\w\s])", r"\1", text.replace(".*", "*")).casefold()
        read = (tuple(piece for piece in one.split("*") if piece) for one in plain.split("|"))
        return cls(tuple(pieces for pieces in read if pieces))

    def matches(self, line: str) -> bool:
        """Tell whether a line has one of the alternatives, its pieces in their order."""
        folded = line.casefold()
        return any(_in_order(pieces, folded) for pieces in self.alternatives)


def _in_order(pieces: tuple[str, ...], line: str) -> bool:
    at = 0
    for piece in pieces:
        found = line.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


@dataclass(frozen=True, slots=True)
class Selection:
    """Lines of a text, numbered from 1: ``first`` to ``last``, of them the last ``tail``, or those of a ``pattern``.

    ``character`` is where the line ``first`` begins, from 1: the rest of one that was longer than a page.
    ``words`` is the filter as it was asked for, so that the next page can be asked for in the same words.
    """

    first: int = 1
    last: int | None = None
    tail: int | None = None
    pattern: Pattern | None = None
    words: str = ""
    character: int = 1


ALL = Selection()
_FROM = re.compile(r"\s*\bfrom (?:line )?(?P<first>\d[\d,]*)(?: character (?P<character>\d[\d,]*))?$", re.IGNORECASE)
_RANGE = re.compile(r"lines? (?P<first>\d[\d,]*)(?:\s*(?:-|–|to)\s*(?P<last>\d[\d,]*))?", re.IGNORECASE)
_END = re.compile(r"(?P<end>head|tail) (?P<number>0*[1-9][\d,]*)", re.IGNORECASE)
_MATCHING = re.compile(r"matching (?P<pattern>.+)", re.IGNORECASE | re.DOTALL)


def read_selection(text: str) -> Selection | None:
    """Read ``matching PATTERN``, ``lines A-B``, ``head N``, ``tail N``; None for others.

    Each is also read with ``from line N`` or ``from line N character M`` after it.
    """
    said = text.strip()
    if (found := _FROM.search(said)) is None:
        return _filter(said, 1)
    chosen = _filter(said[: found.start()].strip(), max(_number(found["first"]), 1))
    if chosen is None or found["character"] is None:
        return chosen
    return replace(chosen, character=max(_number(found["character"]), 1))


def _filter(said: str, first: int) -> Selection | None:
    if not said:
        return Selection(first)
    if (found := _RANGE.fullmatch(said)) is not None:
        start = max(_number(found["first"]), 1)
        last = _number(found["last"]) if found["last"] else start
        return Selection(max(start, first), last, words=said) if last >= start else None
    if (found := _END.fullmatch(said)) is not None:
        number = _number(found["number"])
        head = found["end"].casefold() == "head"
        return Selection(first, number, words=said) if head else Selection(first, tail=number, words=said)
    if (found := _MATCHING.fullmatch(said)) is not None:
        pattern = Pattern.read(found["pattern"].strip().strip("\"'`/"))
        return Selection(first, pattern=pattern, words=said) if pattern.alternatives else None
    return None


def _number(digits: str) -> int:
    return int(digits.replace(",", "")[:12])
