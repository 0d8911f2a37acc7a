"""The panel as a value that changes: what it lists, what was folded and asked for, and how each line is drawn.

The widget draws what this says and tells it what the person does; it knows nothing of the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from wisp_tui.app.panel import saying
from wisp_tui.app.panel.condensed import Chart, draw_condensation, fill_chart
from wisp_tui.app.panel.context import ContextLine, EntryLine, Heading, Look, context_lines, detail, draw_context_line
from wisp_tui.app.panel.drawn import Drawn
from wisp_tui.app.panel.legend import gauge_lines
from wisp_tui.app.panel.turns import draw_next, draw_turn
from wisp_tui.app.rows import Piece, Role
from wisp_tui.session.condensations import Condensation, Condensations
from wisp_tui.session.steps import ContextSteps, ShownContext
from wisp_tui.text.ids import TurnNumber

CHART = 4
"""Rows of the chart where there is room."""
WIDE = 72
"""Cells from which sizes in bytes stand beside the tokens without being asked for."""


class Showing(Enum):
    """What the panel lists."""

    CONTEXT = auto()
    TURNS = auto()
    CONDENSED = auto()


@dataclass(slots=True)
class PanelModel:
    """What the panel shows of one conversation."""

    steps: ContextSteps
    condensations: Condensations
    shown: ShownContext | None = None
    """The context that is shown; None before the panel was opened."""
    showing: Showing = Showing.CONTEXT
    lines: Sequence[ContextLine] = ()
    """The context's lines."""
    turns: Sequence[TurnNumber] = ()
    """The turns that are listed; after them stands the next request."""
    wanted: str = ""
    """The words that an entry must contain."""
    sizes: bool = False
    """Whether sizes in bytes are asked for."""
    _turned: set[str] = field(default_factory=set[str])
    _next: int = 0
    """The next request's tokens, as the list of turns shows them."""

    # What it lists ------------------------------------------------------------------------------------------------

    def open(self, turn: TurnNumber | None, showing: Showing = Showing.CONTEXT) -> None:
        """Show a turn's context, or the next request's. Raises NoSuchTurn, and then nothing has changed."""
        self.shown, self.showing = self.steps.show(turn), showing
        self.gather()

    def look_again(self) -> bool:
        """Take in what has changed; say whether anything that is shown can have."""
        if self.shown is None:
            return False
        if self.shown.turn is None:
            self.shown = self.steps.show(None)
        elif self.showing is Showing.CONTEXT:
            return False
        self.gather()
        return True

    def gather(self) -> None:
        """List anew."""
        if self.shown is None:
            return
        if self.showing is Showing.TURNS:
            self.turns = self.steps.turns
            self._next = (self.shown if self.shown.turn is None else self.steps.show(None)).view.tokens
        elif self.showing is Showing.CONTEXT:
            self.lines = context_lines(self.shown.view, self._turned, self.wanted, self._look())

    def restart(self) -> None:
        """Forget the conversation that was shown: another began."""
        self.steps.forget()
        self.shown, self.lines, self.turns = None, (), ()
        self._turned.clear()

    def step(self, where: str) -> None:
        """Go to the turn ``before`` or ``after`` the one that is shown."""
        if self.shown is not None:
            turn = self.shown.turn
            goal = self.steps.before(turn) if where == "before" else self.steps.after(turn)
            if goal != turn:
                self.open(goal)

    def fold(self, line: int) -> str | None:
        """Fold or unfold the layer that a line is in; return its name. None where nothing folds."""
        if self.showing is not Showing.CONTEXT or self.wanted:
            return None
        heading = next((line for line in reversed(self.lines[: line + 1]) if isinstance(line, Heading)), None)
        if heading is None:
            return None
        self._turned ^= {heading.name}
        self.gather()
        return heading.name

    # Lines --------------------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many lines are listed."""
        match self.showing:
            case Showing.CONTEXT:
                return len(self.lines)
            case Showing.TURNS:
                return len(self.turns) + 1 if self.turns else 0
            case Showing.CONDENSED:
                return len(self.condensations.all)

    def at(self, line: int) -> ContextLine | None:
        """Return a line of the context."""
        return self.lines[line] if self.showing is Showing.CONTEXT and 0 <= line < len(self.lines) else None

    def turn_at(self, line: int) -> TurnNumber | None:
        """Return the turn of a line of the list of turns; None for the next request."""
        return self.turns[line] if line < len(self.turns) else None

    def condensation_at(self, line: int) -> Condensation | None:
        """Return the condensation of a line of their list, the latest first."""
        listed = self.condensations.all
        return listed[-1 - line] if self.showing is Showing.CONDENSED and 0 <= line < len(listed) else None

    def line_of(self, of: ContextLine | str | None) -> int | None:
        """Find the line that stands for the same part as one before did, or a heading by its name."""
        wanted = Heading(of, 0, 0, 0, folded=False) if isinstance(of, str) else of
        return next((place for place, line in enumerate(self.lines) if _same(line, wanted)), None)

    @property
    def start(self) -> int:
        """The line that the cursor begins on: the first, or the turn that was shown."""
        if self.showing is not Showing.TURNS or self.shown is None:
            return 0
        turn = self.shown.turn
        return self.turns.index(turn) if turn in self.turns else len(self.turns)

    def drawn(self, line: int, width: int) -> Drawn:
        """Draw a line for a width in cells."""
        if (found := self.at(line)) is not None:
            return draw_context_line(found, width, self._look(width))
        if (condensation := self.condensation_at(line)) is not None:
            return draw_condensation(condensation, width)
        gauge = self.shown.gauge if self.shown is not None else None
        window, budget = (gauge.window, gauge.budget) if gauge is not None else (None, 1.0)
        if line < len(self.turns):
            return draw_turn(self.steps.row(self.turns[line]), width, window, budget)
        return draw_next(self._next, width, window, budget)

    def _look(self, width: int = 0) -> Look:
        return Look(sizes=self.sizes or width >= WIDE, tool=self.steps.tool)

    # What it says -------------------------------------------------------------------------------------------------

    def title(self) -> tuple[list[Piece], list[Piece]]:
        """Name what is shown, and say how much of the window it takes."""
        if self.shown is None:
            return [], []
        match self.showing:
            case Showing.TURNS:
                return [Piece("turns", Role.STRONG)], []
            case Showing.CONDENSED:
                return [Piece("condensations", Role.STRONG)], saying.amount(self.shown)
            case Showing.CONTEXT:
                pass
        return saying.title(self.shown, len(self.steps.turns)), saying.amount(self.shown)

    def remark(self) -> list[Piece]:
        """Say what changed, or what is listed."""
        if self.shown is None:
            return []
        match self.showing:
            case Showing.TURNS:
                return [Piece("what each turn's first request took, and what changed", Role.FAINT)]
            case Showing.CONDENSED:
                return [Piece("how full each turn left the window", Role.FAINT)]
            case Showing.CONTEXT:
                return saying.since(self.shown)

    def picture(self, width: int, *, tall: bool) -> list[Drawn]:
        """Draw what stands above the lines: the gauge, or the chart of the turns."""
        gauge = self.shown.gauge if self.shown is not None else None
        if self.showing is not Showing.CONDENSED:
            return gauge_lines(gauge, width, legend=tall)
        turns = {condensation.turn for condensation in self.condensations.all}
        window, budget = (gauge.window, gauge.budget) if gauge is not None else (None, 1.0)
        return fill_chart(Chart(self.condensations.fills, turns, window, budget), width, CHART if tall else 1)

    def empty(self) -> str:
        """Say why nothing is listed, and what would be; empty where something is."""
        if self.count:
            return ""
        match self.showing:
            case Showing.TURNS:
                return saying.NO_TURNS
            case Showing.CONDENSED:
                return saying.NO_CONDENSATION
            case Showing.CONTEXT:
                return f"no entry contains {self.wanted}; esc shows all"

    @property
    def keys(self) -> saying.Keys:
        """The keys that matter where it is."""
        if not self.count:
            return saying.EMPTY_KEYS
        match self.showing:
            case Showing.TURNS:
                return saying.TURN_KEYS
            case Showing.CONDENSED:
                return saying.CONDENSED_KEYS
            case Showing.CONTEXT:
                return saying.CONTEXT_KEYS

    def detail(self, line: int) -> str:
        """Say in words what a line's glyphs and numbers say."""
        if (condensation := self.condensation_at(line)) is not None:
            return condensation.why
        found = self.at(line)
        return detail(found) if found is not None else ""


def _same(line: ContextLine, wanted: ContextLine | None) -> bool:
    match line, wanted:
        case Heading(name=name), Heading(name=other):
            return name == other
        case EntryLine(row=row), EntryLine(row=other):
            return (row.entry, row.kind) == (other.entry, other.kind)
        case _:
            return False
