"""The running summary's versions as lines; one of them whole, with what it says anew and what it stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wisp_tui.app.kept.facts import labelled
from wisp_tui.app.panel.drawn import Drawn
from wisp_tui.app.rows import Piece, Role, Row, Span, drawable
from wisp_tui.context.record import Entry
from wisp_tui.context.view import spans
from wisp_tui.facts import RunningSummary
from wisp_tui.text.sizes import count

ROOMY = 56
"""Cells from which a line says the time and the model."""
_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|$)|[。！？]|$)", re.DOTALL)


def draw_version(version: RunningSummary, width: int, *, holds: bool) -> Drawn:
    """Draw a version's line: what it covers and what it added."""
    role = None if holds else Role.MUTED
    left = [
        Piece(f"{f'v{version.version}':>4} ", Role.STRONG if holds else Role.MUTED),
        Piece(f"{count(version.covered, 'turn')}  ", role),
        Piece(f"+{len(version.turns)}", Role.GOOD),
        Piece(f"  turns {spans(version.turns)}" if version.turns else "", Role.FAINT),
    ]
    when = f"{version.recorded:%H:%M:%S}"
    right = [Piece(f"{drawable(version.model)}  {when}" if width >= ROOMY else when, Role.FAINT)]
    return Drawn(tuple(left), tuple(right))


def version_rows(version: RunningSummary, before: RunningSummary | None) -> list[Row]:
    """Write a version whole; what the version before did not say is marked."""
    text = drawable(version.text)
    known = set(_SENTENCE.findall(drawable(before.text))) if before is not None else set[str]()
    new = [
        Span(found.start(), found.end(), Role.GOOD)
        for found in _SENTENCE.finditer(text)
        if before is not None and found[0] not in known
    ]
    written = f"{version.model} in turn {version.turn}, {version.recorded:%Y-%m-%d %H:%M:%S}"
    return [
        Row(text, tuple(new)),
        Row(""),
        labelled("added", f"turns {spans(version.turns)}, entries {spans(version.entries)}"),
        labelled("by", written),
    ]


def version_page(version: RunningSummary, entries: Sequence[Entry]) -> str:
    """Write a version and, below it, the prompts and replies that it added, each whole."""
    parts = [version.text, ""]
    for entry in entries:
        parts += [f"── entry {entry.id} · {entry.kind} · turn {entry.turn}", entry.text, ""]
    return "\n".join(parts)
