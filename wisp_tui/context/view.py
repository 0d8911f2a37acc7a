"""What a person sees of a context: rows, totals, what changed since another, the gauge of the window; and as Markdown.

Values only: a panel, a chat line and an MCP resource show the same. Tokens are the model's where its size of the whole
is given, shared out in proportion to the parts' own estimates. All text in rows is clean and on one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from wisp_tui.context.composer import Composition
from wisp_tui.context.parts import Form, Layer, Part
from wisp_tui.context.record import Entry
from wisp_tui.text.clean import clean_line
from wisp_tui.text.ids import EntryId, TurnNumber
from wisp_tui.text.sizes import count, shorten

LINE = 120
"""Characters of a part's first line that a row holds at most."""


class Change(StrEnum):
    """What became of an entry between one composition and a later one."""

    NEW = "new"
    CUT = "cut"
    REFERENCED = "referenced"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Changes:
    """The entries that changed, by what became of them, in order. ``blocks`` says whether any block changed."""

    new: tuple[EntryId, ...] = ()
    cut: tuple[EntryId, ...] = ()
    referenced: tuple[EntryId, ...] = ()
    dropped: tuple[EntryId, ...] = ()
    blocks: bool = False

    def of(self, entry: EntryId | None) -> Change | None:
        """Say what became of an entry, None when nothing did."""
        return self.by_entry().get(entry) if entry is not None else None

    def by_entry(self) -> dict[EntryId, Change]:
        """Return what became of each entry that changed."""
        named = [
            (Change.DROPPED, self.dropped),
            (Change.REFERENCED, self.referenced),
            (Change.CUT, self.cut),
            (Change.NEW, self.new),
        ]
        return {entry: change for change, entries in named for entry in entries}

    @property
    def words(self) -> str:
        """The changes in one line: ``new 14-16; referenced 12; dropped 2-7``; empty for none."""
        named = [(Change.NEW, self.new), (Change.CUT, self.cut), (Change.REFERENCED, self.referenced)]
        named.append((Change.DROPPED, self.dropped))
        parts = [f"{change.value} {spans(entries)}" for change, entries in named if entries]
        return "; ".join([*parts, *(["blocks changed"] if self.blocks else [])])


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One part of a context. ``state`` is whole, cut, reference or block; ``line`` is its first line."""

    layer: Layer
    entry: EntryId | None
    kind: str
    state: Form
    carried: bool
    bytes: int
    tokens: int
    line: str
    why: str | None
    change: Change | None


@dataclass(frozen=True, slots=True)
class LayerTotal:
    """What a layer takes, and of how many parts it is."""

    layer: Layer
    parts: int
    bytes: int
    tokens: int


@dataclass(frozen=True, slots=True)
class ContextView:
    """A context to be shown: its rows in the order they are sent, each layer's total, and what changed."""

    rows: tuple[ContextRow, ...]
    layers: tuple[LayerTotal, ...]
    bytes: int
    tokens: int
    exact: bool
    changes: Changes
    gone: tuple[ContextRow, ...] = ()
    """What the one it is compared with carried and this one does not, as it was carried there."""
    waiting: tuple[ContextRow, ...] = ()
    """What no context carries and no summary stands for yet, an entry a row; it takes no tokens."""

    def rows_of(self, layer: Layer) -> tuple[ContextRow, ...]:
        """Return a layer's rows."""
        return tuple(row for row in self.rows if row.layer is layer)


def context_view(
    composition: Composition, *, tokens: int | None = None, exact: bool = False, before: Composition | None = None
) -> ContextView:
    """Make a context's view. ``tokens`` is its size as counted or estimated, ``before`` what it is compared with."""
    whole = composition.tokens if tokens is None else tokens
    sizes = shared_out(whole, [part.tokens for part in composition.parts])
    scale = whole / composition.tokens if composition.tokens else 1.0
    changes = changes_between(before, composition) if before is not None else Changes()
    became = changes.by_entry()
    rows = tuple(_row(part, size, became) for part, size in zip(composition.parts, sizes, strict=True))
    return ContextView(
        rows=rows,
        layers=tuple(_total(layer, rows) for layer in Layer if any(row.layer is layer for row in rows)),
        bytes=composition.bytes,
        tokens=whole,
        exact=exact,
        changes=changes,
        gone=_gone(before, scale, became),
    )


def waiting_rows(entries: Iterable[Entry], why: str) -> tuple[ContextRow, ...]:
    """Make the rows of entries that were dropped and are in no summary; ``why`` says what becomes of them."""
    return tuple(
        ContextRow(
            layer=Layer.LITERAL,
            entry=entry.id,
            kind=entry.kind,
            state=Form.WHOLE,
            carried=False,
            bytes=len(entry.text.encode("utf-8", "replace")),
            tokens=0,
            line=first_line(entry.text),
            why=why,
            change=None,
        )
        for entry in entries
    )


def shared_out(total: int, sizes: Sequence[int]) -> list[int]:
    """Share a total out in proportion to sizes, in whole numbers that come to the total: the largest rests round up."""
    whole = sum(sizes)
    if not whole:
        return [0] * len(sizes)
    shares = [size * total // whole for size in sizes]
    by_rest = sorted(range(len(sizes)), key=lambda place: -(sizes[place] * total % whole))
    for place in by_rest[: total - sum(shares)]:
        shares[place] += 1
    return shares


def changes_between(before: Composition, after: Composition) -> Changes:
    """Compare two compositions of one record, the earlier one first."""
    then, now = _forms(before), _forms(after)
    return Changes(
        new=tuple(entry for entry in now if entry not in then),
        cut=_became(Form.CUT, then, now),
        referenced=_became(Form.REFERENCE, then, now),
        dropped=tuple(entry for entry in then if entry not in now),
        blocks=_blocks(before) != _blocks(after),
    )


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the gauge: a layer's name, ``headroom`` or ``free``; its tokens, and its share of the gauge."""

    name: str
    tokens: int
    share: float


@dataclass(frozen=True, slots=True)
class Gauge:
    """The window as one bar. ``target`` and ``budget`` are where its marks stand, as shares of the bar.

    The bar is the window, or all that is asked of it when that is more: then ``over`` is by how many tokens.
    """

    segments: tuple[Segment, ...]
    target: float
    budget: float
    used: int
    window: int
    over: int


def gauge(layers: Mapping[str, int], *, headroom: int, window: int, target: float, budget: float) -> Gauge:
    """Lay out the window: tokens by layer (names of ``Layer``), the room kept for the next turn, and what is free.

    ``target`` and ``budget`` are shares of the window.
    """
    used = sum(layers.values())
    room = max(min(headroom, window - used), 0)
    whole = max(used, window, 1)
    sizes = [(layer.value, layers.get(layer.value, 0)) for layer in Layer]
    sizes += [("headroom", room), ("free", max(window - used - room, 0))]
    marks = window / whole
    return Gauge(
        segments=tuple(Segment(name, tokens, tokens / whole) for name, tokens in sizes if tokens > 0),
        target=target * marks,
        budget=budget * marks,
        used=used,
        window=window,
        over=max(used - window, 0),
    )


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn in the list of contexts: its first request's size, and what changed in it since the turn before."""

    turn: TurnNumber
    time: datetime | None
    prompt: str
    tokens: int
    changed: tuple[str, ...]
    """``condensed 4``, ``cut 1``, ``referenced 2``, ``summarised 1``."""


def turn_row(
    turn: TurnNumber,
    *,
    time: datetime | None,
    prompt: str,
    composition: Composition,
    before: Composition | None,
    tokens: int | None = None,
    summarised: int = 0,
) -> TurnRow:
    """Make a turn's row, from what it sent first and what the turn before did; numbers are of entries.

    ``tokens`` is its size as counted or estimated; without, the sum of its parts' own estimates.
    """
    changes = changes_between(before, composition) if before is not None else Changes()
    amounts = [
        ("condensed", len(changes.dropped)),
        ("cut", len(changes.cut)),
        ("referenced", len(changes.referenced)),
        ("summarised", summarised),
    ]
    changed = tuple(f"{word} {amount}" for word, amount in amounts if amount)
    size = composition.tokens if tokens is None else tokens
    return TurnRow(turn, time, shorten(clean_line(prompt), LINE), size, changed)


def view_markdown(view: ContextView, title: str, window: int | None) -> str:
    """Write a view as Markdown: the totals, then a table of its rows."""
    of = f" of {window:,}" if window is not None else ""
    about = "" if view.exact else ", by estimate"
    lines = [f"# {title}", "", f"{view.tokens:,}{of} tokens{about}; {count(view.bytes, 'byte')}"]
    lines += [
        f"- {total.layer.value}: {total.tokens:,} tokens in {count(total.parts, 'part')}" for total in view.layers
    ]
    if view.changes.words:
        lines += ["", f"Since the turn before: {view.changes.words}."]
    lines += ["", "| layer | entry | kind | state | tokens | bytes | first line |", "|---|--:|---|---|--:|--:|---|"]
    lines += [_table_row(row) for row in view.rows]
    return "\n".join([*lines, ""])


def turns_markdown(rows: Sequence[TurnRow]) -> str:
    """Write the list of turns as Markdown."""
    lines = ["| turn | time | tokens | changed | prompt |", "|--:|---|--:|---|---|"]
    for row in rows:
        time = f"{row.time:%H:%M:%S}" if row.time is not None else ""
        lines.append(f"| {row.turn} | {time} | {row.tokens:,} | {', '.join(row.changed)} | {_cell(row.prompt)} |")
    return "\n".join([*lines, ""])


def spans(entries: Sequence[int]) -> str:
    """Write numbers of entries or turns in order with runs joined: ``2-7, 9``."""
    runs: list[list[int]] = []
    for entry in sorted(entries):
        if runs and entry == runs[-1][-1] + 1:
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _row(part: Part, tokens: int, became: Mapping[EntryId, Change]) -> ContextRow:
    return ContextRow(
        layer=part.layer,
        entry=part.entry,
        kind=part.kind,
        state=part.form,
        carried=part.carried,
        bytes=part.bytes,
        tokens=tokens,
        line=first_line(part.text),
        why=part.why,
        change=became.get(part.entry) if part.entry is not None else None,
    )


def _gone(before: Composition | None, scale: float, became: Mapping[EntryId, Change]) -> tuple[ContextRow, ...]:
    parts = before.parts if before is not None else ()
    dropped = {entry for entry, change in became.items() if change is Change.DROPPED}
    return tuple(_row(part, round(part.tokens * scale), became) for part in parts if part.entry in dropped)


def first_line(text: str) -> str:
    """Return the first line of a text that is not blank, clean and shortened; empty when there is none."""
    for line in text.split("\n"):
        if shown := clean_line(line):
            return shorten(shown, LINE)
    return ""


def _total(layer: Layer, rows: Sequence[ContextRow]) -> LayerTotal:
    held = [row for row in rows if row.layer is layer]
    return LayerTotal(layer, len(held), sum(row.bytes for row in held), sum(row.tokens for row in held))


def _forms(composition: Composition) -> dict[EntryId, Form]:
    return {
        part.entry: part.form for part in composition.parts if part.entry is not None and part.form is not Form.BLOCK
    }


def _blocks(composition: Composition) -> list[tuple[Layer, str, str]]:
    layers = {Layer.EARLIER, Layer.NOW}
    return [(part.layer, part.kind, part.text) for part in composition.parts if part.layer in layers and not part.entry]


def _became(form: Form, then: Mapping[EntryId, Form], now: Mapping[EntryId, Form]) -> tuple[EntryId, ...]:
    return tuple(entry for entry, held in now.items() if held is form and then.get(entry, Form.WHOLE) is not form)


def _table_row(row: ContextRow) -> str:
    state = f"{row.state.value}, carried" if row.carried else row.state.value
    entry = f"{row.entry}" if row.entry is not None else ""
    cells = [row.layer.value, entry, _cell(row.kind), state, f"{row.tokens:,}", f"{row.bytes:,}", _cell(row.line)]
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")
