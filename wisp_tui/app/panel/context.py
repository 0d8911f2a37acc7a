"""The context panel's lines: a heading for each layer, below it what the request carries of it, entry by entry."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

from wisp_tui.app.gauge import Piece, layer_glyph, layer_role
from wisp_tui.app.panel.drawn import Drawn, padded
from wisp_tui.app.rows import Role, drawable
from wisp_tui.context.parts import Form, Layer
from wisp_tui.context.record import EntryKind
from wisp_tui.context.view import Change, ContextRow, ContextView
from wisp_tui.text.ids import EntryId
from wisp_tui.text.sizes import count

WAITING = "waiting"
"""The heading of what was dropped and is in no summary yet."""
DROPPED = "dropped"
"""The heading of what the context before carried and this one does not."""
FOLDED = frozenset({WAITING, DROPPED, Layer.TOOLS.value})
"""The headings that are folded until the person unfolds them."""

_STATES: dict[Form, tuple[str, Role]] = {Form.CUT: ("✂", Role.WARNING), Form.REFERENCE: ("↩", Role.ACCENT)}
_CHANGES: dict[Change, tuple[str, Role]] = {
    Change.NEW: ("+", Role.GOOD),
    Change.CUT: ("✂", Role.WARNING),
    Change.REFERENCED: ("↩", Role.ACCENT),
    Change.DROPPED: ("−", Role.ERROR),
}
_CARRIED = "◇"
_CHANGED: dict[Change | None, str] = {Change.NEW: "new", Change.DROPPED: "dropped"}


@dataclass(frozen=True, slots=True)
class Heading:
    """A layer, or what was dropped; ``folded`` when its rows are not shown."""

    name: str
    parts: int
    bytes: int
    tokens: int
    folded: bool


@dataclass(frozen=True, slots=True)
class EntryLine:
    """A part of the context; ``gone`` for one that the context before carried."""

    row: ContextRow
    gone: bool = False


ContextLine: TypeAlias = Heading | EntryLine


@dataclass(frozen=True, slots=True)
class Look:
    """How lines are drawn: with their bytes, and with the tools' names, which an entry's own text does not say."""

    sizes: bool = False
    tool: Callable[[EntryId], str | None] = lambda _: None


def context_lines(view: ContextView, turned: Collection[str], wanted: str, look: Look) -> list[ContextLine]:
    """List a context's lines in layer order.

    ``turned`` are the headings folded, or unfolded, by the person. ``wanted`` keeps the rows that contain all its
    words, and opens every heading.
    """
    words = wanted.casefold().split()
    folded = frozenset[str]() if words else FOLDED.symmetric_difference(turned)
    lines: list[ContextLine] = []
    for layer in Layer:
        if layer is Layer.LITERAL and view.waiting:
            waiting = [EntryLine(row, gone=True) for row in view.waiting if _matches(row, words, look)]
            lines += _section(WAITING, waiting, folded=WAITING in folded)
        if layer is Layer.LITERAL and view.gone:
            gone = [EntryLine(row, gone=True) for row in view.gone if _matches(row, words, look)]
            lines += _section(DROPPED, gone, folded=DROPPED in folded)
        rows = [EntryLine(row) for row in view.rows_of(layer) if _matches(row, words, look)]
        lines += _section(layer.value, rows, folded=layer.value in folded)
    return lines


def _section(name: str, rows: list[EntryLine], *, folded: bool) -> list[ContextLine]:
    if not rows:
        return []
    tokens, size = sum(line.row.tokens for line in rows), sum(line.row.bytes for line in rows)
    heading = Heading(name, len(rows), size, tokens, folded)
    return [heading] if folded else [heading, *rows]


def _matches(row: ContextRow, words: list[str], look: Look) -> bool:
    if not words:
        return True
    tool = look.tool(row.entry) if row.entry is not None else None
    said = [row.layer.value, row.kind, row.state.value, row.line, str(row.entry or ""), tool or "", row.why or ""]
    said += ["carried" if row.carried else "", row.change.value if row.change else ""]
    text = " ".join(said).casefold()
    return all(word in text for word in words)


def draw_context_line(line: ContextLine, width: int, look: Look) -> Drawn:
    """Draw a line of the panel."""
    match line:
        case Heading():
            return _heading(line, look)
        case EntryLine():
            return _entry(line, width, look)


def _heading(line: Heading, look: Look) -> Drawn:
    role = Role.ERROR if line.name == DROPPED else layer_role(line.name)
    glyph = {DROPPED: "−", WAITING: "⋯"}.get(line.name) or layer_glyph(line.name)
    fold = "▸" if line.folded else "▾"
    many = f"  {line.parts}" if line.parts > 1 or line.folded else ""
    left = (Piece(f"{fold} ", Role.FAINT), Piece(f"{glyph} ", role), Piece(line.name, Role.STRONG))
    return Drawn((*left, Piece(many, Role.FAINT)), _numbers(line.bytes, line.tokens, Role.STRONG, look))


def _entry(line: EntryLine, width: int, look: Look) -> Drawn:
    row = line.row
    ident = f"{row.entry}" if row.entry is not None else ""
    mark, mark_role = _mark(line)
    name, name_role = _name(row, look)
    column = 14 if width >= 56 else 12 if width >= 40 else 8
    text_role = Role.FAINT if line.gone else Role.MUTED if row.state is Form.REFERENCE else None
    left = (
        Piece(f"{ident:>5} ", Role.FAINT),
        Piece(f"{mark} ", mark_role),
        Piece(padded(name, column) + " ", Role.FAINT if line.gone else name_role),
        Piece(drawable(row.line), text_role),
    )
    return Drawn(left, _numbers(row.bytes, row.tokens, Role.FAINT if line.gone else Role.MUTED, look))


def _mark(line: EntryLine) -> tuple[str, Role]:
    row = line.row
    if row.change is not None:
        return _CHANGES[row.change]
    if row.state in _STATES:
        glyph, _ = _STATES[row.state]
        return glyph, Role.MUTED
    return (_CARRIED, Role.FAINT) if row.carried else (" ", Role.FAINT)


def _name(row: ContextRow, look: Look) -> tuple[str, Role]:
    tool = look.tool(row.entry) if row.entry is not None else None
    match row.kind:
        case EntryKind.CALL | EntryKind.OUTPUT if tool is not None:
            glyph = "⚙" if row.kind == EntryKind.CALL else "↳"
            return f"{glyph} {drawable(tool)}", Role.TOOL
        case EntryKind.PROMPT:
            return "❯ prompt", Role.PROMPT
        case _:
            return drawable(row.kind), Role.MUTED


def _numbers(size: int, tokens: int, role: Role, look: Look) -> tuple[Piece, ...]:
    shown = Piece(f"{tokens:>6,}", role)
    return (Piece(f"{size:>9,} B ", Role.FAINT), shown) if look.sizes else (shown,)


def detail(line: ContextLine) -> str:
    """Say in words what a line's glyphs and numbers say."""
    match line:
        case Heading(name="waiting", parts=parts):
            return f"dropped, and in no summary yet: {count(parts, 'entry', 'entries')} · each is whole in the record"
        case Heading(name=name, parts=parts):
            what = f"{name}, {count(parts, 'part')}"
            return f"{what} · {count(line.tokens, 'token')} · {count(line.bytes, 'byte')}"
        case EntryLine(row=row):
            named = f"{row.entry} {row.kind}" if row.entry is not None else row.kind
            state = [] if row.state is Form.BLOCK else [row.why or row.state.value]
            carried = ["carried"] if row.carried else []
            changed = [_CHANGED[row.change]] if row.change in _CHANGED else []
            sizes = [count(row.tokens, "token"), count(row.bytes, "byte")]
            return " · ".join([drawable(named), *state, *carried, *changed, *sizes])
