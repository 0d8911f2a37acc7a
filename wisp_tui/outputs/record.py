"""The record beside a stored output: what the file holds, and what of the output it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wisp_tui.text.ids import CallId, SessionId
from wisp_tui.text.json import JsonObject, dump, load_object

SCHEMA = 1
MAX_BYTES = 16 * 1024 * 1024
"""The most one file holds; past that the output is cut, and the cut is stated."""


@dataclass(frozen=True, slots=True)
class Section:
    """A stream's place in the file: its first line (from 1) and byte (from 0), what of it is stored, what it was.

    An output of one part has one section, without a name unless it is a stream.
    """

    name: str | None
    first_line: int
    first_byte: int
    lines: int
    bytes: int
    of_lines: int
    of_bytes: int


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """An output in the store: its file, and the record beside it. ``cut`` is true when it was longer than 16 MiB.

    ``lines`` and ``bytes`` are the file's; ``of_lines`` and ``of_bytes`` what the output was before a cut.
    """

    session: SessionId
    call: CallId
    path: Path
    bytes: int
    lines: int
    sha256: str
    cut: bool
    of_lines: int
    of_bytes: int
    sections: tuple[Section, ...]

    def line(self) -> bytes:
        """Write the record as its JSON."""
        return (
            dump(
                {
                    "schema": SCHEMA,
                    "session": self.session,
                    "call": self.call,
                    "bytes": self.bytes,
                    "lines": self.lines,
                    "sha256": self.sha256,
                    "cut": self.cut,
                    "ofBytes": self.of_bytes,
                    "ofLines": self.of_lines,
                    "sections": [_written(section) for section in self.sections],
                }
            )
            + b"\n"
        )

    @classmethod
    def read(cls, data: bytes, path: Path, session: SessionId, call: CallId) -> StoredOutput:
        """Read a record; raises ValueError when it is none of this shape, or another output's."""
        fields = load_object(data)
        if fields.get("session") != session or fields.get("call") != call:
            raise ValueError("the record is of another output")
        size, lines = _number(fields, "bytes"), _number(fields, "lines")
        sections = fields.get("sections")
        return cls(
            session=session,
            call=call,
            path=path,
            bytes=size,
            lines=lines,
            sha256=str(fields.get("sha256", "")),
            cut=fields.get("cut") is True,
            of_bytes=_number(fields, "ofBytes", size),
            of_lines=_number(fields, "ofLines", lines),
            sections=tuple(_section(item) for item in sections if isinstance(item, Mapping))
            if isinstance(sections, list)
            else (),
        )


def _written(section: Section) -> JsonObject:
    return {
        "name": section.name,
        "firstLine": section.first_line,
        "firstByte": section.first_byte,
        "lines": section.lines,
        "bytes": section.bytes,
        "ofLines": section.of_lines,
        "ofBytes": section.of_bytes,
    }


def _section(fields: JsonObject) -> Section:
    name = fields.get("name")
    return Section(
        name=name if isinstance(name, str) else None,
        first_line=_number(fields, "firstLine", 1),
        first_byte=_number(fields, "firstByte", 0),
        lines=_number(fields, "lines", 0),
        bytes=_number(fields, "bytes", 0),
        of_lines=_number(fields, "ofLines", 0),
        of_bytes=_number(fields, "ofBytes", 0),
    )


def _number(fields: JsonObject, name: str, default: int | None = None) -> int:
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} is {value!r:.40}, not a count")
    return value
