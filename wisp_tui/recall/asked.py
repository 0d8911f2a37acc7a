"""What the model asks of its memory: one text that starts with a verb, as references and notes spell it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from wisp_tui.recall.lines import ALL, Selection, read_selection
from wisp_tui.text.sizes import shorten

FORMS = (
    "recall entry N | turn N | task | summary | fact SUBJECT | output ID, each with: from line N, lines A-B, head N, "
    "tail N, matching PATTERN"
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


_VERB = re.compile(r"(?:memory\b[\s:]*)?(?:recall\b[\s:]*)?", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<what>entry|turn)s? #?(?P<which>\d{1,9})\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_OUTPUT = re.compile(r"output (?P<which>[0-9a-f]{8})\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_ALONE = re.compile(r"(?:the )?(?P<what>task|summary)\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_FACT = re.compile(
    r"facts?\s+(?P<which>\S.*?)(?P<rest>\s+(?:from line \d|lines \d|head \d|tail \d|matching ).*)?",
    re.IGNORECASE | re.DOTALL,
)


def read_request(text: str) -> Recall:
    """Read a request; one with no verb is a recall. Raises BadRequest."""
    said = " ".join(text.strip().strip("\"'`").split())
    wanted = said[_verb_ends(said) :].strip()
    for shape in (_NUMBERED, _OUTPUT, _ALONE, _FACT):
        if (found := shape.fullmatch(wanted)) is None:
            continue
        parts = found.groupdict()
        lines = read_selection(parts["rest"] or "")
        if lines is None:
            raise BadRequest(f"{shorten(parts['rest'].strip(), 80)!r} chooses no lines; write {FORMS}")
        what = What(parts["what"].casefold()) if "what" in parts else What.OUTPUT if shape is _OUTPUT else What.FACT
        return Recall(what, _which(what, parts.get("which") or ""), lines)
    raise BadRequest(f"{shorten(said, 80)!r} asks for nothing that is kept; write {FORMS}")


def _verb_ends(said: str) -> int:
    found = _VERB.match(said)
    return found.end() if found is not None else 0


def _which(what: What, said: str) -> str:
    match what:
        case What.ENTRY | What.TURN:
            return str(int(said))
        case What.OUTPUT:
            return said.casefold()
        case _:
            return said.strip()
