"""The conversation's items as widgets: one class for each kind of item of ``session.transcript``."""

from __future__ import annotations

from wisp_tui.app.actions import keys_of
from wisp_tui.app.rows import Role, Row, Span, Wrap, column_rows, plain_rows
from wisp_tui.app.widgets.condensation import CondensationView, condensed_rows
from wisp_tui.app.widgets.factsline import FactsLine, facts_line_rows
from wisp_tui.app.widgets.reply import ReplyView, reply_rows
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.session.items import (
    AnswerItem,
    CallItem,
    CallState,
    CondensationItem,
    FactsItem,
    Item,
    LineItem,
    PromptItem,
    ReplyItem,
    ThinkingItem,
    Tone,
)
from wisp_tui.session.lines import Folded, fold
from wisp_tui.session.transcript import progress_line
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
        super().__init__(prompt_rows(item), classes="prompt")


class ThinkingView(RowView):
    """The model's thinking: one line, or all of it."""

    def __init__(self, item: ThinkingItem, *, unfolded: bool) -> None:
        super().__init__(classes="thinking")
        self.item = item
        self.unfolded = unfolded
        self.update()

    def update(self) -> None:
        """Draw the item as it is now."""
        self.replace(thinking_rows(self.item, unfolded=self.unfolded))

    def unfold(self, unfolded: bool) -> None:
        """Show all of it, or its one line."""
        if unfolded != self.unfolded:
            self.unfolded = unfolded
            self.update()


class CallView(RowView):
    """A tool call: what is called, what it prints while it runs, its result, its output folded."""

    def __init__(self, item: CallItem) -> None:
        super().__init__(classes="call typed" if item.typed else "call")
        self.item = item
        self.update()

    def update(self) -> None:
        """Draw the item as it is now."""
        self.replace(call_rows(self.item))


class LineView(RowView):
    """A line for the person."""

    def __init__(self, item: LineItem) -> None:
        super().__init__(line_rows(item), classes=f"line -{item.tone.name.lower()}")


class AnswerView(RowView):
    """A command and what it answered."""

    def __init__(self, item: AnswerItem) -> None:
        super().__init__(answer_rows(item), classes="answer")


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
        case FactsItem():
            view = FactsLine(item)
        case AnswerItem():
            view = AnswerView(item)
    return view


def rows_of(item: Item, width: int, *, unfolded: bool) -> list[Row]:
    """Draw an item without its widget; ``width``, in cells, is for tables, and ``unfolded`` for thinking."""
    rows: list[Row]
    match item:
        case PromptItem():
            rows = prompt_rows(item)
        case ReplyItem():
            rows = reply_rows(item.text, width, item.stopped)
        case ThinkingItem():
            rows = thinking_rows(item, unfolded=unfolded)
        case CallItem():
            rows = call_rows(item)
        case LineItem():
            rows = line_rows(item)
        case CondensationItem():
            rows = condensed_rows(item.condensation)
        case FactsItem():
            rows = facts_line_rows(item)
        case AnswerItem():
            rows = answer_rows(item)
    return rows


def prompt_rows(item: PromptItem) -> list[Row]:
    """Draw what the person said."""
    folded = fold(item.text, _PROMPT_LINES)
    rows = plain_rows(folded.shown, Role.PROMPT)
    rows = [_marked(row, "❯ " if number == 0 else "  ", Role.ACCENT) for number, row in enumerate(rows)]
    return [*rows, *fold_rows(folded, "", "  ")]


def thinking_rows(item: ThinkingItem, *, unfolded: bool) -> list[Row]:
    """Draw the model's thinking: its title, and all of it when it is unfolded."""
    title = item.title
    key = "" if unfolded else f" · {keys_of('thinking')}"
    rows = [Row(title + key, (Span(len(title), len(title + key), Role.FAINT),), Role.MUTED, "∴ ", "  ", Role.FAINT)]
    if unfolded:
        rows += plain_rows(item.text.strip("\n"), Role.MUTED, prefix="│ ")
    return rows


def call_rows(item: CallItem) -> list[Row]:
    """Draw a tool call as far as it is."""
    rows = [_call_row(item)]
    if item.state is CallState.RUNNING:
        if item.progress:
            rows += plain_rows(item.progress, Role.OUTPUT, Wrap.CLIP, "  │ ")
            rows.append(_marked(Row(progress_line(item), role=Role.FAINT), "  ", Role.FAINT))
        return rows
    failed = item.state is not CallState.DONE
    role = Role.WARNING if failed else Role.MUTED
    rows.append(_marked(Row(item.result or "", role=role), "  ", Role.FAINT))
    if item.folded is not None and item.state is not CallState.REFUSED:
        rows += plain_rows(item.folded.shown, Role.OUTPUT, Wrap.CLIP, "    ")
        rows += fold_rows(item.folded, keys_of("pager").split(",")[0], "    ")
    return rows


def answer_rows(item: AnswerItem) -> list[Row]:
    """Draw a command and its answer."""
    rows = [_marked(row, "❯ ", Role.FAINT) for row in plain_rows(item.command, Role.MUTED)]
    role = Role.WARNING if item.failed else None
    for line in item.lines:
        rows += column_rows(line, role, prefix="  ")
    return rows


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
    if item.typed:
        return Row(visible(item.line), (), Role.PROMPT, "! ", "  ", Role.WARNING)
    text = visible(item.line.removeprefix("⚙ "))
    name = text.split(" ", 1)[0]
    spans = (Span(0, len(name), Role.TOOL), Span(len(name), len(text), Role.MUTED))
    return Row(text, spans, None, "⚙ ", "  ", Role.FAINT)
