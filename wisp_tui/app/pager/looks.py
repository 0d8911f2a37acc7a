"""What a line looks like: its text, clean, and the colours that its escape sequences ask for, as values.

Only SGR sequences (``ESC [ … m``) mean anything here; every other sequence and every control character is removed. A
line begins with no colour, so that one which is never ended colours its line and no more. Blinking and hidden text are
drawn as any other: nothing in an output can hide from the person who looks at it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from rich.cells import cell_len

from wisp_tui.text.clean import clean

TAB = 8
"""Cells between the stops of a tab: those that programs write their tables for."""

Colour: TypeAlias = "int | tuple[int, int, int]"
"""One of the terminal's own sixteen, by its number, or red, green and blue."""

_SGR = re.compile(r"\x1b\[([0-9;:]{0,120})m")
_EFFECTS: dict[int, dict[str, bool | int | None]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"reverse": True},
    9: {"struck": True},
    21: {"underline": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"reverse": False},
    29: {"struck": False},
    39: {"ink": None},
    49: {"ground": None},
    **{30 + number: {"ink": number} for number in range(8)},
    **{40 + number: {"ground": number} for number in range(8)},
    **{90 + number: {"ink": 8 + number} for number in range(8)},
    **{100 + number: {"ground": 8 + number} for number in range(8)},
}
"""What a parameter of an SGR sequence changes; 0 changes everything back, and 38 and 48 have a colour after them."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a stretch of text is drawn. ``ink`` and ``ground`` are None where the theme decides."""

    ink: Colour | None = None
    ground: Colour | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    struck: bool = False
    reverse: bool = False


PLAIN = Look()


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters ``start`` to ``end`` of a line have a look."""

    start: int
    end: int
    look: Look


@dataclass(frozen=True, slots=True)
class Styled:
    """A line as it is drawn: ``text`` is clean and has spaces for tabs; ``source`` is the text with its tabs."""

    text: str
    stretches: tuple[Stretch, ...] = ()
    source: str = ""

    def copied(self, start: int, end: int) -> str:
        """Give what copying characters ``start`` to ``end`` gives: a tab where any of its spaces is among them."""
        if "\t" not in self.source or start >= end:
            return self.text[start:end]
        kept: list[str] = []
        place = cell = 0
        for character in self.source:
            width = TAB - cell % TAB if character == "\t" else 1
            cell += width if character == "\t" else cell_len(character)
            if place < end and place + width > start:
                kept.append(character)
            place += width
        return "".join(kept)


def styled(data: bytes) -> Styled:
    """Read a line's bytes: UTF-8 with replacements, its last frame where carriage returns redrew it."""
    text = data.decode("utf-8", "replace")
    if text.isascii() and text.isprintable():
        return Styled(text, (), text)
    text = text.rstrip("\r")
    frame = text.rfind("\r") + 1
    look = PLAIN
    for found in _SGR.finditer(text, 0, frame):
        look = changed(look, found[1])
    made = _Made()
    for piece, look_there in _pieces(text[frame:], look):
        made.add(clean(piece), look_there)
    return made.line()


def _pieces(text: str, look: Look) -> Iterator[tuple[str, Look]]:
    """Cut a line at its SGR sequences."""
    place = 0
    for found in _SGR.finditer(text):
        yield text[place : found.start()], look
        look = changed(look, found[1])
        place = found.end()
    yield text[place:], look


class _Made:
    """A line while it is put together."""

    def __init__(self) -> None:
        self._source: list[str] = []
        self._text: list[str] = []
        self._length = self._cell = 0
        self._stretches: list[Stretch] = []

    def add(self, piece: str, look: Look) -> None:
        if not piece:
            return
        self._source.append(piece)
        start = self._length
        head, *rest = piece.split("\t")
        self._put(head)
        for part in rest:
            self._put(" " * (TAB - self._cell % TAB))
            self._put(part)
        if look == PLAIN:
            return
        last = self._stretches[-1] if self._stretches else None
        if last is not None and last.end == start and last.look == look:
            self._stretches[-1] = Stretch(last.start, self._length, look)
        else:
            self._stretches.append(Stretch(start, self._length, look))

    def _put(self, text: str) -> None:
        self._text.append(text)
        self._length += len(text)
        self._cell += cell_len(text)

    def line(self) -> Styled:
        return Styled("".join(self._text), tuple(self._stretches), "".join(self._source))


def changed(look: Look, parameters: str) -> Look:
    """Apply an SGR sequence's parameters, in the forms with semicolons and with colons; unknown ones do nothing."""
    codes = parameters.split(";")
    place = 0
    while place < len(codes):
        first, *rest = codes[place].split(":")
        code = int(first or 0)
        place += 1
        if code in {38, 48}:
            taken = rest or codes[place:]
            colour, used = _colour([int(one or 0) for one in taken if ":" not in one], colons=bool(rest))
            place += 0 if rest else used
            if colour is not None:
                look = replace(look, ink=colour) if code == 38 else replace(look, ground=colour)
        elif code == 0:
            look = PLAIN
        elif code == 4 and rest:
            look = replace(look, underline=int(rest[0] or 0) != 0)
        else:
            look = replace(look, **_EFFECTS.get(code, {}))
    return look


def _colour(numbers: list[int], *, colons: bool) -> tuple[Colour | None, int]:
    """Read what follows 38 or 48: the colour, and how many parameters it took."""
    match numbers:
        case [5, number, *_]:
            return _indexed(number), 2
        case [2, _, red, green, blue, *_] if colons:
            return _rgb(red, green, blue), 5
        case [2, red, green, blue, *_]:
            return _rgb(red, green, blue), 4
        case _:
            return None, len(numbers)


def _rgb(red: int, green: int, blue: int) -> Colour:
    return min(red, 255), min(green, 255), min(blue, 255)


def _indexed(number: int) -> Colour | None:
    """Give a colour of the table of 256: sixteen of the terminal's, a cube of six a side, greys."""
    if number < 16:
        return number
    if number < 232:
        steps = (0, 95, 135, 175, 215, 255)
        return steps[(number - 16) // 36], steps[(number - 16) // 6 % 6], steps[(number - 16) % 6]
    if number < 256:
        grey = 8 + 10 * (number - 232)
        return grey, grey, grey
    return None
