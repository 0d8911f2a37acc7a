"""The reference that stands for a tool's output after its turn (spec "Tool output as a reference after its turn")."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.context.record import Entry, EntryKind, OutputPart, ThreadRecord
from wisp_tui.context.typed import MARK, NOTICE, told_apart
from wisp_tui.text.clean import clean_line
from wisp_tui.text.frames import Content, ContentLine, content
from wisp_tui.text.ids import EntryId
from wisp_tui.text.sizes import cut_bytes, shorten

LIMIT = 640
"""Bytes a reference may have at most."""
LINE = 100
"""Characters of a line of content a reference shows at most."""
ARGUMENTS = 200
"""Characters of a call's arguments a reference shows at most."""
_NAME = 64
"""Bytes of a tool's name at most: a call of a tool that does not exist can carry any name."""


def whole_outputs(record: ThreadRecord, before: EntryId) -> tuple[EntryId, ...]:
    """List the outputs before an entry that are not yet sent as references, each told whole once.

    That of a command the person typed is told with the prompt after it, and so is whole until the one after that.
    """
    prompts = [entry.id for entry in record.active if entry.kind is EntryKind.PROMPT and entry.id < before]
    told = {EntryKind.OUTPUT: before, EntryKind.COMMAND: prompts[-1] if prompts else EntryId(0)}
    return tuple(
        entry.id
        for entry in record.active
        if entry.output is not None
        and entry.id < told.get(entry.kind, EntryId(0))
        and record.state(entry.id).referenced_in is None
    )


def reference_for(entry: Entry, arguments: str, *, memory: bool) -> str | None:
    """Build an output's reference, None when the output is no longer than it and so is always sent whole.

    ``arguments`` is the call's, as the model wrote them. ``memory`` says whether the conversation has the memory tool,
    which the reference may then name. Raises ValueError for an entry that is no output.
    """
    output = entry.output
    if output is None:
        raise ValueError(f"entry {entry.id} is no output")
    if entry.kind is EntryKind.COMMAND:
        return _shorter(_of_command(entry, output, memory=memory), entry)
    shown = content(entry.text)
    lines = _fitted(_head(entry, output, memory=memory), _parts(shown, arguments), _paging(shown))
    return _shorter(lines, entry)


def _of_command(entry: Entry, output: OutputPart, *, memory: bool) -> list[str]:
    """Write the lines of a command's reference: it stays the person's act, its output is not repeated."""
    line, printed = told_apart(entry.text)
    parts = [(f"{MARK} ", shorten(" ".join(line.splitlines()), ARGUMENTS)), *_ends(content(printed))]
    head, command, *ends, notice = _fitted(_head(entry, output, memory=memory), parts, [NOTICE])
    return [command, notice, head, *ends]


def _shorter(lines: Sequence[str], entry: Entry) -> str | None:
    """Join a reference's lines; None where the entry's own text is no longer."""
    reference = "\n".join(lines)
    return reference if _size(reference) < _size(entry.text) else None


def _head(entry: Entry, output: OutputPart, *, memory: bool) -> str:
    tool = cut_bytes(clean_line(output.tool), _NAME)
    when = f" at {entry.time:%H:%M:%S}" if entry.time is not None else ""
    sizes = f"{_number(output.lines, 'line')}, {_number(output.bytes, 'byte')}"
    way = _way(entry, output, memory=memory)
    return f"[output of entry {entry.id} not repeated: {tool}{when}, {_status(output)}, {sizes}; {way}]"


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _status(output: OutputPart) -> str:
    if output.exit_status is not None:
        return f"exit status {output.exit_status}"
    return "ok" if output.ok else "failed"


def _way(entry: Entry, output: OutputPart, *, memory: bool) -> str:
    """Say what to do for the whole output. A command is never run a second time to see what it printed."""
    if memory:
        return f'to see it: memory "recall entry {entry.id}"'
    if output.reads_only:
        return "call it again to see it"
    return "its output is not repeated; do not run it again to see it"


def _parts(shown: Content, arguments: str) -> list[tuple[str, str]]:
    return [("arguments: ", shorten(" ".join(arguments.splitlines()), ARGUMENTS)), *_ends(shown)]


def _ends(shown: Content) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    lines = [line for line in shown.lines if line.text.strip()]
    if lines:
        parts.append(("first line: ", _line(lines[0])))
    if len(lines) > 1:
        parts.append(("last line: ", _line(lines[-1])))
    return parts


def _line(line: ContentLine) -> str:
    return shorten(f"{line.text.rstrip()}…" if line.beside_cut else line.text, LINE)


def _paging(shown: Content) -> list[str]:
    return [f"paging: {shown.paging.words}"] if shown.paging is not None else []


def _fitted(head: str, parts: Sequence[tuple[str, str]], tail: Sequence[str]) -> list[str]:
    """Join the lines within the limit: what has to give is taken from the longest of the parts first."""
    fixed = [head, *(label for label, _ in parts), *tail]
    room = LIMIT - sum(_size(text) for text in fixed) - (len(fixed) - 1)
    limits = _level([_size(text) for _, text in parts], room)
    fitted = [label + _cut(text, limit) for (label, text), limit in zip(parts, limits, strict=True)]
    return [head, *fitted, *tail]


def _level(sizes: Sequence[int], room: int) -> list[int]:
    """Share room out so that short texts stay whole and the long ones are cut to one length."""
    limits = list(sizes)
    left, open_ = room, sorted(range(len(sizes)), key=lambda place: sizes[place])
    for done, place in enumerate(open_):
        limits[place] = min(sizes[place], max(left, 0) // (len(open_) - done))
        left -= limits[place]
    return limits


def _cut(text: str, limit: int) -> str:
    return text if _size(text) <= limit else cut_bytes(text, limit - len("…".encode())) + "…"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
