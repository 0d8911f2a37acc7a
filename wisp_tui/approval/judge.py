"""How risky a command line is: each simple command of it judged by the rules, its level the worst of them."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import tree_sitter_bash
from tree_sitter import Language

from wisp_tui.approval.base import Level
from wisp_tui.approval.environment import USES_SECRET, exported, secret, special
from wisp_tui.approval.files import FileJudge
from wisp_tui.approval.paths import PathBook
from wisp_tui.approval.patterns import Pattern
from wisp_tui.approval.programs import Code, ProgramJudge
from wisp_tui.approval.rules import Rules
from wisp_tui.approval.script import Assignment, Command, Fed, Flow, Known, Redirect, Script, Word
from wisp_tui.approval.seen import Seen
from wisp_tui.approval.shell import read
from wisp_tui.approval.surroundings import Surroundings
from wisp_tui.approval.verdict import Finding, Part, Verdict, summed

READ_DIFFERENTLY = Finding(Level.DANGEROUS, "the shell that runs it reads some of it differently")


class Judge:
    """Judges lines for one machine and one conversation's directory. Runs nothing; reads names and git's settings."""

    def __init__(self, rules: Rules, surroundings: Surroundings, root: Path | None = None) -> None:
        self._rules = rules
        self._surroundings = surroundings
        self._root = root
        self._language = Language(tree_sitter_bash.language())
        self._books: dict[Path, PathBook] = {}

    def book(self, directory: Path) -> PathBook:
        """The rules on paths, for a command that starts in ``directory``."""
        root = self._root or directory
        if root not in self._books:
            at = self._surroundings
            self._books[root] = PathBook(
                self._rules.paths, at.home, root, at.own, at.temporary, at.own_directories(root)
            )
        return self._books[root]

    def judge(self, line: str, directory: Path) -> Verdict:
        """Judge a line that would run in ``directory``."""
        return self._judged(line, directory, self.book(directory), bash=self._surroundings.bash)

    def _judged(
        self, line: str, directory: Path, book: PathBook, *, bash: bool, fed: Fed = Fed.NOTHING, within: int = 0
    ) -> Verdict:
        script = read(line, self._language, fed)
        if script.problems:
            return Verdict(line, (Part(line, Level.DANGEROUS, script.problems, str(directory), context=line),))
        line_judge = _LineJudge(self, script, directory, book, within)
        parts = [line_judge.part(command) for command in script.commands]
        cautions = [Finding(Level.MODERATE, caution) for caution in script.cautions]
        if script.bash_only and not bash:
            cautions.append(READ_DIFFERENTLY)
        if script.defines:
            cautions.append(Finding(Level.MODERATE, "it defines a function"))
        if cautions:
            level, reasons = summed(cautions)
            parts.append(Part(line, level, reasons, str(directory), context=line))
        return Verdict(line, tuple(_once(parts)))

    def inner(self, code: Code, judging: ProgramJudge) -> None:
        """Judge code that a command gives to a shell, as part of that command."""
        seen = judging.seen
        for place in seen.places or (judging.book.root,):
            verdict = self._judged(
                code.text, place, judging.book, bash=code.bash, fed=judging.command.fed, within=judging.within + 1
            )
            for part in verdict.parts:
                seen.findings += [Finding(part.level, reason) for reason in part.reasons]
                seen.forms += part.forms
                seen.reads_input = seen.reads_input or bool(part.context)

    @property
    def rules(self) -> Rules:
        """What it judges by."""
        return self._rules

    @property
    def surroundings(self) -> Surroundings:
        """What it judges for."""
        return self._surroundings


@dataclass(slots=True)
class _LineJudge:
    """Judges the commands of one line."""

    judge: Judge
    script: Script
    directory: Path
    book: PathBook
    within: int
    """How many shells were given the code that the line is."""

    def part(self, command: Command) -> Part:
        """Judge a simple command with its assignments and redirections."""
        places = self._places(command)
        seen = Seen(places)
        programs = ProgramJudge(self.judge, self.script, command, self.book, seen, self.within)
        for assignment in command.assignments:
            self._assignment(assignment, seen)
        for redirect in command.redirects:
            redirected(redirect, programs.files)
        if command.fed is Fed.TEXT and command.given is None and secret(Word(command.source, "", Known.UNKNOWN)):
            seen.add(USES_SECRET)
        programs.words(command.words)
        level, reasons = summed(seen.findings)
        plain = self._plain(command)
        by_input = command.fed is not Fed.NOTHING and (seen.reads_input or level is not Level.SAFE)
        loose = not plain or by_input or bool(self.script.defines) or len(places) != 1
        pattern = self._pattern(command, seen, level) if plain and not loose else None
        return Part(
            command.source,
            level,
            reasons,
            str(places[0]) if len(places) == 1 else str(self.directory),
            pattern,
            words=tuple(word.text for word in command.words) if pattern else (),
            context=self.script.line if loose else "",
            local=seen.local,
            forms=tuple(seen.forms),
        )

    def _places(self, command: Command) -> tuple[Path, ...]:
        """The directories a command may run in; none when that is not known."""
        found: list[Path] = []
        for place in command.places:
            at = self.directory
            if place is None:
                return ()
            for move in place:
                relative = not move.home and not move.text.startswith(("/", "./", "../", "."))
                if relative and "CDPATH" in self.judge.surroundings.variables:
                    return ()
                written = posixpath.normpath(self.book.joined(move.text, at, home=move.home))
                if written != self.book.absolute(move.text, at, home=move.home):
                    return ()  # the shell goes where the words say, where there is such a directory
                at = Path(written)
            found.append(at)
        return tuple(dict.fromkeys(found))

    def _plain(self, command: Command) -> bool:
        """Whether a command's words show all that it is."""
        return all(
            word.known is not Known.UNKNOWN
            for word in (
                *command.words,
                *(assignment.value for assignment in command.assignments),
                *(redirect.target for redirect in command.redirects),
            )
        )

    def _pattern(self, command: Command, seen: Seen, level: Level) -> Pattern | None:
        """What an approval of the command would cover, when it can be kept: its program and verb, or just itself."""
        quiet = all(redirect.target.text in {"/dev/null", "1", "2"} for redirect in command.redirects)
        if level is Level.DANGEROUS or not command.words or command.assignments or not quiet:
            return None
        if seen.nested or any(not word.exact or word.home for word in command.words) or command.fed is Fed.TEXT:
            return None
        words = tuple(word.text for word in command.words)
        if len(seen.forms) > 1 or seen.reads_input:
            return Pattern(words)
        return suggested(words, self.judge.rules)

    # Assignments and redirections -----------------------------------------------------------------------------------

    def _assignment(self, assignment: Assignment, seen: Seen) -> None:
        """Judge a variable that is set: for the programs after it, where it is exported or was before."""
        name, value = assignment.name, assignment.value
        if secret(value):
            seen.add(USES_SECRET)
        if assignment.exported or name in self.judge.surroundings.variables:
            seen.findings += exported(name, value, self.judge.rules)
        else:
            seen.findings += special(name, value, self.judge.rules)
        if value.exact and (value.home or value.text.startswith(("/", "."))):
            path = self.book.absolute(value.text, self.directory, home=value.home)
            if reason := self.book.credentials(path):
                seen.findings.append(Finding(Level.DANGEROUS, f"names {path}: {reason}"))


def redirected(redirect: Redirect, files: FileJudge) -> None:
    """Judge a redirection by what it does to its target."""
    match redirect.flow:
        case Flow.DUPLICATE:
            pass
        case Flow.READ:
            files.shows(redirect.target)
        case Flow.WRITE:
            files.writes(redirect.target)


def suggested(words: tuple[str, ...], rules: Rules) -> Pattern:
    """The pattern an approval of a command would be kept as: never wider than its program and verb."""
    if words[0] in rules.alone:
        return Pattern(words[:1], more=True)
    depth = 0
    for length in (2, 1):
        depth = max(depth, rules.verbs.get(" ".join(words[:length]), 0))
    verb = words[1 : 1 + depth]
    exact = any(" ".join(words[: len(text.split())]) == text for text in rules.exact_only)
    if not depth or exact or len(verb) < depth or any(word.startswith("-") or "=" in word for word in verb):
        return Pattern(words)
    return Pattern(words[: 1 + depth], more=True)


def _once(parts: Sequence[Part]) -> list[Part]:
    """Parts that are the same command in the same place, once, with the worst of their levels."""
    kept: dict[tuple[str, str], Part] = {}
    for part in parts:
        key = (part.command, part.directory)
        before = kept.get(key)
        if before is not None:
            level, reasons = summed([Finding(one.level, reason) for one in (before, part) for reason in one.reasons])
            kept[key] = replace(part, level=level, reasons=reasons, context=before.context or part.context)
        else:
            kept[key] = part
    return list(kept.values())
