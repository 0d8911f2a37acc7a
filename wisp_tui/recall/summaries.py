"""Summarising a stored output exactly, without a model: every point says on which lines it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wisp_tui.outputs import StoredLine
from wisp_tui.recall.documents import Document, of_text
from wisp_tui.recall.outlines import Template, json_outline, templates
from wisp_tui.recall.runs import Said, read_line
from wisp_tui.text.sizes import count, shorten

LINE = 240
"""Characters of a line that is quoted."""
CAUSES = 20
"""Failures that are named; the rest are counted."""
OUTCOMES = 5
COMMON, RARE = 8, 8
"""Templates that are named: those of most lines, and those of a single line, the last ones."""
_PLACE = "-->"
"""Begins the line below an error on which a compiler says where it is."""


def summarised(output: Document, *, overview: bool) -> Document:
    """Summarise an output: what failed, first of all, and how it ended; with ``overview``, all that it is made of.

    Lines that are no build's and no test's are told by the templates they follow. Raises NoSuchOutput.
    """
    lines = list(output.lines(1))
    points = json_outline(lines)
    if points is None:
        points = list(_run(lines))
        if overview or not points:
            points += _templates([line for line in lines if read_line(line.text) is None])
    return of_text(f"{output.heading[:-1]}; summarised]", "\n".join(points), "summarise")


def _run(lines: Sequence[StoredLine]) -> Iterator[str]:
    """Tell of a run: each test that failed and each kind of error once, with where it is, its warnings, its outcome."""
    said: dict[Said, list[StoredLine]] = {kind: [] for kind in Said}
    for line in lines:
        if (kind := read_line(line.text)) is not None:
            said[kind].append(line)
    failed = [Template(line.text, line.number, line.number, 1) for line in said[Said.FAILED]]
    causes = sorted([*templates(said[Said.ERROR]), *failed], key=lambda cause: cause.first)
    for cause in causes[:CAUSES]:
        yield _point(cause) + _where(cause, lines)
    if len(causes) > CAUSES:
        yield f"{len(causes) - CAUSES:,} more failures, from line {causes[CAUSES].first} on"
    if warnings := said[Said.WARNING]:
        yield f"{count(len(warnings), 'warning')}, the first on line {warnings[0].number}: {_quoted(warnings[0].text)}"
    for line in said[Said.OUTCOME][-OUTCOMES:]:
        yield f"line {line.number}: {_quoted(line.text)}"


def _where(cause: Template, lines: Sequence[StoredLine]) -> str:
    below = lines[cause.first].text.strip() if cause.first < len(lines) else ""
    return f" {_quoted(below)}" if below.startswith(_PLACE) else ""


def _templates(lines: Sequence[StoredLine]) -> list[str]:
    """Tell what lines are like: those there are most of, and the last that are like no other."""
    found = templates(lines)
    common = sorted((each for each in found if each.lines > 1), key=lambda each: -each.lines)
    rare = [each for each in found if each.lines == 1]
    points = [_point(each) for each in common[:COMMON]]
    if len(common) > COMMON:
        points.append(f"{len(common) - COMMON:,} more kinds of repeated lines")
    if len(rare) > RARE:
        points.append(f"{count(len(rare) - RARE, 'line')} more that are like no other")
    return points + [_point(each) for each in rare[-RARE:]]


def _point(each: Template) -> str:
    if each.lines == 1:
        return f"line {each.first}: {_quoted(each.example)}"
    return f"lines {each.first}-{each.last}, {each.lines:,} like this: {_quoted(each.example)}"


def _quoted(text: str) -> str:
    return shorten(text.strip(), LINE)
