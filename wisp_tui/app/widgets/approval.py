"""The approval dialog: what would run, whole and with nothing hidden, and the answers that are offered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.message import Message

from wisp_tui.app.actions import Place, actions_of, bindings
from wisp_tui.app.gauge import Piece
from wisp_tui.app.rows import Role, Row, Span, Wrap
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.approval import Answer, ApprovalRequest, Level
from wisp_tui.session.status import short_path
from wisp_tui.text.clean import visible

_LEVELS = {Level.SAFE: Role.GOOD, Level.MODERATE: Role.WARNING, Level.DANGEROUS: Role.ERROR}


class ApprovalPanel(VerticalScroll):
    """Shows one request. It answers only while it has the keyboard, which the app gives it after a pause."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.APPROVAL)]
    can_focus = True

    class Answered(Message):
        """The person answered."""

        def __init__(self, request: str, answer: Answer) -> None:
            super().__init__()
            self.request = request
            self.answer = answer

    def __init__(self, request: ApprovalRequest, waiting: int) -> None:
        super().__init__(id="approval", classes=f"-{request.level.value}")
        self.request = request
        self._rows = RowView(request_rows(request, waiting))
        self._keys = Bar(classes="keys")

    def compose(self):  # noqa: D102
        yield self._rows
        yield self._keys

    def on_mount(self) -> None:
        """Show the keys, not yet taken."""
        self.show_keys(taken=False)

    def on_focus(self) -> None:
        """Show that keys are taken now."""
        self.show_keys(taken=True)

    def on_blur(self) -> None:
        """Show that keys go elsewhere."""
        self.show_keys(taken=False)

    def recount(self, waiting: int) -> None:
        """Show how many requests wait."""
        self._rows.replace(request_rows(self.request, waiting))

    def show_keys(self, *, taken: bool) -> None:
        """Show the offered answers, bright once their keys are taken."""
        self._keys.show(answer_keys(self.request, taken=taken))

    def action_answer(self, answer: str) -> None:
        """Answer, when that answer is offered."""
        if Answer(answer) in self.request.answers:
            self.post_message(self.Answered(self.request.id, Answer(answer)))


def request_rows(request: ApprovalRequest, waiting: int) -> list[Row]:
    """Draw a request: its level and reasons, the command whole, the line it is part of, where it would run."""
    level = request.level.value
    title = f"{level} · {'; '.join(visible(reason) for reason in request.reasons)}"
    more = f" · 1 of {waiting}" if waiting > 1 else ""
    rows = [
        Row(
            title + more,
            (
                Span(0, len(level), Role.STRONG),
                Span(0, len(level), _LEVELS[request.level]),
                Span(len(title), len(title + more), Role.MUTED),
            ),
            Role.MUTED,
        ),
        Row(""),
    ]
    rows += [
        Row(line, (), Role.BLOCK, "$ " if number == 0 else "  ", "  ", Role.ACCENT, Wrap.ANYWHERE)
        for number, line in enumerate(visible(request.command).split("\n"))
    ]
    if request.line != request.command:
        rows += [
            Row(line, (), Role.MUTED, "part of  " if number == 0 else " " * 9, " " * 9, Role.FAINT, Wrap.ANYWHERE)
            for number, line in enumerate(visible(request.line).split("\n"))
        ]
    rows += [
        Row(""),
        Row(
            visible(short_path(Path(request.directory), Path.home())),
            (),
            Role.MUTED,
            "in  ",
            "    ",
            Role.FAINT,
            Wrap.ANYWHERE,
        ),
    ]
    if request.pattern is not None:
        rows.append(Row(visible(request.pattern), (), Role.MUTED, "covers  ", " " * 8, Role.FAINT, Wrap.ANYWHERE))
    return rows


def answer_keys(request: ApprovalRequest, *, taken: bool) -> list[Piece]:
    """Write the offered answers with their keys."""
    titles: Mapping[str, tuple[str, str]] = {
        action.name: (action.keys[0], action.title.lower()) for action in actions_of(Place.APPROVAL)
    }
    pieces: list[Piece] = []
    for answer in request.answers:
        key, title = titles[f"answer('{answer.value}')"]
        pieces += [
            Piece(key, Role.ACCENT if taken else Role.FAINT),
            Piece(f" {title}   ", None if taken else Role.FAINT),
        ]
    return [*pieces, Piece("ctrl-c", Role.KEY), Piece(" no, at once", Role.FAINT)]
