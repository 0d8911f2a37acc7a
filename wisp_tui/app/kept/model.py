"""The facts panel as a value that changes: what it lists, what was asked for, how each line is drawn.

The widget draws what this says and tells it what the person does; it knows nothing of the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from wisp_tui.app.kept import saying
from wisp_tui.app.kept.facts import FactLine, KindHeading, draw_fact_line, fact_lines, fact_rows, heading_rows
from wisp_tui.app.kept.pending import draw_request, request_rows
from wisp_tui.app.kept.saying import Listing
from wisp_tui.app.kept.summary import draw_version, version_rows
from wisp_tui.app.panel.drawn import Drawn
from wisp_tui.app.rows import Piece, Role, Row, drawable
from wisp_tui.facts import FactBook, FactRow, RunningSummary
from wisp_tui.pending import FactRequest, QuestionRequest, Request
from wisp_tui.session.kept import Kept
from wisp_tui.text.sizes import count

KeptLine: TypeAlias = FactLine | RunningSummary | Request


@dataclass(slots=True)
class KeptModel:
    """What the panel shows of one conversation. ``home`` is the person's own directory, written ``~``."""

    kept: Kept
    home: Path
    listing: Listing = Listing.FACTS
    wanted: str = ""
    """The words that a fact must contain."""
    everything: bool = False
    """Whether what holds no longer is listed too."""
    lines: Sequence[KeptLine] = ()
    book: FactBook = field(default_factory=FactBook)
    proposed: int = 0
    """Facts of a permanent kind that wait in the conversation to be kept."""
    conflicts: int = 0
    """Topics whose facts disagree."""
    _folded: set[str] = field(default_factory=set[str])

    # What it lists ------------------------------------------------------------------------------------------------

    def open(self, listing: Listing) -> None:
        """Show one of the lists."""
        self.listing = listing
        self.gather()

    def gather(self) -> None:
        """List anew what there is now."""
        self.book = self.kept.book
        match self.listing:
            case Listing.FACTS:
                self.proposed = sum(fact.proposed for fact in self.book)
                self.conflicts = len(self.book.conflicts())
                kinds = self.kept.facts(self.book, everything=self.everything)
                self.lines = fact_lines(kinds, self._folded, self.wanted)
            case Listing.SUMMARY:
                self.lines = self.kept.versions
            case Listing.PENDING:
                self.lines = self.kept.waits

    def other(self, where: str) -> Listing:
        """Name the list ``before`` or ``after`` the one that is shown; after the last comes the first."""
        lists = list(Listing)
        return lists[(lists.index(self.listing) + (1 if where == "after" else -1)) % len(lists)]

    def fold(self, line: int) -> str | None:
        """Fold or unfold the kind that a line is in; return its line's name. None where nothing folds."""
        if self.listing is not Listing.FACTS or self.wanted:
            return None
        heading = next((one for one in reversed(self.lines[: line + 1]) if isinstance(one, KindHeading)), None)
        if heading is None:
            return None
        self._folded ^= {heading.subject}
        self.gather()
        return name_of(heading)

    # Lines --------------------------------------------------------------------------------------------------------

    def at(self, line: int) -> KeptLine | None:
        """Return a line."""
        return self.lines[line] if 0 <= line < len(self.lines) else None

    def line_of(self, name: str | None) -> int | None:
        """Find a line by its name."""
        return next((place for place, line in enumerate(self.lines) if name_of(line) == name), None)

    @property
    def start(self) -> int:
        """The line that the cursor begins on: the first that is no heading."""
        return next((place for place, line in enumerate(self.lines) if not isinstance(line, KindHeading)), 0)

    def drawn(self, line: int, width: int) -> Drawn:
        """Draw a line for a width in cells."""
        match self.lines[line]:
            case KindHeading() | FactRow() as fact:
                return draw_fact_line(fact, width)
            case RunningSummary() as version:
                return draw_version(version, width, holds=line == 0)
            case request:
                return draw_request(request, self.kept.now, width)

    def whole(self, line: int) -> list[Row]:
        """Write a line whole, as it stands below the list."""
        match self.at(line):
            case None:
                return []
            case KindHeading() as heading:
                return heading_rows(heading, self.kept.description(heading.subject))
            case FactRow() as row:
                return fact_rows(row, self.book.history(row.fact.topic)[::-1])
            case RunningSummary() as version:
                before = self.at(line + 1)
                return version_rows(version, before if isinstance(before, RunningSummary) else None)
            case request:
                gives_way = self.kept.superseded_by(request) if isinstance(request, FactRequest) else ()
                return request_rows(request, gives_way, self.kept.now, self.home)

    # What it says -------------------------------------------------------------------------------------------------

    def title(self) -> list[Piece]:
        """Name the lists, with how much is in each."""
        versions = self.kept.versions
        version = versions[0].version if versions else None
        return saying.title(self.listing, len(self.book), version, len(self.kept.waits))

    def remark(self) -> list[Piece]:
        """Say what matters of what is listed."""
        if self.kept.fault is not None:
            return [Piece(drawable(self.kept.fault), Role.ERROR)]
        if not self.lines and self.listing is not Listing.PENDING:
            return []
        match self.listing:
            case Listing.FACTS:
                return self._of_facts()
            case Listing.SUMMARY:
                turns = self.kept.waiting_turns
                left = f"{count(turns, 'turn')} left since, not in it yet" if turns else "how the work went so far"
                return [Piece(left, Role.FAINT)]
            case Listing.PENDING:
                unreadable = self.kept.unreadable
                if unreadable:
                    return [Piece(f"{drawable(str(unreadable[0].path))} {unreadable[0].reason}", Role.WARNING)]
                return [Piece("only you keep a fact, or let a command run", Role.FAINT)]

    def _of_facts(self) -> list[Piece]:
        pieces = [Piece("every version" if self.everything else "what holds", Role.FAINT)]
        if self.wanted:
            pieces += [Piece(f" · {drawable(self.wanted)}", Role.ACCENT)]
        if self.proposed:
            pieces += [Piece(f" · {self.proposed} proposed", Role.WARNING)]
        if self.conflicts:
            pieces += [Piece(f" · {count(self.conflicts, 'conflict')}", Role.ERROR)]
        return pieces

    def empty(self) -> str:
        """Say why nothing is listed, and what would be; empty where something is."""
        if self.lines:
            return ""
        if self.listing is Listing.PENDING:
            return saying.NOTHING_WAITS
        if not self.kept.enabled:
            return saying.FACTS_OFF
        if self.listing is Listing.SUMMARY:
            return saying.NO_SUMMARY
        return f"no fact contains {drawable(self.wanted)}; esc shows all" if self.wanted else saying.NO_FACTS

    def keys(self, line: int) -> saying.Keys:
        """The keys that matter on a line."""
        match self.at(line):
            case None:
                keys = saying.EMPTY_KEYS
            case KindHeading():
                keys = saying.KIND_KEYS
            case FactRow():
                keys = saying.FACT_KEYS
            case RunningSummary():
                keys = saying.SUMMARY_KEYS
            case FactRequest():
                keys = saying.PENDING_FACT_KEYS
            case QuestionRequest():
                keys = saying.PENDING_QUESTION_KEYS
            case _:
                keys = saying.PENDING_COMMAND_KEYS
        return keys


def name_of(line: KeptLine | None) -> str | None:
    """Name a line, so that it is found again when the list has changed."""
    match line:
        case None:
            return None
        case KindHeading(subject=subject):
            return f"kind {subject}"
        case FactRow(fact=fact):
            return fact.id
        case RunningSummary(version=version):
            return f"version {version}"
        case request:
            return f"request {request.id}"
