"""Long dialogues with known evidence, as conversations: read from a folder that is no part of the project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wisp_tui.context.record import EntryKind, ThreadRecord
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.json import Json, JsonObject, load_object

_WHEN = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said, when."""

    id: str
    speaker: str
    text: str
    when: datetime

    @property
    def line(self) -> str:
        """The turn as a transcript has it."""
        return f"{self.speaker}: {self.text}"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the ids of the turns that answer it."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A dialogue of two, over weeks or months."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    def record(self) -> ThreadRecord:
        """Record it: the first speaker's turns as prompts, the other's as replies, each an entry in its place."""
        record, first = ThreadRecord(), self.turns[0].speaker
        for place, turn in enumerate(self.turns, 1):
            kind = EntryKind.PROMPT if turn.speaker == first else EntryKind.REPLY
            record.add(kind, turn.line, turn=TurnNumber((place + 1) // 2), time=turn.when)
        return record


def read_dialogues(folder: Path) -> list[Dialogue]:
    """Read every dialogue of a folder. Raises ValueError or KeyError for one of another shape."""
    return [_read(path) for path in sorted(folder.glob("*.json"))]


def _read(path: Path) -> Dialogue:
    stored = load_object(path.read_bytes())
    turns = [
        Turn(str(turn["id"]), str(turn["speaker"]), str(turn["text"]), _moment(str(session["when"])))
        for session in _objects(stored["sessions"])
        for turn in _objects(session["turns"])
    ]
    questions = [
        Question(str(question["question"]), frozenset(str(turn) for turn in _list(question["evidence"])))
        for question in _objects(stored["questions"])
    ]
    return Dialogue(path.stem, tuple(turns), tuple(questions))


def _moment(when: str) -> datetime:
    return datetime.strptime(when, _WHEN).replace(tzinfo=UTC)


def _objects(value: Json) -> list[JsonObject]:
    return [item for item in _list(value) if isinstance(item, dict)]


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else []
