"""What the model notes as it works: facts and the task, as its own word, recorded when its turn ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from wisp_tui.facts import (
    NOTED,
    Assertion,
    FactBook,
    Kinds,
    NotAStatement,
    Place,
    SourceKind,
    Topic,
    UnknownSubject,
    read_statement,
)
from wisp_tui.facts.kinds import TASK
from wisp_tui.facts.values import stored_value
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.sizes import shorten

MOST = 12
"""Notes a turn takes."""


class NotNoted(Exception):
    """A note is not taken; the message says why, for the model to read."""


@dataclass(slots=True)
class Notebook:
    """One conversation's notes of the turn that runs.

    They have the lowest precedence: nothing they say replaces the person's word, a caller's or a tool's.
    """

    kinds: Kinds
    place: Place
    _notes: dict[Topic, Assertion] = field(default_factory=dict[Topic, Assertion])

    def note(self, said: str, book: FactBook, turn: TurnNumber) -> Assertion:
        """Note ``SUBJECT NAME = VALUE``; a later note of the same topic takes its place. Raises NotNoted."""
        try:
            statement = read_statement(said, self.kinds, self.place)
        except (NotAStatement, UnknownSubject) as error:
            raise NotNoted(f"{_of_person(error)}; {self._may}") from error
        topic = statement.topic
        if not self.kinds.kind(topic.subject).distil:
            raise NotNoted(f"{topic.subject} is not yours to note, its facts come from elsewhere; {self._may}")
        return self._take(Assertion(topic, statement.value, statement.temporal, NOTED, turns=(turn, turn)), book)

    def task(self, said: str, book: FactBook, turn: TurnNumber) -> Assertion:
        """Propose the task, with its objective where one is said. Raises NotNoted."""
        kind = self.kinds.kind(TASK)
        noted = Assertion(Topic(TASK, ""), stored_value(said), kind.temporal, NOTED, turns=(turn, turn))
        return self._take(noted, book)

    def taken(self) -> tuple[Assertion, ...]:
        """Give the notes of the turn that ends; the notebook is empty then."""
        notes = tuple(self._notes.values())
        self._notes.clear()
        return notes

    @property
    def _may(self) -> str:
        return f"note one of: {', '.join(kind.subject for kind in self.kinds.distilled)}"

    def _take(self, noted: Assertion, book: FactBook) -> Assertion:
        stands = book.winner(noted.topic) if noted.topic.subject == TASK else None
        if stands is not None and stands.standing in {SourceKind.PERSON, SourceKind.CALLER}:
            raise NotNoted(f"the task was set by {stands.source.says} and stays: {shorten(stands.value, 160)}")
        if noted.topic not in self._notes and len(self._notes) >= MOST:
            raise NotNoted(f"{MOST} were noted in this turn, which is the most it takes")
        self._notes[noted.topic] = noted
        return noted


def _of_person(error: NotAStatement | UnknownSubject) -> str:
    """Say what is wrong with a note in the model's own terms."""
    return "a note is written as note SUBJECT NAME = VALUE" if isinstance(error, NotAStatement) else str(error)
