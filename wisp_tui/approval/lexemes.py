"""Whether a parsed tree cuts a line where the shell does: a second reading, by the shell's own rules of quoting.

The grammar guesses where it is not sure, and a guess can hide a command. Here every character must belong to a leaf
whose text the shell would read as that one token, or to a gap that the shell skips; neighbours must be apart where the
shell needs them apart. A tree that passes differs from the shell's at most in how tokens are grouped.
"""

from __future__ import annotations

import re
from itertools import pairwise

from tree_sitter import Node

_BARE = r"[^\s|&;()<>\"'`$\\]"
_LEAVES = {
    "word": re.compile(rf"(?:{_BARE}|\\.)+", re.DOTALL),
    "number": re.compile(r"-?[0-9][0-9A-Za-z]*(?:#[0-9A-Za-z]+)?"),
    "variable_name": re.compile(r"\w+"),
    "special_variable_name": re.compile(r"[*@?!#$0_-]"),
    "raw_string": re.compile(r"'[^']*'"),
    "ansi_c_string": re.compile(r"\$'(?:[^'\\]|\\.)*'", re.DOTALL),
    "string_content": re.compile(r"(?:[^\"`\\$]|\\.|\$(?![\w({\[*@?!#$'\"-]))+", re.DOTALL),
    "string": re.compile(r'""'),
    "comment": re.compile(r"#[^\n]*"),
    "test_operator": re.compile(r"-[a-zA-Z]+"),
    "file_descriptor": re.compile(r"[0-9]+"),
    "extglob_pattern": re.compile(rf"(?:{_BARE}|\\.)+", re.DOTALL),
    "regex": re.compile(r"(?:[^\s`$&;<>\"'\\]|\\[^\n])+"),
    "heredoc_start": re.compile(r"(\w+)|'(\w+)'|\"(\w+)\""),
    "array": re.compile(r"\(\)"),
}
_LINES = {
    "command",
    "command_name",
    "declaration_command",
    "unset_command",
    "variable_assignments",
    "file_redirect",
    "herestring_redirect",
    "redirected_statement",
    "negated_command",
    "binary_expression",
    "unary_expression",
    "test_command",
    "pipeline",
    "list",
}
"""Nodes within which a newline ends the command, unless an operator stands before it."""
_TIGHT = {"concatenation", "variable_assignment", "subscript", "simple_expansion"}
"""Nodes whose parts touch."""
_BLOCKS = {
    "program",
    "compound_statement",
    "do_group",
    "subshell",
    "command_substitution",
    "process_substitution",
    "if_statement",
    "elif_clause",
    "else_clause",
    "case_item",
}
"""Nodes with statements that a newline or an operator parts."""
_APART = {
    "$",
    "command_name",
    "word",
    "number",
    "string",
    "raw_string",
    "ansi_c_string",
    "translated_string",
    "concatenation",
    "simple_expansion",
    "expansion",
    "command_substitution",
    "process_substitution",
    "arithmetic_expansion",
    "brace_expression",
    "variable_assignment",
    "variable_name",
}
"""Words: a blank must stand between two of them."""
_STARTS = {b"", b" ", b"\t", b"\n", b";", b"&", b"|", b"(", b")"}
"""What stands before the first character of a word."""
_ARROWS = {b"<", b">"}
_OPERATORS = {"&&", "||", "|", "|&"}
_JOINED = re.compile(r"(?:\\\n)+")
_GAP = re.compile(r"(?:[ \t\n]|\\\n)*")
_SUBSTITUTIONS = {"command_substitution", "process_substitution"}
DEEPEST = 250
"""Levels of a tree that are read."""
_OPAQUE = {"heredoc_body", "expansion", "arithmetic_expansion", "brace_expression", "c_style_for_statement"}
"""Nodes that ``shell`` reads by their own text."""

MISREAD = "it cannot be read for sure as the shell reads it"


def misread(node: Node, source: bytes) -> bool:
    """Whether a tree, or any part of it, cuts ``source`` where the shell might not, or is too deep to be read."""
    waiting = [(node, 0, False)]
    while waiting:
        part, depth, opaque = waiting.pop()
        if depth > DEEPEST or (not opaque and _misread(part, source)):
            return True
        opaque = part.type in _OPAQUE or (opaque and part.type not in _SUBSTITUTIONS)
        waiting.extend((child, depth + 1, opaque and child.type not in _SUBSTITUTIONS) for child in part.children)
    return False


def _misread(node: Node, source: bytes) -> bool:
    if node.type in _OPAQUE:
        return False
    children = node.children
    if not children:
        return _strange_leaf(node, source)
    if node.type == "heredoc_redirect":
        return False  # ``shell`` checks where the document begins and ends
    return any(_strange_gap(node, before, after, source) for before, after in pairwise(children))


def _strange_leaf(node: Node, source: bytes) -> bool:
    text = _text(source, node.start_byte, node.end_byte)
    kind = node.type
    if not node.is_named:
        return text.strip() != kind.strip() or "\n" in text
    if kind in {"heredoc_end", "heredoc_content", "heredoc_body"}:
        return False
    shape = _LEAVES.get(kind)
    if shape is None or shape.fullmatch(text) is None:
        return True
    starts = source[node.start_byte - 1 : node.start_byte] in _STARTS
    after = source[node.end_byte : node.end_byte + 1]
    match kind:
        case "comment":
            strange = not starts or after not in {b"", b"\n"}
        case "word":
            strange = (text.startswith("#") and starts) or (text.isdigit() and after in _ARROWS)
        case "number":
            strange = after in _ARROWS
        case "file_descriptor":
            strange = not starts or after not in _ARROWS
        case _:
            strange = False
    return strange


def _strange_gap(node: Node, before: Node, after: Node, source: bytes) -> bool:
    gap = _text(source, before.end_byte, after.start_byte)
    kind = node.type
    if kind == "string":
        return bool(gap.strip(" \t\n"))
    if kind in _TIGHT:
        return gap != ""
    if _GAP.fullmatch(gap) is None or _JOINED.fullmatch(gap) is not None:
        return True
    ends_line = "\n" in gap.replace("\\\n", "")
    if kind in _LINES:
        cut_short = ends_line and before.type not in _OPERATORS and before.type != "comment"
        return cut_short or (gap == "" and before.type in _APART and after.type in _APART)
    parted = before.type == "comment" or after.type in {"comment", "elif_clause", "else_clause"}
    return kind in _BLOCKS and before.is_named and after.is_named and not parted and not ends_line


def _text(source: bytes, start: int, end: int) -> str:
    return source[start:end].decode()
