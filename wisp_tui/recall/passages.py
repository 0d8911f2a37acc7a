"""What of a conversation can be searched, in passages of a few lines, each under the words that recall it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.outputs import NoSuchOutput, StoredLine
from wisp_tui.recall.documents import Past, kind_words, stored_output
from wisp_tui.text.clean import clean

LINES = 20
"""Lines of a passage."""
CHARACTERS = 4000
"""Characters of a passage, of which a line that is longer is one of its own."""
_OWN_TOOL = "memory"


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of an entry or of a stored output: ``address`` recalls it, ``first`` is the number of its first line."""

    address: str
    about: str
    first: int
    text: str


def passages(entry: Entry, past: Past) -> Iterator[Passage]:
    """Give an entry's passages: those of the whole output where it was held back, none of what memory itself gave."""
    tool = entry.call or entry.output
    if entry.kind is EntryKind.INSTRUCTIONS or (tool is not None and tool.tool == _OWN_TOOL):
        return
    about = f"{kind_words(entry)}, turn {entry.turn}"
    if entry.output is not None and entry.output.kept and past.store is not None:
        try:
            stored = stored_output(entry.output.call, past)
            yield from _of_lines(f"output {entry.output.call}", about, past.store.lines(stored, 1))
        except NoSuchOutput:
            pass  # swept away: what the model was shown of it is still here
        else:
            return
    lines = (StoredLine(number, line) for number, line in enumerate(clean(entry.text).split("\n"), 1))
    yield from _of_lines(f"entry {entry.id}", about, lines)


def _of_lines(address: str, about: str, lines: Iterable[StoredLine]) -> Iterator[Passage]:
    held: list[str] = []
    first = size = 0
    for line in lines:
        if held and (len(held) == LINES or size + len(line.text) > CHARACTERS):
            yield Passage(address, about, first, "\n".join(held))
            held, size = [], 0
        first = first if held else line.number
        held.append(line.text)
        size += len(line.text)
    if held:
        yield Passage(address, about, first, "\n".join(held))
