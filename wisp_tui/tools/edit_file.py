"""The tool that writes, adds to or changes a text file, once the person has seen what would change and allows it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wisp_tui.approval import Act, Level, Permit
from wisp_tui.events import Kind
from wisp_tui.text.clean import clean, encodable
from wisp_tui.text.json import JsonObject, dump
from wisp_tui.text.sizes import count, human_bytes, shorten
from wisp_tui.tools import edits
from wisp_tui.tools.base import Arguments, BadArguments, ToolContext, ToolOutput, ToolSpec
from wisp_tui.tools.diffs import counted, unified
from wisp_tui.tools.edits import CannotEdit, Edit
from wisp_tui.tools.file_writing import MAX_BYTES, FileVersion, SeenFiles, opened, replace_file
from wisp_tui.tools.keeping import bound
from wisp_tui.tools.paths import resolved, shown_path

if TYPE_CHECKING:
    from wisp_tui.approval.paths import PathBook

ACTIONS = ("write", "append", "replace")
SHOWN_LINES = 8
"""How many of the edited lines are shown back; of more, the first and the last of them."""
REFUSED = "error: the person did not allow this edit{why}; do not make it in another way: say what it was for"


class _NoFile(CannotEdit):
    """There is no file to edit: that tells nothing of what one holds."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The call's arguments."""

    action: str
    text: str
    find: str | None
    line: int | None
    end_line: int | None

    def edit(self, old: bytes) -> Edit:
        """Make the edit of a file's bytes. Raises CannotEdit, BadArguments."""
        match self.action:
            case "write":
                return edits.write(old, self.text)
            case "append":
                return edits.append(old, self.text)
            case _ if self.find is not None:
                return edits.replace_text(old, self.find, self.text, self.line, self.end_line)
            case _ if self.line is not None:
                return edits.replace_lines(old, self.line, self.end_line or self.line, self.text)
            case _:
                raise BadArguments("replace needs find, the exact text to replace, or line, the number of the line")

    @property
    def written(self) -> str:
        """The arguments as one line of JSON, those that were given."""
        given = {"action": self.action, "find": self.find, "line": self.line, "end_line": self.end_line}
        return dump({name: value for name, value in given.items() if value is not None} | {"text": self.text}).decode()


@dataclass(frozen=True, slots=True)
class _Found:
    """The file as it is: None for its status and no bytes where there is none."""

    path: Path
    status: os.stat_result | None
    data: bytes

    @property
    def version(self) -> FileVersion | None:
        return FileVersion.of(self.status) if self.status is not None else None


@dataclass(frozen=True, slots=True)
class _Made:
    """An edit made in memory."""

    found: _Found
    edit: Edit
    new: bytes
    diff: str
    kept: str | None = None
    """Why what the file holds is not for the model to see; None when it may."""

    @property
    def result(self) -> str:
        """What the model is told: what was done, and the edited lines, where it may see them."""
        created = f" ({human_bytes(len(self.new))}, a new file)" if self.found.status is None else ""
        did = self.edit.did.format(shown_path(self.found.path))
        shown = [] if self.kept is not None else _numbered(*self.edit.lines(self.found.data))
        return "\n".join([f"{did}{created}", *shown])

    @property
    def details(self) -> JsonObject:
        """What is recorded of it."""
        before = self.found.data if self.found.status is not None else None
        added, removed = counted(self.diff)
        return {
            "path": str(self.found.path),
            "bytesBefore": len(before) if before is not None else None,
            "bytesAfter": len(self.new),
            "sha256Before": hashlib.sha256(before).hexdigest() if before is not None else None,
            "sha256After": hashlib.sha256(self.new).hexdigest(),
            "linesAdded": added,
            "linesRemoved": removed,
        }


@dataclass(frozen=True, slots=True)
class EditFile:
    """``edit_file``. It writes below the conversation's directory and below ``places``, and never below ``own``.

    ``seen`` holds which versions of files the model was shown: one that changed since is not edited.
    """

    seen: SeenFiles = field(default_factory=SeenFiles)
    places: tuple[str, ...] = ()
    """What it may write beside the directory (``sandbox.writablePaths``)."""
    own: Path | None = None
    """This program's home, which is the person's alone to change."""

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        return ToolSpec(
            name="edit_file",
            description="Write, append to, or replace part of a text file: lines, or exact text that occurs once.",
            parameters={
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "action": {"type": "string", "enum": list(ACTIONS)},
                    "text": {"type": "string", "description": "the new text"},
                    "find": {"type": "string", "description": "replace: the exact text"},
                    "line": {"type": "integer", "description": "replace: the line, from 1"},
                    "end_line": {"type": "integer", "description": "the last line replaced"},
                },
                "required": ["path", "action", "text"],
            },
            reads_only=False,
            clause="write, append to, or change a text file",
            asks=True,
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Make the edit, show the person its diff, write it whole, and show the edited lines back.

        Raises BadArguments and AuditUnavailable.
        """
        asked = _read_arguments(arguments)
        path = resolved(arguments.text("path"), context.directory)
        try:
            self._check_place(path, context)
            kept = await asyncio.to_thread(_kept, path, context, self.own)
            made = await self._tried(path, asked, kept, context)
            if isinstance(made, ToolOutput):
                return made
            permit = await self._permit(made, context)
            if not permit.allowed:
                return _refused(permit, path)
            await asyncio.to_thread(self._write, made)
        except CannotEdit as error:
            return _failed(f"error: {shown_path(path)}: {error}", path)
        except OSError as error:
            return _failed(f"error: {shown_path(path)} cannot be written: {error.strerror or error}", path)
        context.record(Kind.FILE_WRITE, made.details, turn=context.turn, call=context.call)
        return replace(bound(made.result, context), details=made.details)

    def _check_place(self, path: Path, context: ToolContext) -> None:
        """Keep to where it may write: paths are real, and compared part by part. Raises CannotEdit."""
        home = Path(context.environment.get("HOME") or Path.home())
        allowed = [context.directory, *(_expanded(place, home, context.directory) for place in self.places)]
        if self.own is not None and _below(path, [self.own]):
            raise CannotEdit("it is one of wisp's own files, which only the person changes")
        if not _below(path, allowed):
            named = ", ".join(shown_path(place) for place in allowed)
            raise CannotEdit(f"it is outside of what may be edited: {named}")

    def _made(self, path: Path, asked: _Asked, kept: str | None) -> _Made | None:
        """Make the edit in memory; None when it changes nothing. Raises CannotEdit, BadArguments, OSError."""
        found = _found(path)
        if self.seen.changed(path, found.version):
            raise CannotEdit("it changed since you read it; read it again, then edit what is there now")
        if found.status is None and asked.action == "replace":
            raise _NoFile("there is no such file; write makes it")
        edit = asked.edit(found.data)
        if found.status is not None and not edit.changes(found.data):
            return None
        new = edit.applied(found.data)
        _check_size(len(new))
        return _Made(found, edit, new, unified(found.data, new), kept if found.status is not None else None)

    async def _tried(self, path: Path, asked: _Asked, kept: str | None, context: ToolContext) -> _Made | ToolOutput:
        """Make the edit in memory, or say why there is none: of a file of credentials, once that may be told.

        Whether it holds a text is as good as the text to who may guess often. Raises as ``_made`` does.
        """
        try:
            made = await asyncio.to_thread(self._made, path, asked, kept)
        except _NoFile:
            raise
        except CannotEdit as error:
            said = _failed(f"error: {shown_path(path)}: {error}", path)
        else:
            if made is not None:
                return made
            said = _said(f"no change: {shown_path(path)} holds this already", path)
        if kept is None:
            return said
        shown = _shown(path, context)
        reason = f"tells whether {shown} holds this, and changes nothing: {kept}"
        act = Act(f"edit_file {shown} {asked.written}", Level.DANGEROUS, reason)
        permit = await context.gate.permit_act(act, str(context.directory), turn=context.turn, call=context.call)
        return said if permit.allowed else _refused(permit, path)

    async def _permit(self, made: _Made, context: ToolContext) -> Permit:
        path = made.found.path
        level, reason = await asyncio.to_thread(_risk, path, context, self.own)
        shown = _shown(path, context)
        act = Act(
            f"edit_file {shown}",
            level,
            reason if made.found.status is not None else f"{reason}, a new file",
            diff=made.diff,
            covers=f"every edit of {shown}",
        )
        return await context.gate.permit_act(act, str(context.directory), turn=context.turn, call=context.call)

    def _write(self, made: _Made) -> None:
        """Write the file, unless it is no longer the one that the person was shown. Raises CannotEdit, OSError."""
        path = made.found.path
        if _version(path) != made.found.version or Path(os.path.realpath(path)) != path:
            raise CannotEdit("it changed while the person was asked; read it again, then edit what is there now")
        self.seen.saw(path, replace_file(path, made.new, like=made.found.status))


def _read_arguments(arguments: Arguments) -> _Asked:
    action = arguments.choice("action", ACTIONS, "replace" if {"find", "line"} & arguments.values.keys() else None)
    text = encodable(arguments.text("text"))
    if "\0" in text:
        raise BadArguments("text must not hold NUL characters")
    line = arguments.whole("line", 0, least=0) or None
    find = encodable(arguments.text("find")) if arguments.values.get("find") is not None else None
    if find == "" and line is not None:
        find = None  # small models fill in every field
    return _Asked(action, text, find, line, arguments.whole("end_line", 0, least=0) or None)


# The file as it is --------------------------------------------------------------------------------------------------


def _found(path: Path) -> _Found:
    """Read the whole file. Raises CannotEdit for what is no text file of a size that can be edited, OSError."""
    try:
        _check_regular(path.stat())
        file = opened(path)
    except FileNotFoundError:
        return _Found(path, None, b"")
    with file:
        status = os.fstat(file.fileno())
        _check_regular(status)
        _check_size(status.st_size)
        if not os.access(path, os.W_OK):
            raise CannotEdit("it is read-only")
        data = file.read(MAX_BYTES + 1)
    _check_size(len(data))
    if b"\0" in data:
        raise CannotEdit(f"it is a binary file ({count(len(data), 'byte')})")
    return _Found(path, status, data)


def _check_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise CannotEdit(f"it is {'a directory' if stat.S_ISDIR(status.st_mode) else 'not a regular file'}")


def _version(path: Path) -> FileVersion | None:
    try:
        return FileVersion.of(path.stat())
    except FileNotFoundError:
        return None


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise CannotEdit(f"{human_bytes(size)} is more than can be edited ({human_bytes(MAX_BYTES)})")


def _below(path: Path, directories: Sequence[Path]) -> bool:
    real = [Path(os.path.realpath(directory)) for directory in directories]
    return any(path == directory or directory in path.parents for directory in real)


def _expanded(place: str, home: Path, directory: Path) -> Path:
    return home / place[2:] if place.startswith("~/") else directory / place


# What the person is asked -------------------------------------------------------------------------------------------


def _risk(path: Path, context: ToolContext, own: Path | None) -> tuple[Level, str]:
    """How much writing a file could do, by the rules that commands are judged by."""
    finding = _book(context, own).write(str(path))
    return (finding.level, finding.reason) if finding else (Level.MODERATE, f"writes {path}")


def _kept(path: Path, context: ToolContext, own: Path | None) -> str | None:
    """Tell why what a file holds is not for the model to see unasked; None when it may."""
    return _book(context, own).credentials(str(path))


def _book(context: ToolContext, own: Path | None) -> PathBook:
    from wisp_tui.approval.paths import PathBook
    from wisp_tui.approval.rules import load_rules

    home = Path(context.environment.get("HOME") or Path.home())
    return PathBook(load_rules().paths, home, context.directory, own or home / ".wisp")


def _shown(path: Path, context: ToolContext) -> str:
    root = context.directory.resolve()
    return str(path.relative_to(root)) if root in path.parents else str(path)


# What is said of it -------------------------------------------------------------------------------------------------


def _numbered(first: int, lines: Sequence[bytes]) -> list[str]:
    """Number the edited lines as read_file does; of many, the first and the last."""
    shown = [f"{number}\t{clean(line.decode('utf-8', 'replace'))}" for number, line in enumerate(lines, first)]
    if len(shown) <= SHOWN_LINES:
        return shown
    half = SHOWN_LINES // 2
    return [*shown[:half], f"… {len(shown) - 2 * half:,} more lines of the edit", *shown[-half:]]


def _said(text: str, path: Path, *, ok: bool = True, denied: bool = False) -> ToolOutput:
    details: JsonObject = {"path": str(path), "denied": True} if denied else {"path": str(path)}
    return ToolOutput(text, ok=ok, lines=1, bytes=len(text.encode()), details=details)


def _refused(permit: Permit, path: Path) -> ToolOutput:
    why = f" ({shorten(permit.why, 200)})" if permit.why else ""
    return _failed(REFUSED.format(why=why), path, denied=True)


def _failed(text: str, path: Path, *, denied: bool = False) -> ToolOutput:
    return _said(text, path, ok=False, denied=denied)
