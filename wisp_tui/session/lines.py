"""The words every face uses for what happens: one line an event, outputs folded, the status line's parts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wisp_tui.events import AuditEvent, Kind
from wisp_tui.session.toolcalls import summary
from wisp_tui.text.clean import clean, clean_line
from wisp_tui.text.frames import content
from wisp_tui.text.json import JsonObject
from wisp_tui.text.sizes import count, cut_bytes, human_seconds

FOLD_BYTES = 2048
"""Bytes of an output shown before its fold, whatever its lines."""


@dataclass(frozen=True, slots=True)
class Folded:
    """An output as it is first shown: ``shown`` and what lies behind the fold. Text is clean."""

    shown: str
    lines: int
    hidden_lines: int
    hidden_bytes: int

    def fold_line(self, how: str) -> str | None:
        """Write the fold line, ``how`` naming the way to the rest (``ctrl-o``); None when all is shown."""
        if not self.hidden_lines and not self.hidden_bytes:
            return None
        what = count(self.hidden_lines, "more line") + ", " if self.hidden_lines else "more of this line, "
        return f"… {what}{count(self.hidden_bytes, 'byte')} · {how}"


def fold(text: str, limit: int) -> Folded:
    """Fold an output at ``limit`` lines and 2 KiB."""
    lines = clean(text).rstrip("\n").split("\n")
    kept: list[str] = []
    room = FOLD_BYTES
    for line in lines[:limit]:
        size = len(line.encode()) + 1
        if size > room:
            if not kept:
                kept.append(cut_bytes(line, room))
            break
        kept.append(line)
        room -= size
    shown = "\n".join(kept)
    hidden = "\n".join(lines).encode()[len(shown.encode()) :]
    return Folded(shown, len(lines), max(len(lines) - len(kept), 0), len(hidden))


def fold_output(text: str, limit: int, *, lines: int, size: int) -> Folded:
    """Fold a result of which the model was shown a part: what is hidden is counted of the whole, ``size`` in bytes.

    The lines that a tool put around it are not among those.
    """
    folded = fold(text, limit)
    seen = [line.text for line in content(folded.shown).lines]
    seen_bytes = sum(len(line.encode()) + 1 for line in seen)
    return replace(
        folded,
        lines=max(lines, folded.lines),
        hidden_lines=max(lines - len(seen), folded.hidden_lines),
        hidden_bytes=max(size - seen_bytes, folded.hidden_bytes),
    )


def line_for(event: AuditEvent) -> str | None:
    """Write the line a face shows for an audit event; None for those it shows otherwise or not at all."""
    details = event.details
    match event.kind:
        case Kind.TOOL_CALL:
            return f"⚙ {_text(details, 'tool')} {summary(_text(details, 'arguments'))}".rstrip()
        case Kind.TOOL_RESULT | Kind.COMMAND_TYPED:
            return f"↳ {_result(details)}"
        case Kind.MODEL_REASONING:
            return f"thought for {human_seconds(_number(details, 'seconds'))}"
        case Kind.APPROVAL_DECIDED if details.get("decision") == "no":
            return f"not run: {_text(details, 'by')}"
        case Kind.ERROR:
            return _text(details, "message") or "an error without words"
        case _:
            return None


def _result(details: JsonObject) -> str:
    lines, size = int(_number(details, "lines")), int(_number(details, "bytes"))
    parts = [count(lines, "line"), count(size, "byte")]
    status = details.get("exitStatus")
    if isinstance(status, int) and status:
        parts.insert(0, f"exit status {status}")
    elif details.get("denied") or details.get("notRun"):
        why = _text(details, "why")
        parts = [f"not run: {why}" if why else "not run"]
    elif details.get("ok") is False and status is None:
        parts.insert(0, "failed")
    if details.get("kept"):
        parts.append("the whole is kept")
    seconds = _number(details, "seconds")
    if seconds >= 1:
        parts.append(human_seconds(seconds))
    return ", ".join(parts)


def _text(details: JsonObject, name: str) -> str:
    value = details.get(name)
    return clean_line(value) if isinstance(value, str) else ""


def _number(details: JsonObject, name: str) -> float:
    value = details.get(name)
    return value if isinstance(value, int | float) else 0
