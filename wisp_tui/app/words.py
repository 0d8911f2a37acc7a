"""The words of the app's own lines: the activity, the status, the queue. Values in, pieces of text out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from wisp_tui.app.actions import keys_of
from wisp_tui.app.gauge import Piece, fullness, gauge_bar
from wisp_tui.app.rows import Role
from wisp_tui.context.view import Gauge
from wisp_tui.events import Activity, TurnEnded
from wisp_tui.pending import CommandRequest, FactRequest, QuestionRequest, Request
from wisp_tui.session.status import Status
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import count, human_seconds, shorten

SPINNER = "∙•●•"
SPIN_SECONDS = 0.4
ROOMY = 100
"""Columns from which the key that finds words is named."""


def activity_left(
    activity: Activity | None, elapsed: float, *, asking: bool, offline: str | None, ended: TurnEnded | None
) -> list[Piece]:
    """Say what the turn does and for how long, else what the last one took; ``elapsed`` is in seconds."""
    if activity is None or activity.doing is None:
        return [Piece("○ ", Role.WARNING), Piece(offline, Role.WARNING)] if offline else last_turn(ended)
    glyph = SPINNER[int(elapsed / SPIN_SECONDS) % len(SPINNER)]
    if asking or activity.asking:
        return [Piece("? ", Role.WARNING), Piece("waiting for your answer", Role.WARNING), _seconds(elapsed)]
    return [Piece(f"{glyph} ", Role.ACCENT), Piece(shorten(clean_line(activity.doing), 80)), _seconds(elapsed)]


def last_turn(ended: TurnEnded | None) -> list[Piece]:
    """Say how the last turn ended, its seconds, and the tokens it read and wrote."""
    if ended is None:
        return []
    mark = {"ok": Piece("✓ ", Role.MARKER), "cancelled": Piece("◼ ", Role.FAINT)}.get(
        ended.outcome, Piece("✕ ", Role.ERROR)
    )
    parts = [human_seconds(ended.seconds)]
    if ended.input_tokens is not None or ended.output_tokens is not None:
        parts.append(f"{_number(ended.input_tokens)} → {_number(ended.output_tokens)} tokens")
    return [mark, Piece(" · ".join(parts), Role.FAINT)]


def _seconds(elapsed: float) -> Piece:
    return Piece(f" · {human_seconds(float(int(elapsed))).replace('.0', '')}", Role.MUTED)


def keys_hint(*, running: bool, asking: bool, new_below: bool, width: int) -> list[Piece]:
    """Say which keys matter now."""
    if new_below:
        return [Piece("↓ new below ", Role.ACCENT), Piece(keys_of("scroll('end')"), Role.KEY)]
    if asking:
        return []
    if running:
        return _keys(("esc", "stops"), ("enter", "queues"))
    hints = [("enter", "sends"), ("ctrl-j", "new line"), ("/", "commands"), ("F1", "help")]
    if width >= ROOMY:
        hints.insert(-1, ("ctrl-f", "find"))
    return _keys(*(hints if width >= 72 else hints[-1:]))


def _keys(*hints: tuple[str, str]) -> list[Piece]:
    pieces: list[Piece] = []
    for key, what in hints:
        if pieces:
            pieces.append(Piece("   "))
        pieces += [Piece(key, Role.KEY), Piece(f" {what}", Role.FAINT)]
    return pieces


@dataclass(frozen=True, slots=True)
class StatusFacts:
    """All that the status line is made of. ``gauge`` is None before anything was composed, and without a window."""

    status: Status
    gauge: Gauge | None
    offline: bool = False
    waits: Sequence[Request] = ()
    """What waits for the person's answer."""


def status_line(facts: StatusFacts, width: int) -> tuple[list[Piece], list[Piece]]:
    """Write the status line for a width: the gauge and the share at its left, the rest at its right.

    What does not fit is left out, the least needed first: the lines changed, the approval mode, the directory, the
    model. That there is no sandbox stays, and what waits for the person longest.
    """
    left = _gauge(facts, 26 if width >= 110 else 16 if width >= 70 else 8)
    room = width - sum(cell_len(piece.text) for piece in left) - 3
    model, place, mode = _model(facts), _place(facts.status, changes=False), _approval(facts.status)
    smaller = [[model, _place(facts.status, changes=True), mode], [model, place, mode]]
    bare = [[model, mode], [mode], [[Piece("no sandbox", Role.WARNING)]]]
    smaller += bare if facts.status.bare else [[model, place], [model], []]
    for chosen in smaller:
        right = _joined([group for group in (*chosen, _waiting(facts)) if group])
        if sum(cell_len(piece.text) for piece in right) <= room:
            return left, right
    fewest = [Piece(f"⚑ {len(facts.waits)}", Role.WARNING)] if facts.waits else []
    return left, fewest


def _gauge(facts: StatusFacts, cells: int) -> list[Piece]:
    gauge, used = facts.gauge, facts.status.used
    pieces = [Piece("▐", Role.FAINT), *gauge_bar(gauge, cells), Piece("▌", Role.FAINT)]
    if gauge is not None and facts.status.share is not None:
        pieces.append(Piece(f" {facts.status.share:.0%}", fullness(used or 0, gauge.window, gauge.budget)))
    elif used:
        pieces.append(Piece(f" {used:,} tokens", Role.MUTED))
    return pieces


def _model(facts: StatusFacts) -> list[Piece]:
    if facts.offline:
        return [Piece("no model", Role.WARNING)]
    name = Piece(shorten(clean_line(facts.status.model or "finding a model …"), 48), Role.MUTED)
    return [name, Piece(" guided", Role.WARNING)] if facts.status.guided else [name]


def _place(status: Status, *, changes: bool) -> list[Piece]:
    branch = f":{clean_line(status.git.branch)}" if status.git.branch else ""
    pieces = [Piece(shorten(clean_line(status.directory), 40) + branch, Role.MUTED)]
    if changes and (status.git.added or status.git.removed):
        pieces += [Piece(f" +{status.git.added}", Role.GOOD), Piece(f" −{status.git.removed}", Role.ERROR)]
    return pieces


def _approval(status: Status) -> list[Piece]:
    return [Piece(status.approval, Role.WARNING if status.bare else Role.FAINT)]


_VERBS = {FactRequest: "keep", CommandRequest: "run", QuestionRequest: "answer"}


def _waiting(facts: StatusFacts) -> list[Piece]:
    counts = {verb: sum(type(request) is kind for request in facts.waits) for kind, verb in _VERBS.items()}
    waits = [f"{amount} to {verb}" for verb, amount in counts.items() if amount]
    return [Piece(f"⚑ {', '.join(waits)}", Role.WARNING)] if waits else []


def _number(tokens: int | None) -> str:
    return "?" if tokens is None else f"{tokens:,}"


def _joined(groups: Sequence[list[Piece]]) -> list[Piece]:
    pieces: list[Piece] = []
    for group in groups:
        pieces += [*([Piece(" · ", Role.FAINT)] if pieces else []), *group]
    return pieces


def queue_line(text: str, width: int) -> str:
    """Write a queued message for one row."""
    first, *more = text.strip().split("\n")
    rest = f" … {count(len(more), 'more line')}" if more else ""
    return shorten(clean_line(first), max(width - len(rest) - 4, 8)) + rest
