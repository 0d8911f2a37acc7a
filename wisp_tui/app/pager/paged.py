"""What the pager shows: bytes, a title, and what has to be said about what is not among them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from wisp_tui.app.pager.source import FileSource, Source, TextSource
from wisp_tui.outputs import Section, StoredOutput
from wisp_tui.session.outputs import ShownOutput
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import count, human_bytes

_UNUSUAL = re.compile(r"[^\w-]+", re.ASCII)
NOTHING_RETURNED = "the tool returned nothing · esc goes back"


@dataclass(frozen=True, slots=True)
class Paged:
    """What the pager shows. It belongs to one pager, which closes ``source``.

    ``lines`` is how many there are, where that is known beforehand; ``notice`` says what is missing, and why;
    ``closing`` is said after the last line; ``name`` is the file's name that saving suggests. ``behind`` makes the page
    of what recorded it, where there is one.
    """

    title: str
    source: Source
    lines: int | None = None
    sections: tuple[Section, ...] = ()
    remark: str = ""
    notice: str = ""
    closing: str = ""
    empty: str = "it is empty · esc goes back"
    name: str = "wisp.txt"
    behind: Callable[[], Paged] | None = None

    def before(self, behind: Callable[[], Paged]) -> Paged:
        """Give the page with another one behind it."""
        return replace(self, behind=behind)

    @property
    def headings(self) -> dict[int, str]:
        """The lines of the source, from 0, that are headings of sections, and what there is to say of each section."""
        found: dict[int, str] = {}
        for above, section in pairwise(self.sections):
            cut = above.of_bytes - above.bytes
            missing = f" · {above.name} above was cut: {lost(above.of_lines - above.lines, cut)}" if cut else ""
            found[section.first_line - 2] = f"{size_of(section)}{missing}"
        return found

    @property
    def section_lines(self) -> list[int]:
        """The lines, from 0, at which sections begin, with their headings."""
        return [max(section.first_line - (2 if place else 1), 0) for place, section in enumerate(self.sections)]

    def section_at(self, line: int) -> Section | None:
        """Say which section a line, from 0, is in, where that is worth saying."""
        if len(self.sections) < 2:
            return None
        return next(one for one in reversed(self.sections) if one.first_line - 2 <= line or one is self.sections[0])

    @classmethod
    def of_text(cls, title: str, text: str, *, remark: str = "", notice: str = "", name: str = "wisp.txt") -> Paged:
        """Show a text: an entry of the context, a reply, what a tool returned."""
        return cls(clean_line(title), TextSource(text), remark=remark, notice=notice, name=name)

    @classmethod
    def of_output(cls, shown: ShownOutput, title: str = "") -> Paged:
        """Show an output: the whole of it where it was kept, else what the tool returned, with the reason."""
        title = clean_line(title) or shown.tool
        name = f"{_UNUSUAL.sub('-', shown.tool)[:40]}-{shown.call}.txt"
        missing = shown.remark if shown.lost else ""
        if shown.stored is not None:
            try:
                return cls._of_stored(shown.stored, title, name)
            except OSError as error:
                missing = f"what the tool returned: the whole output cannot be read: {error.strerror or error}"
        remark = "" if missing else "all that the tool returned"
        return cls(title, TextSource(shown.text), remark=remark, notice=missing, empty=NOTHING_RETURNED, name=name)

    @classmethod
    def _of_stored(cls, stored: StoredOutput, title: str, name: str) -> Paged:
        source, lines, sections = FileSource(stored.path), stored.lines, stored.sections
        if not stored.cut:
            return cls(title, source, lines, sections, "the whole output", empty=NOTHING_RETURNED, name=name)
        missing = lost(stored.of_lines - stored.lines, stored.of_bytes - stored.bytes)
        return cls(
            title,
            source,
            lines,
            sections,
            notice=f"cut at {human_bytes(stored.bytes)}: {missing}",
            closing=f"✂ cut here: {missing}",
            empty=NOTHING_RETURNED,
            name=name,
        )


def size_of(section: Section) -> str:
    """Say how much there is of a section."""
    return f"{count(section.lines, 'line')}, {human_bytes(section.bytes)}"


def lost(lines: int, size: int) -> str:
    """Say what of an output was not kept."""
    more = f"{count(lines, 'more line')}, " if lines else ""
    return f"{more}{human_bytes(size)} were not kept"
