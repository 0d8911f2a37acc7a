"""The key and the words of each answer to an approval, the same in every face that asks by keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """How an answer is given and what it is called. ``help`` says what it does, without a full stop."""

    key: str
    title: str
    help: str


ANSWER_WORDS: Mapping[str, AnswerWords] = {
    "once": AnswerWords("y", "Once", "run it, and the same again in this turn"),
    "session": AnswerWords("s", "Session", "run it, and the same again in this session"),
    "project": AnswerWords("p", "Project", "run it, and the same again in this directory"),
    "always": AnswerWords("a", "Always", "run it, and the same again anywhere"),
    "no": AnswerWords("n", "No", "do not run it"),
}
"""The words of every answer by its value (``approval.Answer``), in the order in which they are offered."""

LASTING: frozenset[str] = frozenset({"session", "project", "always"})
"""The answers that are remembered beyond this turn."""
EXACTLY = "exactly this, in this directory"
"""What a lasting answer covers when the request names no pattern."""
