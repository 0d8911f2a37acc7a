"""What a program does with its words: the exact forms that only read, then wrappers taken off, then the rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wisp_tui.approval import filters
from wisp_tui.approval.base import Level
from wisp_tui.approval.environment import USES_SECRET, exported, secret
from wisp_tui.approval.files import FileJudge
from wisp_tui.approval.git import taken_apart
from wisp_tui.approval.options import Arguments
from wisp_tui.approval.paths import PathBook
from wisp_tui.approval.rule_match import holds, in_words, targets_of
from wisp_tui.approval.rules import Interpreter, Rules, Shape, Wrapper
from wisp_tui.approval.script import Command, Fed, Known, Script, Word
from wisp_tui.approval.seen import Seen
from wisp_tui.approval.shape_match import files_shown, fitting
from wisp_tui.approval.surroundings import SYSTEM_DIRECTORIES, Surroundings
from wisp_tui.approval.unwrapping import (
    Given,
    given_to_find,
    given_to_interpreter,
    given_to_shell,
    given_to_xargs,
    unwrapped,
    without_runs,
)
from wisp_tui.approval.verdict import Finding

_VERSIONED = re.compile(r"[-.]?\d+(?:\.\d+)*$")
_DEEPEST = 12
"""Commands within one command that are taken apart."""
_DEEPEST_CODE = 8
"""Shells given code by shells that are given code."""

UNKNOWN_PROGRAM = Finding(Level.DANGEROUS, "which program it runs is known only when it runs")
WAITS = Finding(Level.MODERATE, "waits for commands")
FED = Finding(Level.DANGEROUS, "runs what it is fed")
UNKNOWN_INSIDE = Finding(Level.DANGEROUS, "what it runs in turn cannot be told from its words")


@dataclass(frozen=True, slots=True)
class Code:
    """Code given to a shell; ``bash``: that shell reads it as bash does."""

    text: str
    bash: bool


class Judging(Protocol):
    """Whoever judges whole lines: code given to a shell goes back to it."""

    def inner(self, code: Code, judging: ProgramJudge) -> None:
        """Judge code that a command gives to a shell, as part of that command."""
        ...

    @property
    def rules(self) -> Rules:
        """What it judges by."""
        ...

    @property
    def surroundings(self) -> Surroundings:
        """What it judges for."""
        ...


@dataclass(slots=True)
class ProgramJudge:
    """Judges the words of one simple command, and the commands inside them."""

    judging: Judging
    script: Script
    command: Command
    book: PathBook
    seen: Seen
    within: int = 0
    """How many shells were given the code that it is in."""
    depth: int = 0

    @property
    def files(self) -> FileJudge:
        """What judges the command's files."""
        return FileJudge(self.judging.rules, self.book, self.seen)

    def words(self, words: Sequence[Word]) -> None:
        """Judge a command by its words."""
        if not words:
            return
        self.depth += 1
        if self.depth > _DEEPEST:
            self.seen.add(UNKNOWN_INSIDE)
        elif not words[0].exact:
            self.seen.add(UNKNOWN_PROGRAM)
        else:
            self._program(words)
        self.depth -= 1

    def _program(self, words: Sequence[Word]) -> None:
        if any(secret(word) for word in words):
            self.seen.add(USES_SECRET)
        base = self._named(words[0])
        if base in self.script.defines:
            self.seen.add(Finding(Level.MODERATE, "runs a function that the line defines"))
            return
        before = self.seen.places
        if base == "git":
            words = self._git(words)
        self.seen.forms.append((base, *(word.text if word.exact else word.source for word in words[1:])))
        if not any(self._only_reads(name, words) for name in _names(base)):
            self._runs(base, words)
        self.seen.places = before

    def _named(self, word: Word) -> str:
        """The name a program goes by, after what its path says of it."""
        name = word.text
        if not name.isascii():
            self.seen.add(Finding(Level.DANGEROUS, "its program's name has letters that look like others"))
        if "/" in name or word.home:
            directory, _, base = name.rpartition("/")
            if directory not in SYSTEM_DIRECTORIES:
                self.seen.local = True
                self.seen.add(Finding(Level.MODERATE, f"runs the program {name}"))
            return base
        if self.book.shadowed(name):
            self.seen.local = True
            self.seen.add(Finding(Level.MODERATE, f"{name} is a program of the directory's own"))
        if name in self.judging.rules.local:
            self.seen.local = True
        return name

    # Git ------------------------------------------------------------------------------------------------------------

    def _git(self, words: Sequence[Word]) -> Sequence[Word]:
        apart = taken_apart(words)
        if apart.fault:
            self.seen.add(apart.fault)
        if apart.words != tuple(words):
            self.seen.forms.append(("git", *(word.text if word.exact else word.source for word in words[1:])))
        verb = apart.words[1] if len(apart.words) > 1 else None
        if verb is not None and (
            not verb.exact or (verb.text not in self.judging.rules.git_verbs and verb.text[:1] != "-")
        ):
            self.seen.add(Finding(Level.DANGEROUS, "its verb is not git's own: an alias or a program"))
        self._repository(apart.moves)
        return apart.words

    def _repository(self, moves: Sequence[Word]) -> None:
        """Judge the repositories that git would follow; what follows in its words is looked for there."""
        surroundings = self.judging.surroundings
        if any(
            name.startswith(("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_CONFIG"))
            for name in surroundings.variables
        ):
            self.seen.add(Finding(Level.MODERATE, "the environment tells git which repository to use"))
        if not self.seen.places or any(not move.exact for move in moves):
            self.seen.add(Finding(Level.MODERATE, "which repository git works in is known only when it runs"))
            self.seen.places = ()
            return
        places, self.seen.places = self.seen.places, ()
        for place in places:
            at = place
            for move in moves:
                at = Path(self.book.absolute(move.text, at, home=move.home))
            if fault := surroundings.git_fault(at):
                self.seen.add(Finding(Level.DANGEROUS, fault))
            self.seen.local = self.seen.local or surroundings.git_hooks(at)
            self.seen.places = (*self.seen.places, at)

    # Exact shapes ---------------------------------------------------------------------------------------------------

    def _only_reads(self, base: str, words: Sequence[Word]) -> bool:
        """Whether a command has one of the shapes that only read; adds what it reads that asks."""
        for shape in self.judging.rules.shapes_of.get(base, ()):
            for verb in shape.verbs:
                after = 1 + len(verb)
                if tuple(word.text if word.exact else "" for word in words[1:after]) != verb:
                    continue
                read = fitting(shape, words, words[after:])
                if read is not None and not (shape.never and any(map(self._made_up, words[after:]))):
                    if shape.operands == "content":
                        self._content(shape, read, base)
                    return True
        return False

    def _made_up(self, word: Word) -> bool:
        """Whether a word may be any option. A listed name that is one still names what is in the directory."""
        if word.known is not Known.UNKNOWN or not word.may_be_option:
            return False
        if word.choices:
            return any(map(self._made_up, word.choices))
        return not (word.inner and self.files.listing(word.inner))

    def _content(self, shape: Shape, read: Arguments, base: str) -> None:
        files = files_shown(shape, read)
        for word in files:
            self.files.shows(word)
        searches = base in {"grep", "egrep", "fgrep", "rg"} and self.command.fed is Fed.NOTHING
        if not files and (searches or read.flags & {"--no-index", "--untracked"}):
            self.files.shows(Word(".", "."))

    # Commands inside commands ---------------------------------------------------------------------------------------

    def _runs(self, base: str, words: Sequence[Word]) -> None:
        rules = self.judging.rules
        for name in _names(base):
            if name in rules.wrapper_of:
                self._wrapped(rules.wrapper_of[name][0], words)
                return
            if name in rules.shells:
                self._shell(name, words)
                return
            if name in rules.interpreter_of:
                self._interpreter(rules.interpreter_of[name][0], words)
                return
        match base:
            case "xargs" | "gxargs":
                self._xargs(words)
            case "find" | "gfind" if any(word.exact and word.text in filters.FIND_RUNS for word in words):
                self._find(base, words)
            case "eval":
                self._eval(words[1:])
            case "trap":
                self.seen.add(Finding(Level.MODERATE, "sets commands to run later"))
                self._eval(words[1:2])
            case _:
                self._ruled(base, words)

    def _wrapped(self, wrapper: Wrapper, words: Sequence[Word]) -> None:
        if wrapper.level is not Level.SAFE:
            self.seen.add(Finding(wrapper.level, wrapper.reason))
        inside = unwrapped(words, wrapper)
        if inside is None:
            self.seen.add(UNKNOWN_INSIDE)
            return
        for name, value in inside.variables:
            self.seen.findings += exported(name, value, self.judging.rules)
        if not inside.words:
            self._ruled(words[0].text, words)
        elif wrapper.joined:
            self._code(Word("", " ".join(word.text for word in inside.words)) if _exact(inside.words) else None)
        else:
            self.words(inside.words)

    def _xargs(self, words: Sequence[Word]) -> None:
        self.seen.reads_input = True
        inside = given_to_xargs(words, listed=self.files.listed(self.command.upstream))
        if inside is None:
            self.seen.add(UNKNOWN_INSIDE)
        else:
            self.words(inside.words)

    def _find(self, base: str, words: Sequence[Word]) -> None:
        here = Command("", tuple(without_runs(words)))
        listed = self.files.listed((here,))
        if not listed:
            for word in here.words[1:]:
                if not word.may_be_option:
                    self.files.shows(word)
        commands = given_to_find(words[1:], listed=listed)
        if commands is None:
            self.seen.add(UNKNOWN_INSIDE)
            return
        rest = without_runs(words)
        if not filters.reading_find(rest[1:]):
            self._ruled(base, rest)
        for command in commands:
            self.words(command)

    def _eval(self, words: Sequence[Word]) -> None:
        self.seen.add(Finding(Level.MODERATE, "makes commands of text"))
        self._code(Word("", " ".join(word.text for word in words)) if _exact(words) else None)

    def _code(self, code: Word | None, *, bash: bool = True) -> None:
        """Judge code that a shell is given; None when it is not known."""
        self.seen.nested += 1
        if code is None or not code.exact or self.within >= _DEEPEST_CODE or self.seen.nested > _DEEPEST:
            self.seen.add(Finding(Level.DANGEROUS, "runs commands that are known only when it runs"))
            return
        self.judging.inner(Code(code.text, bash and self.judging.surroundings.bash), self)

    def _shell(self, name: str, words: Sequence[Word]) -> None:
        given = given_to_shell(words)
        if not given.sure:
            self.seen.add(UNKNOWN_INSIDE)
            return
        if name not in self.judging.rules.shells_read or given.login:
            self.seen.add(Finding(Level.MODERATE, f"runs {name} with rules or settings of its own"))
        if given.code is not None:
            self._code(given.code, bash=name == "bash")
        elif given.script is not None:
            self._script(given.script)
        else:
            self._shell_input(bash=name == "bash")

    def _shell_input(self, *, bash: bool) -> None:
        """Judge a shell that takes its commands from its input."""
        self.seen.reads_input = True
        if self.command.fed is Fed.TEXT:
            given = self.command.given
            self._code(Word("", given) if given is not None else None, bash=bash)
        else:
            self.seen.add(WAITS if self.command.fed is Fed.NOTHING else FED)

    def _interpreter(self, interpreter: Interpreter, words: Sequence[Word]) -> None:
        given = given_to_interpreter(words, interpreter)
        self.seen.add(Finding(Level.MODERATE, f"runs {interpreter.language} code"))
        match given:
            case Given(sure=False):
                self.seen.add(UNKNOWN_INSIDE)
            case Given(code=Word() as code):
                self._acting(interpreter, code.text if code.exact else None)
            case Given(module=Word()):
                self.seen.local = True
            case Given(script=Word() as script):
                self._script(script)
            case _:
                self.seen.reads_input = True
                if self.command.fed is Fed.TEXT:
                    self._acting(interpreter, self.command.given)
                else:
                    self.seen.add(WAITS if self.command.fed is Fed.NOTHING else FED)

    def _acting(self, interpreter: Interpreter, code: str | None) -> None:
        if code is None or interpreter.language == "another language" or self.judging.rules.acting_code.search(code):
            self.seen.add(Finding(Level.DANGEROUS, f"runs {interpreter.language} code that may do anything"))

    def _script(self, script: Word) -> None:
        self.seen.local = True
        if not script.exact:
            self.seen.add(Finding(Level.DANGEROUS, "runs a script that is known only when it runs"))
        elif script.text.startswith(("/dev/", "/proc/")):
            self.seen.add(FED)
        else:
            self.seen.add(Finding(Level.MODERATE, f"runs the script {script.text}"))

    # Rules ----------------------------------------------------------------------------------------------------------

    def _ruled(self, base: str, words: Sequence[Word]) -> None:
        rules = self.judging.rules
        names = [*_names(base), *(_names(base.lower()) if base != base.lower() else ())]
        matching = [rule for name in names for rule in rules.rules_of.get(name, ()) if holds(rule, words)]
        for rule in matching:
            sure = in_words(rule, words)
            self.seen.add(
                Finding(rule.level, rule.reason if sure else f"{rule.reason}, if what is known only later says so")
            )
        if not matching:
            self.seen.reads_input = True
            self.seen.add(Finding(Level.MODERATE, f"{base} is not known to only read"))
        for name in names:
            for writer in rules.writers_of.get(name, ()):
                for target in targets_of(writer, words[1:]):
                    self.files.writes(target)
        for word in words[1:]:
            self.files.is_given(word)


def _names(base: str) -> tuple[str, ...]:
    """A program's name, and without its version: ``python3.12`` is ``python``."""
    bare = _VERSIONED.sub("", base)
    return (base,) if bare in {base, ""} else (base, bare)


def _exact(words: Sequence[Word]) -> bool:
    return all(word.exact and not word.home for word in words)
