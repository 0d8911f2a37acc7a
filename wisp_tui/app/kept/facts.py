"""The facts as lines, a heading for each kind; and one of them whole, with what disagrees and what came before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wisp_tui.app.panel.drawn import Drawn, padded
from wisp_tui.app.rows import Piece, Role, Row, Span, drawable, plain_rows
from wisp_tui.facts import Fact, FactRow, FactState, KindRows, SourceKind
from wisp_tui.facts.lines import source_words
from wisp_tui.facts.values import is_path
from wisp_tui.text.sizes import count, shorten, shorten_start

PROPOSED, CONFLICT, KEPT, GONE = "⚑", "≠", "✓", "×"
SOURCE = 22
"""Cells that the id, the mark and the source take, about."""
WIDE = 68
"""Cells from which a line says when the fact was recorded."""


@dataclass(frozen=True, slots=True)
class KindHeading:
    """A kind, with how many facts are below it; ``folded`` when they are not shown."""

    subject: str
    temporal: str
    count: int
    folded: bool


FactLine: TypeAlias = KindHeading | FactRow


def fact_lines(kinds: Sequence[KindRows], folded: Collection[str], wanted: str) -> list[FactLine]:
    """List the facts below their kinds. ``wanted`` keeps those that contain all its words, and opens every kind."""
    words = wanted.casefold().split()
    lines: list[FactLine] = []
    for kind in kinds:
        rows = [row for row in kind.rows if _matches(row, words)] if words else kind.rows
        if rows:
            closed = not words and kind.subject in folded
            lines.append(KindHeading(kind.subject, kind.temporal.value, len(rows), closed))
            lines += () if closed else rows
    return lines


def _matches(row: FactRow, words: Sequence[str]) -> bool:
    fact = row.fact
    said = [fact.id, fact.topic.words, fact.value, fact.source.words, fact.scope.value, fact.state.value]
    said += ["proposed"] * fact.proposed + ["conflict"] * bool(row.disagreeing) + ["kept"] * fact.approved
    text = " ".join(said).casefold()
    return all(word in text for word in words)


def draw_fact_line(line: FactLine, width: int) -> Drawn:
    """Draw a line of the facts."""
    match line:
        case KindHeading():
            fold = "▸" if line.folded else "▾"
            left = (
                Piece(f"{fold} ", Role.FAINT),
                Piece(drawable(line.subject), Role.STRONG),
                Piece(f"  {line.count}", Role.FAINT),
            )
            return Drawn(left, (Piece(line.temporal, Role.FAINT),))
        case FactRow(fact=fact):
            mark, role = _mark(line)
            room = max(width - SOURCE, 8)
            name = _short_name(drawable(fact.identity.name), room - min(len(fact.value), room // 2))
            gone = None if fact.current else Role.FAINT
            left = (
                Piece(f"{padded(fact.id, 5)} ", Role.FAINT),
                Piece(f"{mark} ", role),
                *([Piece(f"{name} ", gone or Role.MUTED), Piece("= ", Role.FAINT)] if name else []),
                Piece(drawable(fact.value), gone),
            )
            time = f"  {fact.recorded:%m-%d %H:%M}" if width >= WIDE else ""
            version = f"{f'v{fact.version}' if fact.version > 1 else '':>4}"
            source = Piece(source_word(fact), Role.FAINT if gone else _SOURCES[fact.source.kind])
            return Drawn(left, (source, Piece(version + time, Role.FAINT)))


def _short_name(name: str, limit: int) -> str:
    """Cut a name so that the value has room beside it; a path keeps its end, where the file's name is."""
    return shorten_start(name, limit) if is_path(name) else shorten(name, limit)


_SOURCES = {
    SourceKind.PERSON: Role.ACCENT,
    SourceKind.CALLER: Role.WARNING,
    SourceKind.TOOL: Role.TOOL,
    SourceKind.MODEL: Role.MUTED,
}


def source_word(fact: Fact) -> str:
    """Name a fact's source in a word: ``person``, ``read_file``, ``model``."""
    return drawable(fact.source.tool) if fact.source.tool else fact.source.kind.value


def _mark(row: FactRow) -> tuple[str, Role]:
    if not row.fact.current:
        return GONE, Role.FAINT
    if row.disagreeing:
        return CONFLICT, Role.ERROR
    if row.fact.proposed:
        return PROPOSED, Role.WARNING
    return (KEPT, Role.GOOD) if row.fact.approved else (" ", Role.FAINT)


def fact_rows(row: FactRow, history: Sequence[Fact]) -> list[Row]:
    """Write one fact whole: its topic and value, its source, its class, what disagrees, its other versions."""
    fact = row.fact
    rows = [
        topic_row(fact),
        labelled("from", source_words(fact)),
        labelled("class", _class(fact)),
    ]
    rows += [
        labelled("but", f"{other.source.says} says {other.value} ({other.id})", Role.ERROR) for other in row.disagreeing
    ]
    if row.disagreeing:
        counts = "this one counts" if row.wins else "that one counts"
        rows.append(
            labelled("", f"{counts}; r states the value, d deletes a side: either ends the conflict", Role.FAINT)
        )
    if fact.proposed:
        rows.append(labelled("⚑", "proposed: k keeps it for every conversation", Role.WARNING))
    earlier = [version for version in history if version.id != fact.id]
    rows += [labelled("also" if version.current else "was", _version(version), Role.FAINT) for version in earlier]
    return rows


def topic_row(fact: Fact) -> Row:
    """Write what a fact says, whole."""
    topic = drawable(fact.topic.words)
    text = f"{topic} = {drawable(fact.value)}"
    return Row(text, (Span(0, len(topic), Role.TOOL), Span(len(topic) + 3, len(text), Role.STRONG)))


def _class(fact: Fact) -> str:
    said = [fact.temporal.value, f"held by {_HOLDERS[fact.scope.value]}", f"version {fact.version}"]
    said += ["kept by you"] if fact.approved else []
    if fact.state is FactState.SUPERSEDED:
        said.append(f"superseded by {fact.superseded_by}")
    elif fact.state is FactState.DELETED:
        said.append("deleted")
    return " · ".join([*said, f"{fact.recorded:%Y-%m-%d %H:%M:%S}"])


_HOLDERS = {"thread": "this conversation", "session": "this process", "permanent": "every conversation"}


def _version(fact: Fact) -> str:
    became = "" if fact.current else f", {fact.state.value}"
    when = f"{fact.recorded:%H:%M:%S}"
    return f"{fact.value} — {fact.id}, {source_words(fact)}, version {fact.version}{became}, {when}"


LABEL = 6
"""Cells before what a label is about."""


def labelled(label: str, text: str, role: Role = Role.MUTED) -> Row:
    """Write a line with a word before it, behind which it hangs."""
    return Row(drawable(text), role=role, prefix=f"{label:{LABEL}}", hang=" " * LABEL, prefix_role=Role.FAINT)


def heading_rows(line: KindHeading, description: str) -> list[Row]:
    """Say what a kind is for."""
    subject = drawable(line.subject)
    head = f"{subject}: {count(line.count, 'fact')}, {line.temporal}"
    return [Row(head, (Span(0, len(subject), Role.STRONG),), Role.MUTED), *plain_rows(description, Role.FAINT)]
