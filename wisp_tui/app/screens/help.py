"""Help: every key and every command, from the registries that also bind them."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from wisp_tui.app.actions import Place, actions_of, key_name
from wisp_tui.app.gauge import Piece
from wisp_tui.app.rows import BLANK, Role, Row, Span
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.looks import ROLE_CLASSES
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.config import shipped
from wisp_tui.session.commands import commands


class HelpScreen(ModalScreen[None]):
    """Lists the keys by where they work, then the commands."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}
    CSS_PATH = shipped("styles", "help.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1", "dismiss", "Close", show=False),
        Binding("ctrl+q", "app.leave", "Leave", show=False),
        Binding("ctrl+c", "app.interrupt", "Copy", show=False, priority=True),
    ]

    def compose(self) -> ComposeResult:
        """Draw the lists."""
        with VerticalScroll(id="help"):
            yield RowView(help_rows())
        bar = Bar(id="help-keys")
        keys = (("esc", " closes   "), ("↑ ↓", " scroll"))
        bar.show([piece for key, what in keys for piece in (Piece(key, Role.KEY), Piece(what, Role.FAINT))])
        yield bar

    def on_mount(self) -> None:
        """Let the arrow keys scroll."""
        self.query_one("#help").focus()


def help_rows() -> list[Row]:
    """Draw all keys and commands."""
    rows: list[Row] = []
    for place in Place:
        entries = [(", ".join(map(key_name, action.keys)), action.help) for action in actions_of(place)]
        rows += [*_section(place.value, entries), BLANK]
    rows += _section("Commands", [(command.usage, command.help) for command in commands().values()])
    return rows


def _section(title: str, entries: list[tuple[str, str]]) -> list[Row]:
    rows = [Row(title, role=Role.HEADING)]
    for left, right in entries:
        text = f"{left:24}  {right}"
        rows.append(Row(text, (Span(0, len(left), Role.TOOL),), None, "  ", " " * 28))
    return rows
