"""The conversation's items as widgets: one class for each kind of item of ``session.transcript``."""

from __future__ import annotations

from wisp_tui.app.actions import keys_of
from wisp_tui.app.rows import Role, Row, Span, Wrap, plain_rows
from wisp_tui.app.widgets.condensation import CondensationView
from wisp_tui.app.widgets.reply import ReplyView
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.session.lines import Folded, fold
from wisp_tui.session.transcript import (
    AnswerItem,
    CallItem,
    CallState,
    CondensationItem,
    Item,
    LineItem,
    PromptItem,
    ReplyItem,
    ThinkingItem,
    Tone,
    progress_line,
)
from wisp_tui.text.clean import visible

_PROMPT_LINES = 40
_MARKS: dict[Tone, tuple[str, Role]] = {
    Tone.NOTE: ("· ", Role.FAINT),
    Tone.WARNING: ("▲ ", Role.WARNING),
    Tone.ERROR: ("✕ ", Role.ERROR),
    Tone.RAN: ("", Role.FAINT),
}


class PromptView(RowView):
    """What the person said; a long paste is folded."""

    def __init__(self, item: PromptItem) -> None:
        folded = fold(item.text, _PROMPT_LINES)
        rows = plain_rows(folded.shown, Role.PROMPT)
        rows = [_marked(row, "❯ " if number == 0 else "  ", Role.ACCENT) for number, row in enumerate(rows)]
        super().__init__([*rows, *fold_rows(folded, "", "  ")], classes="prompt")


class ThinkingView(RowView):
    """The model's thinking: one line, or all of it."""

    def __init__(self, item: ThinkingItem, *, unfolded: bool) -> None:
        super().__init__(classes="thinking")
        self.item = item
        self.unfolded = unfolded
        self.update()

    def update(self) -> None:
        """Draw the item as it is now."""
        title = self.item.title
        key = "" if self.unfolded else f" · {keys_of('thinking')}"
        rows = [Row(title + key, (Span(len(title), len(title + key), Role.FAINT),), Role.MUTED, "∴ ", "  ", Role.FAINT)]
        if self.unfolded:
            rows += plain_rows(self.item.text.strip("\n"), Role.MUTED, prefix="│ ")
        self.replace(rows)

    def unfold(self, unfolded: bool) -> None:
        """Show all of it, or its one line."""
        if unfolded != self.unfolded:
            self.unfolded = unfolded
            self.update()


class CallView(RowView):
    """A tool call: what is called, what it prints while it runs, its result, its output folded."""

    def __init__(self, item: CallItem) -> None:
        super().__init__(classes="call")
        self.item = item
        self.update()

    def update(self) -> None:
        """Draw the item as it is now."""
        item = self.item
        rows = [_call_row(item)]
        if item.state is CallState.RUNNING:
            if item.progress:
                rows += plain_rows(item.progress, Role.OUTPUT, Wrap.CLIP, "  │ ")
                rows.append(_marked(Row(progress_line(item), role=Role.FAINT), "  ", Role.FAINT))
        else:
            failed = item.state is not CallState.DONE
            role = Role.WARNING if failed else Role.MUTED
            rows.append(_marked(Row(item.result or "", role=role), "  ", Role.FAINT))
            if item.folded is not None and item.state is not CallState.REFUSED:
                rows += plain_rows(item.folded.shown, Role.OUTPUT, Wrap.CLIP, "    ")
                rows += fold_rows(item.folded, keys_of("pager").split(",")[0], "    ")
        self.replace(rows)


class LineView(RowView):
    """A line for the person."""

    def __init__(self, item: LineItem) -> None:
        super().__init__(line_rows(item), classes=f"line -{item.tone.name.lower()}")


class AnswerView(RowView):
    """A command and what it answered."""

    def __init__(self, item: AnswerItem) -> None:
        rows = [_marked(row, "❯ ", Role.FAINT) for row in plain_rows(item.command, Role.MUTED)]
        role = Role.WARNING if item.failed else None
        for line in item.lines:
            rows += plain_rows(line, role, prefix="  ")
        super().__init__(rows, classes="answer")


def view_of(item: Item, *, unfolded: bool) -> RowView:
    """Make the widget that draws an item; ``unfolded`` is for thinking."""
    view: RowView
    match item:
        case PromptItem():
            view = PromptView(item)
        case ReplyItem():
            view = ReplyView()
            view.append(item.text)
            if item.done:
                view.finish(item.stopped)
        case ThinkingItem():
            view = ThinkingView(item, unfolded=unfolded)
        case CallItem():
            view = CallView(item)
        case LineItem():
            view = LineView(item)
        case CondensationItem():
            view = CondensationView(item)
        case AnswerItem():
            view = AnswerView(item)
    return view


def fold_rows(folded: Folded, how: str, prefix: str) -> list[Row]:
    """Draw the fold's line, when something lies behind it; ``how`` names the key to the rest."""
    line = folded.fold_line(how)
    if line is None:
        return []
    line = line if how else line.removesuffix(" · ")
    start = len(line) - len(how)
    return [Row(line, (Span(start, len(line), Role.KEY),) if how else (), Role.FAINT, prefix, prefix)]


def line_rows(item: LineItem) -> list[Row]:
    """Draw a line for the person."""
    mark, role = _MARKS[item.tone]
    blank = " " * len(mark)
    rows = plain_rows(item.text, Role.MUTED if item.tone is Tone.NOTE else role)
    return [_marked(row, blank if number else mark, role) for number, row in enumerate(rows)]


def _marked(row: Row, mark: str, role: Role) -> Row:
    return Row(row.text, row.spans, row.role, mark, " " * len(mark), role, row.wrap, row.source)


def _call_row(item: CallItem) -> Row:
    text = visible(item.line.removeprefix("⚙ "))
    name = text.split(" ", 1)[0]
    spans = (Span(0, len(name), Role.TOOL), Span(len(name), len(text), Role.MUTED))
    return Row(text, spans, None, "⚙ ", "  ", Role.FAINT)
