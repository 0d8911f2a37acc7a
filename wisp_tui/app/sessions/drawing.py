"""The list's columns, and the rows of what a conversation ended with and of what was found in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from rich.cells import cell_len

from wisp_tui.app.panel.drawn import Drawn, padded
from wisp_tui.app.rows import BLANK, Piece, Role, Row, Span, drawable, plain_rows
from wisp_tui.context.record import EntryKind
from wisp_tui.context.typed import told_apart
from wisp_tui.session.saved.entries import SavedEntry
from wisp_tui.session.saved.glimpse import Glimpse
from wisp_tui.session.saved.listing import SavedName
from wisp_tui.session.saved.saying import CUT_SHORT
from wisp_tui.session.saved.searching import FoundLine
from wisp_tui.session.status import short_path
from wisp_tui.session.toolcalls import summary
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import ago, count, human_bytes, shorten, shorten_start

WIDE, ROOMY = 96, 56
"""Cells from which a line says the model and the directory; the turns and the size."""
NAME, WIDE_NAME, MODEL, PLACE = 18, 22, 20, 18
"""Cells of the columns."""
ENTRY_LINES = 12
"""Lines of an entry that are shown."""
ENTRY_LETTERS = 2_000
OUTPUT_LINES = 3
HERE, OLD = "●", "×"


def columns(width: int) -> list[Piece]:
    """Name the columns of the list."""
    heads = [padded("name", WIDE_NAME if width >= WIDE else NAME), f"{'used':>8}"]
    heads += [f"{'turns':>6}", f"{'size':>9}"] if width >= ROOMY else []
    heads += [f" {padded('model', MODEL)}", padded("directory", PLACE)] if width >= WIDE else []
    return [Piece(f"    {' '.join([*heads, '' if width >= WIDE else ' '])}begins", Role.FAINT)]


def draw_line(item: SavedName, width: int, here: str | None, now: datetime, home: Path) -> Drawn:
    """Draw a conversation's line."""
    mark, role = (HERE, Role.ACCENT) if item.name == here else (" ", None) if item.resumable else (OLD, Role.ERROR)
    gone = None if item.resumable else Role.FAINT
    pieces = [
        Piece(f"{mark} ", role),
        Piece(padded(drawable(item.name), WIDE_NAME if width >= WIDE else NAME), gone or Role.STRONG),
        Piece(f" {used(item, now):>8}", gone or Role.MUTED),
    ]
    if width >= ROOMY:
        pieces += [Piece(f" {item.turns:>6,}", gone), Piece(f" {human_bytes(item.size):>9}", gone or Role.MUTED)]
    pieces.append(Piece("  "))
    if width >= WIDE:
        place = short_path(Path(item.head.directory), home) if item.head.directory else "·"
        pieces += [
            Piece(f"{padded(drawable(item.head.model or '·'), MODEL)} ", gone or Role.FAINT),
            Piece(f"{padded(shorten_start(drawable(place), PLACE), PLACE)} ", gone or Role.FAINT),
        ]
    if item.cut_short:
        pieces.append(Piece(f"{CUT_SHORT} ", Role.WARNING))
    return Drawn((*pieces, Piece(drawable(item.first), gone)))


def used(item: SavedName, now: datetime) -> str:
    """Say how long ago a conversation was used last."""
    return ago(max((now - item.saved).total_seconds(), 0.0))


def about(item: SavedName, home: Path) -> tuple[list[Piece], list[Piece]]:
    """Say of a conversation what its line has no room for."""
    head = item.head
    left = [Piece(drawable(item.name), Role.STRONG)]
    if head.model:
        left.append(Piece(f" · {drawable(head.model)}", Role.MUTED))
    if head.directory:
        left.append(Piece(f" · {drawable(short_path(Path(head.directory), home))}", Role.MUTED))
    return left, [Piece(f"{item.saved:%Y-%m-%d %H:%M}", Role.FAINT)]


def preview_rows(
    item: SavedName, seen: Glimpse | None, found: Sequence[FoundLine], words: Sequence[str], fault: str
) -> list[Row]:
    """Write what was found in a conversation, and its last turns below it; the words are marked in both."""
    rows = [row for line in found for row in _found_rows(line)]
    if rows:
        rows = [*rows, BLANK, Row("its last turns", role=Role.FAINT)]
    if fault:
        return [*rows, Row(drawable(clean_line(fault)), role=Role.WARNING)]
    if seen is None:
        return _marked(rows, words)
    if not seen.entries:
        rows.append(Row(_NOTHING if seen.whole else _TOO_LARGE, role=Role.FAINT))
    elif not seen.whole:
        rows.append(Row(f"… {count(item.turns, 'turn')} in all, the last ones are", role=Role.FAINT))
    rows += [row for entry in seen.entries for row in _entry_rows(entry)]
    return _marked(rows, words)


_NOTHING = "nothing was said in it"
_TOO_LARGE = "its last message is too large to be shown here; enter goes on with it"
_WHO = {
    EntryKind.PROMPT: "you",
    EntryKind.REPLY: "reply",
    EntryKind.COMMAND: "!",
    EntryKind.CALL: "call",
    EntryKind.OUTPUT: "output",
}


def _found_rows(line: FoundLine) -> Iterator[Row]:
    who = _WHO.get(line.kind, "entry") if line.kind is not None else "entry"
    place = f"{f'{line.entry} {who}':>12}  "
    yield replace(plain_rows(line.excerpt)[0], prefix=place, hang=" " * cell_len(place), prefix_role=Role.FAINT)


def _entry_rows(entry: SavedEntry) -> list[Row]:
    rows: list[Row] = []
    match entry.kind:
        case EntryKind.INSTRUCTIONS:
            pass
        case EntryKind.PROMPT:
            rows = [BLANK, *_text_rows(entry.text, Role.PROMPT, "❯ ", ENTRY_LINES), BLANK]
        case EntryKind.REPLY:
            rows = _text_rows(entry.text, None, "  ", ENTRY_LINES)
            if entry.stopped:
                rows.append(_line(entry.stopped, Role.WARNING))
        case EntryKind.CALL:
            rows = [_line(f"⚙ {entry.tool} {summary(entry.text)}", Role.TOOL)]
        case EntryKind.OUTPUT:
            result = _line(f"{'↳' if entry.ok else '✕'} {count(entry.lines, 'line')}", Role.FAINT)
            rows = [result, *_text_rows(entry.text, Role.OUTPUT, "    ", OUTPUT_LINES)]
        case EntryKind.COMMAND:
            line, printed = told_apart(entry.text)
            rows = [BLANK, _line(f"! {line}", Role.TOOL), *_text_rows(printed, Role.OUTPUT, "    ", OUTPUT_LINES)]
        case _:
            rows = _text_rows(entry.text, Role.FAINT, "  ", OUTPUT_LINES)
    return rows


def _line(text: str, role: Role) -> Row:
    return Row(drawable(clean_line(text)), role=role, prefix="  ", hang="    ")


def _text_rows(text: str, role: Role | None, prefix: str, most: int) -> list[Row]:
    """Write the beginning of a text, and how many lines follow."""
    lines = text.strip("\n").count("\n") + 1
    rows = plain_rows(shorten(text.strip("\n"), ENTRY_LETTERS), role)[:most]
    hang = " " * cell_len(prefix)
    drawn = [replace(row, prefix=hang if number else prefix, hang=hang) for number, row in enumerate(rows)]
    if lines > len(drawn):
        drawn.append(Row(f"… {count(lines - len(drawn), 'more line')}", role=Role.FAINT, prefix=hang))
    return drawn


def _marked(rows: list[Row], words: Sequence[str]) -> list[Row]:
    """Mark the words in rows."""
    return [_with_marks(row, words) for row in rows] if words else rows


def _with_marks(row: Row, words: Sequence[str]) -> Row:
    folded = row.text.casefold()
    if len(folded) != len(row.text):  # a letter that folds to two: its neighbours would be marked
        folded = row.text.lower() if len(row.text.lower()) == len(row.text) else ""
    marks = [Span(at, at + len(word), Role.MATCH) for word in words for at in _places(folded, word)]
    return replace(row, spans=(*row.spans, *marks)) if marks else row


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))
