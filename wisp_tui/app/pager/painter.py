"""How a row of an output is drawn: its number, its text in its colours, matches, what is marked, signs at the edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from wisp_tui.app.pager.flow import RowKind, ScreenRow
from wisp_tui.app.pager.inks import Inks
from wisp_tui.app.pager.marked import Marked
from wisp_tui.app.pager.parts import LinePart
from wisp_tui.app.pager.search import Needle
from wisp_tui.text.clean import one_row
from wisp_tui.text.sizes import count

CLASSES = frozenset(f"page--{name}" for name in ("number", "here", "match", "match-here", "sign", "heading", "note"))
LEFT, RIGHT = "‹", "›"


@dataclass(frozen=True, slots=True)
class Here:
    """The line that is pointed at, and the match on it: where it starts in the source.

    ``part`` and ``start``, the part of the line and the character, are None where the match is not drawn.
    """

    line: int
    offset: int | None = None
    part: int | None = None
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Painting:
    """What there is to draw beside the text.

    ``digits`` is the width of the numbers, 0 for none. A ``margin`` stands before them, drawn here because the
    stylesheet's padding costs a strip a row. ``headings`` says of a line that it is a heading, and what stands beside
    it; ``closing`` follows the last line.
    """

    width: int
    margin: int
    digits: int
    needle: Needle | None = None
    here: Here | None = None
    marked: Marked | None = None
    headings: Mapping[int, str] = field(default_factory=dict[int, str])
    closing: str = ""

    @property
    def gutter(self) -> int:
        """Cells before the text."""
        return self.margin + (self.digits + 2 if self.digits else 1)

    @property
    def room(self) -> int:
        """Cells for text: those between the gutter and the sign at the right edge."""
        return max(self.width - self.gutter - 1, 1)


class Painter:
    """Draws rows. ``style_of`` gives the stylesheet's style of a class, ``base`` is the widget's own."""

    def __init__(self, base: Style, selection: Style, style_of: Callable[[str], Style], inks: Inks) -> None:
        self._base = base
        self._selection = selection
        self._styles = {name: base + style_of(name) for name in CLASSES}
        self._over = {name: style_of(name) for name in ("page--match", "page--match-here", "page--heading")}
        self._inks = inks

    def blank(self, painting: Painting, end: tuple[int, int] | None) -> Strip:
        """Draw a row after the last; what points at it points at ``end``, a character and its line."""
        style = self._base if end is None else self._base + Style.from_meta({"offset": end})
        return Strip([Segment("", style), Segment(" " * painting.width, self._base)], painting.width)

    def said(self, text: str, painting: Painting) -> Strip:
        """Draw a row that says something in place of an output."""
        room = max(painting.width - 2 * painting.gutter, 1)
        text = set_cell_size(text, room).rstrip() if cell_len(text) > room else text
        segments = [Segment(" " * painting.gutter, self._base), self._note(text)]
        return Strip(segments).crop_extend(0, painting.width, self._base)

    def row(self, row: ScreenRow, painting: Painting) -> Strip:
        """Draw a row."""
        segments = [self._gutter(row, painting)]
        match row.kind, row.part:
            case RowKind.TEXT, LinePart() as part:
                segments += self._text(row, part, painting)
            case RowKind.BEFORE, LinePart() as part:
                segments.append(self._note(f"… {count(part.before, 'byte')} of this line before · ←"))
            case RowKind.AFTER, LinePart() as part:
                segments.append(self._note(f"… {count(part.after, 'more byte')} of this line · →"))
            case RowKind.CLOSING, _:
                segments.append(self._note(painting.closing))
            case _:
                pass
        return self._filled(segments, row, painting)

    def _gutter(self, row: ScreenRow, painting: Painting) -> Segment:
        before = row.part is not None and (row.start > 0 or row.part.before > 0) and row.first
        sign = LEFT if before and row.kind is RowKind.TEXT else " "
        numbered = row.first and row.kind is not RowKind.CLOSING and painting.digits
        number = f"{row.line + 1:>{painting.digits}}" if numbered else " " * painting.digits
        text = " " * painting.margin + (f"{number} {sign}" if painting.digits else sign)
        here = painting.here is not None and painting.here.line == row.line
        style = self._styles["page--here" if here else "page--number"]
        return Segment(text, style + Style.from_meta({"offset": (row.start - len(text), row.line)}))

    def _note(self, text: str) -> Segment:
        return Segment(text, self._styles["page--note"])

    def _text(self, row: ScreenRow, part: LinePart, painting: Painting) -> list[Segment]:
        styles = self._stretches(row, part, painting)
        edges = {row.start, row.end}
        for start, end, _ in styles:
            edges.update(edge for edge in (start, end) if row.start < edge < row.end)
        segments = [Segment(" " * row.pad, self._base)] if row.pad else []
        for start, end in pairwise(sorted(edges)):
            style = self._base
            for first, last, added in styles:
                if first <= start and end <= last:
                    style += added
            offset = Style.from_meta({"offset": (start, row.line)})
            segments.append(Segment(one_row(part.styled.text[start:end]), style + offset))
        if row.start == row.end:
            segments.append(Segment("", self._base + Style.from_meta({"offset": (row.start, row.line)})))
        if row.line in painting.headings:
            segments.append(self._note(f"  {painting.headings[row.line]}"))
        return segments

    def _stretches(self, row: ScreenRow, part: LinePart, painting: Painting) -> list[tuple[int, int, Style]]:
        """Say what styles which characters have, the later over the earlier."""
        styles = [(one.start, one.end, self._inks.style(one.look)) for one in part.styled.stretches]
        if row.line in painting.headings:
            styles.append((row.start, row.end, self._over["page--heading"]))
        if painting.needle is not None:
            here = painting.here
            at = here.start if here is not None and (here.line, here.part) == (row.line, part.part) else None
            for start, end in painting.needle.in_text(part.styled.text):
                styles.append((start, end, self._over["page--match-here" if start == at else "page--match"]))
        if painting.marked is not None:
            start, end = painting.marked.on(row.line, len(part.styled.text))
            styles.append((start, end, self._selection))
        return styles

    def _filled(self, segments: list[Segment], row: ScreenRow, painting: Painting) -> Strip:
        """Fill a row to the width, with a sign at its end where its line goes on, and how much of it there is."""
        used = sum(cell_len(segment.text) for segment in segments)
        edge = painting.gutter + painting.room
        if row.clipped and row.part is not None and row.end == len(row.part.styled.text):
            text = f" … {count(row.part.after, 'more byte')} · →"
            if used + cell_len(text) <= edge:
                segments.append(self._note(text))
                used += cell_len(text)
        if used > edge:
            return Strip(segments).crop_extend(0, painting.width, self._base)
        sign = RIGHT if row.clipped else " "
        segments.append(Segment(" " * (edge - used), self._base))
        segments.append(Segment(set_cell_size(sign, max(painting.width - edge, 0)), self._styles["page--sign"]))
        return Strip(segments, max(painting.width, edge)).crop(0, painting.width)
