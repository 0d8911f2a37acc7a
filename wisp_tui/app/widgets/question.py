"""A question of the model's above the prompt: its words, and the choices by number. The prompt takes the answer."""

from __future__ import annotations

from textual.containers import VerticalScroll

from wisp_tui.app.rows import Role, Row, Wrap
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.text.clean import visible
from wisp_tui.tools.asking import Question


class QuestionView(VerticalScroll):
    """Shows one question. One that has no room scrolls, and leaves the prompt where it is."""

    can_focus = False

    def __init__(self, question: Question) -> None:
        super().__init__(RowView(question_rows(question)), classes="question")
        self.question = question

    def look(self, where: str) -> bool:
        """Scroll a page back or on; False where that shows nothing more."""
        before = self.scroll_offset
        if where == "page_up":
            self.scroll_page_up(animate=False, force=True)
        elif where == "page_down":
            self.scroll_page_down(animate=False, force=True)
        return self.scroll_offset != before


TITLE = "the model asks"
HINT = "write {how} · enter answers · esc declines"


def question_rows(question: Question, hint: str = HINT) -> list[Row]:
    """Draw a question: nothing in it is hidden, and none of it is read as markup. ``hint`` says how it is answered."""
    rows = [Row(TITLE, (), Role.MUTED, "? ", "  ", Role.WARNING)]
    rows += [Row(line, (), Role.STRONG, "  ", "  ") for line in visible(question.text).split("\n")]
    rows += [
        Row(visible(choice), (), None, f"  {number}  ", "     ", Role.ACCENT, Wrap.ANYWHERE)
        for number, choice in enumerate(question.choices, 1)
    ]
    how = "a number, or an answer of your own" if question.choices else "your answer"
    return [*rows, Row(""), Row(hint.format(how=how), (), Role.FAINT)]
