"""A question of the model's above the prompt: its words, and the choices by number. The prompt takes the answer."""

from __future__ import annotations

from wisp_tui.app.rows import Role, Row, Wrap
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.text.clean import visible
from wisp_tui.tools.asking import Question


class QuestionView(RowView):
    """Shows one question."""

    def __init__(self, question: Question) -> None:
        super().__init__(question_rows(question), classes="question")
        self.question = question


HINT = "write {how} · enter answers · esc declines"


def question_rows(question: Question, hint: str = HINT) -> list[Row]:
    """Draw a question: nothing in it is hidden, and none of it is read as markup. ``hint`` says how it is answered."""
    rows = [
        Row(line, (), Role.STRONG, "? " if number == 0 else "  ", "  ", Role.WARNING)
        for number, line in enumerate(visible(question.text).split("\n"))
    ]
    rows += [
        Row(visible(choice), (), None, f"  {number}  ", "     ", Role.ACCENT, Wrap.ANYWHERE)
        for number, choice in enumerate(question.choices, 1)
    ]
    how = "a number, or an answer of your own" if question.choices else "your answer"
    return [*rows, Row(""), Row(hint.format(how=how), (), Role.FAINT)]
