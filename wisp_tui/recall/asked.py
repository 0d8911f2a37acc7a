"""What the model asks of its memory: one text that starts with a verb, as references and notes spell it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from wisp_tui.recall.lines import ALL, Selection, read_selection
from wisp_tui.text.sizes import shorten

FORMS = (
    "recall entry N | turn N | task | summary | fact SUBJECT | output ID, each with: from line N, lines A-B, head N, "
    "tail N, matching PATTERN; recall matching WORDS; summarise output ID; condense output ID: QUESTION; "
    "note SUBJECT NAME = VALUE; or task TEXT"
)
"""What can be asked for."""


class BadRequest(Exception):
    """A request cannot be read; the message says what can be asked, for the model to read."""


class What(StrEnum):
    """What can be recalled."""

    ENTRY = "entry"
    TURN = "turn"
    TASK = "task"
    SUMMARY = "summary"
    FACT = "fact"
    OUTPUT = "output"
    MATCHING = "matching"
    """Whatever the conversation ever held, by the words in it."""
    NOTABLE = "notable lines of output"
    OVERVIEW = "overview of output"


@dataclass(frozen=True, slots=True)
class Recall:
    """Something to be recalled: what, which (a number, an id, a fact's subject; empty for none), and its lines."""

    what: What
    which: str = ""
    lines: Selection = ALL

    @property
    def address(self) -> str:
        """What it is called in a request: ``entry 7``."""
        return f"{self.what} {self.which}".strip()

    @property
    def request(self) -> str:
        """The request that asks for it, without the line to go on from."""
        match self.what:
            case What.NOTABLE:
                return f"summarise output {self.which}"
            case What.OVERVIEW:
                return f"summarise output {self.which} overview"
            case _:
                return f"recall {self.address} {self.lines.words}".strip()


@dataclass(frozen=True, slots=True)
class Note:
    """Something to be noted: ``SUBJECT NAME = VALUE``."""

    said: str


@dataclass(frozen=True, slots=True)
class Task:
    """A task to be proposed, its objective within it where there is one."""

    said: str


@dataclass(frozen=True, slots=True)
class Condense:
    """A question to be answered from all of a stored output, from a line on."""

    output: str
    question: str
    first: int = 1

    @property
    def address(self) -> str:
        """What it is asked of: ``output 3f9a2c1b``."""
        return f"output {self.output}"


Request: TypeAlias = Recall | Note | Task | Condense
_NAME = re.compile(r"^memory\b[\s:]*", re.IGNORECASE)
_VERB = re.compile(r"(?:(?P<verb>recall|note|task|summari[sz]e|condense)\b[\s:]*)?", re.IGNORECASE)
_QUOTES = "\"'`"
_NUMBERED = re.compile(r"(?P<what>entry|turn)s? #?(?P<which>\d{1,9})\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_OUTPUT = re.compile(r"output (?P<which>[0-9a-f]{8})\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_MATCHING = re.compile(
    r"(?:anything )?matching (?P<which>\S.*?)(?P<rest> from line \d+(?: character \d+)?)?", re.IGNORECASE | re.DOTALL
)
_ALONE = re.compile(r"(?:the )?(?P<what>task|summary)\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_FACT = re.compile(
    r"facts?\s+(?P<which>\S.*?)(?P<rest>\s+(?:from line \d|lines \d|head \d|tail \d|matching ).*)?",
    re.IGNORECASE | re.DOTALL,
)


_CONDENSED = re.compile(
    r"(?:output )?(?P<which>[0-9a-f]{8})(?: from line (?P<first>\d{1,9}))?(?:\s*[:,]\s*|\s+)(?P<question>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_SUMMARISED = re.compile(
    r"(?:output )?(?P<which>[0-9a-f]{8})(?P<overview> overview)?(?P<rest> from line \d+(?: character \d+)?)?",
    re.IGNORECASE,
)
_UNNAMED = {_OUTPUT: What.OUTPUT, _FACT: What.FACT, _MATCHING: What.MATCHING}


def read_request(text: str) -> Request:
    """Read a request; one with no verb is a recall, and so is ``task`` alone. Raises BadRequest."""
    said = " ".join(_unquoted(_NAME.sub("", _unquoted(text.strip()), count=1)).split())
    found = _VERB.match(said)
    verb, wanted = (found["verb"] or "", said[found.end() :].strip()) if found is not None else ("", said)
    match verb.casefold():
        case "note":
            return Note(wanted)
        case "task":
            return Task(wanted) if wanted else Recall(What.TASK)
        case "summarise" | "summarize":
            return _summary(wanted)
        case "condense":
            return _condense(wanted)
        case _:
            return _recall(wanted, said)


def _condense(wanted: str) -> Condense:
    found = _CONDENSED.fullmatch(wanted)
    if found is None:
        raise BadRequest("write condense output ID: QUESTION, with an id of a held-back note")
    return Condense(found["which"].casefold(), found["question"].strip(), max(int(found["first"] or 1), 1))


def _summary(wanted: str) -> Recall:
    found = _SUMMARISED.fullmatch(wanted)
    if found is None:
        raise BadRequest("write summarise output ID, or summarise output ID overview, with an id of a held-back note")
    what = What.OVERVIEW if found["overview"] else What.NOTABLE
    return Recall(what, found["which"].casefold(), read_selection(found["rest"] or "") or ALL)


def _recall(wanted: str, said: str) -> Recall:
    for shape in (_NUMBERED, _OUTPUT, _ALONE, _FACT, _MATCHING):
        if (found := shape.fullmatch(wanted)) is None:
            continue
        parts = found.groupdict()
        lines = read_selection(parts["rest"] or "")
        if lines is None:
            raise BadRequest(f"{shorten(parts['rest'].strip(), 80)!r} chooses no lines; write {FORMS}")
        what = What(parts["what"].casefold()) if "what" in parts else _UNNAMED[shape]
        return Recall(what, _which(what, parts.get("which") or ""), lines)
    raise BadRequest(f"{shorten(said, 80)!r} asks for nothing that is kept; write {FORMS}")


def _unquoted(text: str) -> str:
    """Take off the quotes that a reference has around a request."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES else text


def _which(what: What, said: str) -> str:
    match what:
        case What.ENTRY | What.TURN:
            return str(int(said))
        case What.OUTPUT:
            return said.casefold()
        case _:
            return said.strip()
