"""What waits for the person as lines; and a request whole: who asks, since when, what would give way to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from wisp_tui.app.kept.facts import PROPOSED, labelled, topic_row
from wisp_tui.app.panel.drawn import Drawn, padded
from wisp_tui.app.rows import Piece, Role, Row, Span, Wrap, drawable
from wisp_tui.app.widgets.question import question_rows
from wisp_tui.facts import Fact
from wisp_tui.facts.lines import source_words
from wisp_tui.pending import CommandRequest, FactRequest, QuestionRequest, Request
from wisp_tui.session.status import short_path
from wisp_tui.text.clean import visible
from wisp_tui.text.sizes import ago, human_seconds
from wisp_tui.tools.asking import Question

COMMAND = "$"
QUESTION = "?"
ROOMY = 56
"""Cells from which a line has the request's id, and who asks."""
PANEL_HINT = "enter answers it, with {how}; the model goes on meanwhile, and is told with its next request"
_LEVELS = {"safe": Role.GOOD, "moderate": Role.WARNING, "dangerous": Role.ERROR}


def waited(request: Request, now: datetime) -> str:
    """Say how long a request has waited."""
    return ago((now - request.asked).total_seconds())


def draw_request(request: Request, now: datetime, width: int) -> Drawn:
    """Draw a request's line: what is asked, who asks, since when."""
    match request:
        case FactRequest(fact=fact):
            name = drawable(fact.topic.words)
            what = [Piece(f"{PROPOSED} ", Role.WARNING), Piece(f"{name} ", Role.MUTED), Piece("= ", Role.FAINT)]
            what.append(Piece(drawable(fact.value)))
        case CommandRequest():
            role = _LEVELS.get(request.level, Role.ERROR)
            what = [Piece(f"{COMMAND} ", role), Piece(" ".join(visible(request.command).split("\n")))]
        case QuestionRequest():
            what = [Piece(f"{QUESTION} ", Role.WARNING), Piece(" ".join(visible(request.question).split("\n")))]
    since = Piece(waited(request, now), Role.MUTED)
    if width < ROOMY:
        return Drawn(tuple(what), (since,))
    asker = padded(drawable(request.asker.words), 14).rstrip()
    return Drawn((Piece(f"{request.id} ", Role.FAINT), *what), (Piece(f"{asker}  ", Role.FAINT), since))


def request_rows(request: Request, gives_way: Sequence[Fact], now: datetime, home: Path) -> list[Row]:
    """Write a request whole: exactly what an answer is given to. ``gives_way`` are the permanent facts it replaces."""
    match request:
        case FactRequest():
            return _fact(request, gives_way, now)
        case CommandRequest():
            return _command(request, now, home)
        case QuestionRequest():
            asked = Question(request.id, request.question, request.choices)
            return [_who(request, "asks you", now), *question_rows(asked, PANEL_HINT)]


def _fact(request: FactRequest, gives_way: Sequence[Fact], now: datetime) -> list[Row]:
    rows = [_who(request, "asks to keep this for every conversation", now), topic_row(request.fact)]
    rows.append(labelled("from", f"{source_words(request.fact)} · {request.fact.id} there"))
    if not gives_way:
        rows.append(labelled("now", "nothing is kept under this name", Role.FAINT))
    for fact in gives_way:
        same = " · the same value" if fact.says == request.fact.says else ""
        kept = f"{fact.value} — {fact.id}, from {source_words(fact)}, version {fact.version}{same}"
        rows.append(labelled("now", kept, Role.WARNING if not same else Role.MUTED))
    if gives_way:
        rows.append(labelled("then", request.fact.value, Role.GOOD))
    return rows


def _command(request: CommandRequest, now: datetime, home: Path) -> list[Row]:
    level = drawable(request.level)
    title = f"{level} · {'; '.join(visible(reason) for reason in request.reasons)}"
    left = human_seconds(max((request.until - now).total_seconds(), 0))
    rows = [_who(request, f"asks to run this, for {left} more", now)]
    rows.append(Row(title, (Span(0, len(level), _LEVELS.get(request.level, Role.ERROR)),), Role.MUTED))
    rows += [
        Row(line, (), Role.BLOCK, "$ " if number == 0 else "  ", "  ", Role.ACCENT, Wrap.ANYWHERE)
        for number, line in enumerate(visible(request.command).split("\n"))
    ]
    if request.line != request.command:
        rows.append(labelled("of", visible(request.line)))
    return [*rows, labelled("in", visible(short_path(Path(request.directory), home)))]


def _who(request: Request, what: str, now: datetime) -> Row:
    who = drawable(request.asker.words)
    text = f"{who} {what} · {waited(request, now)} · {request.asked:%Y-%m-%d %H:%M} · {request.id}"
    return Row(text, (Span(0, len(who), Role.ACCENT),), Role.MUTED)
