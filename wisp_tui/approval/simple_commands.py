"""Simple commands of the tree: words, assignments and redirections; the tests and settings that are commands too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node

from wisp_tui.approval.expansions import EVALUATES, WordReader
from wisp_tui.approval.lexemes import MISREAD
from wisp_tui.approval.redirects import Redirection, RedirectReader
from wisp_tui.approval.script import Assignment, Command, Known, Word

_RESERVED = frozenset(
    ("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "select")
) | frozenset(("function", "coproc", "{", "}", "!", "[[", "]]"))
_COMPARES_NUMBERS = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
_SPLITS_TEST = frozenset(("<", ">", "(", ")", "&&", "||", "=~", ";"))
"""What ends a ``[`` command, or redirects it, for the shell; the grammar takes it for a part of the test."""
_NUMBER = re.compile(r"-?\d+")


@dataclass(slots=True)
class CommandReader:
    """Reads the simple commands of one source. ``once``: the variables that the line sets in one place."""

    words: WordReader
    redirects: RedirectReader
    once: frozenset[str]

    def command(self, node: Node, redirects: Sequence[Node], whole: Node) -> tuple[Command, Redirection]:
        """Read a command with the redirections around it; ``whole`` is what they are all in."""
        words: list[Word] = []
        assignments: list[Assignment] = []
        inside: list[Node] = []
        for child in node.children:
            match child.type:
                case "variable_assignment" if not words:
                    assignments.append(self._assignment(child, exported=True))
                case "command_name":
                    words.append(self.words.word(child.children[0] if len(child.children) == 1 else child))
                case "file_redirect" | "heredoc_redirect" | "herestring_redirect":
                    inside.append(child)
                case "comment":
                    pass
                case _:
                    words.append(self.words.word(child))
        read = self.redirects.read([*inside, *redirects])
        if words and words[0].exact and words[0].text in _RESERVED:
            self.words.problems.append(MISREAD)
        shown = self._shown(node, whole, read)
        all_words = (*words, *read.words)
        return Command(shown, all_words, tuple(assignments), read.redirects, read.fed, read.given), read

    def _shown(self, node: Node, whole: Node, read: Redirection) -> str:
        """A command as it is shown: with its redirections, without what stands on its here-document's line after it."""
        after = [*read.following, *((read.piped,) if read.piped else ())]
        end = min((child.start_byte for child in after), default=whole.end_byte)
        text = self.words.source[node.start_byte : end].decode()
        return text.rstrip(" &|;\t") if after else text

    def _assignment(self, node: Node, *, exported: bool) -> Assignment:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        text = self.words.text(name) if name is not None else ""
        if name is not None and name.type == "subscript":
            self.words.find_inner(name)
            self.words.bash_only = True
            if not re.fullmatch(r"\w+\[\d+\]", text):
                self.words.cautions.append(EVALUATES)
            text = text.partition("[")[0]
        if value is None:
            return Assignment(text, Word("", ""), exported)
        if value.type == "array":
            self.words.bash_only = True
            for child in value.children:
                if child.is_named:
                    self.words.word(child)
            return Assignment(text, Word(self.words.text(value), "", Known.UNKNOWN, splits=True), exported)
        word = self.words.word(value)
        if "+=" in self.words.text(node)[len(text) : len(text) + 2]:
            self.words.bash_only = True
            return Assignment(text, Word(word.source, "", Known.UNKNOWN), exported)
        return Assignment(text, word, exported)

    def setting(self, node: Node) -> Command:
        """Read assignments that are a command of their own, and ``export``, ``declare``, ``unset`` and their like."""
        if node.type == "variable_assignment":
            assignment = self._assignment(node, exported=False)
            self._remember(node, assignment)
            return Command(self.words.text(node), assignments=(assignment,))
        words: list[Word] = []
        assignments: list[Assignment] = []
        exported = node.children[0].type == "export"
        for child in node.children:
            if child.type == "variable_assignment":
                assignments.append(self._assignment(child, exported=exported))
            elif child.is_named:
                words.append(self.words.word(child))
            else:
                words.append(Word(child.type, child.type))
        return Command(self.words.text(node), tuple(words), tuple(assignments))

    def _remember(self, node: Node, assignment: Assignment) -> None:
        """Keep what a variable is set to, where nothing can keep the assignment from running or change it later."""
        at = node
        while at.parent is not None and at.parent.type == "list" and at.parent.children[0] == at:
            at = at.parent
        following = at.next_sibling
        if (
            at.parent is not None
            and at.parent.type == "program"
            and (following is None or following.type != "&")
            and assignment.name in self.once
            and assignment.value.exact
        ):
            names = self.words.names
            self.words.names = replace(names, exact={**names.exact, assignment.name: assignment.value})

    def test(self, node: Node) -> Command:
        """Read ``[ … ]`` or ``[[ … ]]``."""
        opened = node.children[0].type
        words = tuple(self._test_word(leaf) for leaf in _operands(node))
        if opened == "[[":
            self.words.bash_only = True
            if _evaluates(words):
                self.words.cautions.append(EVALUATES)
        elif opened != "[" or any(word.source in _SPLITS_TEST for word in words):
            self.words.problems.append(MISREAD)
        return Command(self.words.text(node), words)

    def _test_word(self, leaf: Node) -> Word:
        text = self.words.text(leaf).strip()
        if not leaf.is_named or leaf.type == "test_operator":
            return Word(text, text)
        if leaf.type in {"regex", "extglob_pattern"}:
            self.words.find_inner(leaf)
            return Word(text, "", Known.UNKNOWN)
        return self.words.word(leaf)


def _evaluates(words: Sequence[Word]) -> bool:
    """Whether ``[[`` evaluates something as arithmetic that is no number, and so might run what is in it."""
    texts = [word.text for word in words if word.exact]
    if "-v" in texts or "-R" in texts:
        return True
    operands = [
        word for word in words[1:-1] if word.source not in {"!", "&&", "||"} and not word.source.startswith("-")
    ]
    return not _COMPARES_NUMBERS.isdisjoint(texts) and not all(
        word.plain or (word.exact and _NUMBER.fullmatch(word.text)) for word in operands
    )


def _operands(node: Node) -> Iterator[Node]:
    """The words and operators of a test, in order."""
    for child in node.children:
        if child.type in {"binary_expression", "unary_expression", "parenthesized_expression", "negated_command"}:
            yield from _operands(child)
        else:
            yield child
