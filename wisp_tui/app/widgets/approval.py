"""The approval dialog: what would run, whole and with nothing hidden, and the answers that are offered."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.errors import NoWidget
from textual.message import Message

from wisp_tui.app.actions import Place, bindings
from wisp_tui.app.gauge import Piece
from wisp_tui.app.rows import Role, Row, Span, Wrap
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.diffrows import diff_rows
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.approval import Answer, ApprovalRequest, Level
from wisp_tui.session.status import short_path
from wisp_tui.text.answers import ANSWER_WORDS, EXACTLY, LASTING
from wisp_tui.text.clean import visible
from wisp_tui.text.sizes import count

_LEVELS = {Level.SAFE: Role.GOOD, Level.MODERATE: Role.WARNING, Level.DANGEROUS: Role.ERROR}


AROUND = 12
"""Rows of the screen that the dialog's own frame, the prompt and the lines below it take."""


class ApprovalPanel(Vertical):
    """Shows one request. It answers only while it has the keyboard, which the app gives it after a pause.

    A command longer than the screen scrolls above its keys; only a refusal is taken before its end was shown.
    """

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
        self._body = VerticalScroll(self._rows, classes="body", can_focus=False)
        self._keys = Bar(classes="keys")
        self._taken = False
        self.seen = False
        """Whether the request was shown to its end."""

    def compose(self) -> ComposeResult:
        """Put the request above its keys."""
        yield self._body
        yield self._keys

    def on_mount(self) -> None:
        """Show the keys, not yet taken, and notice how far the request was read."""
        self.watch(self._body, "scroll_y", self._look)
        self.on_resize()
        self.show_keys(taken=False)

    def on_resize(self) -> None:
        """Keep the keys on the screen, whatever its height."""
        self._body.styles.max_height = max(self.screen.size.height - AROUND, 3)
        self.call_after_refresh(self._look)

    @property
    def below(self) -> int:
        """How many rows of the request are below what is shown."""
        return max(round(self._body.max_scroll_y - self._body.scroll_offset.y), 0)

    def _look(self) -> None:
        laid_out = self._body.size.height > 0 and self._rows.size.height > 0
        self.seen = self.seen or (laid_out and self.below == 0 and self._in_sight)
        self.show_keys(taken=self._taken)

    @property
    def _in_sight(self) -> bool:
        """Whether nothing beside the request takes any of it off the screen."""
        try:
            place = self.screen.find_widget(self._body)
        except NoWidget:
            return False
        return place.visible_region.size == place.region.size

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
        self._taken = taken
        more = [] if self.seen else [Piece(f"↓ {count(self.below, 'more line')}, page down   ", Role.WARNING)]
        self._keys.show([*more, *answer_keys(self.request, taken=taken and self.seen)])

    def action_look(self, way: str) -> None:
        """Scroll through a long request."""
        match way:
            case "up":
                self._body.scroll_up(animate=False)
            case "down":
                self._body.scroll_down(animate=False)
            case "page_up":
                self._body.scroll_page_up(animate=False)
            case _:
                self._body.scroll_page_down(animate=False)

    def action_answer(self, answer: str) -> None:
        """Answer, when that answer is offered and the request was shown to its end; a refusal needs no reading."""
        if not self.seen and Answer(answer) is not Answer.NO:
            self.action_look("page_down")
            return
        if Answer(answer) in self.request.answers:
            self.post_message(self.Answered(self.request.id, Answer(answer)))


def request_rows(request: ApprovalRequest, waiting: int) -> list[Row]:
    """Draw a request: its level, each reason, the command whole, the line it is part of, where, what is remembered."""
    rows = [*_heading(request, waiting), Row("")]
    rows += _whole(request.command, Role.BLOCK, "✎ " if request.diff else "$ ", Role.ACCENT)
    if request.diff:
        rows += [Row(""), *diff_rows(request.diff)]
    if request.line != request.command:
        rows += _whole(request.line, Role.MUTED, "part of  ", Role.FAINT)
    rows.append(Row(""))
    rows += _whole(short_path(Path(request.directory), Path.home()), Role.MUTED, "in  ", Role.FAINT)
    keys = [ANSWER_WORDS[answer].key for answer in request.answers if answer in LASTING]
    if keys:
        covered = request.pattern or EXACTLY
        verb = "remember" if len(keys) > 1 else "remembers"
        rows += _whole(covered, Role.MUTED, f"{' '.join(keys)} {verb}  ", Role.FAINT)
    return rows


def _heading(request: ApprovalRequest, waiting: int) -> list[Row]:
    """Draw the level with its reason, or above its reasons, and how many requests wait."""
    level = request.level.value
    reasons = [visible(reason).replace("\n", " ") for reason in request.reasons]
    title = f"{level} · {reasons[0]}" if len(reasons) == 1 else level
    text = f"{title} · 1 of {waiting}" if waiting > 1 else title
    spans = (Span(0, len(level), Role.STRONG), Span(0, len(level), _LEVELS[request.level]))
    first = Row(text, spans, Role.MUTED)
    return [first] if len(reasons) == 1 else [first, *(Row(reason, (), Role.MUTED, "· ", "  ") for reason in reasons)]


def _whole(text: str, role: Role, prefix: str, prefix_role: Role) -> list[Row]:
    """Draw a text to its last character, with what is invisible in it made visible."""
    blank = " " * len(prefix)
    return [
        Row(line, (), role, blank if number else prefix, blank, prefix_role, Wrap.ANYWHERE)
        for number, line in enumerate(visible(text).split("\n"))
    ]


def answer_keys(request: ApprovalRequest, *, taken: bool) -> list[Piece]:
    """Write the offered answers with their keys."""
    pieces: list[Piece] = []
    for answer in request.answers:
        words = ANSWER_WORDS[answer]
        pieces += [
            Piece(words.key, Role.ACCENT if taken else Role.FAINT),
            Piece(f" {words.title.lower()}   ", None if taken else Role.FAINT),
        ]
    return [*pieces, Piece("ctrl-c", Role.KEY), Piece(" no, at once", Role.FAINT)]
