"""What of a conversation can be searched, in passages of a few lines, each under the words that recall it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.outputs import NoSuchOutput, StoredLine
from wisp_tui.recall.documents import Past, kind_words, stored_output
from wisp_tui.text.clean import clean
from wisp_tui.text.ids import EntryId

LINES = 20
"""Lines of a passage."""
CHARACTERS = 4000
"""Characters of a passage, of which a line that is longer is one of its own."""
_OWN_TOOL = "memory"


_LABEL = re.compile(r"\W{0,4}(?P<label>\w[\w.'-]{0,30}(?: \w[\w.'-]{0,30}){0,2}): ")
"""What names who speaks, or what of, at the beginning of a passage."""
_AUTHORS = {EntryKind.PROMPT: "person user", EntryKind.COMMAND: "person user", EntryKind.REPLY: "model assistant"}


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of an entry or of a stored output: ``address`` recalls it, ``first`` is the number of its first line.

    ``author`` has the words that name who wrote it; ``day`` those of when it was written.
    """

    entry: EntryId
    kind: EntryKind
    address: str
    about: str
    first: int
    text: str
    author: str = ""
    day: str = ""


def passages(entry: Entry, past: Past) -> Iterator[Passage]:
    """Give an entry's passages: those of the whole output where it was held back, none of what memory itself gave."""
    tool = entry.call or entry.output
    if entry.kind is EntryKind.INSTRUCTIONS or (tool is not None and tool.tool == _OWN_TOOL):
        return
    about = f"{kind_words(entry)}, turn {entry.turn}"
    day = f"{entry.time:%A} {entry.time.day} {entry.time:%B} {entry.time.year}" if entry.time is not None else ""
    author = _words(tool.tool) if tool is not None else _AUTHORS.get(entry.kind, "")
    whole = Passage(entry.id, entry.kind, f"entry {entry.id}", about, 1, "", author, day)
    if entry.output is not None and entry.output.kept and past.store is not None:
        try:
            stored = stored_output(entry.output.call, past)
            yield from _of_lines(replace(whole, address=f"output {entry.output.call}"), past.store.lines(stored, 1))
        except NoSuchOutput:
            pass  # swept away: what the model was shown of it is still here
        else:
            return
    lines = (StoredLine(number, line) for number, line in enumerate(clean(entry.text).split("\n"), 1))
    yield from _of_lines(whole, lines)


def _of_lines(whole: Passage, lines: Iterable[StoredLine]) -> Iterator[Passage]:
    held: list[str] = []
    first = size = 0
    for line in lines:
        if held and (len(held) == LINES or size + len(line.text) > CHARACTERS):
            yield _passage(whole, first, held)
            held, size = [], 0
        first = first if held else line.number
        held.append(line.text)
        size += len(line.text)
    if held:
        yield _passage(whole, first, held)


def _passage(whole: Passage, first: int, lines: list[str]) -> Passage:
    text = "\n".join(lines)
    label = _LABEL.match(text)
    author = f"{whole.author} {_words(label['label'])}" if label is not None else whole.author
    return replace(whole, first=first, text=text, author=author)


def _words(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", name.casefold()))
