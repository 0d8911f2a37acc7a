"""What a word of the tree comes to: its quotes read, its variables known or not, what runs inside it found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from wisp_tui.approval.script import Command, Known, Word
from wisp_tui.approval.words import Piece, ansi_c, assemble, double_quoted, unquoted

_VARIABLE = re.compile(r"\$\{?(\w+|[@*#?$!-])\}?")
_NUMERIC = frozenset("?#$!")
_EXPANSION = re.compile(
    r"\$\{(?:#\w+(?:\[[@*]\])?|\w+(?:\[(?:[@*]|\d+)\])?"
    r"(?:(?::?[-+?]|##?|%%?|//?[#%]?|\^\^?|,,?)[^`\"'\\$(){}<>]*|:\d+(?::\d+)?)?|[@*])\}"
)
"""The expansions that only read a variable: no nested expansion, no quoting, no index to evaluate."""
_OLDER = re.compile(r"\$\{(?:#\w+|\w+(?:(?::?[-+?]|##?|%%?)[^}]*)?)\}")
"""Those of them that every shell has."""
_SUM = re.compile(r"[\d\s+*/%()<>=!&|^~?:,-]*")
_NAME = re.compile(r"\$?[a-z_][a-z0-9_]*")

EVALUATES = "it evaluates a variable as arithmetic, which can run what the variable holds"
STRANGE = "it has an expansion that can run what a variable holds"


@dataclass(frozen=True, slots=True)
class Names:
    """What the line itself says of its variables."""

    exact: Mapping[str, Word] = field(default_factory=dict[str, Word])
    """Set once, without condition, to a known word."""
    loops: Mapping[str, tuple[Word, ...]] = field(default_factory=dict[str, "tuple[Word, ...]"])
    """The variable of a loop, and the words it goes through."""
    integers: frozenset[str] = frozenset()
    """Only ever set to whole numbers."""
    settled: bool = True
    """Nothing in the line can set a variable in a way that is not seen."""


@dataclass(slots=True)
class WordReader:
    """Reads words of one source. ``run`` reads the commands of a substitution and returns them."""

    source: bytes
    run: Callable[[Node], tuple[Command, ...]]
    problems: list[str]
    cautions: list[str]
    names: Names = field(default_factory=Names)
    bash_only: bool = False

    def text(self, node: Node) -> str:
        """A node's own text."""
        return self.source[node.start_byte : node.end_byte].decode()

    def word(self, node: Node) -> Word:
        """Read a word."""
        pieces = self.pieces(node)
        word = assemble(self.text(node), pieces)
        if word.known is Known.UNKNOWN and word.splits and all(piece.known for piece in pieces):
            self.bash_only = True  # braces
        return word

    def pieces(self, node: Node, *, quoted: bool = False) -> list[Piece]:
        """Read the stretches a word is made of."""
        match node.type:
            case "word" | "number" | "test_operator" | "variable_name":
                return unquoted(self.text(node))
            case "raw_string" | "ansi_c_string" | "string" | "$":
                return self._quoted(node)
            case "concatenation":
                return self._concatenation(node)
            case "variable_assignment":
                return self._assignment(node)
            case _:
                return [self._expanded(node, quoted=quoted)]

    def _quoted(self, node: Node) -> list[Piece]:
        match node.type:
            case "raw_string":
                return [Piece(self.text(node)[1:-1], quoted=True)]
            case "ansi_c_string":
                self.bash_only = True
                return [ansi_c(self.text(node)[2:-1])]
            case "string":
                return self._string(node)
            case _:
                return [Piece("$", quoted=True)]

    def _expanded(self, node: Node, *, quoted: bool) -> Piece:
        """Read what the shell puts something else in the place of."""
        self.bash_only = self.bash_only or node.type in {"process_substitution", "brace_expression"}
        match node.type:
            case "simple_expansion" | "expansion":
                return self._variable(node, quoted=quoted)
            case "command_substitution":
                return Piece("", quoted=quoted, known=False, inner=self.run(node))
            case "process_substitution":
                return Piece("", quoted=True, known=False, plain=True, inner=self.run(node))
            case "arithmetic_expansion":
                return self._arithmetic(node, quoted=quoted)
            case "brace_expression":
                return Piece("", quoted=False, known=False)
            case _:
                self.problems.append(f"it has a {node.type.replace('_', ' ')} where a word is expected")
                return Piece("", quoted=False, known=False)

    def _string(self, node: Node) -> list[Piece]:
        pieces: list[Piece] = []
        at = node.start_byte + 1
        for child in node.children:
            if child.type not in {"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"}:
                continue
            start = child.start_byte + len(self.text(child)) - len(self.text(child).lstrip())
            pieces += self._between(at, start)
            pieces += self.pieces(child, quoted=True)
            at = child.end_byte
        pieces += self._between(at, node.end_byte - 1)
        return pieces or [Piece("", quoted=True)]

    def _between(self, start: int, end: int) -> list[Piece]:
        return [double_quoted(self.source[start:end].decode())] if end > start else []

    def _concatenation(self, node: Node) -> list[Piece]:
        pieces: list[Piece] = []
        children = node.children
        for index, child in enumerate(children):
            following = children[index + 1].type if index + 1 < len(children) else ""
            if child.type == "$" and following in {"string", "raw_string"}:
                self.problems.append("it has a translated string")
            pieces += self.pieces(child)
        return pieces

    def _assignment(self, node: Node) -> list[Piece]:
        """Read ``NAME=VALUE`` that stands where an argument does."""
        value = node.child_by_field_name("value")
        if value is None:
            return unquoted(self.text(node))
        return [*unquoted(self.source[node.start_byte : value.start_byte].decode()), *self.pieces(value)]

    def _variable(self, node: Node, *, quoted: bool) -> Piece:
        text = self.text(node).strip()
        found = _VARIABLE.fullmatch(text)
        if found is None:
            for child in node.children:
                self.find_inner(child)
            return self._expansion(text, quoted=quoted)
        name = found[1]
        if name in _NUMERIC or name in self.names.integers:
            return Piece("", quoted=quoted, known=False, plain=True)
        if name == "HOME" and self.names.settled:
            return Piece("~", quoted=quoted, home=True)
        if name == "PWD" and self.names.settled:
            return Piece(".", quoted=quoted)
        exact = self.names.exact.get(name)
        if exact is not None and (quoted or not re.search(r"[\s*?\[]|^$", exact.text)):
            return Piece(exact.text, quoted=True, home=exact.home)
        return Piece("", quoted=quoted, known=False, choices=self.names.loops.get(name, ()))

    def _expansion(self, text: str, *, quoted: bool) -> Piece:
        if _EXPANSION.fullmatch(text) is None:
            self.cautions.append(STRANGE)
        elif _OLDER.fullmatch(text) is None:
            self.bash_only = True
        return Piece("", quoted=quoted, known=False, plain=text.startswith("${#"))

    def _arithmetic(self, node: Node, *, quoted: bool) -> Piece:
        text = self.text(node).strip()
        if text.startswith("$["):
            self.bash_only = True
        for child in node.children:
            self.find_inner(child)
        if not self.sum_only(text[3:-2] if text.startswith("$((") else text[2:-1]):
            self.cautions.append(EVALUATES)
        return Piece("", quoted=quoted, known=False, plain=True)

    def sum_only(self, text: str) -> bool:
        """Whether arithmetic has only numbers, and variables that hold numbers."""
        rest = _NAME.sub(lambda found: "0" if found[0].lstrip("$") in self.names.integers else found[0], text)
        return _SUM.fullmatch(rest) is not None

    def find_inner(self, node: Node) -> None:
        """Read the substitutions below a node that is no word."""
        if node.type in {"command_substitution", "process_substitution"}:
            self.run(node)
            return
        for child in node.children:
            self.find_inner(child)
