"""Where a command's input comes from and its output goes: redirections, here-documents, here-strings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from wisp_tui.approval.expansions import WordReader
from wisp_tui.approval.lexemes import MISREAD
from wisp_tui.approval.script import Fed, Flow, Redirect, Word

_DESCRIPTOR = re.compile(r"[0-9]+|-")
_RUNS = re.compile(r"`|\$\(|\$\{")
_BASH_ONLY = frozenset({"&>", "&>>"})


@dataclass(slots=True)
class Redirection:
    """What a command's redirections come to. ``words`` are arguments that stand among them."""

    redirects: tuple[Redirect, ...] = ()
    words: tuple[Word, ...] = ()
    fed: Fed = Fed.NOTHING
    given: str | None = None
    piped: Node | None = None
    """The rest of the pipeline on a here-document's line."""
    following: list[Node] = field(default_factory=list[Node])
    """The statements on a here-document's line after it."""


@dataclass(slots=True)
class RedirectReader:
    """Reads the redirections of one source."""

    source: bytes
    words: WordReader
    bash_only: bool = False

    def read(self, nodes: Sequence[Node]) -> Redirection:
        """Read redirections in the order in which they are written."""
        read = Redirection()
        for node in nodes:
            match node.type:
                case "file_redirect":
                    self._file(node, read)
                case "herestring_redirect":
                    self.bash_only = True
                    word = self.words.word(node.children[-1])
                    read.fed, read.given = Fed.TEXT, word.text + "\n" if word.exact else None
                case "heredoc_redirect":
                    self._document(node, read)
                case _:
                    self.words.problems.append(MISREAD)
        return read

    def _file(self, node: Node, read: Redirection) -> None:
        operator = next(child.type for child in node.children if not child.is_named)
        named = [self.words.word(child) for child in node.children_by_field_name("destination")]
        self.bash_only = self.bash_only or operator in _BASH_ONLY
        if operator in {">&-", "<&-"}:
            read.words = (*read.words, *named)
            return
        if not named:
            self.words.problems.append(MISREAD)
            return
        target, *more = named
        read.words = (*read.words, *more)
        to_descriptor = target.exact and _DESCRIPTOR.fullmatch(target.source) is not None
        match operator:
            case ">&" if to_descriptor:
                flow = Flow.DUPLICATE
            case "<&" if to_descriptor:
                flow = Flow.DUPLICATE
            case ">" | ">>" | ">|" | "&>" | "&>>" | ">&":
                flow = Flow.WRITE
                self.bash_only = self.bash_only or operator == ">&"
            case "<":
                flow = Flow.READ
                read.fed, read.given = Fed.FILE, None
            case _:
                flow = Flow.WRITE
                self.words.problems.append(MISREAD)
        read.redirects = (*read.redirects, Redirect(f"{operator} {target.source}", flow, target))

    def _document(self, node: Node, read: Redirection) -> None:
        read.fed, read.given = Fed.TEXT, None
        start: Node | None = None
        for child in node.children:
            match child.type:
                case "heredoc_start":
                    start = child
                case "heredoc_body" | "heredoc_end" | "<<" | "<<-" | "&&" | "||" | ";" | "file_descriptor":
                    pass
                case "pipeline":
                    read.piped = child
                case "file_redirect" | "herestring_redirect":
                    inner = self.read([child])
                    read.redirects, read.words = (*read.redirects, *inner.redirects), (*read.words, *inner.words)
                case "heredoc_redirect":
                    self.words.problems.append(MISREAD)
                case _ if node.children_by_field_name("argument") and child in node.children_by_field_name("argument"):
                    read.words = (*read.words, self.words.word(child))
                case _ if child.is_named:
                    read.following.append(child)
                case _:
                    self.words.problems.append(MISREAD)
        if start is None:
            self.words.problems.append(MISREAD)
            return
        read.given = self._given(node, start)

    def _given(self, node: Node, start: Node) -> str | None:
        """Read the document's text, checked to begin and end where the shell finds its ends; None when not known."""
        written = self.words.text(start)
        delimiter = written.strip("'\"")
        tabs = node.children[0].type == "<<-"
        ends = [child for child in node.children if child.type == "heredoc_end"]
        first = self.source.find(b"\n", start.end_byte) + 1
        if not first or len(ends) != 1:
            self.words.problems.append(MISREAD)
            return None
        last, lines = self._until(first, delimiter, tabs=tabs)
        body = [child for child in node.children if child.type == "heredoc_body"]
        text = "\n".join(lines) + "\n" if lines else ""
        quoted = written != delimiter
        begins = not body or (
            first <= body[0].start_byte and not self.source[first : body[0].start_byte].strip(b"\t\n ")
        )
        sure = (
            last is not None and last <= ends[0].start_byte and not self.source[last : ends[0].start_byte].strip(b"\t")
        )
        if not sure or not begins or ("\\\n" in text and not quoted):
            self.words.problems.append(MISREAD)
            return None
        if quoted:
            return text
        inner = [child for part in body for child in part.children if child.type == "command_substitution"]
        for child in inner:
            self.words.run(child)
        if len(_RUNS.findall(text)) != len(inner):
            self.words.cautions.append("its here-document has more to expand than variables")
        return None if re.search(r"[$`\\]", text) else text

    def _until(self, first: int, delimiter: str, *, tabs: bool) -> tuple[int | None, list[str]]:
        """Find the offset of the first line that is the delimiter, and the lines before it."""
        at = first
        lines: list[str] = []
        while at <= len(self.source):
            end = self.source.find(b"\n", at)
            end = len(self.source) if end < 0 else end
            line = self.source[at:end].decode()
            if tabs:
                line = line.lstrip("\t")
            if line == delimiter:
                return at, lines
            lines.append(line)
            if end == len(self.source):
                return None, lines
            at = end + 1
        return None, lines
