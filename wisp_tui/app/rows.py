"""A line of text as the screen draws it: its roles, and where it wraps. Values only, without Textual.

Text from a model, a tool or a file reaches the screen as rows: a row's text is drawn as it stands, and what it looks
like is said beside it by roles, so that no text is ever read as markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rich.cells import cell_len, get_character_cell_size

from wisp_tui.text.clean import drawable, one_row

TAB = 4
"""Cells a tab is drawn as."""
DEEPEST = 30
"""Cells within which the column begins that a line goes on under."""
_GAP = re.compile(r"^ +|(?<=\S) {2,}(?=\S)")


class Role(StrEnum):
    """What a stretch of text is; the stylesheet says what each looks like (``row--strong``)."""

    STRONG = "strong"
    EMPHASIS = "emphasis"
    STRUCK = "struck"
    CODE = "code"
    LINK = "link"
    HEADING = "heading"
    SUBHEADING = "subheading"
    MARKER = "marker"
    QUOTE = "quote"
    RULE = "rule"
    BLOCK = "block"
    """A line of a code block, a band across the text's width."""
    KEYWORD = "keyword"
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    NAME = "name"
    MUTED = "muted"
    FAINT = "faint"
    PROMPT = "prompt"
    TOOL = "tool"
    OUTPUT = "output"
    GOOD = "good"
    WARNING = "warning"
    ERROR = "error"
    ACCENT = "accent"
    KEY = "key"
    MATCH = "match"
    """What a search has found."""
    MATCH_HERE = "match-here"
    """The match that it stands at."""
    LAYER_INSTRUCTIONS = "layer-instructions"
    LAYER_TOOLS = "layer-tools"
    LAYER_EARLIER = "layer-earlier"
    LAYER_LITERAL = "layer-literal"
    LAYER_NOW = "layer-now"
    LAYER_REQUEST = "layer-request"


class Wrap(StrEnum):
    """What becomes of a row wider than the screen."""

    WORDS = "words"
    """It goes on below, broken between words."""
    ANYWHERE = "anywhere"
    """It goes on below, broken at the edge, as code is."""
    CLIP = "clip"
    """Its rest is not drawn; the row ends with an ellipsis."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end`` of a row's text have a role."""

    start: int
    end: int
    role: Role


@dataclass(frozen=True, slots=True)
class Row:
    """One logical line. ``text`` is clean and has neither newlines nor tabs.

    ``prefix`` is drawn before its first line on the screen, ``hang`` before those it wraps to; neither is copied.
    """

    text: str
    spans: tuple[Span, ...] = ()
    role: Role | None = None
    prefix: str = ""
    hang: str = ""
    prefix_role: Role | None = Role.MARKER
    wrap: Wrap = Wrap.WORDS
    source: str | None = None
    """The line as it came, where the one drawn differs (a tab): what copying the whole row gives."""

    def __post_init__(self) -> None:
        """Hold that nothing in it leaves its row, whoever made it."""
        for name in ("text", "prefix", "hang"):
            written: str = getattr(self, name)
            if not written.isprintable():
                object.__setattr__(self, name, one_row(written))

    @property
    def copied(self) -> str:
        """What copying the whole row gives."""
        return self.text if self.source is None else self.source

    def hang_in(self, width: int) -> str:
        """Return what is drawn before a line it wraps to: no more than its prefix, where half the cells would go."""
        return (
            self.hang[: len(self.prefix)] if cell_len(self.hang) > max(width // 2, cell_len(self.prefix)) else self.hang
        )


@dataclass(frozen=True, slots=True)
class Line:
    """One line on the screen: characters ``start`` to ``end`` of a row."""

    row: int
    start: int
    end: int
    clipped: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of one role, for a line put together of a few."""

    text: str
    role: Role | None = None

    def __post_init__(self) -> None:
        """Hold that nothing in it leaves its line, whoever made it."""
        if not self.text.isprintable():
            object.__setattr__(self, "text", one_row(self.text))


BLANK = Row("")


def plain_rows(text: str, role: Role | None = None, wrap: Wrap = Wrap.WORDS, prefix: str = "") -> list[Row]:
    """Make rows of text as it stands, one a line."""
    return [_row(line, role, wrap, prefix) for line in drawable(text).split("\n")]


def _row(line: str, role: Role | None, wrap: Wrap, prefix: str) -> Row:
    if "\t" not in line:
        return Row(line, role=role, wrap=wrap, prefix=prefix, hang=prefix)
    return Row(line.expandtabs(TAB), role=role, wrap=wrap, prefix=prefix, hang=prefix, source=line)


def column_rows(text: str, role: Role | None = None, prefix: str = "") -> list[Row]:
    """Make rows of text laid out in columns, one a line: what a line goes on with stands under its last column.

    A column further in than ``DEEPEST`` is not taken: too little would stand on each line. Text without columns goes on
    under its beginning.
    """
    return [replace(row, hang=prefix + " " * _last_column(row.text)) for row in plain_rows(text, role, prefix=prefix)]


def _last_column(text: str) -> int:
    """Say in which cell the last column of a line begins; 0 for a line without columns."""
    begins = (cell_len(text[: gap.end()]) for gap in _GAP.finditer(text))
    return max((cell for cell in begins if cell <= DEEPEST), default=0)


def lines_of(rows: Sequence[Row], width: int, first: int = 0) -> list[Line]:
    """Wrap rows, counted from ``first``, to a width in cells."""
    lines: list[Line] = []
    for index, row in enumerate(rows, first):
        room = max(width - cell_len(row.prefix), 1)
        if row.wrap is Wrap.CLIP:
            end = _fitting(row.text, 0, room)
            if end < len(row.text):
                lines.append(Line(index, 0, _fitting(row.text, 0, room - 1), clipped=True))
            else:
                lines.append(Line(index, 0, end))
        else:
            rest = max(width - cell_len(row.hang_in(width)), 1)
            lines.extend(Line(index, start, end) for start, end in wrapped(row.text, room, row.wrap, rest))
    return lines


def wrapped(text: str, width: int, wrap: Wrap, rest: int | None = None) -> Iterable[tuple[int, int]]:
    """Say where a line of text breaks: the start and end of each piece. Empty text is one piece.

    The first piece fits ``width`` cells, those after it ``rest``: as many, unless it is said.
    """
    start = 0
    while True:
        end = _fitting(text, start, width if not start or rest is None else rest)
        if end >= len(text):
            yield start, len(text)
            return
        following = end
        if wrap is Wrap.WORDS:
            space = text.rfind(" ", start, end + 1)
            if space > start and text[start:space].strip():
                end = following = space
            while following < len(text) and text[following] == " ":
                following += 1
        yield start, end
        if following >= len(text):
            return
        start = following


def _fitting(text: str, start: int, width: int) -> int:
    """Return the end of the longest piece from ``start`` that fits; at least one character."""
    end = min(start + max(width, 1), len(text))
    if text.isascii():
        return end
    if cell_len(text[start:end]) == end - start:
        return end
    room = width
    for place in range(start, len(text)):
        room -= get_character_cell_size(text[place])
        if room < 0:
            return max(place, start + 1)
    return len(text)


def shifted(spans: Iterable[Span], by: int) -> tuple[Span, ...]:
    """Move spans along a row."""
    return tuple(Span(span.start + by, span.end + by, span.role) for span in spans)
