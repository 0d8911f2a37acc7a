"""The tool that asks the person a question. Their answer is their word: a fact of the conversation."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from wisp_tui.text.clean import clean, clean_line
from wisp_tui.text.json import JsonObject
from wisp_tui.tools.asking import Question
from wisp_tui.tools.base import Arguments, BadArguments, ToolContext, ToolOutput, ToolSpec
from wisp_tui.tools.keeping import bound

MOST_CHOICES = 9
"""As many as there are digits to choose with."""
LONGEST_QUESTION = 2000
LONGEST_CHOICE = 200
UNANSWERED = "error: the person did not answer ({why}): go on with what you know, and say what you took for granted"
WAITS = (
    "the question waits for the person; their answer comes with a later request: go on with what you know, and say "
    "what you took for granted"
)


@dataclass(frozen=True, slots=True)
class Ask:
    """``ask``."""

    new_id: Callable[[], str] = lambda: secrets.token_hex(4)

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        return ToolSpec(
            name="ask",
            description="Ask the person a question only they can answer, with choices or for free text.",
            parameters={
                "type": "object",
                "properties": {
                    "question": {"type": "string"},
                    "choices": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["question"],
            },
            reads_only=False,
            clause="ask the person a question",
            asks=True,
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Put the question before the person; the result is their answer and nothing else.

        Raises BadArguments, AuditUnavailable.
        """
        question = self._question(arguments)
        answered = await context.person.ask(question)
        if answered.text is None or not answered.text.strip():
            text = WAITS if answered.waits else UNANSWERED.format(why=answered.why or "the answer was empty")
            details: JsonObject = {"answered": False}
            return ToolOutput(text, ok=False, lines=1, bytes=len(text.encode()), details=details)
        return bound(clean(answered.text).strip(), context)

    def _question(self, arguments: Arguments) -> Question:
        text = clean(arguments.text("question")).strip()
        choices = tuple(dict.fromkeys(clean_line(choice) for choice in arguments.texts("choices")))
        if not 0 < len(text) <= LONGEST_QUESTION:
            raise BadArguments(f"question must be 1 to {LONGEST_QUESTION:,} characters, not {len(text):,}")
        if len(choices) > MOST_CHOICES:
            raise BadArguments(f"there may be {MOST_CHOICES} choices at most, not {len(choices)}")
        if any(not 0 < len(choice) <= LONGEST_CHOICE for choice in choices):
            raise BadArguments(f"a choice must be 1 to {LONGEST_CHOICE} characters")
        return Question(self.new_id(), text, choices)
