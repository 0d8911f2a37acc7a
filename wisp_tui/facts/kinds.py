"""Subject kinds as data: what may be asserted, how its names are normalised, how long it holds (spec "Facts")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import cast

from wisp_tui.facts.identity import TemporalClass, Topic
from wisp_tui.facts.normalisers import NORMALISERS, Place
from wisp_tui.facts.values import one_line
from wisp_tui.text.json import Json, JsonObject

SUBJECT_CHARACTERS = 32
TASK = "task"
"""The subject whose one fact is shown in the now block and may be set by a caller."""
ANSWER = "answer"
"""The subject of the person's answers to the model's questions: always known, never distilled."""
_FIELDS = frozenset({"subject", "class", "normaliser", "description", "distil"})


class KindsError(Exception):
    """The kinds cannot be used; ``field`` names what is wrong (``facts.kinds.branch.normaliser``), the message why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class UnknownSubject(Exception):
    """A fact's subject is no kind; the message lists those there are."""

    def __init__(self, subject: str, known: Sequence[str]) -> None:
        super().__init__(f"there is no kind of fact {subject!r:.60}; the kinds are: {', '.join(known)}")
        self.subject = subject
        self.known = tuple(known)


@dataclass(frozen=True, slots=True)
class SubjectKind:
    """A kind of fact. ``distil`` says whether the distiller and the model's notes may use it."""

    subject: str
    temporal: TemporalClass
    normaliser: str
    description: str = ""
    distil: bool = True

    @property
    def alone(self) -> bool:
        """Whether a conversation has one such fact, without a name."""
        return self.normaliser == "single"

    def topic(self, name: str, place: Place) -> Topic:
        """Return what an assertion of this kind is about."""
        return Topic(self.subject, NORMALISERS[self.normaliser](name, place))


_ANSWER = SubjectKind(
    ANSWER, TemporalClass.DYNAMIC, "trim", "what the person answered, named by the question", distil=False
)


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of fact there are, by subject. The answers' is always among them."""

    by_subject: Mapping[str, SubjectKind]

    def __iter__(self) -> Iterator[SubjectKind]:
        return iter(self.by_subject.values())

    def find(self, subject: str) -> SubjectKind | None:
        """Find a kind by its subject, however it is written; None for none."""
        return self.by_subject.get(_subject(subject))

    def kind(self, subject: str) -> SubjectKind:
        """Return a kind by its subject. Raises UnknownSubject."""
        found = self.find(subject)
        if found is None:
            raise UnknownSubject(one_line(subject), tuple(self.by_subject))
        return found

    @property
    def distilled(self) -> tuple[SubjectKind, ...]:
        """The kinds that the distiller is offered and that the model may note."""
        return tuple(kind for kind in self if kind.distil)


def read_kinds(shipped: Json, configured: Json = None) -> Kinds:
    """Read the shipped kinds (a list) and ``facts.kinds`` of the settings (an object by subject), which changes them.

    A known kind's given fields are changed; another is added, ``dynamic`` and ``casefold`` unless it says otherwise.
    Raises KindsError for an unknown class, normaliser or field, or a value of the wrong type.
    """
    kinds = {ANSWER: _ANSWER}
    for item in _list(shipped, "subject-kinds.json"):
        given = _object(item, "subject-kinds.json")
        kind = _changed(_new(_text(given.get("subject"), "subject-kinds.json.subject")), given, "subject-kinds.json")
        kinds[kind.subject] = kind
    for subject, item in _object(configured if configured is not None else {}, "facts.kinds").items():
        field = f"facts.kinds.{subject}"
        known = kinds.get(_subject(subject)) or _new(_checked(subject, field))
        kinds[known.subject] = _changed(known, _object(item, field), field)
    return Kinds(
        MappingProxyType({subject: kinds[subject] for subject in sorted(kinds, key=lambda key: key == ANSWER)})
    )


def _new(subject: str) -> SubjectKind:
    return SubjectKind(_subject(subject), TemporalClass.DYNAMIC, "casefold")


def _changed(kind: SubjectKind, given: JsonObject, field: str) -> SubjectKind:
    for name in given:
        if name not in _FIELDS:
            raise KindsError(f"{field}.{name}", f"no such field; the fields are: {', '.join(sorted(_FIELDS))}")
    if "class" in given:
        kind = replace(kind, temporal=_class(given["class"], f"{field}.class"))
    if "normaliser" in given:
        kind = replace(kind, normaliser=_normaliser(given["normaliser"], f"{field}.normaliser"))
    if "description" in given:
        kind = replace(kind, description=one_line(_text(given["description"], f"{field}.description")))
    if "distil" in given:
        kind = replace(kind, distil=_flag(given["distil"], f"{field}.distil"))
    return kind


def _subject(subject: str) -> str:
    return one_line(subject).casefold()


def _checked(subject: str, field: str) -> str:
    """Check a subject that the person adds: one word, so that a name can follow it."""
    written = _subject(subject)
    if not written or len(written) > SUBJECT_CHARACTERS or len(written.split()) != 1 or "=" in written:
        raise KindsError(field, f"a subject is one word of at most {SUBJECT_CHARACTERS} characters, without =")
    return written


def _class(value: Json, field: str) -> TemporalClass:
    written = _text(value, field)
    if written not in list(TemporalClass):
        raise KindsError(field, f"{written!r:.60} is no class; the classes are: {', '.join(TemporalClass)}")
    return TemporalClass(written)


def _normaliser(value: Json, field: str) -> str:
    written = _text(value, field)
    if written not in NORMALISERS:
        raise KindsError(field, f"{written!r:.60} is no normaliser; the normalisers are: {', '.join(NORMALISERS)}")
    return written


def _text(value: Json, field: str) -> str:
    if not isinstance(value, str):
        raise KindsError(field, f"must be text, not {value!r:.60}")
    return value


def _flag(value: Json, field: str) -> bool:
    if not isinstance(value, bool):
        raise KindsError(field, f"must be true or false, not {value!r:.60}")
    return value


def _object(value: Json, field: str) -> JsonObject:
    if not isinstance(value, Mapping):
        raise KindsError(field, f"must be an object, not {value!r:.60}")
    return cast("JsonObject", value)


def _list(value: Json, field: str) -> Sequence[Json]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise KindsError(field, f"must be a list, not {value!r:.60}")
    return cast("Sequence[Json]", value)
