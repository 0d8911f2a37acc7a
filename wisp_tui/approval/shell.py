"""What commands a line would run: the line read with the shell's grammar into its simple commands.

``read`` never raises: what cannot be read for sure is a problem of the script, and whoever judges it asks.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from tree_sitter import Language, Node, Parser

from wisp_tui.approval.expansions import EVALUATES, Names, WordReader
from wisp_tui.approval.lexemes import MISREAD, misread
from wisp_tui.approval.redirects import Redirection, RedirectReader
from wisp_tui.approval.script import Assignment, Command, Fed, Place, Script, Word
from wisp_tui.approval.simple_commands import CommandReader
from wisp_tui.approval.variables import integers, set_once, settled

LONGEST = 64 * 1024
"""Characters of a line that is read; a longer one asks unread."""
AT_ONCE = 2000
"""Bytes of a line that are parsed without looking at the clock."""
PATIENCE = 1.0
"""Seconds that parsing a longer line may take."""
DEEPEST = 60
"""Levels of commands within commands that are read."""
MOST = 300
"""Commands of a line that are read."""
LONGEST_COMMAND = 3000
"""Words of a command that are read."""
_PLACES = 4
"""Directories a command may run in before it counts as any."""

HIDDEN = "it has invisible characters"
ENDLESS = "it takes too long to be read"
UNREADABLE = "it cannot be read as a shell command"
_BLOCKS = ("program", "do_group", "else_clause", "elif_clause", "if_statement", "negated_command")
_SETTINGS = ("variable_assignment", "variable_assignments", "declaration_command", "unset_command")
_MOVES = re.compile(rb"\b(?:cd|pushd|popd)\b")
_COUNTING = re.compile(
    r"for\s*\(\(\s*([a-z_]\w*)=\d+\s*;\s*\1\s*[<>]=?\s*\d+\s*;\s*(?:\1(?:\+\+|--|[+-]=\d+)|(?:\+\+|--)\1)\s*\)\)"
)


def read(line: str, language: Language, fed: Fed = Fed.NOTHING) -> Script:
    """Read a line of shell; ``fed`` is where its standard input comes from."""
    if fault := _unshowable(line):
        return Script(line, problems=(fault,))
    source = line.encode()
    root = _parsed(source, language)
    if root is None:
        return Script(line, problems=(ENDLESS,))
    if root.has_error:
        return Script(line, problems=(UNREADABLE,))
    if misread(root, source):
        return Script(line, problems=(MISREAD,))
    walk = _Walk(source, fed)
    walk.statement(root)
    return Script(
        line,
        tuple(walk.commands),
        tuple(dict.fromkeys(walk.problems)),
        tuple(dict.fromkeys(walk.cautions)),
        bash_only=walk.words.bash_only or walk.redirects.bash_only,
        defines=frozenset(walk.defined),
    )


def _parsed(source: bytes, language: Language) -> Node | None:
    """Parse a line; None when that takes too long, which for some lines grows with the square of their length."""
    parser = Parser(language)
    if len(source) <= AT_ONCE:
        return parser.parse(source).root_node
    end = time.monotonic() + PATIENCE

    def late(*_: object) -> bool:
        return time.monotonic() > end

    try:
        return parser.parse(lambda at, _: source[at : at + AT_ONCE], progress_callback=late).root_node
    except ValueError:
        return None


def _unshowable(line: str) -> str | None:
    """Tell why a line is not what it looks like, so that neither the grammar nor a person can judge it."""
    if len(line) > LONGEST:
        return "it is too long to be read"
    categories = {unicodedata.category(char) for char in set(line) - {"\n", "\t", " "}}
    if not categories.isdisjoint({"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}):
        return HIDDEN
    return "it has spaces that the shell does not take for spaces" if "Zs" in categories else None


class _Walk:
    """One pass over a tree, in the order in which its commands would run."""

    def __init__(self, source: bytes, fed: Fed) -> None:
        self.source = source
        self.commands: list[Command] = []
        self.problems: list[str] = []
        self.cautions: list[str] = []
        self.defined: set[str] = set()
        line = source.decode()
        self._once = set_once(line) if settled(line) else frozenset[str]()
        self.words = WordReader(source, self._substitution, self.problems, self.cautions)
        self.words.names = Names(integers=integers(line), settled=settled(line))
        self.redirects = RedirectReader(source, self.words)
        self._simple = CommandReader(self.words, self.redirects, self._once)
        self._depth = 0
        self._here: tuple[Place, ...] = ((),)
        self._failed: tuple[Place, ...] = ((),)
        """Where the line stands when the statement just read has failed."""
        self._upstream: tuple[Command, ...] = ()
        self._pipeline = ""
        self._fed = (fed, line)
        self._kinds = self._by_kind()
        self._lent: dict[int, tuple[Node, list[Node]]] = {}
        """By a command's node: the redirections that are its own, where the grammar gives them to a whole list."""

    # Statements -----------------------------------------------------------------------------------------------------

    def statement(self, node: Node) -> None:
        """Read a statement and what is in it."""
        self._depth += 1
        lent = self._lent.pop(node.id, None)
        if self._depth > DEEPEST:
            self.problems.append("it is nested too deeply to be read")
        elif lent is None:
            self._statement(node)
        else:
            self._redirected(lent[0], node, lent[1])
        self._depth -= 1

    def _statement(self, node: Node) -> None:
        read = self._kinds.get(node.type)
        if read is None:
            self.problems.append(f"it has a {node.type.replace('_', ' ')}")
        else:
            read(node)

    def _by_kind(self) -> Mapping[str, Callable[[Node], None]]:
        """Return what reads a statement, by the grammar's name for its kind."""
        return {
            "command": lambda node: self._command(node, (), node),
            "redirected_statement": lambda node: self._redirected(
                node, node.child_by_field_name("body"), node.children_by_field_name("redirect")
            ),
            "pipeline": lambda node: self._pipe(node.children, node),
            "list": self._list,
            "subshell": self._subshell,
            **dict.fromkeys(_BLOCKS, self._block),
            "compound_statement": self._compound,
            "for_statement": self._for,
            "c_style_for_statement": self._counting,
            "while_statement": self._while,
            "case_statement": self._case,
            "function_definition": self._function,
            **dict.fromkeys(_SETTINGS, lambda node: self._add(self._simple.setting(node))),
            "test_command": lambda node: self._add(self._simple.test(node)),
            "comment": lambda _: None,
        }

    def _subshell(self, node: Node) -> None:
        with self._apart():
            self._block(node)

    def _while(self, node: Node) -> None:
        with self._loop(node):
            self._block(node)

    def _block(self, node: Node) -> None:
        for child in node.children:
            if child.is_named:
                self.statement(child)
                self._here = self._failed = _union(self._here, self._failed)
            elif child.type in {";;", ";&", ";;&"}:
                self.problems.append(UNREADABLE)

    def _list(self, node: Node) -> None:
        operator = ""
        for child in node.children:
            if not child.is_named:
                operator = child.type
                continue
            here, failed = self._here, self._failed
            if operator == "||":
                self._here = failed
            self.statement(child)
            if operator == "||":
                self._here = _union(here, self._here)
            elif operator == "&&":
                self._failed = _union(failed, self._failed)

    def _pipe(self, children: Sequence[Node], node: Node) -> None:
        """Read a pipeline's commands, each in a shell of its own and fed by those before it."""
        upstream, pipeline = self._upstream, self._pipeline
        for child in children:
            if not child.is_named:
                self.words.bash_only = self.words.bash_only or child.type == "|&"
                continue
            start = len(self.commands)
            with self._apart():
                self.statement(child)
            self._upstream = (*self._upstream, *self.commands[start:])
            self._pipeline = self.words.text(node)
        self._upstream, self._pipeline = upstream, pipeline

    def _compound(self, node: Node) -> None:
        if node.children[0].type == "((":
            self.words.bash_only = True
            self.words.find_inner(node)
            if not self.words.sum_only(self.words.text(node)[2:-2]):
                self.cautions.append(EVALUATES)
            return
        self._block(node)

    def _for(self, node: Node) -> None:
        if node.children[0].type == "select":
            self.cautions.append("it waits for a choice")
        variable = node.child_by_field_name("variable")
        name = self.words.text(variable) if variable else ""
        values = [self.words.word(child) for child in node.children_by_field_name("value")]
        self._add(
            Command(f"for {name}", assignments=tuple(Assignment(name, value, exported=False) for value in values))
        )
        before = self.words.names
        if values and name in self._once and not any(value.choices for value in values):
            self.words.names = replace(before, loops={**before.loops, name: tuple(values)})
        with self._loop(node):
            body = node.child_by_field_name("body")
            if body is not None:
                self.statement(body)
        self.words.names = before

    def _counting(self, node: Node) -> None:
        self.words.bash_only = True
        for child in node.children:
            if child.type not in {"do_group", "compound_statement"}:
                self.words.find_inner(child)
        if _COUNTING.match(self.words.text(node)) is None:
            self.cautions.append(EVALUATES)
        with self._loop(node):
            body = node.child_by_field_name("body")
            if body is not None:
                self.statement(body)

    def _case(self, node: Node) -> None:
        value = node.child_by_field_name("value")
        if value is not None:
            self._add(Command(self.words.text(value), words=(Word(":", ":"), self.words.word(value))))
        for item in node.children:
            if item.type != "case_item":
                continue
            patterns = item.children_by_field_name("value")
            for child in item.children:
                if child in patterns:
                    self.words.find_inner(child)
                elif child.is_named:
                    self.statement(child)
                    self._here = self._failed = _union(self._here, self._failed)

    def _function(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        self.words.bash_only = self.words.bash_only or node.children[0].type == "function"
        if name is None or body is None:
            self.problems.append("it has a function without a body")
            return
        self.defined.add(self.words.text(name))
        moves = _MOVES.search(self.source) is not None
        here = self._here
        self._here = (None,) if moves else here
        self.statement(body)
        self._after_redirects(node, [child for child in node.children if child.type.endswith("redirect")])
        self._here = self._failed = (None,) if moves else here

    # Redirections ---------------------------------------------------------------------------------------------------

    def _redirected(self, node: Node, body: Node | None, redirects: list[Node]) -> None:
        """Read what has redirections. Those the grammar gives to a list or a pipeline are its last command's."""
        if body is None:
            self._after_redirects(node, redirects)
        elif body.type == "command":
            self._command(body, redirects, node)
        elif body.type in {"list", "pipeline", "negated_command"}:
            last = [child for child in body.children if child.is_named and child.type != "comment"][-1]
            self._lent[last.id] = (node, redirects)
            self.statement(body)
        else:
            self._after_redirects(node, redirects, body)

    def _command(self, node: Node, redirects: Sequence[Node], whole: Node) -> None:
        command, read = self._simple.command(node, redirects, whole)
        self._add(command)
        self._follow(read, whole)

    def _after_redirects(self, node: Node, redirects: Sequence[Node], body: Node | None = None) -> None:
        """Read redirections that are of no simple command, then what they are of."""
        read = self.redirects.read(redirects)
        if read.words:
            self.problems.append(UNREADABLE)
        if read.redirects:
            self._add(Command(self.words.text(node), redirects=read.redirects))
        if body is not None:
            fed, self._fed = self._fed, (read.fed, self.words.text(node)) if read.fed is not Fed.NOTHING else self._fed
            self.statement(body)
            self._fed = fed
        self._follow(read, node)

    def _follow(self, read: Redirection, node: Node) -> None:
        """Read what the grammar puts inside a here-document: the rest of its line."""
        if read.piped is not None:
            upstream, pipeline = self._upstream, self._pipeline
            self._upstream, self._pipeline = (*upstream, *self.commands[-1:]), self.words.text(node)
            self._pipe(read.piped.children, node)
            self._upstream, self._pipeline = upstream, pipeline
        for following in read.following:
            self.statement(following)
            self._here = self._failed = _union(self._here, self._failed)

    # Where and how commands run -------------------------------------------------------------------------------------

    def _add(self, command: Command) -> None:
        if len(self.commands) >= MOST or len(command.words) + len(command.assignments) > LONGEST_COMMAND:
            self.problems.append("it has too many commands or words to be judged")
            return
        fed, pipeline = command.fed, self._pipeline
        if fed is Fed.NOTHING and self._fed[0] is not Fed.NOTHING:
            fed, pipeline = self._fed
        if fed is Fed.NOTHING and self._upstream:
            fed = Fed.PIPE
        self.commands.append(replace(command, fed=fed, upstream=self._upstream, pipeline=pipeline, places=self._here))
        self._failed = self._here
        self._move(command.words)

    def _move(self, words: Sequence[Word]) -> None:
        if not words or not words[0].exact:
            return
        match words[0].text:
            case "cd":
                operands = [word for word in words[1:] if not (word.exact and word.text in {"--", "-L", "-P"})]
                if len(operands) == 1 and operands[0].exact and operands[0].text not in {"", "-"}:
                    self._here = tuple(place if place is None else (*place, operands[0]) for place in self._here)
                elif not operands:
                    self._here = ((Word("~", "~", home=True),),)
                else:
                    self._here = (None,)
            case "pushd" | "popd" | "command" | "builtin" | "eval" | "source" | "." | "trap":
                self._here = self._failed = (None,)
            case "time" if any(word.text in {"cd", "pushd", "popd"} for word in words):
                self._here = self._failed = (None,)
            case _:
                pass

    @contextmanager
    def _apart(self) -> Generator[None]:
        """Read in a shell of its own: it does not move this one."""
        here, failed = self._here, self._failed
        yield
        self._here, self._failed = here, failed

    @contextmanager
    def _loop(self, node: Node) -> Generator[None]:
        """Read what may run any number of times."""
        moves = _MOVES.search(self.source[node.start_byte : node.end_byte]) is not None
        if moves:
            self._here = self._failed = (None,)
        yield
        if moves:
            self._here = self._failed = (None,)

    def _substitution(self, node: Node) -> tuple[Command, ...]:
        text = self.words.text(node).strip()
        if text.startswith("`") and "\\" in text:
            self.problems.append("it has a backslash between backquotes")
        start = len(self.commands)
        fed = self._fed
        if text.startswith(">("):
            self._fed = (Fed.PIPE, self.words.text(node.parent or node))
        with self._apart():
            self._depth += 1
            if self._depth > DEEPEST:
                self.problems.append("it is nested too deeply to be read")
            else:
                self._block(node)
            self._depth -= 1
        self._fed = fed
        return tuple(self.commands[start:])


def _union(first: tuple[Place, ...], second: tuple[Place, ...]) -> tuple[Place, ...]:
    places = tuple(dict.fromkeys((*first, *second)))
    return places if len(places) <= _PLACES and None not in places else (None,)
