"""The whole story of a condensation: why, from what to what, step by step, what was written, what may be lost."""

from __future__ import annotations

from rich.cells import cell_len

from wisp_tui.app.gauge import TARGET, mark_place
from wisp_tui.app.rows import BLANK, Role, Row, Span, Wrap, plain_rows
from wisp_tui.session.condensations import Audited, Condensation, Retained, SummaryWritten
from wisp_tui.text.sizes import count, human_seconds

ROOMY = 44
"""Cells from which the title says the time."""
_LABEL = 8
_FACTS = 40
"""Facts that are listed at most; the facts view has them all."""


def story_rows(story: Condensation, width: int) -> list[Row]:
    """Write the story for a width in cells."""
    rows = [_title(story, width), *plain_rows(_why(story), Role.MUTED), BLANK, *_bars(story, width), BLANK]
    rows += _steps(story, width)
    if story.audited is not None:
        rows += _numbers(story, story.audited, width)
    rows += _facts(story)
    rows += [row for summary in story.summaries for row in _summary(summary)]
    if story.audited is not None:
        rows += _retained(story.audited.retained)
        rows += _saved(story.audited)
    return rows


def _title(story: Condensation, width: int) -> Row:
    moment = story.audited.time if story.audited is not None and width >= ROOMY else None
    time = f" · {moment:%H:%M:%S}" if moment is not None else ""
    left = f"condensed {story.what}" if story.over else f"condensing {story.what}"
    return _ends("◂ ", left, f"turn {story.turn}{time}", width, (Role.HEADING, Role.FAINT))


def _why(story: Condensation) -> str:
    if story.reason == "overflow":
        return (
            f"The model's runtime refused the request: it was larger than the window of {story.window:,} tokens. "
            "The context was condensed, and the request sent once more."
        )
    return (
        "The budget was reached: the context, the message and the room kept for the next turn came to more than the "
        f"share of the window of {story.window:,} tokens that may be filled."
    )


def _bars(story: Condensation, width: int) -> list[Row]:
    whole = max(story.window, story.before, 1)
    cells = max(width - _LABEL - 9, 4)
    place = mark_place(story.goal / whole, cells)
    rows: list[Row] = []
    for label, fill in (("before", story.before), ("after", story.fill)):
        bar = "▒" * max(round(fill / whole * cells), 1)
        line = bar.ljust(cells, "·")
        line = line[:place] + TARGET + line[place + 1 :]
        start = _LABEL
        spans = [Span(start, start + cells, Role.FAINT), Span(start, start + len(bar), Role.LAYER_LITERAL)]
        spans += [Span(start + place, start + place + 1, Role.STRONG), Span(0, start, Role.MUTED)]
        text = f"{label:{_LABEL}}{line} {fill:>7,}"
        rows.append(Row(text, tuple(spans), wrap=Wrap.CLIP))
    goal = f"goal {story.goal:,} {TARGET}"
    indent = max(_LABEL + place + 1 - len(goal), 0)
    return [*rows, Row(" " * indent + goal, role=Role.FAINT, wrap=Wrap.CLIP)]


def _steps(story: Condensation, width: int) -> list[Row]:
    if not story.steps:
        return [_heading("Steps"), Row("none: there was nothing more to condense", role=Role.WARNING, prefix="  ")]
    rows = [_heading("Steps")]
    for step in story.steps:
        took = f"{human_seconds(step.seconds)}  " if step.seconds >= 0.05 else ""
        right = f"{took}{step.before:,} → {step.after:,}"
        rows.append(_ends("  ", step.words, right, width, (None, Role.MUTED)))
    if story.floor:
        floor = "This is the floor: the instructions, the last turn and the blocks are what is left, above the goal."
        rows += plain_rows(floor, Role.WARNING, prefix="  ")
    for distillation in story.distillations:
        if distillation.failure is not None:
            failed = f"the facts could not be distilled: {distillation.failure}; the turns went all the same"
            rows += plain_rows(failed, Role.WARNING, prefix="  ")
    return rows


def _numbers(story: Condensation, audited: Audited, width: int) -> list[Row]:
    share = f", {story.goal / story.window:.0%} of the window" if story.window else ""
    said = [
        ("turns word for word", f"{audited.turns_before} → {audited.turns_after}"),
        ("room kept for the next turn", f"{audited.headroom:,}"),
        ("goal", f"{story.goal:,}{share}"),
    ]
    return [_ends("  ", left, right, width, (Role.FAINT, Role.FAINT)) for left, right in said]


def _facts(story: Condensation) -> list[Row]:
    if not story.facts:
        return []
    rows = [BLANK, _heading("Facts written", f"{len(story.facts)}")]
    for fact in story.facts[:_FACTS]:
        text = f"{fact.id:4} {fact.topic} = {fact.value}"
        spans = (Span(0, len(fact.id), Role.FAINT), Span(5, 5 + len(fact.topic), Role.TOOL))
        rows.append(Row(text, spans, prefix="  ", hang="       "))
    if len(story.facts) > _FACTS:
        rows.append(Row(f"… and {len(story.facts) - _FACTS} more", role=Role.FAINT, prefix="  "))
    return rows


def _summary(summary: SummaryWritten) -> list[Row]:
    about = f"{count(summary.turns, 'turn')}, {human_seconds(summary.seconds)}"
    if summary.text is None:
        reason = f"no summary was written: {summary.failure or 'the answer could not be used'}"
        return [BLANK, _heading("Summary", about), *plain_rows(reason, Role.WARNING, prefix="  ")]
    version = f" {summary.version}" if summary.version is not None else ""
    return [BLANK, _heading(f"Summary{version}", about), *plain_rows(summary.text.strip("\n"), prefix="  │ ")]


def _retained(retained: Retained | None) -> list[Row]:
    if retained is None or not retained.of:
        return []
    found = f"{retained.share:.0%} of {count(retained.of, 'name, path or number', 'names, paths and numbers')}"
    rows = [BLANK, _heading("Still sent of what left", found)]
    if retained.missing:
        listed = ", ".join(retained.missing)
        more = max(retained.of - round(retained.share * retained.of) - len(retained.missing), 0)
        rows += plain_rows(f"perhaps lost: {listed}{f' … and {more} more' if more else ''}", Role.WARNING, prefix="  ")
    kept = "Nothing is gone: each entry is whole in the record, and ← in the context panel steps back to it."
    return [*rows, *plain_rows(kept, Role.FAINT, prefix="  ")]


def _saved(audited: Audited) -> list[Row]:
    if audited.saved_before is None and audited.saved_after is None:
        return []
    rows = [BLANK, _heading("Saved")]
    for key, name, path in (("b", "before", audited.saved_before), ("a", "after", audited.saved_after)):
        if path is not None:
            rows.append(Row(f"{key}  {name:7} {path}", (Span(0, 1, Role.KEY), Span(3, 10, Role.MUTED)), prefix="  "))
    return rows


def _heading(text: str, about: str = "") -> Row:
    line = f"{text}  {about}" if about else text
    return Row(line, (Span(0, len(text), Role.SUBHEADING), Span(len(text), len(line), Role.FAINT)))


def _ends(prefix: str, left: str, right: str, width: int, roles: tuple[Role | None, Role]) -> Row:
    """Put two texts at the ends of a line; the right one follows the left where there is no room between them."""
    gap = max(width - len(prefix) - cell_len(left) - cell_len(right), 2)
    text = f"{left}{' ' * gap}{right}"
    spans = [Span(len(text) - len(right), len(text), roles[1])]
    if roles[0] is not None:
        spans.append(Span(0, len(left), roles[0]))
    return Row(text, tuple(spans), prefix=prefix, hang=" " * len(prefix), prefix_role=Role.ACCENT)
