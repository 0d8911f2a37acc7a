"""The line after a turn that names its new facts. With the keyboard it moves, deletes and opens them."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from wisp_tui.app.actions import Place, action_for, bindings
from wisp_tui.app.kept.saying import LINE_KEYS
from wisp_tui.app.panel.saying import keys
from wisp_tui.app.rows import Role, Row, Span, plain_rows
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.facts import FactId, Scope
from wisp_tui.session.items import FactsItem

MARK = "· "


class FactsLine(RowView):
    """Names a turn's facts; one of them is chosen while the line has the keyboard."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.FACTS_LINE)]

    class Left(Message):
        """The person goes back to the prompt."""

    class Opened(Message):
        """A fact is to be shown in the facts panel."""

        def __init__(self, fact: FactId) -> None:
            super().__init__()
            self.fact = fact

    class Wanted(Message):
        """A fact is to be moved to a scope, or deleted."""

        def __init__(self, fact: FactId, scope: Scope | None) -> None:
            super().__init__()
            self.fact = fact
            self.scope = scope

    def __init__(self, item: FactsItem) -> None:
        super().__init__(facts_line_rows(item), classes="line facts-line")
        self.item = item
        self._chosen = 0
        self._doomed = False

    @property
    def chosen(self) -> FactId:
        """The fact that the keys are for."""
        return self.item.facts[self._chosen]

    def takes(self, event: events.Key | events.Paste) -> bool:
        """Whether what is typed is for the line rather than for the prompt."""
        names = (event.key, event.character or "") if isinstance(event, events.Key) else ()
        return any(action_for(Place.FACTS_LINE, name) is not None for name in names)

    def on_focus(self) -> None:
        """Show which fact is chosen, and the keys."""
        self._draw()

    def on_blur(self) -> None:
        """Show the line alone."""
        self._doomed = False
        self.replace(facts_line_rows(self.item))

    def _draw(self) -> None:
        said = f"d once more deletes {self.chosen}; its history stays" if self._doomed else ""
        self.replace(facts_line_rows(self.item, self.chosen, said, self.wrapped_for))

    def action_other(self, where: str) -> None:
        """Choose the fact before, or after."""
        self._chosen = (self._chosen + (1 if where == "after" else -1)) % len(self.item.facts)
        self._doomed = False
        self._draw()

    def action_open(self) -> None:
        """Show the chosen fact in the facts panel."""
        self.post_message(self.Opened(self.chosen))

    def action_move(self, scope: str) -> None:
        """Move the chosen fact."""
        self.post_message(self.Wanted(self.chosen, Scope(scope)))

    def action_drop(self) -> None:
        """Delete the chosen fact, when asked twice."""
        if self._doomed:
            self.post_message(self.Wanted(self.chosen, None))
        self._doomed = not self._doomed
        self._draw()

    def action_leave_line(self) -> None:
        """Go back to the prompt."""
        self.post_message(self.Left())


def facts_line_rows(item: FactsItem, chosen: FactId | None = None, said: str = "", width: int = 80) -> list[Row]:
    """Draw the line; with a fact chosen, that one marked and the keys below, or what is said instead of them."""
    (line,) = plain_rows(item.text, Role.MUTED)
    start = line.text.find(f"{chosen} ") if chosen is not None else -1
    spans = (Span(start, start + len(str(chosen)), Role.ACCENT),) if start >= 0 else ()
    rows = [Row(line.text, spans, Role.MUTED, MARK, " " * len(MARK), Role.FAINT)]
    if chosen is None:
        return rows
    if said:
        return [*rows, Row(said, role=Role.WARNING, prefix=" " * len(MARK))]
    text, marked = "", list[Span]()
    for piece in keys(LINE_KEYS, max(width - len(MARK), 8), Place.FACTS_LINE):
        if piece.role is not None:
            marked.append(Span(len(text), len(text) + len(piece.text), piece.role))
        text += piece.text
    return [*rows, Row(text, tuple(marked), prefix=" " * len(MARK))]
