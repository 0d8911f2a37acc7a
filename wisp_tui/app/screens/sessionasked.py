"""A question about saved conversations, over their list: what goes and what stays, answered by one key."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from wisp_tui.app.actions import Place, bindings
from wisp_tui.app.panel.saying import Keys, keys
from wisp_tui.app.rows import BLANK, Role, Row, drawable
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.looks import ROLE_CLASSES
from wisp_tui.app.widgets.rowview import RowView

_KEYS: Keys = (("answer('yes')", "yes"), ("answer('no')", "no"))
_SAVING_KEYS: Keys = (
    ("answer('save')", "save it first"),
    ("answer('yes')", "leave it"),
    ("answer('no')", "stay"),
)


class Asked(Enum):
    """The person's answer."""

    YES = "yes"
    SAVE = "save"
    NO = "no"


class SessionAskedScreen(ModalScreen[Asked]):
    """Asks once. ``saves`` offers to save the conversation that is left."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.SESSION_ASKED)]

    def __init__(self, title: str, told: tuple[str, ...], *, saves: bool = False) -> None:
        super().__init__()
        self.rows = [
            Row(drawable(title), role=Role.STRONG, prefix="? ", hang="  ", prefix_role=Role.WARNING),
            BLANK,
            *(Row(drawable(line), prefix="  ", hang="  ") for line in told),
        ]
        self._saves = saves

    def compose(self) -> ComposeResult:
        """Draw the question and the answers."""
        with Vertical(id="session-asked"):
            yield RowView(self.rows)
            answers = Bar(id="session-answers")
            answers.show(keys(_SAVING_KEYS if self._saves else _KEYS, 60, Place.SESSION_ASKED))
            yield answers

    def action_answer(self, answer: str) -> None:
        """Take an answer that is offered."""
        if self._saves or answer != Asked.SAVE.value:
            self.dismiss(Asked(answer))
