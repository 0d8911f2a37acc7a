"""Where a streamed Markdown text can be cut: the blocks that have ended, and the one that still grows.

Only the growing block is drawn again as text arrives, so a long reply costs what a short one does. A list is cut
between its items: a list of any length is then as cheap as paragraphs are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*$")
_INNER_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})[^`]*$")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_ITEM_IN_TEXT = re.compile(r" {0,3}(?:[-*+]|1[.)])[ \t]+\S")
_TABLE_RULE = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_UNSURE = re.compile(r" {0,3}(?:\d{0,9}[.)]?|[-*_+#>|`~:= \t]*)[ \t]*$")
"""The start of a line that may yet become a marker: not shown before it is known what it is."""


class BlockKind(StrEnum):
    """What a block is, as far as cutting the text needs to know."""

    TEXT = "text"
    """A paragraph, a quote, a heading: whatever ends at a blank line."""
    TABLE = "table"
    ITEM = "item"
    """One item of a list at the outermost level, with all that is nested in it."""
    FENCE = "fence"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a reply's Markdown. ``gap`` says that a blank line stood before it."""

    kind: BlockKind
    text: str
    gap: bool = False


@dataclass(slots=True)
class Splitter:
    """Cuts text that arrives in fragments into blocks."""

    _kind: BlockKind | None = None
    """The open block's kind; None while no block is open."""
    _lines: list[str] = field(default_factory=list[str])
    _line: str = ""
    """The line that has no end yet."""
    _fence: str | None = None
    _gap: bool = False
    _open_gap: bool = False
    _blank_in_item: bool = False
    _ended: list[Block] = field(default_factory=list[Block])

    def feed(self, fragment: str) -> list[Block]:
        """Take a fragment; return the blocks that have ended with it."""
        self._ended = []
        *whole, self._line = (self._line + fragment).split("\n")
        for line in whole:
            self._take(line)
        if not _UNSURE.match(self._line) and self._starts_block(self._line):
            self._close()
        return self._ended

    def end(self) -> list[Block]:
        """Say that no more comes; return what is left."""
        self._ended = []
        if self._line:
            self._take(self._line)
            self._line = ""
        self._close()
        return self._ended

    @property
    def growing(self) -> Block | None:
        """The block that may go on, as far as its text has come."""
        line = self._line
        sure = self._fence is not None or not _UNSURE.match(line)
        if self._kind is not None:
            return Block(self._kind, "\n".join([*self._lines, line] if sure else self._lines), self._open_gap)
        return Block(_kind_of(line), line, self._gap) if sure else None

    def _starts_block(self, line: str) -> bool:
        """Whether a line ends the open block by beginning another."""
        if self._kind is None or self._fence is not None:
            return False
        if self._kind is BlockKind.ITEM:
            begins = self._blank_in_item or bool(_ITEM.match(line)) or _interrupts(line)
            return begins and not line.startswith((" ", "\t"))
        quoted = line.startswith(">") and self._lines[0].startswith(">")
        return _interrupts(line) and not quoted

    def _take(self, line: str) -> None:
        if self._fence is not None:
            self._lines.append(line)
            self._end_fence(line.strip(), self._fence)
        elif line.strip():
            self._text(line)
        else:
            self._blank()

    def _end_fence(self, line: str, fence: str) -> None:
        if line.startswith(fence) and not line.strip(fence[0]):
            self._fence = None
            if self._kind is BlockKind.FENCE:
                self._close()

    def _blank(self) -> None:
        if self._kind is BlockKind.ITEM:
            self._lines.append("")
            self._blank_in_item = True
        else:
            self._close()
        self._gap = True

    def _text(self, line: str) -> None:
        if self._starts_block(line):
            self._close()
        if self._kind is None:
            self._kind, self._open_gap = _kind_of(line), self._gap
        self._gap = self._blank_in_item = False
        self._lines.append(line)
        match self._kind:
            case BlockKind.FENCE | BlockKind.ITEM:
                fence = _INNER_FENCE.match(line)
                self._fence = fence[1] if fence else None
            case BlockKind.TEXT if _HEADING.match(line) or (_RULE.match(line) and len(self._lines) == 1):
                self._close()
            case BlockKind.TEXT if _TABLE_RULE.match(line) and len(self._lines) > 1 and "|" in self._lines[-2]:
                self._kind = BlockKind.TABLE
            case _:
                pass

    def _close(self) -> None:
        if self._kind is not None:
            self._ended.append(Block(self._kind, "\n".join(self._lines), self._open_gap))
        self._kind, self._fence, self._blank_in_item = None, None, False
        self._lines.clear()


def _kind_of(line: str) -> BlockKind:
    if _FENCE.match(line):
        return BlockKind.FENCE
    if _ITEM.match(line) and not _RULE.match(line):
        return BlockKind.ITEM
    return BlockKind.TEXT


def _interrupts(line: str) -> bool:
    """Whether a line begins a block of its own even right after a paragraph's line."""
    return bool(_FENCE.match(line) or _HEADING.match(line) or _ITEM_IN_TEXT.match(line) or line.startswith(">"))
