"""Summarising a stored output exactly, without a model: every point says on which lines it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
ENDS = 8
"""Lines quoted from the beginning and from the end of what no reader knows."""
UNKNOWN = "no exact reader knows it"
_PLACE = "-->"
"""Begins the line below an error on which a compiler says where it is."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary made without a model. ``unknown`` are the lines that no reader explains, where those are most of it."""

    output: Document
    points: tuple[str, ...]
    unknown: tuple[StoredLine, ...] = ()

    def document(self, why: str | None = None) -> Document:
        """Give it to be recalled; of what no reader explains, its beginning and its end, and ``why`` no more."""
        if not self.unknown:
            return of_text(f"{self.output.heading[:-1]}; summarised]", "\n".join(self.points), "summarise")
        said = f"{UNKNOWN}{f', and {why}' if why else ''}: its first and last lines"
        ends = self.unknown if len(self.unknown) <= 2 * ENDS else (*self.unknown[:ENDS], *self.unknown[-ENDS:])
        quoted = [f"line {line.number}: {_quoted(line.text)}" for line in ends]
        return of_text(f"{self.output.heading[:-1]}; {said}]", "\n".join([*self.points, *quoted]), "summarise")


def summarised(output: Document, *, overview: bool) -> Summary:
    """Summarise an output: what failed, first of all, and how it ended; with ``overview``, all that it is made of.

    Lines that are no build's and no test's are told by the templates they follow. Raises NoSuchOutput.
    """
    lines = list(output.lines(1))
    points = json_outline(lines)
    if points is not None:
        return Summary(output, tuple(points))
    points = list(_run(lines))
    if points and not overview:
        return Summary(output, tuple(points))
    found = templates([line for line in lines if read_line(line.text) is None])
    if not points and (unknown := _unknown(lines, found)):
        return Summary(output, tuple(_common(found)), unknown)
    return Summary(output, (*points, *_common(found), *_rare(found)))


def _unknown(lines: Sequence[StoredLine], found: Sequence[Template]) -> tuple[StoredLine, ...]:
    """Return the lines that are like no other, where they are more than can be quoted and most of all there are."""
    rare = {each.first for each in found if each.lines == 1}
    if len(rare) <= RARE or 2 * len(rare) <= sum(each.lines for each in found):
        return ()
    return tuple(line for line in lines if line.number in rare)


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


def _common(found: Sequence[Template]) -> Iterator[str]:
    """Tell what lines are like that are not alone, those there are most of first."""
    common = sorted((each for each in found if each.lines > 1), key=lambda each: -each.lines)
    yield from map(_point, common[:COMMON])
    if len(common) > COMMON:
        yield f"{len(common) - COMMON:,} more kinds of repeated lines"


def _rare(found: Sequence[Template]) -> Iterator[str]:
    """Quote the last of the lines that are like no other."""
    rare = [each for each in found if each.lines == 1]
    if len(rare) > RARE:
        yield f"{count(len(rare) - RARE, 'line')} more that are like no other"
    yield from map(_point, rare[-RARE:])


def _point(each: Template) -> str:
    if each.lines == 1:
        return f"line {each.first}: {_quoted(each.example)}"
    return f"lines {each.first}-{each.last}, {each.lines:,} like this: {_quoted(each.example)}"


def _quoted(text: str) -> str:
    return shorten(text.strip(), LINE)
